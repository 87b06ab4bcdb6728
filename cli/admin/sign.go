package admin

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
	"example.com/livery/edge/address"
	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// signFlags are the flags of sign.
type signFlags struct {
	keyID, secretFile string
	expires           time.Duration
	folder            bool
}

func (a *app) signCommand() *cobra.Command {
	var s signFlags
	cmd := &cobra.Command{
		Use:   "sign URL",
		Short: "Sign the address of a file, or of a folder, of a Theme served in signed mode",
		Long: "Prints the signed address. An address with ?modes= is signed for these modes. With --folder the address\n" +
			"must end in /, everything below it is signed, and the parameters to append to any file's address are\n" +
			"printed, behind ?modes= if the address has that. Nothing is sent anywhere.",
		Example: "  livery sign https://cdn.example.com/env_1/thm_1/-/latest/tokens.css --key-id K --secret-file key.txt\n" +
			"  livery sign 'https://cdn.example.com/env_1/thm_1/-/latest/tokens.css?modes=scheme.dark' --key-id K \\\n" +
			"    --secret-file key.txt",
		Args: cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return a.sign(args[0], s) },
	}
	f := cmd.Flags()
	f.StringVar(&s.keyID, "key-id", "", "`ID` of the signing key, as livery keys add printed it")
	f.StringVar(&s.secretFile, "secret-file", "", "`FILE` that holds the key's secret, as livery keys add printed it")
	f.DurationVar(&s.expires, "expires", time.Hour, "how long the address is valid, a `DURATION`")
	f.BoolVar(&s.folder, "folder", false, "sign everything below the address")
	cmdline.Require(cmd, "key-id", "secret-file")
	return a.JSONFlag(cmd)
}

func (a *app) sign(file string, s signFlags) error {
	u, err := url.Parse(file)
	if err != nil || u.Host == "" || u.ForceQuery || u.Fragment != "" || !spellModes(u) {
		return term.UsageError("Give an address as servingUrls lists it, with no parameter but modes.", "%q is not the address of a served file", file)
	}
	if s.folder && u.RawQuery != "" || s.folder != strings.HasSuffix(u.Path, "/") {
		return term.UsageError("A folder ends in / and needs --folder; a file does not end in / and takes no --folder.", "%q cannot be signed like this", file)
	}
	secret, err := readSecret(s.secretFile)
	if err != nil {
		return err
	}
	key, until := record.SigningKey{ID: s.keyID, Secret: secret}, time.Now().Add(s.expires)
	signed := signature{Parameters: policy.SignFolder(u.EscapedPath(), until, key), ExpiresAt: until.UTC().Truncate(time.Second)}
	if !s.folder {
		path, separator := u.EscapedPath(), "?"
		if u.RawQuery != "" {
			path, separator = path+"?"+u.RawQuery, "&"
		}
		signed.Parameters = policy.Sign(path, until, key)
		signed.URL = u.String() + separator + signed.Parameters
	}
	return a.Show(signed, func() { a.Say("%s", cmp.Or(signed.URL, signed.Parameters)) })
}

// spellModes writes the modes of an address unescaped, as a signature covers them. It reports whether the query is empty, or
// names modes and nothing else.
func spellModes(u *url.URL) bool {
	modes, rest, ok := address.SplitQuery([]byte(u.RawQuery), nil)
	if !ok || len(rest) > 0 || strings.HasSuffix(u.RawQuery, "&") || u.RawQuery != "" && len(modes) == 0 {
		return false
	}
	if len(modes) > 0 {
		u.RawQuery = address.ModesParameter.String() + "=" + string(modes)
	}
	return true
}

// signature is what sign tells under --json.
type signature struct {
	URL        string    `json:"url,omitempty"` // of a file; empty of a folder
	Parameters string    `json:"parameters"`    // to be appended to an address
	ExpiresAt  time.Time `json:"expiresAt"`
}

func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, term.Fail("Name the file with --secret-file.", "%s cannot be read: %s", path, localfile.Reason(err))
	}
	secret, err := base64.RawURLEncoding.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(secret) == 0 {
		return nil, term.Fail("Put the secret that livery keys add printed into it, and nothing else.", "%s holds no secret of a signing key", path)
	}
	return secret, nil
}
