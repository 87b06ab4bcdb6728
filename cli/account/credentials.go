package account

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/device"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
)

// credentials are the tokens that people logged in with, by the address of the origin. They stand in a
// file that only its owner may read. Lost: log in again. Stolen: the thief may do what its owner may
// until the tokens end.
type credentials struct {
	Origin string            `json:"origin"` // the one that counts if no --url is given; empty means none
	Tokens map[string]string `json:"tokens"` // by the address of the origin, without /public/v1

	Renewals map[string]renewal `json:"renewals,omitempty"` // how a token is renewed, by the same address
}

// renewal is how a token is renewed, of a login at an issuer.
type renewal struct {
	Issuer   string    `json:"issuer"`
	ClientID string    `json:"clientID"`
	Refresh  string    `json:"refreshToken"`
	Expires  time.Time `json:"expiresAt,omitzero"` // of the token; zero if unknown
}

// errNoConfigDir is the cause if no login can be stored on this system.
var errNoConfigDir = errors.New("no folder for configuration files")

// credentialsPath is the path of the credentials: LIVERY_CREDENTIALS, or a folder for configuration.
func credentialsPath() (string, error) {
	if path, err := cmdline.PathVariable("LIVERY_CREDENTIALS"); path != "" || err != nil {
		return path, err
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		f := term.Fail("Name a file with LIVERY_CREDENTIALS.", "the system names no folder for configuration files: %v", err)
		f.Cause = errNoConfigDir
		return "", f
	}
	return filepath.Join(dir, "livery", "credentials.json"), nil
}

// readCredentials returns what is stored, and nothing if nothing is.
func readCredentials() (credentials, error) {
	stored := credentials{Tokens: map[string]string{}}
	path, err := credentialsPath()
	if errors.Is(err, errNoConfigDir) {
		return stored, nil // no login can be stored
	}
	if err != nil {
		return stored, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stored, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &stored)
	}
	if stored.Tokens == nil {
		stored.Tokens = map[string]string{}
	}
	if err != nil {
		return stored, term.Fail("Log in again with livery login.", "the credentials %s cannot be read: %s", path, localfile.Reason(err))
	}
	return stored, nil
}

func (c credentials) write() (path string, err error) {
	if path, err = credentialsPath(); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return path, err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = localfile.Write(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return path, term.Fail("Name another file with LIVERY_CREDENTIALS.", "the credentials %s cannot be written: %s", path, localfile.Reason(err))
	}
	return path, nil
}

// store remembers the tokens of an origin, and how to renew them if that is possible.
func (c *credentials) store(origin string, tokens device.Tokens, issuer device.Issuer) {
	c.Tokens[origin] = tokens.Access
	delete(c.Renewals, origin)
	if tokens.Refresh == "" {
		return
	}
	if c.Renewals == nil {
		c.Renewals = map[string]renewal{}
	}
	c.Renewals[origin] = renewal{issuer.URL, issuer.ClientID, tokens.Refresh, tokens.Expires}
}

// remove removes all that is stored of an origin.
func (c *credentials) remove(origin string) {
	delete(c.Tokens, origin)
	delete(c.Renewals, origin)
	if c.Origin == origin {
		c.Origin = ""
	}
}
