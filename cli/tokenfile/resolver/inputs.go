package resolver

import (
	"strings"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/spelling"
)

// Choose returns the context of each modifier by its name: that of an input, written MODIFIER=CONTEXT, else its default.
// Letter case does not count, unless two names differ in nothing else. It returns all that is wrong with the inputs.
func (d *Document) Choose(inputs []string) (contexts map[string]string, wrong []*Error) {
	contexts = map[string]string{}
	names := make([]string, len(d.Modifiers))
	for i, m := range d.Modifiers {
		names[i], contexts[m.Name] = m.Name, m.Default
	}
	for _, input := range inputs {
		name, context, ok := strings.Cut(input, "=")
		i := indexOf(names, strings.TrimSpace(name))
		switch {
		case !ok:
			wrong = append(wrong, &Error{"", "the input " + input + " is not of the form MODIFIER=CONTEXT", "Write for example " + d.example() + "."})
			continue
		case i < 0:
			wrong = append(wrong, &Error{"", "the document has no modifier " + name, suggest(name, names)})
			continue
		}
		m := d.Modifiers[i]
		if c := indexOf(m.Contexts, strings.TrimSpace(context)); c >= 0 {
			contexts[m.Name] = m.Contexts[c]
		} else {
			wrong = append(wrong, &Error{m.Pointer, "the modifier " + m.Name + " has no context " + context, suggest(context, m.Contexts)})
			contexts[m.Name] = context
		}
	}
	for _, m := range d.Modifiers {
		if contexts[m.Name] == "" {
			wrong = append(wrong, &Error{m.Pointer, "the modifier " + m.Name + " has no default, and no input chooses a context", "Give --input " + m.Name + "=" + m.Contexts[0] + ". " + valid(m.Contexts)})
		}
	}
	return contexts, wrong
}

// example is an input that the document takes.
func (d *Document) example() string {
	if len(d.Modifiers) == 0 {
		return "theme=dark"
	}
	m := d.Modifiers[0]
	return m.Name + "=" + m.Contexts[len(m.Contexts)-1]
}

// indexOf returns the place of a name in a list, of one that differs in letter case if it has no other; else -1.
func indexOf(list []string, name string) int {
	near := -1
	for i, s := range list {
		if s == name {
			return i
		}
		if near < 0 && strings.EqualFold(s, name) {
			near = i
		}
	}
	return near
}

// suggest names the nearest of the valid names, and all of them.
func suggest(name string, list []string) string {
	if len(list) == 0 {
		return "It has no modifiers at all: leave --input out."
	}
	if near := spelling.Nearest(name, list); near != "" {
		return "Did you mean " + near + "? " + valid(list)
	}
	return valid(list)
}

func valid(list []string) string { return "Valid values: " + strings.Join(list, ", ") + "." }

// nearest says what could be meant by a pointer to nothing: a member of the same object.
func (d *Document) nearest(p jsontree.Pointer) string {
	var names []string
	above := p[:len(p)-1]
	for _, m := range membersOf(d.root.Lookup(above)) {
		names = append(names, m.Name)
	}
	if near := spelling.Nearest(p[len(p)-1], names); near != "" {
		return "Did you mean #" + below(above, near).String() + "?"
	}
	return "Write it, or name a set that exists."
}
