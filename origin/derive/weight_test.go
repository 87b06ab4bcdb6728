package derive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// The budget of compiled Themes is one of memory: what is counted is what is taken, whatever the document is like.
func TestWhatIsCountedIsWhatIsTaken(t *testing.T) {
	race.Skip(t)
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
				d := New(Config{CacheBytes: 1 << 40})
				taken = heaptest.Taken(func() {
					for i := range max(3, 4<<20/(20*len(text)+4<<10)) {
						v := record.ThemeVersion{Document: record.HashOf(fmt.Append(nil, i)), Prefix: "lv"}
						if _, err := d.compiledOf(v, func() ([]byte, error) { return []byte(text), nil }); err != nil {
							t.Fatal(err)
						}
					}
				})
				return d.themes.Weight(), taken
			})
		})
	}
}

// documents are Themes of all sizes and shapes: what a designer writes, what only takes much memory, and, if they are
// beside the project, design systems of the wild.
func documents(t *testing.T) map[string]string {
	many := func(n int, token string) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf(`"t%d":%s`, i, strings.ReplaceAll(token, "#", fmt.Sprint(i)))
		}
		return `{"g":{` + strings.Join(members, ",") + `}}`
	}
	all := map[string]string{
		"empty":        `{}`,
		"one token":    `{"color":{"$type":"color","brand":{"$value":"#0055aa"}}}`,
		"20 tokens":    many(20, `{"$type":"dimension","$value":"#px"}`),
		"1000 tokens":  many(1000, `{"$type":"color","$value":"#00ff00"}`),
		"1000 aliases": many(1000, `{"$value":"{g.t0}"}`),
		"1000 shadows": many(1000, `{"$type":"shadow","$value":{"color":"{g.t0}","offsetX":"1px","offsetY":"1px","blur":"#px","spread":"0px"}}`),
		"1000 misfits": many(1000, `{"$type":"color","$value":"no colour"}`),
		"1000 nowhere": many(1000, `{"$value":"{g.missing}"}`),
		"deep groups":  many(100, `{"a":{"b":{"c":{"d":{"e":{"f":{"h":{"$type":"number","$value":#}}}}}}}}`),
		"full stops":   strings.Repeat(`{"a.b":`, 30) + many(1000, `{"$value":#}`) + strings.Repeat(`}`, 30),
		"many values":  `{"$extensions":{"x":[` + strings.Repeat(`0,`, 100_000) + `0]}}`,
		"many objects": `{"$extensions":{"x":[` + strings.Repeat(`{"":[]},`, 50_000) + `0]}}`,
		"a long text":  `{"$description":"` + strings.Repeat("text ", 50_000) + `"}`,
		"extended":     many(500, `{"$type":"number","$value":#,"$description":"what # is for","$extensions":{"x":{"y":["#",null,true]}}}`),
	}
	for _, pattern := range []string{"../../renderer/testdata/*/theme.json", "../../../shared/corpus/*.tokens.json"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			root, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name)] = string(jsontree.Append(nil, root)) // as it is stored
		}
	}
	return all
}
