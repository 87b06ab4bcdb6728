package systems

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	older = flag.String("old", "", "a folder of records")
	newer = flag.String("new", "", "a folder of records that are compared with those of -old")
	full  = flag.Bool("full", false, "list all names of what differs, not only the first 10")
)

// comparison is how the custom properties of two contexts differ, by their names in the first.
type comparison struct {
	equal                     int
	different, missing, extra []string
}

// spellings say what counts as one name and as one value.
type spellings struct{ name, value func(string) string }

var exact = spellings{func(s string) string { return s }, func(s string) string { return s }}

// own are those of a package's stylesheet on the one side, and of tokens.css on the other.
func (s system) own() (theirs, ours spellings) {
	value := once(plain)
	return spellings{once((&row{system: s}).key), value}, spellings{once(key), value}
}

// once computes a spelling of each text once.
func once(spell func(string) string) func(string) string {
	known := map[string]string{}
	return func(text string) string {
		spelled, has := known[text]
		if !has {
			spelled = spell(text)
			known[text] = spelled
		}
		return spelled
	}
}

func contrast(a, b map[string]string, as, bs spellings) (c comparison) {
	found := map[string]string{}
	for name, value := range b {
		found[bs.name(name)] = value
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		k := as.name(name)
		value, has := found[k]
		seen[k] = true
		switch {
		case !has:
			c.missing = append(c.missing, name)
		case as.value(a[name]) == bs.value(value):
			c.equal++
		default:
			c.different = append(c.different, fmt.Sprintf("%s: %s -> %s", name, clip(a[name]), clip(value)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !seen[bs.name(name)] {
			c.extra = append(c.extra, name)
		}
	}
	return c
}

func (c comparison) same() bool { return len(c.different)+len(c.missing)+len(c.extra) == 0 }

func (c comparison) String() string {
	return fmt.Sprintf("%d equal, %d different, %d missing, %d extra", c.equal, len(c.different), len(c.missing), len(c.extra))
}

// list prints names under a heading.
func list(heading string, names []string) {
	shown := names
	if !*full {
		shown = names[:min(len(names), 10)]
	}
	for _, name := range shown {
		fmt.Printf("    %s %s\n", heading, name)
	}
	if rest := len(names) - len(shown); rest > 0 {
		fmt.Printf("    %s and %d more\n", heading, rest)
	}
}

// TestCompareRecords prints how the records of -new differ from those of -old, or with -own what both have of the packages'
// own stylesheets.
func TestCompareRecords(t *testing.T) {
	if *newer == "" {
		t.Skip("it compares what TestRecord wrote")
	}
	from := *older
	if *ownTo != "" {
		from = *ownTo
	}
	files, err := filepath.Glob(filepath.Join(from, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records in %s: %v", from, err)
	}
	held, whole := 0, 0
	for _, file := range files {
		a, b := readRecord(t, file), readRecord(t, filepath.Join(*newer, filepath.Base(file)))
		if b == nil {
			t.Errorf("%s is not in %s", filepath.Base(file), *newer)
			continue
		}
		if *ownTo == "" {
			if compareRecords(a, b) {
				held++
			}
			continue
		}
		holds, equal := compareOwn(a, readRecord(t, filepath.Join(*older, filepath.Base(file))), b)
		held += count(holds)
		whole += count(equal)
	}
	if *ownTo != "" {
		fmt.Printf("%d of %d packages with a stylesheet have each value of it, or that of -old; %d each value of it that is in the files\n", held, len(files), whole)
	} else {
		fmt.Printf("%d of %d are the same\n", held, len(files))
	}
	if held < len(files) {
		t.Fail()
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func readRecord(t *testing.T, file string) (r *record) {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// values are the custom properties of a context, none if there is no such context.
func (r *record) values(i int) map[string]string {
	if i < len(r.Contexts) {
		return r.Contexts[i].Values
	}
	return nil
}

// compareRecords prints how two records of pushes differ, and reports whether they serve the same.
func compareRecords(a, b *record) bool {
	c := contrast(a.values(0), b.values(0), exact, exact)
	same := c.same()
	fmt.Printf("%s: %v\n", a.Name, c)
	list("different", c.different)
	list("missing", c.missing)
	list("extra", c.extra)
	for _, n := range []struct {
		what string
		a, b int
	}{{"exit", a.Exit, b.Exit}, {"in", a.In, b.In}, {"served", a.Served, b.Served}, {"named", a.Named, b.Named}, {"silent", len(a.Silent), len(b.Silent)}} {
		if n.a != n.b {
			fmt.Printf("    %s %d -> %d\n", n.what, n.a, n.b)
		}
	}
	for i, pair := range matches(a, b, exact, exact) {
		if i == 0 {
			continue
		}
		c := contrast(a.values(i), pair.Values, exact, exact)
		same = same && c.same()
		fmt.Printf("  %s, now %s: %v\n", strings.Join(a.Contexts[i].Names, " = "), cmp.Or(strings.Join(pair.Names, " = "), "nothing"), c)
		if pair.Names != nil {
			list("different", c.different)
			list("missing", c.missing)
			list("extra", c.extra)
		}
	}
	for _, more := range b.Contexts[min(1, len(b.Contexts)):] {
		if !slices.ContainsFunc(matches(a, b, exact, exact), func(c recordedContext) bool { return slices.Equal(c.Names, more.Names) }) {
			same = false
			fmt.Printf("  new: %s: %d values\n", strings.Join(more.Names, " = "), len(more.Values))
		}
	}
	return same
}

// matches finds for each context of a record but the first that of another which has most of its values and fewest others.
func matches(a, b *record, as, bs spellings) (found []recordedContext) {
	found = make([]recordedContext, len(a.Contexts))
	taken := map[int]bool{}
	type candidate struct {
		i, k    int
		closest float64
	}
	var candidates []candidate
	for i := 1; i < len(a.Contexts); i++ {
		for k := 1; k < len(b.Contexts); k++ {
			c := contrast(a.values(i), b.values(k), as, bs)
			candidates = append(candidates, candidate{i, k, float64(c.equal) / float64(c.equal+len(c.different)+len(c.missing)+len(c.extra))})
		}
	}
	slices.SortStableFunc(candidates, func(x, y candidate) int { return cmp.Compare(y.closest, x.closest) })
	for _, c := range candidates {
		if found[c.i].Names == nil && !taken[c.k] && c.closest > 0 {
			found[c.i], taken[c.k] = b.Contexts[c.k], true
		}
	}
	return found
}

// compareOwn prints what two records have of a package's own stylesheet, and reports whether the newer has each of its
// values, or what the older has, and whether it has each that is in the files.
func compareOwn(sheet, a, b *record) (holds, equal bool) {
	s := all[slices.IndexFunc(all, func(s system) bool { return s.name == sheet.Name })]
	theirs, ours := s.own()
	was, is := contrast(sheet.values(0), a.values(0), theirs, ours), contrast(sheet.values(0), b.values(0), theirs, ours)
	before, after := byKey(a.values(0)), byKey(b.values(0))
	var changed []string
	for _, line := range slices.Concat(is.different, is.missing) {
		name, _, _ := strings.Cut(line, ":")
		then, had := before[theirs.name(name)]
		now, has := after[theirs.name(name)]
		if has != had || now != then {
			changed = append(changed, line)
		}
	}
	foreign := len(is.missing)
	is.missing = slices.DeleteFunc(is.missing, func(name string) bool { return slices.Contains(sheet.NotInFiles, name) })
	foreign -= len(is.missing)
	was.missing = slices.DeleteFunc(was.missing, func(name string) bool { return slices.Contains(sheet.NotInFiles, name) })
	fmt.Printf("%s: of %d of its own stylesheet %d equal (-old %d), %d different (%d), %d missing (%d), %d changed; %d are not in the files; %d others\n", s.name,
		len(sheet.values(0)), is.equal, was.equal, len(is.different), len(was.different), len(is.missing), len(was.missing), len(changed), foreign, len(is.extra))
	list("changed", changed)
	for i, pair := range matches(sheet, b, theirs, ours) {
		if pair.Names != nil {
			fmt.Printf("  %.80s, now %s: %v\n", sheet.Contexts[i].Names[0], strings.Join(pair.Names, " = "), contrast(sheet.values(i), pair.Values, theirs, ours))
		}
	}
	return len(changed) == 0, len(is.different)+len(is.missing) == 0
}

// byKey spells custom properties in one way.
func byKey(values map[string]string) map[string]string {
	spelled := map[string]string{}
	for name, value := range values {
		spelled[key(name)] = plain(value)
	}
	return spelled
}
