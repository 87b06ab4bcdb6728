package jsontree_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"example.com/livery/renderer/jsontree"
)

// suite reads one file of the RFC 6901 suite, which lives outside the project.
func suite(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../shared/suites/rfc6901/" + name)
	if err != nil {
		t.Skipf("the RFC 6901 suite is not beside this checkout: %v", err)
	}
	return data
}

type pointerCase struct {
	Doc      json.RawMessage `json:"doc"`
	Pointer  string          `json:"pointer"`
	Expected json.RawMessage `json:"expected"`
	Error    string          `json:"error"`
}

func (c pointerCase) run(t *testing.T) {
	t.Helper()
	doc, err := jsontree.Parse(string(c.Doc))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := jsontree.ParsePointer(c.Pointer)
	if !ok {
		t.Fatalf("ParsePointer(%q) is refused", c.Pointer)
	}
	got := doc.Lookup(p)
	if c.Error != "" {
		if got != nil {
			t.Errorf("Lookup(%q) = %s, want none: %s", c.Pointer, jsontree.Append(nil, got), c.Error)
		}
		return
	}
	want, err := jsontree.Parse(string(c.Expected))
	if err != nil {
		t.Fatal(err)
	}
	if got == nil || !jsontree.Equal(got, want) {
		t.Errorf("Lookup(%q) = %s, want %s", c.Pointer, jsontree.Append(nil, got), c.Expected)
	}
}

func TestPointersOfRFC6901Section5(t *testing.T) {
	var s struct {
		Document json.RawMessage `json:"document"`
		Cases    []pointerCase   `json:"cases"`
	}
	if err := json.Unmarshal(suite(t, "section5.json"), &s); err != nil || len(s.Cases) == 0 {
		t.Fatal(err, len(s.Cases))
	}
	for _, c := range s.Cases {
		c.Doc = s.Document
		c.run(t)
	}
}

func TestPointersResolveArrayPositionsStrictly(t *testing.T) {
	var s struct {
		Cases []pointerCase `json:"cases"`
	}
	if err := json.Unmarshal(suite(t, "resolution.json"), &s); err != nil || len(s.Cases) == 0 {
		t.Fatal(err, len(s.Cases))
	}
	for _, c := range s.Cases {
		c.run(t)
	}
}

func TestPointerSyntaxSuite(t *testing.T) {
	var s struct{ Valid, Invalid []string }
	if err := json.Unmarshal(suite(t, "syntax.json"), &s); err != nil || len(s.Valid) == 0 || len(s.Invalid) == 0 {
		t.Fatal(err, s)
	}
	for _, text := range s.Valid {
		p, ok := jsontree.ParsePointer(text)
		if !ok || p.String() != text {
			t.Errorf("ParsePointer(%q) = %q, %v, want it to spell itself", text, p.String(), ok)
		}
	}
	for _, text := range s.Invalid {
		if p, ok := jsontree.ParsePointer(text); ok {
			t.Errorf("ParsePointer(%q) = %q, want it refused", text, p)
		}
	}
}

// S155: "/" in a name is "~1" and "~" is "~0", and "~01" is "~1", not "/".
func TestPointerEscapes(t *testing.T) {
	cases := []struct {
		text string
		want jsontree.Pointer
	}{
		{"", nil},
		{"/", jsontree.Pointer{""}},
		{"/a~1b/m~0n", jsontree.Pointer{"a/b", "m~n"}},
		{"/~01", jsontree.Pointer{"~1"}},
		{"/~10", jsontree.Pointer{"/0"}},
		{"/a//b", jsontree.Pointer{"a", "", "b"}},
		{"/é/%20", jsontree.Pointer{"é", "%20"}},
	}
	for _, c := range cases {
		got, ok := jsontree.ParsePointer(c.text)
		if !ok || !slices.Equal(got, c.want) {
			t.Errorf("ParsePointer(%q) = %q, %v, want %q", c.text, got, ok, c.want)
		}
		if got.String() != c.text {
			t.Errorf("ParsePointer(%q).String() = %q", c.text, got.String())
		}
	}
	for _, text := range []string{"x", "/~", "/a~", "/~2", "#/a", "a/b"} {
		if got, ok := jsontree.ParsePointer(text); ok {
			t.Errorf("ParsePointer(%q) = %q, want it refused", text, got)
		}
	}
}

func TestArrayIndex(t *testing.T) {
	for token, want := range map[string]int{"0": 0, "7": 7, "10": 10, "999999999": 999999999} {
		if got, ok := jsontree.ArrayIndex(token); !ok || got != want {
			t.Errorf("ArrayIndex(%q) = %d, %v, want %d", token, got, ok, want)
		}
	}
	for _, token := range []string{"", "-", "-1", "+1", "01", "00", "1.0", "1e0", "٣", "9999999999"} {
		if got, ok := jsontree.ArrayIndex(token); ok {
			t.Errorf("ArrayIndex(%q) = %d, want it refused", token, got)
		}
	}
}
