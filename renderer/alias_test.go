package renderer_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// aliased are values of every kind, and some that fit no type.
var aliased = []struct{ kind, value string }{
	{"color", `{"colorSpace":"display-p3","components":[0.1,0.6,1],"alpha":0.5}`},
	{"color", `"rebeccapurple"`},
	{"dimension", `{"value":1.50,"unit":"rem"}`},
	{"fontFamily", `["Source Sans","sans-serif"]`},
	{"fontWeight", `"semi-bold"`},
	{"duration", `{"value":200,"unit":"ms"}`},
	{"cubicBezier", `[0.25,0.1,0.25,1]`},
	{"number", `1e2`},
	{"strokeStyle", `{"dashArray":["2px",{"value":3,"unit":"px"}],"lineCap":"round"}`},
	{"border", `{"color":"{leaf}","width":"2px","style":"solid"}`},
	{"transition", `{"duration":"200ms","delay":"0ms","timingFunction":[0,0,1,1]}`},
	{"shadow", `[{"color":"{leaf}","offsetX":"1px","offsetY":"2px","blur":"3px","spread":"0px"}]`},
	{"gradient", `[{"color":"{leaf}","position":0},{"color":"#ffffff","position":1}]`},
	{"typography", `{"fontFamily":"Inter","fontSize":"16px","fontWeight":700,"letterSpacing":"nonsense","lineHeight":1.5}`},
	{"string", `"a \"quoted\" < text\n"`},
	{"boolean", `true`},
	{"dimension", `"no dimension"`},
	{"color", `"url(https://example.com)"`},
}

// aliasTheme spells tokens of every value, each three times: as it is, and twice as spell makes it of the token
// before, the second time in a group of its own.
func aliasTheme(spell func(path, value string) string) string {
	var b strings.Builder
	b.WriteString(`{"leaf":{"$type":"color","$value":"#abcdef"}`)
	for i, v := range aliased {
		one, two := fmt.Sprintf("one%d", i), fmt.Sprintf("two%d", i)
		fmt.Fprintf(&b, `,%q:{"$type":%q,"$value":%s},%q:{"$type":%q,"$value":%s},"g%d":{"three":{"$description":"<3","$value":%s,"$type":%q}}`,
			one, v.kind, v.value, two, v.kind, spell(one, v.value), i, spell(two, v.value), v.kind)
	}
	return b.String() + "}"
}

// An alias is written as the value that it names would be, wherever a file is cut, though that is not
// rendered again.
func TestAnAliasIsWrittenAsItsValue(t *testing.T) {
	t.Parallel()
	aliases := load(t, aliasTheme(func(path, _ string) string { return `"{` + path + `}"` }), "", "")
	values := load(t, aliasTheme(func(_, value string) string { return value }), "", "")
	for f := range renderer.File(renderer.FileCount) {
		if f == renderer.TokensDTCGJSON {
			continue // it keeps them
		}
		got, want := string(aliases.Append([]byte("before "), f)), "before "+string(values.Append(nil, f))
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", f.Name(), got, want)
		}
		for limit := renderer.Closing; f != renderer.TokensCSS && limit <= len(want)+renderer.Closing; limit += 7 {
			got, gotTokens, gotMembers := aliases.AppendWithin(f, limit)
			want, tokens, members := values.AppendWithin(f, limit)
			if string(got) != string(want) || gotTokens != tokens || gotMembers != members {
				t.Fatalf("%s within %d bytes:\n%s\nwant\n%s", f.Name(), limit, got, want)
			}
		}
	}
	if got, want := aliases.Diagnostics(), values.Diagnostics(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("diagnostics:\n%v\nwant\n%v", got, want)
	}
}

// An alias that has another type than what it names, or comes before it, is rendered by its own.
func TestAnAliasOfAnotherTypeIsItsOwn(t *testing.T) {
	t.Parallel()
	s := load(t, `{"early":{"$value":"{late}"},"late":{"$type":"duration","$value":"200ms"},`+
		`"n":{"$type":"number","$value":4},"d":{"$type":"dimension","$value":"{n}"},"again":{"$value":"{d}"}}`, "", "")
	want := "  --early: 200ms;\n  --late: 200ms;\n  --n: 4;\n  --d: 4px;\n  --again: 4px;\n"
	if got := string(s.Append(nil, renderer.TokensCSS)); !strings.Contains(got, want) {
		t.Errorf("tokens.css:\n%s\nwant\n%s", got, want)
	}
	if got := string(s.Append(nil, renderer.TokensValuesJSON)); got != `{"early":"200ms","late":"200ms","n":4,"d":"4px","again":"4px"}`+"\n" {
		t.Errorf("tokens.values.json = %s", got)
	}
}

// Names that are declared twice are found, whatever is between them.
func TestTheLastOfEqualNamesWins(t *testing.T) {
	t.Parallel()
	theme := jsontree.NewObject()
	const n = 3000
	for i := range 2 * n {
		name := fmt.Sprintf("t.%d", i%n)
		if i >= n {
			name = fmt.Sprintf("t-%d", i%n)
		}
		theme.Members = append(theme.Members, jsontree.Member{Name: name, Value: parse(t, fmt.Sprintf(`{"$type":"number","$value":%d}`, i))})
	}
	s := renderer.LoadTree(theme, nil, "")
	if got, want := len(s.Diagnostics()), n; got != want {
		t.Errorf("%d tokens lost their names, want %d", got, want)
	}
	out := string(s.Append(nil, renderer.TokensCSS))
	for i := range n {
		if want := fmt.Sprintf("  --t-%d: %d;\n", i, n+i); strings.Count(out, fmt.Sprintf("--t-%d:", i)) != 1 || !strings.Contains(out, want) {
			t.Fatalf("want %q once in\n%s", want, out)
		}
	}
}
