package tokens

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
)

// TestFaultsOfAThemeAreNotThoseOfItsOverrides: each names the file that has it, and the value there.
func TestFaultsOfAThemeAreNotThoseOfItsOverrides(t *testing.T) {
	for _, c := range []struct {
		rule, theme, overrides string
		want                   []string
	}{
		{"a collision of two names", `{"a-b":{"$value":1},"a":{"b":{"$value":2}}}`, `{"a-b":3}`, []string{"theme.json:1 nameCollision "}},
		{"each of two values", `{"a":{"$type":"color","$value":"x y"}}`, `{"a":"z"}`, []string{`over.json:1 valueMisfit "z"`, `theme.json:1 valueMisfit "x y"`}},
		{"an alias that the overrides mend", `{"a":{"$value":"{x}"}}`, `{"a":1}`, nil},
		{"a circle that the overrides close", `{"a":{"$value":1},"b":{"$value":"{a}"}}`, `{"a":"{b}"}`, []string{"over.json:1 aliasCycle ", "theme.json:1 aliasCycle "}},
		{"a path that is not one", `{"a":{"$value":1}}`, `{"a":1,"b{":1}`, []string{"over.json:1 refused "}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"theme.json": c.theme, "over.json": c.overrides} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		theme, overrides, err := source.ThemeAndOverrides(&term.App{}, []string{filepath.Join(dir, "theme.json")}, []string{filepath.Join(dir, "over.json")}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range faultsOf(theme.Tree, theme, overrides) {
			got = append(got, filepath.Base(f.Location)+" "+f.Kind+" "+f.Value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the faults are %q, want %q", c.rule, got, c.want)
		}
	}
}
