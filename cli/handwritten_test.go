package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHandwrittenFiles: each file that people write is read by the same rules: what is doubtful is refused with its place, and the
// spellings of editors and other systems mean the same.
func TestHandwrittenFiles(t *testing.T) {
	p := newHostilePlace(t)
	readers := map[string]struct {
		file string // with one member on a line of its own
		line []string
	}{
		"teams.yaml":  {"teams:\n- slug: 2.10\n  plan: pro\n  members: [a]\n  environments: []\n", []string{"teams", "apply", "teams.yaml"}},
		"config.yaml": {"theme: 1.10\nstrict: true\n", []string{"env", "list", "--config", "config.yaml"}},
		"livery.yaml": {"files: [none.json]\ntheme: 1.10\nvariants: {}\n", []string{"push"}},
	}
	for name, r := range readers {
		said := func(content string) string {
			p.write(t, filepath.Join(p.work, name), []byte(content))
			return p.run(t, r.line)
		}
		for what, want := range map[string][2]string{
			"a second document": {r.file + "---\n" + r.file, ":1: a second document begins here"},
			"a member twice":    {r.file + strings.SplitN(r.file, "\n", 2)[0] + "\n", " occurs twice in one object, first in line 1"},
			"an unknown member": {r.file + "nonsense: 1\n", `"nonsense"`},
			"an anchor":         {strings.Replace(r.file, ": ", ": &x ", 1), "anchors and aliases are not supported"},
			"a tag":             {strings.Replace(r.file, ": ", ": !!str ", 1), "tags such as !!str are not supported"},
			"broken":            {r.file + "]\n", "did not find expected"},
		} {
			if got := said(want[0]); !strings.Contains(got, want[1]) || !strings.Contains(got, name) {
				t.Errorf("%s with %s: %s, want %s", name, what, got, want[1])
			}
		}
		want := said(r.file)
		if strings.Contains(want, name+":") {
			t.Errorf("%s: %s", name, want)
		}
		for what, content := range map[string]string{
			"a byte order mark": "\ufeff" + r.file, "CRLF": strings.ReplaceAll(r.file, "\n", "\r\n"), "markers": "%YAML 1.2\n---\n" + r.file + "...\n",
		} {
			if got := said(content); got != want {
				t.Errorf("%s with %s: %s, want %s", name, what, got, want)
			}
		}
	}
}
