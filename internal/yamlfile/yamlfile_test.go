package yamlfile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sample has a member of each kind that files have.
type sample struct {
	Text     string            `json:"text,omitempty"`
	Optional *string           `json:"optional,omitempty"`
	Count    uint32            `json:"count,omitempty"`
	Offset   int               `json:"offset,omitempty"`
	Switch   bool              `json:"switch,omitempty"`
	List     []string          `json:"list,omitempty"`
	Map      map[string]string `json:"map,omitempty"`
	Items    []sample          `json:"items,omitempty"`
	Texts    Texts             `json:"texts,omitempty"`
}

// TestDecode_Scalars: where a text belongs, a plain scalar is what is written; numbers and booleans are those of YAML 1.2.
func TestDecode_Scalars(t *testing.T) {
	for _, text := range []string{
		"1.10", "007", "0123456", "1_000", "0x1F", "0o17", "1e3", "-0", ".5", "+12", "1.", "12:30:45", "190:20:30", "2026-01-01", "2001-12-14t21:59:43.10-05:00",
		"yes", "no", "on", "off", "y", "n", "true", "False", "NO", ".inf", ".NaN", "=", "a b", "a#b", "v1.2.3", "http://x.example/y",
	} {
		var got sample
		file := fmt.Sprintf("text: %s\nlist: [%s]\nmap: {k: %s, %s: v}\ntexts: %s\n", text, text, text, text, text)
		err := Decode("f.yaml", []byte(file), &got)
		if err != nil || got.Text != text || !slices.Equal(got.List, []string{text}) || got.Map["k"] != text || got.Map[text] != "v" || !slices.Equal(got.Texts, Texts{text}) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]uint32{"0": 0, "300": 300, "+3": 3, "007": 7, "0o17": 15, "0x1f": 31, "4294967295": 4294967295} {
		var got sample
		if err := Decode("f.yaml", []byte("count: "+text), &got); err != nil || got.Count != want {
			t.Errorf("count: %s is read as %d, %v", text, got.Count, err)
		}
	}
}

// TestDecode_Innocent: forms of a file that mean the same thing.
func TestDecode_Innocent(t *testing.T) {
	want := sample{Text: "a: b", Count: 3, Switch: true, List: []string{"x", "y"}, Map: map[string]string{"k": "1.10"}}
	for name, file := range map[string]string{
		"block":               "text: 'a: b'\ncount: 3\nswitch: true\nlist:\n- x\n- y\nmap:\n  k: 1.10\n",
		"flow":                `{text: "a: b", count: 3, switch: True, list: [x, y], map: {k: 1.10}}`,
		"JSON":                `{"text":"a: b","count":3,"switch":true,"list":["x","y"],"map":{"k":"1.10"}}`,
		"JSON with tabs":      "{\n\t\"text\": \"a: b\",\n\t\"count\": 3,\n\t\"switch\": true, \"list\": [\"x\", \"y\"],\n\t\"map\": {\"k\": \"1.10\"}\n}\n",
		"JSON with escapes":   `{"text":"a\u003a b","count":3,"switch":true,"list":["\u0078","y"],"map":{"k":"1.10"}}`,
		"byte order mark":     "\ufefftext: 'a: b'\ncount: 3\nswitch: TRUE\nlist: [x, y]\nmap: {k: 1.10}\n",
		"CRLF":                "text: 'a: b'\r\ncount: 3\r\nswitch: true\r\nlist:\r\n- x\r\n- y\r\nmap:\r\n  k: 1.10\r\n",
		"document markers":    "---\ntext: 'a: b'\ncount: 3\nswitch: true\nlist: [x, y]\nmap: {k: 1.10}\n...\n",
		"directive":           "# about\n%YAML 1.2\n---\ntext: 'a: b'\ncount: 3\nswitch: true\nlist: [x, y]\nmap: {k: 1.10}\n",
		"comments, no end":    "# c\n\ntext: 'a: b' # c\ncount: 3\nswitch: true\nlist: [x, # c\n y]\nmap: {k: 1.10}",
		"literal":             "text: |-\n  a: b\ncount: 3\nswitch: true\nlist: [x, y]\nmap:\n  k: >-\n    1.10\n",
		"null of an optional": "optional: ~\ntexts:\ntext: 'a: b'\ncount: 3\nswitch: true\nlist: [x, y]\nmap: {k: 1.10}\n---\n",
	} {
		var got sample
		if err := Decode("f.yaml", []byte(file), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: Decode = %+v, %v", name, got, err)
		}
	}
	var got sample
	if err := Decode("f.json", []byte(`{"text":"\ud83d\ude00 \\/ \/ \\ud83d\\ude00"}`), &got); err != nil || got.Text != "😀 \\/ / \\ud83d\\ude00" {
		t.Errorf("escapes of JSON: Decode = %q, %v", got.Text, err)
	}
	for _, empty := range []string{"", "\n", "# nothing\n", "---\n", "\ufeff"} {
		if err := Decode("f.yaml", []byte(empty), &got); err != nil {
			t.Errorf("%q: Decode = %v", empty, err)
		}
	}
}

// TestDecode_Hostile: what a reader could take for something else is refused with its place, in words.
func TestDecode_Hostile(t *testing.T) {
	for file, want := range map[string]string{
		"text: a\n---\ntext: b\n":                "f.yaml:3:1: a second document begins here",
		"{\"text\": \"a\"}\n{\"text\": \"b\"}\n": "f.yaml:2:1: ",
		"text: a\ntext: b\n":                     "f.yaml:2:1: text occurs twice in one object, first in line 1",
		`{"text": "a", "text": "b"}`:             "f.yaml:1:15: text occurs twice",
		"map:\n  k: a\n  'k': b\n":               "f.yaml:3:3: k occurs twice",
		"items: [{text: a, text: b}]":            "f.yaml:1:19: text occurs twice",
		"tetx: a\n":                              `f.yaml:1:1: unknown member "tetx"`,
		"items:\n- {text: a}\n- {lits: []}\n":    `f.yaml:3:4: unknown member "lits"`,
		"TEXT: a\n":                              `f.yaml:1:1: unknown member "TEXT"`,
		"text: &a b\n":                           "f.yaml:1:7: anchors and aliases are not supported",
		"list: &l [*l]\n":                        "anchors and aliases are not supported",
		"map: {<<: {a: b}}\n":                    "f.yaml:1:7: merge keys are not supported",
		"text: !!str 1\n":                        "f.yaml:1:7: tags such as !!str are not supported",
		"text: !x 1\n":                           "tags such as !x are not supported",
		"count: 5m\n":                            `f.yaml:1:8: count must be a whole number, not "5m"`,
		"count: '5'\n":                           "count must be a whole number",
		"count: 1_000\n":                         "count must be a whole number",
		"count: 3.0\n":                           "count must be a whole number",
		"count: 1e3\n":                           "count must be a whole number",
		"count:\n":                               "count must be a whole number, not nothing",
		"count: -1\n":                            "count is out of range: -1",
		"count: 4294967296\n":                    "count is out of range",
		"offset: 99999999999999999999\n":         "offset is out of range",
		"switch: yes\n":                          `switch must be true or false, not "yes"`,
		"switch: 'true'\n":                       "switch must be true or false",
		"switch: 1\n":                            "switch must be true or false",
		"text:\n":                                "f.yaml:1:6: text must be a text, not nothing",
		"text: null\n":                           "text must be a text, not nothing",
		"text: [a]\n":                            "text must be a text, not a list",
		"text: {a: b}\n":                         "text must be a text, not an object",
		"list:\n- a\n- b: c\n":                   "f.yaml:3:3: an entry of list must be a text, not an object",
		"list: a\n":                              `list must be a list, not "a"`,
		"list:\n":                                "list must be a list, not nothing",
		"map: [a]\n":                             "map must be an object, not a list",
		"map: {a: ~}\n":                          "a must be a text, not nothing",
		"map: {[a]: b}\n":                        "the name of a member must be a text",
		"items: [a]\n":                           `an entry of items must be an object, not "a"`,
		"- a\n":                                  "f.yaml:1:1: the document must be an object, not a list",
		"texts: [[a]]\n":                         "texts must be a text or a list of texts",
		"text: [1,2\nlist: a\n":                  "f.yaml:2:1: did not find expected",
		"text: a: b\n":                           "f.yaml:1:1: mapping values are not allowed",
		"list:\n\t- x\n":                         "f.yaml:2:2: found character that cannot start any token",
		"text: \"x\n":                            "f.yaml:2:1: found unexpected end of stream",
		"text: a\x00b\n":                         "control characters are not allowed",
		"text: \xff\n":                           "UTF-8",
		"text: a\n" + strings.Repeat("[", 200_000): "f.yaml:",
		"list: " + strings.Repeat("[", 200_000):    "exceeded max depth",
	} {
		var got sample
		start := time.Now()
		err := Decode("f.yaml", []byte(file), &got)
		if f, ok := err.(*Error); !ok || !strings.Contains(err.Error(), want) || f.Next == "" {
			t.Errorf("%.60q: Decode = %v, want a failure with %q", file, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "yamlfile.") || !strings.HasPrefix(err.Error(), "f.yaml:")) {
			t.Errorf("%.60q: Decode = %v, without a place or with a word of the program's", file, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.60q takes %s", file, took)
		}
	}
	err := Decode("f.yaml", []byte("tetx: a"), &sample{})
	if f, ok := err.(*Error); !ok || f.Next != "Did you mean text?" {
		t.Errorf("an unknown member is answered %+v", err)
	}
}

// TestEncode: what is written is read back, whatever its texts look like.
func TestEncode(t *testing.T) {
	texts := rapid.OneOf(rapid.SampledFrom([]string{"1.10", "007", "yes", "null", "~", "", "<<", "=", "0x1", "1e3", "- a", "a: b", "#", "&a", "*a", "!x", "a\nb\n", " a ", "2026-01-01", "\ufeff", "é", "😀"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		want := sample{
			Text: texts.Draw(t, "text"), Count: rapid.Uint32().Draw(t, "count"), Switch: rapid.Bool().Draw(t, "switch"),
			List: rapid.SliceOfN(texts, 1, 3).Draw(t, "list"), Map: rapid.MapOfN(texts, texts, 1, 3).Draw(t, "map"),
		}
		text, err := Encode(want)
		var got sample
		if err == nil {
			err = Decode("f.yaml", text, &got)
		}
		if err != nil || got.Text != want.Text || got.Count != want.Count || !slices.Equal(got.List, want.List) || !maps.Equal(got.Map, want.Map) {
			t.Fatalf("%+v is written as\n%s\nand read as %+v, %v", want, text, got, err)
		}
	})
}

// TestDecode_Keyed: the members of an object keep their order in a slice with a field for their names.
func TestDecode_Keyed(t *testing.T) {
	type item struct {
		Name string `yaml:"key"`
		Text string `json:"text"`
	}
	var got struct {
		Items []item `json:"items"`
	}
	err := Decode("f.yaml", []byte("items:\n  z: {text: a}\n  007: {}\n  b:\n    text: c\n"), &got)
	if want := []item{{"z", "a"}, {"007", ""}, {"b", "c"}}; err != nil || !slices.Equal(got.Items, want) {
		t.Errorf("Decode = %v, %v, want %v", got.Items, err, want)
	}
	if err := Decode("f.yaml", []byte("items: [a]"), &got); err == nil || err.Error() != "f.yaml:1:8: items must be an object, not a list" {
		t.Errorf("Decode of a list = %v", err)
	}
}

func TestLine(t *testing.T) {
	d, err := Parse("f.yaml", []byte("teams:\n- slug: a\n  environments:\n  - slug: x\n    kind: y\n"))
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]int{
		"teams[0].slug": 2, "teams[0].environments[0].kind": 5, "teams[0].environments[0].displayName": 4, "teams[0].plan": 2, "teams[7]": 2, "other": 1, "team \"x\"": 0, "": 0,
	} {
		if got := d.Line(place); got != want {
			t.Errorf("Line(%s) = %d, want %d", place, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"b: 1\na: [x, 'y', \"1\", 1.50, true, null, ~, ]\nc: {d: |\n  two\n  lines\n}", ""},
		{"b: 1\na:\n  - x\n  - \"1\"\n  - 1.50\n  - true\n  - ~\n  - e: \"a\\tb\"\n", `{"b":1,"a":["x","1",1.50,true,null,{"e":"a\tb"}]}`},
		{"", "null"},
		{"a: 0x10\n", ""},
		{"a: &x 1\nb: *x\n", ""},
	} {
		got, err := JSON("f.yaml", []byte(c.file))
		if (err != nil) != (c.want == "") || string(got) != c.want && err == nil {
			t.Errorf("JSON(%q) = %s, %v, want %s", c.file, got, err, c.want)
		}
	}
}
