package push

import (
	"fmt"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/validate"
	intakevalue "example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// remainder counts what a push leaves of the files, in tokens or overrides.
type remainder struct {
	Pushed   int `json:"pushed"`
	Of       int `json:"of"`                 // in the files
	Unserved int `json:"unserved,omitempty"` // of those that are pushed, how many no served file has as they are, and had before

	filled int // of those that are pushed, how many have a value that is not empty
}

// remainingTokens counts the tokens of a tree that are not in a place that was left out; faults are tokens that the
// tree lacks already.
func remainingTokens(tree *jsontree.Node, out, faults []validate.Dropped) *remainder {
	left := leftPointers(out)
	r := &remainder{Of: len(faults)}
	tokens := dtcg.Read(tree).Tokens
	for i := range tokens {
		r.Of++
		if !isLeft(tokens[i].Pointer().String(), left) {
			r.keep(tokens[i].Value)
		}
	}
	return r
}

// leftPointers has the places of a list that hold tokens.
func leftPointers(out []validate.Dropped) map[string]bool {
	left := map[string]bool{}
	for _, s := range out {
		left[s.Pointer] = s.Tokens > 0
	}
	return left
}

// isLeft reports whether a pointer or one above it was left out.
func isLeft(pointer string, left map[string]bool) bool {
	for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if left[pointer] {
			return true
		}
	}
	return false
}

// remainingOverrides counts the overrides of the files and those that are pushed.
func remainingOverrides(all, pushed *jsontree.Node, faults []validate.Dropped) *remainder {
	r := &remainder{Of: len(all.Members) + len(faults)}
	for _, m := range pushed.Members {
		r.keep(m.Value)
	}
	return r
}

func (r *remainder) keep(value *jsontree.Node) {
	r.Pushed++
	if !isEmpty(value) {
		r.filled++
	}
}

// isEmpty reports whether a value says nothing: it is missing, blank, or made of such values only.
func isEmpty(value *jsontree.Node) bool {
	switch {
	case value == nil || value.Kind == jsontree.Null:
		return true
	case value.IsString():
		return strings.TrimSpace(value.Text) == ""
	case value.IsObject():
		return !slices.ContainsFunc(value.Members, func(m jsontree.Member) bool { return !isEmpty(m.Value) })
	case value.Kind == jsontree.Array:
		return !slices.ContainsFunc(value.Items(), func(item *jsontree.Node) bool { return !isEmpty(item) })
	}
	return false
}

// mostLost is the share of the tokens of its files, in hundredths, that a push may lose without being asked for it.
const mostLost = 2

// lost counts the tokens that no served file has: they are left out, or stored and not served.
func (r *remainder) lost() int { return r.Of - r.Pushed + r.Unserved }

// isTooMuch reports whether a push loses more than it may.
func (r *remainder) isTooMuch() bool { return r != nil && 100*r.lost() > mostLost*r.Of }

// add adds the counts of another part.
func (r *remainder) add(other *remainder) {
	r.Pushed, r.Of, r.Unserved = r.Pushed+other.Pushed, r.Of+other.Of, r.Unserved+other.Unserved
}

// notServed lists the tokens that no served file has, by the diagnostics of a set; valueOf returns the value that the
// files have for one, or nil. Those of which before says that they were so are not lost now.
func (r *remainder) notServed(all []dtcg.Diagnostic, before func(path string, value *jsontree.Node) bool, valueOf func(path string) *jsontree.Node) (list []validate.Dropped) {
	seen := map[string]bool{}
	for _, found := range all {
		if seen[found.Path] || !slices.Contains(losses, found.Kind) {
			continue
		}
		if value := valueOf(found.Path); value != nil {
			if seen[found.Path] = true; !before(found.Path, value) {
				r.Unserved++
			}
			list = append(list, validate.Dropped{Path: found.Path, Reason: reasonWithValue(found, value)})
		}
	}
	return list
}

// reasonWithValue is the message of a diagnostic with the value, if it is about that.
func reasonWithValue(found dtcg.Diagnostic, value *jsontree.Node) string {
	if found.Kind != dtcg.ValueMisfit && found.Kind != dtcg.ValueUnsafe {
		return found.Message
	}
	message := found.Message
	if !value.IsString() {
		message = validate.WithHint(message, value)
	}
	return message + ": " + intakevalue.Spell(value)
}

// losses are the kinds of diagnostics of tokens that no served file has.
var losses = []string{dtcg.AliasMissing, dtcg.AliasCycle, dtcg.AliasToGroup, dtcg.ValueMisfit, dtcg.ValueUnsafe}

// refuse returns the failure that nothing, or nothing but empty values, is left of files that hold something.
func (r *remainder) refuse(counted string) error {
	switch {
	case r.filled > 0:
		return nil
	case r.Of == 0 && counted == "token": // a Variant without overrides is one that says nothing
		return term.Fail("Name files that hold some.", "nothing is left to push: the files hold no token")
	case r.Pushed == r.Of:
		return nil
	}
	what := fmt.Sprintf("nothing is left to push: %d of %s are valid", r.Pushed, term.Plural(r.Of, counted))
	if r.Pushed > 0 {
		what += ", all of them empty"
	}
	return term.Fail("The lines above say why the others are refused: fix the files and push again.", "%s", what)
}
