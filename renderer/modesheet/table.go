package modesheet

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"

	"example.com/livery/renderer/css"
)

// subset is a set of dimensions, a bit each.
type subset uint

func (s subset) has(dimension int) bool { return s>>dimension&1 != 0 }

// absent is the value of a property that a combination does not have: as if it were never declared.
const absent = "initial"

// table knows what each custom property is in each combination of modes.
type table struct {
	dims     []Dimension
	names    []string       // of the properties, those of the base first
	position map[string]int // of a name in names
	values   []value        // that occur, one for all that compute to the same
	known    map[value]int32
	seed     maphash.Seed // of digests
	refers   bool         // a value has var()
	bytes    int          // of the texts in values that have none: a stylesheet has each of them at least once
	rows     []row        // by index of a choice
	list     []row        // all rows, by number
	changed  []subset     // for each name: the dimensions whose modes change the property
	colors   []bool       // for each name, if light-dark() is asked for: whether the property is a colour in every combination
	circular []bool       // for each name: see circles; nil if none is
}

// value is a text, and a digest of what the properties are that its var() refers to; 0 if it refers to none.
type value struct {
	text string
	refs uint64
}

// row is a combination: its number, and for each name a position in values, as far as it goes.
type row struct {
	number int
	values []int32
}

// of returns the position in values of what a property is.
func (r row) of(name int) int32 {
	if name < len(r.values) {
		return r.values[name]
	}
	return 0 // the value absent
}

func newTable(dims []Dimension, base []byte) *table {
	t := &table{
		dims: dims, position: map[string]int{}, known: map[value]int32{}, seed: maphash.MakeSeed(),
		rows: make([]row, combinations(dims)),
	}
	t.intern(value{text: absent})
	t.read(t.none(), base)
	return t
}

// none is the choice of no mode.
func (t *table) none() []int { return slices.Repeat([]int{-1}, len(t.dims)) }

// fill reads the sheet of every combination. It returns ErrTooLong as soon as the values are longer than a stylesheet may
// be.
func (t *table) fill(limit int, flat func(choice []int) ([]byte, error)) error {
	for _, choice := range t.choices()[1:] {
		sheet, err := flat(choice)
		if err != nil {
			return err
		}
		if t.read(choice, sheet); t.bytes > limit {
			return ErrTooLong
		}
	}
	t.compare()
	if t.refers {
		t.circles()
	}
	if slices.ContainsFunc(t.dims, Dimension.isLightDark) {
		t.colors = make([]bool, len(t.names))
		for name := range t.names {
			t.colors[name] = t.isColor(name)
		}
	}
	return nil
}

// choices returns every choice of modes that override something; the first is of none.
func (t *table) choices() [][]int {
	all := [][]int{t.none()}
	for i, d := range t.dims {
		for _, choice := range all {
			for mode, m := range d.Modes {
				if m.Variant != "" {
					next := slices.Clone(choice)
					next[i] = mode
					all = append(all, next)
				}
			}
		}
	}
	return all
}

// compare finds out which dimensions change each property.
func (t *table) compare() {
	t.changed = make([]subset, len(t.names))
	for _, choice := range t.choices() {
		with := t.row(choice)
		for i, mode := range choice {
			if mode < 0 {
				continue
			}
			choice[i] = -1
			without := t.row(choice)
			choice[i] = mode
			for name := range t.names {
				if with.of(name) != without.of(name) {
					t.changed[name] |= 1 << i
				}
			}
		}
	}
}

// row returns what the properties are in a combination.
func (t *table) row(choice []int) row { return t.rows[t.index(choice)] }

// index is the position of a choice among all.
func (t *table) index(choice []int) (at int) {
	for i, mode := range choice {
		at = at*(len(t.dims[i].Modes)+1) + mode + 1
	}
	return at
}

// combinations is how many choices there are, of base modes too.
func combinations(dims []Dimension) int {
	n := 1
	for _, d := range dims {
		n *= len(d.Modes) + 1
	}
	return n
}

// read reads the tokens.css of a choice.
func (t *table) read(choice []int, sheet []byte) {
	texts := make([]string, len(t.names), max(len(t.names), bytes.Count(sheet, []byte{'\n'})))
	refers, next := false, 0
	for line := range strings.Lines(string(sheet)) {
		name, text, ok := declaration(line)
		if !ok {
			continue
		}
		if next == len(t.names) || t.names[next] != name { // the sheets of all choices mostly have one order
			next = t.positionOf(name)
		}
		for len(texts) <= next {
			texts = append(texts, "")
		}
		texts[next] = text
		refers = refers || strings.Contains(text, "var(")
		next++
	}
	digests := make(map[int]uint64)
	r := row{len(t.list), make([]int32, len(texts))}
	for i, text := range texts {
		v := value{text: text}
		if text == "" {
			v.text = absent
		} else if refers {
			v.refs = t.digest(texts, i, digests)
		}
		if len(t.list) > 0 && t.values[t.list[0].of(i)] == v {
			r.values[i] = t.list[0].of(i)
		} else {
			r.values[i] = t.intern(v)
		}
	}
	t.refers = t.refers || refers
	t.rows[t.index(choice)] = r
	t.list = append(t.list, r)
}

// positionOf returns the position of a name in names, where it is put if it is new.
func (t *table) positionOf(name string) int {
	position, ok := t.position[name]
	if !ok {
		name = strings.Clone(name)
		position = len(t.names)
		t.position[name] = position
		t.names = append(t.names, name)
	}
	return position
}

// declaration returns the name and the value of the custom property that a line declares, if it declares one.
func declaration(line string) (name, text string, ok bool) {
	name, text, ok = strings.Cut(line, ": ")
	name = strings.TrimLeft(name, " ")
	return name, strings.TrimSuffix(text, ";\n"), ok && strings.HasPrefix(name, "--")
}

// intern returns the position of a value in values.
func (t *table) intern(v value) int32 {
	position, ok := t.known[v]
	if !ok {
		v.text = strings.Clone(v.text)
		position = int32(len(t.values))
		t.known[v] = position
		t.values = append(t.values, v)
		if v.refs == 0 {
			t.bytes += len(v.text)
		}
	}
	return position
}

// isColor reports whether a property is a colour in every combination, by its text alone.
func (t *table) isColor(name int) bool {
	for _, r := range t.list {
		text := t.values[r.of(name)].text
		if strings.Contains(text, "var(") || !css.IsColor(text) {
			return false
		}
	}
	return true
}
