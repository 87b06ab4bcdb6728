package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/origin/operator"
)

// configOf returns the settings that livery config prints, by name.
func configOf(t *testing.T, args ...string) map[string]setting {
	t.Helper()
	var out, errOut strings.Builder
	if code := Main(append([]string{"config"}, args...), strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("livery config %q = %d: %s", args, code, errOut.String())
	}
	var all []setting
	if err := json.Unmarshal([]byte(out.String()), &all); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	byName := map[string]setting{}
	for _, s := range all {
		byName[s.Name] = s
	}
	return byName
}

// livery config says of each setting what it would be and what it comes from; a flag wins over the variable,
// the variable over the file. A token is not printed.
func TestConfigNamesTheSourceOfEverySetting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "livery.yaml")
	if err := os.WriteFile(file, []byte("cdn-url: https://file.example\npublic-url: https://file.example\ndata: file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIVERY_CDN_URL", "https://variable.example")
	t.Setenv("LIVERY_DATA", "variable")
	got := configOf(t, "origin", "--data", "flag", "--store", "postgres://livery:secret@db/livery", "--config", file, "--json")
	for _, want := range []setting{
		{Setting: operator.Setting{Name: "data", Value: "flag", Source: "the command line"}},
		{Setting: operator.Setting{Name: "cdn-url", Value: "https://variable.example", Source: "the environment variable LIVERY_CDN_URL"}},
		{Setting: operator.Setting{Name: "public-url", Value: "https://file.example", Source: "the --config file"}},
		{Setting: operator.Setting{Name: "listen", Value: "127.0.0.1:8080", Source: "default"}},
		{Setting: operator.Setting{Name: "store", Value: "postgres://livery@db:5432/livery", Source: "the command line"}},
		{Setting: operator.Setting{Name: "audit-keep", Value: "400d", Source: "default"}},
	} {
		if got[want.Name] != want {
			t.Errorf("livery config says %+v, want %+v", got[want.Name], want)
		}
	}
	t.Setenv("LIVERY_TOKEN", "the-token-itself")
	if got := configOf(t, "theme", "list", "--env", "e", "--json"); got["token"].Value != "(not printed)" {
		t.Errorf("livery config prints the token as %q", got["token"].Value)
	}
}

func TestConfigRefusesWhatIsNoCommand(t *testing.T) {
	for _, args := range [][]string{{"config", "nothing"}, {"config", "origin", "--nothing"}, {"config", "origin"}} {
		var out, errOut strings.Builder
		if code := Main(args, strings.NewReader(""), &out, &errOut); code != 2 {
			t.Errorf("livery %q = %d %s, want 2", args, code, errOut.String())
		}
	}
}
