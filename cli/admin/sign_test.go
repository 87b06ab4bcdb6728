package admin_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/cli"
	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// A signed address with modes is one that an edge takes, for these modes; what has another query is not signed.
func TestSignTakesModes(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(secret, []byte("YSBzZWNyZXQ"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := policy.Compile(record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{{ID: "key_1", Secret: []byte("a secret")}}})
	sign := func(file string, flags ...string) (signed string, code int) {
		var out, said bytes.Buffer
		code = cli.Main(append([]string{"sign", file, "--key-id", "key_1", "--secret-file", secret}, flags...), nil, &out, &said)
		return string(bytes.TrimSpace(out.Bytes())), code
	}
	const css = "https://cdn.example.com/env_1/thm_1/-/latest/tokens.css"
	for query, modes := range map[string]string{
		"": "", "?modes=scheme.dark,contrast.more": "scheme.dark,contrast.more", "?modes=scheme": "scheme", "?modes=scheme.dark%2Ccontrast.more": "scheme.dark,contrast.more",
	} {
		signed, code := sign(css + query)
		query = strings.ReplaceAll(query, "%2C", ",")
		u, err := url.Parse(signed)
		if code != 0 || err != nil {
			t.Fatal(code, err)
		}
		parameters := u.RawQuery
		if modes != "" {
			parameters = parameters[len("modes="+modes+"&"):]
		}
		asked := policy.Request{Path: []byte(u.Path), Modes: []byte(modes), Query: []byte(parameters), Now: time.Now()}
		if signed[:len(css+query)] != css+query || !rules.Decide(&asked).Allowed {
			t.Errorf("%s%s is signed as %s, which is refused", css, query, signed)
		}
		if asked.Modes = []byte("scheme.light"); rules.Decide(&asked).Allowed {
			t.Errorf("%s signs other modes", signed)
		}
	}
	for _, query := range []string{"?", "?modes=", "?v=1", "?modes=scheme&v=1", "?modes=scheme&", "?modes=Scheme", "?modes=a%252Cb", "?v=1&modes=scheme"} {
		if signed, code := sign(css + query); code == 0 {
			t.Errorf("%s%s is signed: %s", css, query, signed)
		}
	}
	if signed, code := sign("https://cdn.example.com/env_1/?modes=scheme", "--folder"); code == 0 {
		t.Errorf("a folder is signed with modes: %s", signed)
	}
}
