package systems

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// pair is a custom property of tokens.css whose value is not that of the package's own stylesheet.
type pair struct {
	name         string // as the package's stylesheet has it
	ours, theirs string // in one spelling, without references
	written      string // ours as it stands in tokens.css
	raw          string // theirs, without references
	others       []string
	files        []string          // what the token files say, and the parts of it, without aliases
	sheet        map[string]string // of the package
}

// compare compares the values of tokens.css with those of the package's own stylesheets, both without references, and
// finds the class of each difference.
func (r *row) compare(t *testing.T) {
	t.Helper()
	if len(r.css) == 0 {
		return
	}
	theirs, rules := map[string]string{}, map[string][]string{}
	for _, name := range r.css {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range property.FindAllStringSubmatch(withoutComments(string(text)), -1) {
			if _, twice := theirs[m[1]]; !twice { // the first rule is the usual mode
				theirs[m[1]] = strings.TrimSpace(m[2])
			}
			rules[m[1]] = append(rules[m[1]], m[2])
		}
	}
	ours := map[string]string{}
	for _, m := range property.FindAllStringSubmatch(withoutComments(r.sheet), -1) {
		ours[key(m[1])] = strings.TrimSpace(m[2])
	}
	values := fileValues{}
	for _, l := range r.leaves {
		values[key(l.path)] = append(values[key(l.path)], texts(l.value)...)
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		own, ok := ours[r.key(name)]
		if !ok {
			continue
		}
		r.compared++
		if p := newPair(name, own, theirs, rules[name], values.of(r.key(name), 0)); p.ours != p.theirs {
			r.classify(t, p)
		}
	}
	for name := range r.notes {
		if !slices.Contains(r.noted, name) {
			t.Errorf("%s: %s does not differ any more, or a class explains it: remove its note", r.name, name)
		}
	}
}

// newPair spells the values of a custom property: ours, and that of the package's stylesheet, of its rules and of the files.
func newPair(name, own string, sheet map[string]string, rules, files []string) pair {
	p := pair{name: name, ours: plain(own), written: own, raw: resolved(sheet[name], sheet, 0), sheet: sheet}
	p.theirs = plain(p.raw)
	for _, value := range rules {
		p.others = append(p.others, plain(resolved(value, sheet, 0)))
	}
	for _, value := range files {
		p.files = append(p.files, plain(value))
	}
	return p
}

// key is that of the token which a custom property of the package's stylesheet is made of.
func (r *row) key(name string) string {
	return key(r.put + strings.TrimPrefix(strings.TrimLeft(name, "-"), r.strip))
}

// classify finds the class of a difference, or fails.
func (r *row) classify(t *testing.T, p pair) {
	t.Helper()
	r.differ++
	switch at := slices.IndexFunc(classes, func(c class) bool { return c.holds(p) }); {
	case at >= 0:
		t.Logf("%s: %s is %s, theirs %s: %s", r.name, p.name, clip(p.written), clip(p.raw), classes[at].name)
	case r.notes[p.name] != "":
		r.noted = append(r.noted, p.name)
	default:
		t.Errorf("%s: no class explains %s: %s, theirs %s, the files %q", r.name, p.name, p.ours, p.theirs, p.files)
	}
}

func clip(s string) string {
	if s = strings.Join(strings.Fields(s), " "); len(s) > 60 {
		s = s[:57] + "…"
	}
	return strings.ReplaceAll(s, "|", "\\|")
}

// resolved replaces each var() that the stylesheet has, or that has a fallback.
func resolved(value string, all map[string]string, depth int) string {
	start := strings.Index(value, "var(")
	if start < 0 || depth > 20 {
		return value
	}
	end, open := start+4, 1
	for ; end < len(value) && open > 0; end++ {
		switch value[end] {
		case '(':
			open++
		case ')':
			open--
		}
	}
	name, fallback, has := strings.Cut(strings.TrimSuffix(value[start+4:end], ")"), ",")
	put, ok := all[strings.TrimSpace(name)]
	switch {
	case ok:
		put = resolved(put, all, depth+1)
	case has:
		put = resolved(strings.TrimSpace(fallback), all, depth+1)
	default:
		put = value[start:end]
	}
	return value[:start] + put + resolved(value[end:], all, depth)
}
