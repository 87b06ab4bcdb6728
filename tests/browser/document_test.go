//go:build browser

package browser

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
)

// payloadPlace is a $type with the value that a payload is put into: the payload itself or, in a composite,
// one of its parts. %s stands for the payload as a JSON string.
type payloadPlace struct {
	name, typ, value string
}

// stringPlace is the place of every payload.
var stringPlace = payloadPlace{"string", "string", `%s`}

// typedPlaces are the other places: every type with the payload as its whole value, and as a part.
var typedPlaces = []payloadPlace{
	{"color", "color", `%s`},
	{"dimension", "dimension", `%s`},
	{"font-family", "fontFamily", `%s`},
	{"font-families", "fontFamily", `[%s,"serif"]`},
	{"shadow", "shadow", `%s`},
	{"shadow-color", "shadow", `{"color":%s,"offsetX":"1px","offsetY":"1px","blur":"0px","spread":"0px"}`},
	{"shadow-length", "shadow", `[{"color":"red","offsetX":"1px","offsetY":%s,"blur":"0px","spread":"0px"}]`},
	{"font-weight", "fontWeight", `%s`},
	{"duration", "duration", `%s`},
	{"duration-unit", "duration", `{"value":1,"unit":%s}`},
	{"dimension-unit", "dimension", `{"value":1,"unit":%s}`},
	{"cubic-bezier", "cubicBezier", `%s`},
	{"number", "number", `%s`},
	{"opacity", "opacity", `%s`},
	{"stroke-style", "strokeStyle", `%s`},
	{"border", "border", `%s`},
	{"border-style", "border", `{"color":"red","width":"1px","style":%s}`},
	{"transition", "transition", `%s`},
	{"transition-timing", "transition", `{"duration":"1s","delay":"0s","timingFunction":%s}`},
	{"gradient", "gradient", `%s`},
	{"gradient-color", "gradient", `[{"color":%s,"position":0},{"color":"red","position":1}]`},
	{"typography", "typography", `%s`},
	{"typography-family", "typography", `{"fontFamily":%s,"fontSize":"16px","fontWeight":400,"letterSpacing":"0px","lineHeight":1.5}`},
	{"typography-size", "typography", `{"fontFamily":"Inter","fontSize":%s,"fontWeight":400,"letterSpacing":"0px","lineHeight":1.5}`},
	{"color-space", "color", `{"colorSpace":%s,"components":[0,0,0]}`},
	{"color-hex", "color", `{"colorSpace":"srgb","components":[0,0,0],"hex":%s}`},
	{"media-query", "mediaQuery", `%s`},
	{"unknown", "", `%s`},
}

// trial is a Theme with a Variant made of payloads, and what tokens.css must declare for it.
type trial struct {
	prefix    string
	theme     strings.Builder
	overrides strings.Builder
	expected  []expectation
}

// expectation is one token of a trial.
type expectation struct {
	path    []string // as the document names it
	value   string   // the exact declaration; empty if the renderer decides
	payload *string  // of a string token: what its declaration must mean
	always  bool     // no diagnostic excuses its absence
}

// newTrial puts every payload into every place of places, as the Theme's value, as an alias target
// and as the Variant's value, and into names, descriptions and extensions. A sentinel follows each.
func newTrial(prefix string, payloads []string, places func(i int) []payloadPlace) *trial {
	t := &trial{prefix: prefix}
	t.theme.WriteString(`{"$description":` + quoted(prefix))
	t.overrides.WriteString(`{"no.such.token":""`)
	for i, payload := range payloads {
		group := fmt.Sprintf("p%d", i)
		fmt.Fprintf(&t.theme, `,%q:{"$description":%s`, group, quoted(payload))
		for _, at := range places(i) {
			t.add(group, at, payload)
		}
		t.addNames(group, payload)
		t.theme.WriteByte('}')
	}
	t.theme.WriteByte('}')
	t.overrides.WriteByte('}')
	return t
}

// add writes five tokens: the Theme's value, an alias to it, one that the Variant overrides, an
// alias to that, and the sentinel.
func (t *trial) add(group string, at payloadPlace, payload string) {
	value := fmt.Sprintf(at.value, quoted(payload))
	typ := ""
	if at.typ != "" {
		typ = fmt.Sprintf(`"$type":%q,`, at.typ)
	}
	fmt.Fprintf(&t.theme, `,%q:{"t":{%s"$value":%s,"$description":%s,"$extensions":{"example":{%s:%[4]s}}}`,
		at.name, typ, value, quoted(payload), quoted("k"+payload))
	fmt.Fprintf(&t.theme, `,"a":{%s"$value":"{%s.%s.t}"}`, typ, group, at.name)
	fmt.Fprintf(&t.theme, `,"o":{%s"$value":%s}`, typ, quoted("own"))
	fmt.Fprintf(&t.theme, `,"b":{%s"$value":"{%s.%s.o}"}`, typ, group, at.name)
	t.theme.WriteString(`,"s":{"$type":"number","$value":7}}`)
	fmt.Fprintf(&t.overrides, `,"%s.%s.o":%s`, group, at.name, value)
	for _, name := range []string{"t", "a", "o", "b"} {
		e := expectation{path: []string{group, at.name, name}}
		if at.name == stringPlace.name {
			e.always = !strings.Contains(payload, "{")
			if e.always {
				e.payload = &payload
			}
		}
		t.expected = append(t.expected, e)
	}
	t.sentinel("7", group, at.name, "s")
}

// addNames writes the payload as the name of a token, of a group, and behind a letter, if a
// dollar sign cannot make metadata of it.
func (t *trial) addNames(group, payload string) {
	fmt.Fprintf(&t.theme, `,"names":{%s:{"$type":"number","$value":1},"s":{"$type":"number","$value":2}}`, quoted("n"+payload))
	t.sentinel("1", group, "names", "n"+payload)
	t.sentinel("2", group, "names", "s")
	fmt.Fprintf(&t.theme, `,%s:{"x":{"$type":"number","$value":3}}`, quoted("g"+payload))
	t.sentinel("3", group, "g"+payload, "x")
	if !strings.HasPrefix(payload, "$") {
		fmt.Fprintf(&t.theme, `,"bare":{%s:{"$type":"number","$value":4}}`, quoted(payload))
		t.sentinel("4", group, "bare", payload)
	}
}

func (t *trial) sentinel(value string, path ...string) {
	t.expected = append(t.expected, expectation{path: path, value: value, always: true})
}

// render returns the files of the trial and what the stylesheet itself says that it declares.
func (t *trial) render() (testPage, []declaration, *renderer.Set, error) {
	set, err := renderer.Load(t.theme.String(), t.overrides.String(), t.prefix)
	if err != nil {
		return testPage{}, nil, nil, err
	}
	s := testPage{css: string(set.Append(nil, renderer.TokensCSS))}
	for f := renderer.TokensValuesJSON; f < renderer.FileCount; f++ {
		s.json = append(s.json, string(set.Append(nil, f)))
	}
	declared, err := declarations(s.css)
	return s, declared, set, err
}

// declarations reads a stylesheet the way the format promises: one rule, one declaration a line.
func declarations(css string) ([]declaration, error) {
	lines := strings.Split(css, "\n")
	if len(lines) < 4 || lines[1] != ":root {" || strings.Join(lines[len(lines)-2:], "|") != "}|" {
		return nil, fmt.Errorf("the stylesheet is not one rule: %.200q", css)
	}
	var all []declaration
	for _, line := range lines[2 : len(lines)-2] {
		name, value, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(name, "  --") || !strings.HasSuffix(value, ";") {
			return nil, fmt.Errorf("the line %q is no declaration", line)
		}
		all = append(all, declaration{Name: name[2:], Value: asListed(strings.TrimSuffix(value, ";"))})
	}
	return all, nil
}

// wideKeywords mean the same for every property, and the CSSOM lists them in lower case.
var wideKeywords = []string{"initial", "inherit", "unset", "revert", "revert-layer", "revert-rule"}

// asListed returns a value as the CSSOM lists it.
func asListed(value string) string {
	value = strings.Trim(value, " ")
	for _, keyword := range wideKeywords {
		if strings.EqualFold(value, keyword) {
			return keyword
		}
	}
	return value
}

// check compares the declarations, in order, with the tokens that the trial wrote.
func (t *trial) check(declared []declaration, diagnostics []dtcg.Diagnostic) []string {
	excused := map[string]bool{}
	for _, d := range diagnostics {
		excused[d.Path] = true
	}
	var problems []string
	for _, e := range t.expected {
		own := 0
		for own < len(declared) && t.names(declared[own].Name, e.path) {
			own++
		}
		if why := e.check(declared[:own], excused[strings.Join(e.path, ".")]); why != "" {
			problems = append(problems, fmt.Sprintf("token %q: %s", e.path, why))
		}
		declared = declared[own:]
	}
	if len(declared) > 0 {
		problems = append(problems, fmt.Sprintf("%q is declared and no token of its name stands there", declared[0].Name))
	}
	return problems
}

// check says why the declarations of one token are not as expected.
func (e expectation) check(own []declaration, excused bool) string {
	switch {
	case len(own) == 0 && e.always:
		return "its declaration is lost"
	case len(own) == 0 && !excused:
		return "it is left out and no diagnostic says so"
	case e.value != "" && (len(own) != 1 || own[0].Value != e.value):
		return fmt.Sprintf("declared %q, want %q", own, e.value)
	case e.payload != nil && (len(own) != 1 || !means(own[0].Value, *e.payload)):
		return fmt.Sprintf("declared %q, which does not mean %q", own, *e.payload)
	}
	return ""
}

// partSuffixes are what a typography and a gradient token declare beside their own name.
var partSuffixes = []string{"-font-family", "-font-size", "-font-weight", "-letter-spacing", "-line-height", "-stops"}

// names reports whether a custom property belongs to the token at path.
func (t *trial) names(property string, path []string) bool {
	whole := "-"
	if t.prefix != "" {
		whole += "-" + t.prefix
	}
	for _, segment := range path {
		if segment != "$root" {
			whole += "-" + segment
		}
	}
	if spells(property, whole) {
		return true
	}
	for _, suffix := range partSuffixes {
		if base, ok := strings.CutSuffix(property, suffix); ok && spells(base, whole) {
			return true
		}
	}
	return false
}

// spells reports whether a custom property spells a name as the rule wants: letters, digits, "-" and
// "_" stay, everything else of ASCII and all that is invisible becomes "-".
func spells(property, name string) bool {
	got, want := []rune(property), []rune(name)
	if len(got) != len(want) {
		return false
	}
	for i, r := range want {
		plain := r == '-' || r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
		hidden := r < 0xA1 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Z)
		switch {
		case plain && got[i] != r, !plain && hidden && got[i] != '-':
			return false
		case !plain && !hidden && got[i] != r && got[i] != '-':
			return false
		}
	}
	return true
}

// means reports whether a declared value is the text of a string token: raw, or as one CSS string.
func means(value, payload string) bool {
	if value == asListed(payload) && value != "" {
		return true
	}
	text, ok := unquote(value)
	return ok && text == strings.ReplaceAll(payload, "\x00", "\ufffd")
}

// unquote reads one double-quoted CSS string whose only escapes are hexadecimal and end in a blank.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	for s = s[1 : len(s)-1]; s != ""; {
		if strings.IndexByte("\"\n\r\f<>&", s[0]) >= 0 {
			return "", false
		}
		if s[0] != '\\' {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		digits, rest, ok := strings.Cut(s[1:], " ")
		var r rune
		if n, err := fmt.Sscanf(digits, "%x", &r); !ok || n != 1 || err != nil || len(digits) > 6 {
			return "", false
		}
		if r == 0 {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String(), true
}

// quoted spells s as a JSON string. s must be UTF-8: a document that is none is refused.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
