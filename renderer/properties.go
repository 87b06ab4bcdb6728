package renderer

import "strings"

// Property is a custom property that tokens.css declares.
type Property struct {
	Name  string // with its two hyphens
	Value string
	Token string // dotted path of the token that declares it
}

// Properties returns the custom properties of tokens.css in its order.
func (s *Set) Properties() []Property {
	all := make([]Property, 0, len(s.places))
	for i := range s.places {
		end := len(s.css)
		if i+1 < len(s.places) {
			end = int(s.places[i+1].start)
		}
		for text := range strings.Lines(string(s.css[s.places[i].start:end])) {
			name, value, _ := strings.Cut(text, ": ")
			all = append(all, Property{strings.TrimSpace(name), strings.TrimSuffix(value, ";\n"), s.doc.Tokens[i].Path})
		}
	}
	return all
}

// PropertyChanges are the custom properties that differ between two stylesheets, by name.
type PropertyChanges struct {
	Added   []string // in the order of the later one
	Removed []string // in the order of the earlier one
	Changed []string // of another value, in the order of the later one
	Taken   []string // declared by another token although the one that declared it is still there
}

// Count returns how many properties are added, removed or of another value.
func (c PropertyChanges) Count() int { return len(c.Added) + len(c.Removed) + len(c.Changed) }

// CompareProperties compares two stylesheets. moved returns where a token of the earlier one is in the later document; ok is
// false if it is gone.
func CompareProperties(before, after []Property, moved func(token string) (path string, ok bool)) (c PropertyChanges) {
	was, now := make(map[string]Property, len(before)), make(map[string]bool, len(after))
	for _, p := range before {
		was[p.Name] = p
	}
	for _, p := range after {
		now[p.Name] = true
		old, known := was[p.Name]
		switch {
		case !known:
			c.Added = append(c.Added, p.Name)
			continue
		case old.Value != p.Value:
			c.Changed = append(c.Changed, p.Name)
		}
		if path, ok := moved(old.Token); ok && path != p.Token {
			c.Taken = append(c.Taken, p.Name)
		}
	}
	for _, p := range before {
		if !now[p.Name] {
			c.Removed = append(c.Removed, p.Name)
		}
	}
	return c
}
