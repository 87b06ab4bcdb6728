package dtcg

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of messages, so that a hostile document cannot make its diagnostics outgrow it: each
// name is clipped, and only the first token of a long cycle lists all of it.
const (
	maxNameInMessage  = 160
	maxCycleInMessage = 32
)

// cycle leaves out the tokens of a component that need each other.
func (r *resolver) cycle(component []int32) {
	members := inOrder(component)
	for _, i := range members {
		r.setType(r.at(i), nil)
	}
	shown := cycleThrough(&r.states, members, members[0])
	whole := "the alias cycle " + r.spell(shown)
	short := whole
	if len(shown) > maxCycleInMessage {
		short = "the alias cycle of " + strconv.Itoa(len(shown)) + " tokens from " + clip(r.at(shown[0]).Path)
	}
	on := make(map[int32]bool, len(shown))
	for _, i := range shown {
		on[i] = true
	}
	for _, i := range members {
		message := "in " + short
		if i == members[0] {
			message = "in " + whole
		} else if !on[i] {
			message = "needs " + short + " and is needed by it"
		}
		r.fail(i, AliasCycle, message)
		r.failures[i] = failure{AliasCycle, short}
	}
}

// inOrder returns tokens in document order.
func inOrder(tokens []int32) []int32 {
	keys := make([]uint64, len(tokens))
	for i, token := range tokens {
		keys[i] = uint64(token)
	}
	slices.Sort(keys)
	ordered := make([]int32, len(keys))
	for i, key := range keys {
		ordered[i] = int32(key)
	}
	return ordered
}

// spell writes a cycle as "a -> b -> a".
func (r *resolver) spell(cycle []int32) string {
	var b strings.Builder
	for _, i := range cycle {
		b.WriteString(clip(r.at(i).Path))
		b.WriteString(" -> ")
	}
	b.WriteString(clip(r.at(cycle[0]).Path))
	return b.String()
}

// clip shortens a name for a message without cutting a character.
func clip(s string) string {
	if len(s) <= maxNameInMessage {
		return s
	}
	end := maxNameInMessage
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
