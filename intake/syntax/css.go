package syntax

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// parseCSS reads the custom properties of a stylesheet (CSS Syntax Level 3, section 5): an object for each selector,
// with the conditions around it and a brace before it, and before these @layer and the name of the layer around it. A
// selector that comes again behind another has another object. The values of declarations that are important end in
// !important. Other declarations are passed over.
func parseCSS(text string) (*File, error) {
	r := cssReader{text: text, root: jsontree.NewObject(), imports: jsontree.NewObject(), keyframes: jsontree.NewObject(), invalid: jsontree.NewObject(), offsets: map[string]int{}, counting: map[string]declaration{}, line: 1}
	r.block(scope{}, false)
	if r.open != nil {
		return nil, r.open
	}
	for _, apart := range []jsontree.Member{{Name: Imported, Value: r.imports}, {Name: Keyframes, Value: r.keyframes}, {Name: Invalid, Value: r.invalid}} {
		if len(apart.Value.Members) > 0 && len(r.root.Members) > 0 {
			r.root.Members = append(r.root.Members, apart)
		}
	}
	if len(r.layers) > 0 && len(r.root.Members) > 0 {
		r.root.Members = append(r.root.Members, jsontree.Member{Name: Layer, Value: r.layerOrder()})
	}
	for _, m := range r.root.Members {
		m.Value.Index()
	}
	r.root.Index()
	return &File{r.root, CSS, r.twice, func() *Positions { return &Positions{text, r.offsets} }}, nil
}

// cssReader walks through a stylesheet.
type cssReader struct {
	text      string
	at        int
	depth     int // of blocks
	root      *jsontree.Node
	imports   *jsontree.Node
	keyframes *jsontree.Node
	invalid   *jsontree.Node
	layers    []string // each after those that it is in, in the order of their first mention
	offsets   map[string]int
	open      *Error // what is never closed, or nests too deep; nil if nothing does

	counting map[string]declaration // by pointer: of several of one selector and name the one that counts
	twice    []Duplicate            // the others
	line     int                    // of counted
	counted  int                    // the place up to which lines are counted

	registering bool // a custom property, whose initial value may hold braces
}

// declaration is the value of a custom property and its line.
type declaration struct {
	value string
	line  int
}

// scope is where declarations stand: in a selector, or a list of them, under conditions such as @media, and in a layer.
type scope struct{ layer, conditions, selector string }

// key is empty if the declarations stand in no selector and under no condition.
func (s scope) key() string {
	key := s.selector
	if s.conditions != "" {
		key = strings.TrimSpace(s.conditions + " { " + s.selector)
	}
	if key != "" && s.layer != "" {
		key = Layer + " " + s.layer + " " + key
	}
	return key
}

// in is the scope of a block in this one. A block of selectors in another has each of them in that of each of the other
// (CSS Nesting Level 1, section 3).
func (s scope) in(words string) scope {
	switch {
	case strings.HasPrefix(words, "@") && !strings.HasPrefix(words, "@theme"):
		s.conditions = strings.TrimSpace(s.conditions + " " + words)
	case s.selector == "":
		s.selector = words
	default:
		var all []string
		for _, outer := range Selectors(s.selector) {
			for _, inner := range Selectors(words) {
				all = append(all, nested(outer, inner))
			}
		}
		s.selector = strings.Join(all[:min(len(all), mostSelectors)], ", ")
	}
	return s
}

// ampersand finds what stands for the selector around a block, and strings and escapes, in which it does not.
var ampersand = regexp.MustCompile(`&|"[^"]*"|'[^']*'|\\.`)

// maxNested is how many characters ampersands are replaced by. Blocks in blocks could double them each time.
const maxNested = 1 << 12

// nested is a selector of a block in that of another selector: below it, or with it in place of its ampersands.
func nested(outer, inner string) string {
	replaced, isReplaced := "", false
	if strings.Count(inner, "&")*len(outer) <= maxNested {
		replaced = ampersand.ReplaceAllStringFunc(inner, func(part string) string {
			if part != "&" {
				return part
			}
			isReplaced = true
			return outer
		})
	}
	if !isReplaced {
		return outer + " " + inner
	}
	return replaced
}

// Selectors splits a list of selectors at its commas, but for those in brackets.
func Selectors(list string) (all []string) {
	depth, start := 0, 0
	for i := range len(list) {
		switch c := list[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			all, start = append(all, strings.TrimSpace(list[start:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(list[start:]))
}

// mostSelectors is how many selectors of lists in lists are kept.
const mostSelectors = 100

// block reads declarations and blocks up to the end of the block at hand.
func (r *cssReader) block(at scope, inside bool) {
	if r.depth > jsontree.MaxDepth {
		r.open, r.at = cmp.Or(r.open, &Error{r.at, "it nests too deep", CSS}), len(r.text)
	}
	r.depth++
	defer func() { r.depth-- }()
	for r.at < len(r.text) {
		start, end := r.statement()
		words := strings.TrimSpace(withoutComments(r.text[start:end]))
		mark := byte(0)
		if r.at < len(r.text) {
			mark = r.text[r.at]
			r.at++
		}
		isProperty := strings.HasPrefix(words, "--")
		switch {
		case isProperty && mark != '{':
			r.declare(at.key(), words, start)
		case mark == '{':
			r.nest(at, words)
		case strings.HasPrefix(words, "@import"):
			r.imported(strings.TrimPrefix(words, "@import"), start)
		case strings.HasPrefix(words, Layer):
			for name := range strings.SplitSeq(strings.TrimPrefix(words, Layer), ",") {
				r.mention(at.layer, name)
			}
		case at.key() != "" && laterProperty.MatchString(words):
			r.note(r.invalid, Invalid, words, start+max(strings.Index(r.text[start:end], laterProperty.FindString(words)), 0)+1)
		}
		if mark == '}' && inside {
			return
		}
	}
}

// nest reads a block. What is animated does not become a token; Tailwind has it among those of its theme.
func (r *cssReader) nest(at scope, words string) {
	words = strings.Replace(strings.Join(strings.Fields(words), " "), "@media(", "@media (", 1)
	switch name, property, _ := strings.Cut(words, " "); {
	case strings.HasPrefix(words, "@keyframes") || strings.HasPrefix(words, "@-webkit-keyframes"):
		if strings.HasPrefix(at.selector, "@theme") {
			r.note(r.keyframes, Keyframes, property, r.at)
		}
		r.skipBlock()
		return
	case pluginTheme.MatchString(words) && at.selector == "":
		at.selector = r.themeOf()
		r.block(at, true)
		return
	case name == Registered:
		r.register(property)
		return
	case name == Layer:
		at.layer = r.mention(at.layer, cmp.Or(property, strconv.Itoa(len(r.layers)))) // a name of CSS does not begin with a digit
		r.block(at, true)
		return
	}
	r.block(at.in(words), true)
}

// pluginTheme is what a theme of daisyUI begins with, and saying a declaration that says what the theme is.
var (
	pluginTheme = regexp.MustCompile(`^@plugin ["'][^"']*daisyui[/-]theme[^"']*["']$`)
	saying      = regexp.MustCompile(`(?s)^(name|default|prefersdark)\s*:\s*["']?(.*?)["']?\s*$`)
)

// themeOf is the selector of the theme of daisyUI whose block begins here, with its name and the conditions that it says
// of itself, as in @plugin "daisyui/theme" acme default prefersdark.
func (r *cssReader) themeOf() string {
	at, said, ended := r.at, map[string]string{}, false
	for ; !ended && r.at < len(r.text); r.at++ {
		start, end := r.statement()
		if m := saying.FindStringSubmatch(strings.TrimSpace(withoutComments(r.text[start:end]))); m != nil {
			said[m[1]] = m[2]
		}
		ended = end < len(r.text) && r.text[end] == '}'
	}
	r.at = at
	selector := `@plugin "daisyui/theme" ` + strings.Join(strings.Fields(cmp.Or(said["name"], "unnamed")), "-")
	for _, flag := range []string{"default", "prefersdark"} {
		if said[flag] == "true" {
			selector += " " + flag
		}
	}
	return selector
}

// Layer is what the selectors in a layer begin with, before the name of the layer. The member of this name of the tree
// of a stylesheet lists the layers, each after those that it wins over.
const Layer = "@layer"

// mention notes a layer in another, and returns its whole name.
func (r *cssReader) mention(outer, name string) string {
	for part := range strings.SplitSeq(name, ".") {
		outer = strings.TrimPrefix(outer+"."+strings.TrimSpace(part), ".")
		if !slices.Contains(r.layers, outer) {
			r.layers = append(r.layers, outer)
		}
	}
	return outer
}

// layerOrder lists the layers as they win: a later one over one before it, and one over those in it (CSS Cascading
// Level 5, section 6.4.3).
func (r *cssReader) layerOrder() *jsontree.Node {
	sorted := slices.SortedFunc(slices.Values(r.layers), func(a, b string) int {
		x, y := strings.Split(a, "."), strings.Split(b, ".")
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return slices.Index(r.layers, strings.Join(x[:i+1], ".")) - slices.Index(r.layers, strings.Join(y[:i+1], "."))
			}
		}
		return len(y) - len(x)
	})
	order := jsontree.NewObject()
	for _, name := range sorted {
		order.Members = append(order.Members, jsontree.Member{Name: name, Value: jsontree.NewString(name)})
	}
	return order
}

// Imported is the member of the tree of a stylesheet that has the stylesheets of the author's own that it imports.
const Imported = "@import"

// imported notes a stylesheet that is imported, but for a package such as tailwindcss.
func (r *cssReader) imported(words string, start int) {
	name, _, _ := strings.Cut(strings.TrimSpace(words), " ")
	name = strings.Trim(strings.TrimSuffix(strings.TrimPrefix(name, "url("), ")"), `"'`)
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".css") {
		r.note(r.imports, Imported, name, start)
	}
}

// Keyframes is the member of the tree of a stylesheet that has the keyframes in Tailwind's @theme.
const Keyframes = "@keyframes"

// Invalid is the member of the tree of a stylesheet that has the statements in which a custom property is named, and
// that are not a declaration of it.
const Invalid = "@invalid"

// laterProperty is a custom property on a line of a statement that is not the first.
var laterProperty = regexp.MustCompile(`\n[ \t]*--[^\s:;]+\s*:`)

// note adds a name to a member of the tree that holds names.
func (r *cssReader) note(names *jsontree.Node, member, name string, start int) {
	if names.Find(name) == nil {
		r.offsets[jsontree.Pointer{member, name}.String()] = start
		names.Members = append(names.Members, jsontree.Member{Name: name, Value: jsontree.NewString(name)})
	}
}

// Registered is the member of the tree of a stylesheet that has the initial values of registered custom properties.
const Registered = "@property"

// register reads the block of a custom property that is registered (CSS Properties and Values API Level 1, section 3),
// and notes its initial value, if it has one.
func (r *cssReader) register(property string) {
	r.registering = true
	defer func() { r.registering = false }()
	for ended := false; !ended && r.at < len(r.text); r.at++ {
		start, end := r.statement()
		name, value, _ := strings.Cut(withoutComments(r.text[start:end]), ":")
		if strings.HasPrefix(property, "--") && strings.EqualFold(strings.TrimSpace(name), "initial-value") {
			r.declare(Registered, property+":"+value, start)
		}
		ended = end < len(r.text) && r.text[end] == '}'
	}
	r.at = min(r.at, len(r.text))
}

func (r *cssReader) skipBlock() {
	for depth := 1; r.at < len(r.text) && depth > 0; r.at++ {
		_, _ = r.statement()
		switch {
		case r.at >= len(r.text):
		case r.text[r.at] == '{':
			depth++
		case r.text[r.at] == '}':
			depth--
		}
	}
}

// Important is what the values of declarations that are important end in.
const Important = " !important"

// declare notes a custom property of a selector. Of several of one name the last counts, but for what is important.
func (r *cssReader) declare(selector, words string, start int) {
	colon := 0
	for colon < len(words) && words[colon] != ':' {
		if words[colon] == '\\' {
			colon++
		}
		colon++
	}
	switch {
	case selector == "":
		return
	case colon >= len(words):
		r.note(r.invalid, Invalid, words, start)
		return
	}
	name := strings.TrimSpace(words[:colon])
	value := strings.TrimSpace(words[colon+1:])
	if mark := strings.LastIndexByte(value, '!'); mark >= 0 && strings.EqualFold(strings.TrimSpace(value[mark+1:]), "important") {
		value = strings.TrimSpace(value[:mark]) + Important
	}
	pointer := jsontree.Pointer{selector, name}.String()
	r.line, r.counted = r.line+strings.Count(r.text[r.counted:start], "\n"), start
	own := declaration{value, r.line}
	before, isSecond := r.counting[pointer]
	stays := isSecond && strings.HasSuffix(before.value, Important) && !strings.HasSuffix(value, Important)
	if loses := before; isSecond && loses.value != value {
		if stays {
			loses = own
		}
		r.twice = append(r.twice, Duplicate{pointer, loses.line, jsontree.NewString(loses.value), false})
	}
	if stays {
		return
	}
	r.counting[pointer], r.offsets[pointer] = own, start
	last := len(r.root.Members) - 1
	if selector == Registered {
		last = r.root.IndexOf(selector)
	}
	if last < 0 || r.root.Members[last].Name != selector {
		last = len(r.root.Members)
		r.root.Members = append(r.root.Members, jsontree.Member{Name: selector, Value: jsontree.NewObject()})
		r.offsets[jsontree.Pointer{selector}.String()] = start
	}
	set := r.root.Members[last].Value
	if i := set.IndexOf(name); i >= 0 {
		set.Members[i].Value = jsontree.NewString(value)
		return
	}
	set.Members = append(set.Members, jsontree.Member{Name: name, Value: jsontree.NewString(value)})
}

// statement passes over one statement up to the mark that ends it, one of ; { }, and returns its place without the
// space before it. Marks in strings, comments, parentheses and brackets, and braces in the value of a custom property,
// end none.
func (r *cssReader) statement() (start, end int) {
	start = r.at
	for start < len(r.text) {
		rest := r.text[start:]
		if strings.IndexByte(" \t\r\n\f", rest[0]) >= 0 {
			start++
		} else if after, ok := strings.CutPrefix(rest, "/*"); ok {
			_, after, ok = strings.Cut(after, "*/")
			r.closed(ok, start, "comment")
			start = len(r.text) - len(after)
		} else {
			break
		}
	}
	r.at = start
	var closers []byte // of the brackets that are open
	bracket, isProperty := 0, r.registering || strings.HasPrefix(r.text[start:], "--")
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '"' || c == '\'':
			r.skipString(c)
		case c == '/' && strings.HasPrefix(r.text[r.at:], "/*"):
			_, after, ok := strings.Cut(r.text[r.at+2:], "*/")
			r.closed(ok, r.at, "comment")
			r.at = len(r.text) - len(after) - 1
		case c == '(' || c == '[' || c == '{' && isProperty:
			if len(closers) == 0 {
				bracket = r.at
			}
			closers = append(closers, ")]}"[strings.IndexByte("([{", c)])
			if c == '(' && strings.EqualFold(r.text[max(start, r.at-3):r.at], "url") {
				r.skipAddress()
			}
		case len(closers) > 0 && c == closers[len(closers)-1]:
			closers = closers[:len(closers)-1]
		case len(closers) == 0 && strings.IndexByte(";{}", c) >= 0:
			return start, r.at
		}
	}
	r.at = min(r.at, len(r.text))
	r.closed(len(closers) == 0, bracket, "bracket")
	return start, r.at
}

// closed notes what is opened at a place and not closed, if it is the first: what follows would be a part of it.
func (r *cssReader) closed(is bool, at int, what string) {
	if !is && r.open == nil {
		r.open = &Error{at, "this " + what + " is never closed", CSS}
	}
}

// skipAddress leaves the place before the bracket that ends an address which does not stand in quotes.
func (r *cssReader) skipAddress() {
	if inner := strings.TrimLeft(r.text[r.at+1:], " \t\r\n\f"); inner == "" || inner[0] == '"' || inner[0] == '\'' {
		return
	}
	for r.at+1 < len(r.text) && r.text[r.at+1] != ')' {
		if r.at++; r.text[r.at] == '\\' {
			r.at++
		}
	}
}

// skipString leaves the place at the quote that ends a string, or before the line's end if none does.
func (r *cssReader) skipString(quote byte) {
	start := r.at
	defer func() { r.closed(r.at < len(r.text) && r.text[r.at] == quote, start, "string") }()
	for r.at++; r.at < len(r.text) && r.text[r.at] != quote && r.text[r.at] != '\n'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
}

// withoutComments returns CSS with a space for each comment that stands in no string.
func withoutComments(text string) string {
	r := cssReader{text: text}
	var b strings.Builder
	for r.at < len(text) {
		switch c := text[r.at]; {
		case c == '"' || c == '\'':
			start := r.at
			r.skipString(c)
			r.at = min(r.at+1, len(text))
			b.WriteString(text[start:r.at])
			continue
		case strings.HasPrefix(text[r.at:], "/*"):
			_, after, _ := strings.Cut(text[r.at+2:], "*/")
			r.at = len(text) - len(after)
			b.WriteByte(' ')
			continue
		default:
			b.WriteByte(c)
		}
		r.at++
	}
	return b.String()
}
