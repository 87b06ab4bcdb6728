package house

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	attackRow    = regexp.MustCompile(`(?m)^\| (A\d+) \|`)
	attackNumber = regexp.MustCompile(`\bA(\d{1,3})\b`)
	attackRange  = regexp.MustCompile(`\bA(\d{1,3})(?: to |-|–)A(\d{1,3})\b`)
)

// TestAttacksAreTried: every attack that the documentation promises an answer to has a test or a story that names it, on
// the side that it names; and whatever a test names is in the documentation.
func TestAttacksAreTried(t *testing.T) {
	promised := map[string]bool{}
	for _, row := range attackRow.FindAllStringSubmatch(read(t, "docs/attacks.md"), -1) {
		if promised[row[1]] {
			t.Errorf("docs/attacks.md has %s twice", row[1])
		}
		promised[row[1]] = true
	}
	if len(promised) < 80 {
		t.Fatalf("docs/attacks.md has %d attacks", len(promised))
	}
	for _, attack := range attacksOf(read(t, "docs/security.md")) {
		if !promised[attack] {
			t.Errorf("docs/security.md names %s, which docs/attacks.md does not have", attack)
		}
	}
	named := map[string]map[string]bool{} // attack to the rooms that try it
	walk(t, func(name string) {
		if name == "tests/house/attacks_test.go" || !strings.HasSuffix(name, "_test.go") && path.Ext(name) != ".txtar" {
			return
		}
		for _, attack := range attacksOf(read(t, name)) {
			if named[attack] == nil {
				named[attack] = map[string]bool{}
			}
			named[attack][firstFolder(name)] = true
		}
	})
	for _, attack := range slices.Sorted(maps.Keys(promised)) {
		if len(named[attack]) == 0 {
			t.Errorf("no test tries %s", attack)
		}
		if attack >= "A50" && attack <= "A72" && len(attack) == 3 {
			for _, side := range []string{"origin", "edge"} {
				if !named[attack][side] {
					t.Errorf("no test tries %s at the %s", attack, side)
				}
			}
		}
	}
	for attack, where := range named {
		if !promised[attack] {
			t.Errorf("%v try %s, which docs/attacks.md does not have", slices.Sorted(maps.Keys(where)), attack)
		}
	}
}

// attacksOf are the attacks that a text names, each for itself: a range names its ends alone, because what stands
// between them need not be there.
func attacksOf(text string) (all []string) {
	text = attackRange.ReplaceAllString(text, "A$1 A$2")
	for _, m := range attackNumber.FindAllStringSubmatch(text, -1) {
		all = append(all, "A"+m[1])
	}
	return all
}

// firstFolder is the first folder of a file.
func firstFolder(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}
