package cssvalue

import (
	"math"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Resolve replaces Member by $value. The declarations are those of all files that count in one choice of modes, one for each path.
// As in a browser (CSS Values Level 5, section 9), var() of a property with a value becomes an alias, any other var() its
// fallback. Resolve reports the declarations without a value and does not return them. It changes no node.
func Resolve(decls []model.Decl) (resolved []model.Decl, problems []model.Problem) {
	r := resolver{paths: map[string]string{}, values: map[string]string{}, states: map[string]state{}, lowest: map[string]int{}}
	for i := range decls {
		if name := propertyName(decls[i].Path); !decls[i].Group {
			r.paths[name], r.states[name] = decls[i].Name(), valid
			if text := decls[i].Node.Find(Member); text != nil {
				r.values[name] = text.Text
			}
		}
	}
	for _, d := range decls {
		if i := d.Node.IndexOf(Member); i >= 0 && !d.Group {
			value, why := r.valueOf(propertyName(d.Path))
			if why != nil {
				why.Place, why.Path = d.Place, d.Name()
				problems = append(problems, *why)
				continue
			}
			d.Node = jsontree.NewObject(slices.Replace(slices.Clone(d.Node.Members), i, i+1, tokenMembers(value)...)...)
		}
		resolved = append(resolved, d)
	}
	return resolved, problems
}

// propertyName returns the custom property of a token.
func propertyName(path []string) string { return string(css.AppendName(nil, "", path)) }

// state says how var() of a custom property is substituted.
type state int

const (
	invalid state = iota // by its fallback
	cyclic               // by its fallback
	empty                // by nothing
	valid                // by an alias
)

// resolver finds the states of custom properties.
type resolver struct {
	paths  map[string]string // dotted, of the tokens by the names of their properties
	values map[string]string // those with var()
	states map[string]state

	lowest map[string]int // of the visited: the lowest index on the stack that it leads to; math.MaxInt if its state is known
	stack  []string
}

// valueOf returns the value of a property with aliases, or why it has none.
func (r *resolver) valueOf(name string) (value string, why *model.Problem) {
	written := r.values[name]
	switch r.visit(name); r.states[name] {
	case cyclic:
		return "", &model.Problem{Kind: "circular references", Message: written + " leads back to " + name + ", so that a browser gives it no value", Lost: true}
	case valid:
		value, _ = r.substitute(written, func(reference, to string) string { return "{" + r.paths[to] + "}" })
		return value, nil
	case invalid:
		if strings.Contains(written, "var(") {
			return "", &model.Problem{Kind: "references to properties without a value", Message: written + " has no value: declare the property that it refers to in one of the files", Lost: true}
		}
	}
	return "", &model.Problem{Kind: "custom properties without a value", Message: name + ": " + written + " gives the token no value", Lost: strings.Contains(written, "{")}
}

// visit finds the states of a property and of its references, and returns the lowest index on the stack that it leads to. It is
// Tarjan's algorithm for strongly connected components.
func (r *resolver) visit(name string) int {
	written, isHere := r.values[name]
	low, isSeen := r.lowest[name]
	switch {
	case isSeen:
		return low
	case !isHere:
		return math.MaxInt
	}
	own, start, isCycle := len(r.lowest), len(r.stack), false
	r.lowest[name], r.states[name], r.stack = own, invalid, append(r.stack, name)
	low = own
	value, hasValue := r.substitute(written, func(reference, to string) string {
		isCycle = isCycle || to == name
		low = min(low, r.visit(to))
		return reference
	})
	if r.lowest[name] = low; low < own {
		return low
	}
	is := valid
	switch {
	case isCycle || len(r.stack) > start+1:
		is = cyclic
	case !hasValue || IsWideKeyword(value) || strings.Contains(value, "{"):
		is = invalid
	case value == "":
		is = empty
	}
	for _, member := range r.stack[start:] {
		r.lowest[member], r.states[member] = math.MaxInt, is
	}
	r.stack = r.stack[:start]
	return math.MaxInt
}

// substitute replaces each var() of a value by the result of put, or by its fallback, which is evaluated only if it is needed.
// hasValue is false if a var() has neither a value nor a fallback.
func (r *resolver) substitute(value string, put func(reference, to string) string) (substituted string, hasValue bool) {
	hasValue = true
	masked := quotedText.ReplaceAllStringFunc(value, func(text string) string { return strings.Repeat("x", len(text)) })
	var b strings.Builder
	for {
		start := strings.Index(masked, "var(")
		end := closing(masked, start)
		if end < 0 {
			return strings.TrimSpace(b.String() + value), hasValue
		}
		name, fallback, hasFallback := strings.Cut(value[start+len("var("):end-1], ",")
		to := propertyName([]string{TokenName(strings.TrimSpace(name))})
		text := put(value[start:end], to)
		b.WriteString(value[:start])
		switch is := r.states[to]; {
		case is == valid:
			b.WriteString(text)
		case is != empty && hasFallback:
			inner, isWhole := r.substitute(fallback, put)
			b.WriteString(inner)
			hasValue = hasValue && isWhole
		case is != empty:
			hasValue = false
		}
		value, masked = value[end:], masked[end:]
	}
}

// closing returns the offset after the bracket that closes the first one after at, or -1.
func closing(text string, at int) int {
	depth := 0
	for i := max(at, 0); at >= 0 && i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
