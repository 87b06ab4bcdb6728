package intake

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestCases: what public bug reports ask for, of the files beside the project.
func TestCases(t *testing.T) {
	const folder = "../../shared/cases/tokens"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("NOT PROVEN: cases of bug reports: ../shared is not beside the project")
	}
	open := func(pattern string) memory {
		files := memory{}
		names, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[path.Base(filepath.ToSlash(name))] = string(text)
		}
		return files
	}
	for _, c := range []struct {
		pattern string
		choices []string
		want    []string // tokens of the Theme
	}{
		{"11-figma-alias-opacity/*.json", nil, []string{"fill.faint=rgba({base.ink}, 0.2)", "opacity.half=0.5"}},
		{"11-figma-alias-opacity/*.json", []string{"Tokens=Dark"}, []string{"fill.faint=rgba({base.ink}, {opacity.half})"}},
		{"19-shadcn/theme.json", nil, []string{"radius=0.625rem", "border=240 5.9% 90%", "background=oklch(0.99 0 0)", "tracking-wide=calc({tracking-normal} + 0.025em)"}},
		{"40-figma-float/*.json", nil, []string{`line.body={"value":1.78,"unit":"px"}`, `gap.s={"value":0.4,"unit":"px"}`, "num=33.6", "op=0.123", `c={"colorSpace":"srgb","components":[0.4,0.5,0.2],"alpha":0.3,"hex":"#668033"}`}},
	} {
		files := open(c.pattern)
		names, _ := files.List(".")
		plan, err := NewReader(files).Read(FromArguments(names, c.choices))
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, line := range c.want {
			if got := " " + flat(plan.Theme.Tree) + " "; !strings.Contains(got, " "+line+" ") {
				t.Errorf("%s %v lacks %s:%s", c.pattern, c.choices, line, got)
			}
		}
	}
	for _, pattern := range []string{"a/*", "b/*", "c/*", "d/*"} {
		files := open("31-tokens-dark-files/" + pattern)
		m, err := NewReader(files).Propose([]string{"."})
		if err != nil || len(m.Variants) != 1 || m.Variants[0].Mode != "scheme.dark" || m.Variants[0].Condition() != "(prefers-color-scheme: dark)" {
			t.Errorf("31-tokens-dark-files/%s: Propose = %+v, %v", pattern, m, err)
		}
	}
}
