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

func contrast(a, b map[string]string) (c comparison) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		value, has := b[name]
		switch {
		case !has:
			c.missing = append(c.missing, name)
		case a[name] == value:
			c.equal++
		default:
			c.different = append(c.different, fmt.Sprintf("%s: %s -> %s", name, clip(a[name]), clip(value)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, has := a[name]; !has {
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

// TestCompareRecords prints how the records of -new differ from those of -old.
func TestCompareRecords(t *testing.T) {
	if *newer == "" {
		t.Skip("it compares what TestRecord wrote")
	}
	files, err := filepath.Glob(filepath.Join(*older, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records in %s: %v", *older, err)
	}
	same := 0
	for _, file := range files {
		a, b := readRecord(t, file), readRecord(t, filepath.Join(*newer, filepath.Base(file)))
		if b == nil {
			t.Errorf("%s is not in %s", filepath.Base(file), *newer)
			continue
		}
		if compareRecords(a, b) {
			same++
		}
	}
	fmt.Printf("%d of %d are the same\n", same, len(files))
	if same < len(files) {
		t.Fail()
	}
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
	c := contrast(a.values(0), b.values(0))
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
	for i, pair := range matches(a, b) {
		if i == 0 {
			continue
		}
		c := contrast(a.values(i), pair.Values)
		same = same && c.same()
		fmt.Printf("  %s, now %s: %v\n", strings.Join(a.Contexts[i].Names, " = "), cmp.Or(strings.Join(pair.Names, " = "), "nothing"), c)
		if pair.Names != nil {
			list("different", c.different)
			list("missing", c.missing)
			list("extra", c.extra)
		}
	}
	for _, more := range b.Contexts[min(1, len(b.Contexts)):] {
		if !slices.ContainsFunc(matches(a, b), func(c recordedContext) bool { return slices.Equal(c.Names, more.Names) }) {
			same = false
			fmt.Printf("  new: %s: %d values\n", strings.Join(more.Names, " = "), len(more.Values))
		}
	}
	return same
}

// matches finds for each context of a record but the first that of another which has most of its values and fewest others.
func matches(a, b *record) (found []recordedContext) {
	found = make([]recordedContext, len(a.Contexts))
	taken := map[int]bool{}
	type candidate struct {
		i, k    int
		closest float64
	}
	var candidates []candidate
	for i := 1; i < len(a.Contexts); i++ {
		for k := 1; k < len(b.Contexts); k++ {
			c := contrast(a.values(i), b.values(k))
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
