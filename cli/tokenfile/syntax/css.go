package syntax

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// parseCSS reads the custom properties of a stylesheet (CSS Syntax Level 3, section 5): an object for each selector, with
// the conditions around it before it. Layers and imports do not count, other declarations are passed over.
func parseCSS(text string) (*File, error) {
	r := cssReader{text: text, root: jsontree.NewObject(), offsets: map[string]int{}}
	r.block("", false)
	for _, m := range r.root.Members {
		m.Value.Index()
	}
	r.root.Index()
	return &File{r.root, CSS, nil, func() *Positions { return &Positions{text, r.offsets} }}, nil
}

// cssReader walks through a stylesheet.
type cssReader struct {
	text    string
	at      int
	root    *jsontree.Node
	offsets map[string]int

	registering bool // a custom property, whose initial value may hold braces
}

// block reads declarations and blocks up to the end of the block at hand.
func (r *cssReader) block(selector string, inside bool) {
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
			r.declare(selector, words, start)
		case mark == '{':
			r.nest(selector, words)
		}
		if mark == '}' && inside {
			return
		}
	}
}

// nest reads a block. What is animated does not become a token.
func (r *cssReader) nest(selector, words string) {
	words = strings.Join(strings.Fields(words), " ")
	switch name, property, _ := strings.Cut(words, " "); {
	case strings.HasPrefix(words, "@keyframes") || strings.HasPrefix(words, "@-webkit-keyframes"):
		r.skipBlock()
		return
	case name == Registered:
		r.register(property)
		return
	case name == "@layer":
		words = ""
	}
	r.block(strings.TrimSpace(selector+" "+words), true)
}

// Registered is the member of the tree of a stylesheet that has the initial values of registered custom properties.
const Registered = "@property"

// register reads the block of a custom property that is registered (CSS Properties and Values API Level 1, section 3), and
// notes its initial value, if it has one.
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

// declare notes a custom property of a selector; a later one of the same name counts.
func (r *cssReader) declare(selector, words string, start int) {
	name, value, ok := strings.Cut(words, ":")
	name = strings.TrimSpace(name)
	value = strings.TrimSpace(value)
	if important := strings.LastIndexByte(value, '!'); important >= 0 && strings.EqualFold(strings.TrimSpace(value[important+1:]), "important") {
		value = strings.TrimSpace(value[:important])
	}
	if !ok || selector == "" {
		return
	}
	set := r.root.Find(selector)
	if set == nil {
		set = jsontree.NewObject()
		r.root.Members = append(r.root.Members, jsontree.Member{Name: selector, Value: set})
		r.offsets[jsontree.Pointer{selector}.String()] = start
	}
	r.offsets[jsontree.Pointer{selector, name}.String()] = start
	if i := set.IndexOf(name); i >= 0 {
		set.Members[i].Value = jsontree.NewString(value)
		return
	}
	set.Members = append(set.Members, jsontree.Member{Name: name, Value: jsontree.NewString(value)})
}

// statement passes over one statement up to the mark that ends it, one of ; { }, and returns its place without the space
// before it. Marks in strings, comments, parentheses and brackets, and braces in the value of a custom property, end none.
func (r *cssReader) statement() (start, end int) {
	start = r.at
	for start < len(r.text) {
		rest := r.text[start:]
		if strings.IndexByte(" \t\r\n\f", rest[0]) >= 0 {
			start++
		} else if after, ok := strings.CutPrefix(rest, "/*"); ok {
			_, after, _ = strings.Cut(after, "*/")
			start = len(r.text) - len(after)
		} else {
			break
		}
	}
	r.at = start
	depth, isProperty := 0, r.registering || strings.HasPrefix(r.text[start:], "--")
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\\':
			r.at++
		case c == '"' || c == '\'':
			r.skipString(c)
		case c == '/' && strings.HasPrefix(r.text[r.at:], "/*"):
			_, after, _ := strings.Cut(r.text[r.at+2:], "*/")
			r.at = len(r.text) - len(after) - 1
		case c == '(' || c == '[' || c == '{' && isProperty:
			depth++
		case depth > 0 && (c == ')' || c == ']' || c == '}' && isProperty):
			depth--
		case depth == 0 && strings.IndexByte(";{}", c) >= 0:
			return start, r.at
		}
	}
	r.at = min(r.at, len(r.text))
	return start, r.at
}

// skipString leaves the place at the quote that ends a string, or before the line's end if none does.
func (r *cssReader) skipString(quote byte) {
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
