package tokens_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens"
	"example.com/livery/cli/tokens/source"
)

// A fault of the Theme is told once, and a fault of a Variant with the file and value of its override.
func TestCheck_FaultsOfVariants(t *testing.T) {
	const mapping = "files: [theme.json]\nvariants: {over: {files: [over.json]}}\n"
	long := strings.Repeat("x", 255)
	for _, c := range []struct {
		rule, theme, overrides string
		want                   []string
	}{
		{"a collision of two names", `{"a-b":{"$value":1},"a":{"b":{"$value":2}}}`, `{"a-b":3}`, []string{"theme.json:1 nameCollision "}},
		{"a collision with what is refused", `{"` + long + `":{"b":{"$value":2}},"` + long + `-b":{"$value":1}}`, `{"x":1}`, []string{"over.json:1 refused ", "theme.json:1 refused "}},
		{"each of two values", `{"a":{"$type":"color","$value":"x y"}}`, `{"a":"z"}`, []string{`theme.json:1 valueMisfit "x y"`, `over.json:1 valueMisfit "z"`}},
		{"an alias that only the overrides mend", `{"a":{"$value":"{x}"}}`, `{"a":1}`, []string{"theme.json:1 aliasMissing "}},
		{"a circle that the overrides close", `{"a":{"$value":1},"b":{"$value":"{a}"}}`, `{"a":"{b}"}`, []string{"over.json:1 aliasCycle ", "theme.json:1 aliasCycle "}},
		{"what no token can be made of", `{"a":{"$value":1},"b":{"$vlaue":1}}`, `{"a":1}`, []string{"theme.json:1 refused "}},
		{"an alias of a token that a push leaves out", `{"a.b":{"$value":1},"a-b":{"$value":2},"r":{"$value":"{a.b}"}}`, `{"a-b":1}`, []string{"theme.json:1 refused ", "theme.json:1 aliasMissing "}},
		{"a path that is not one", `{"a":{"$value":1}}`, `{"a":1,"b{":1}`, []string{"over.json:1 refused "}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"theme.json": c.theme, "over.json": c.overrides, "livery.yaml": mapping} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		t.Chdir(dir)
		for _, f := range check(t) {
			got = append(got, filepath.Base(f.Location)+" "+f.Kind+" "+f.Value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the faults are %q, want %q", c.rule, got, c.want)
		}
	}
}

// check returns what livery check lists.
func check(t *testing.T, args ...string) (list []source.Fault) {
	var out, said bytes.Buffer
	for _, cmd := range tokens.Commands(&account.Session{App: &term.App{Out: &out, Err: &said}}) {
		if cmd.Name() == "check" {
			cmd.SetArgs(append(args, "--json"))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if err := cmd.Execute(); out.Len() == 0 { // faults are a failure too
				t.Fatal(err)
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatalf("check prints %s, says %s: %v", out.String(), said.String(), err)
	}
	return list
}
