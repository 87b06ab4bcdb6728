package modesheet

import (
	"hash/maphash"
	"iter"
	"strconv"
	"strings"
)

// references yields where in a text the names stand that its var() refer to.
func references(text string) iter.Seq2[int, string] {
	return func(yield func(at int, name string) bool) {
		for at := 0; ; {
			i := strings.Index(text[at:], "var(")
			if i < 0 {
				return
			}
			at += i + len("var(")
			at = len(text) - len(strings.TrimLeft(text[at:], " \t"))
			end := len(text) - len(strings.TrimLeftFunc(text[at:], isName))
			if !yield(at, text[at:end]) {
				return
			}
			at = end
		}
	}
}

// isName reports whether a character may stand in the name of a custom property, as far as tokens.css writes them.
func isName(c rune) bool { return !strings.ContainsRune(" \t,()", c) }

// digest is of all properties that a value refers to by var(), and of what these refer to; 0 if it refers to none.
func (t *table) digest(texts []string, i int, known map[int]uint64) uint64 {
	if d, ok := known[i]; ok {
		return d
	}
	known[i] = 1 // of a property that refers to itself
	var h maphash.Hash
	h.SetSeed(t.seed)
	refers := false
	for _, name := range references(texts[i]) {
		refers = true
		h.WriteString(name)
		if other, ok := t.position[name]; ok && other < len(texts) {
			h.WriteString(texts[other])
			maphash.WriteComparable(&h, t.digest(texts, other, known))
		}
	}
	known[i] = 0
	if refers {
		known[i] = h.Sum64()
	}
	return known[i]
}

// circles finds the properties from which the var() of all combinations together lead in a circle, as those of
// one combination need not: CSS takes the whole text for it, and would have such properties invalid in all of them. Their
// values are copies that refer to copies of the same combination.
func (t *table) circles() {
	referrers, open := make(map[int][]int), make(map[int]int) // of a property: what refers to it, and how often it refers
	for name := range t.names {
		for number := range t.texts(name) {
			for _, other := range references(t.values[number].text) {
				if to, ok := t.position[other]; ok {
					referrers[to] = append(referrers[to], name)
					open[name]++
				}
			}
		}
	}
	t.circular = make([]bool, len(t.names))
	var ends []int
	for name := range t.names {
		if t.circular[name] = open[name] > 0; !t.circular[name] {
			ends = append(ends, name)
		}
	}
	for len(ends) > 0 {
		end := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		for _, name := range referrers[end] {
			if open[name]--; open[name] == 0 {
				t.circular[name] = false
				ends = append(ends, name)
			}
		}
	}
}

// texts is the set of the values that a property has.
func (t *table) texts(name int) map[int32]bool {
	set := make(map[int32]bool, 1)
	for _, r := range t.list {
		set[r.of(name)] = true
	}
	return set
}

func (t *table) isCircular(name int) bool { return t.circular != nil && t.circular[name] }

// property is a custom property as one combination has it.
type property struct {
	name, combination int
}

// copyName is the name of the copy of a property.
func (t *table) copyName(p property) string {
	return t.names[p.name] + `\.` + strconv.Itoa(p.combination)
}

// copied returns the text of a circular property, with references to copies, and these.
func (t *table) copied(p property) (text string, refers []property) {
	rest := t.values[t.list[p.combination].of(p.name)].text
	end := 0
	var b strings.Builder
	for at, other := range references(rest) {
		b.WriteString(rest[end:at])
		end = at + len(other)
		if to, ok := t.position[other]; ok && t.circular[to] {
			refers = append(refers, property{to, p.combination})
			other = t.copyName(refers[len(refers)-1])
		}
		b.WriteString(other)
	}
	b.WriteString(rest[end:])
	return b.String(), refers
}
