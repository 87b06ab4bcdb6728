package modesheet

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// absent is what a block declares of a property that a combination does not have: as if it were never declared.
const absent = "initial"

// table knows what each custom property is in each combination of modes.
type table struct {
	dims     []Dimension
	names    []string       // of the properties, those of the base first
	position map[string]int // of a name in names
	texts    []string       // the values that occur, one for all that compute to the same
	known    map[value]int32
	seed     maphash.Seed       // of digests
	rows     map[string][]int32 // by key of a choice without base modes: a position in texts for each name, as far as it goes
	differ   []int32            // the positions in names of what is not the same in all combinations
	declared map[string][]int32 // by key of a choice: the positions in differ that its block declares, sorted
}

// value is a text, and a digest of what the properties are that its var() refers to.
type value struct {
	text string
	refs uint64
}

func newTable(dims []Dimension, base []byte) *table {
	t := &table{
		dims: dims, position: map[string]int{}, known: map[value]int32{}, seed: maphash.MakeSeed(), rows: map[string][]int32{},
		declared: map[string][]int32{},
	}
	t.intern(value{text: absent})
	t.rows[key(t.none())] = t.read(base)
	return t
}

// none is the choice of no mode.
func (t *table) none() []int { return slices.Repeat([]int{-1}, len(t.dims)) }

// fill reads the sheet of every combination.
func (t *table) fill(flat func(choice []int) ([]byte, error)) error {
	for set := range subset(1) << len(t.dims) {
		for _, choice := range t.choices(set) {
			choice = t.plain(choice)
			if t.rows[key(choice)] != nil {
				continue
			}
			sheet, err := flat(choice)
			if err != nil {
				return err
			}
			t.rows[key(choice)] = t.read(sheet)
		}
	}
	t.order()
	return nil
}

// order finds what differs. What the modes of the same dimensions change stands together, in the order of the base, so
// that blocks of several dimensions repeat whole parts of those of one, which compress to nothing.
func (t *table) order() {
	base := t.row(t.none())
	dimensions := make(map[int32]subset)
	for key, row := range t.rows {
		for name := range t.names {
			if at(row, name) == at(base, name) {
				continue
			}
			if set, ok := dimensions[int32(name)]; !ok {
				t.differ = append(t.differ, int32(name))
				dimensions[int32(name)] = set
			}
			if set := chosen(key); set.size() == 1 {
				dimensions[int32(name)] |= set
			}
		}
	}
	slices.SortFunc(t.differ, func(a, b int32) int {
		return cmp.Or(cmp.Compare(dimensions[a], dimensions[b]), cmp.Compare(a, b))
	})
}

// choices returns every choice of modes of the dimensions in set; of the others none.
func (t *table) choices(set subset) [][]int {
	all := [][]int{t.none()}
	for _, i := range set.list() {
		var longer [][]int
		for _, choice := range all {
			for mode := range t.dims[i].Modes {
				next := slices.Clone(choice)
				next[i] = mode
				longer = append(longer, next)
			}
		}
		all = longer
	}
	return all
}

// plain returns choice with no mode in place of a base mode: both have the same values.
func (t *table) plain(choice []int) []int {
	choice = slices.Clone(choice)
	for i, mode := range choice {
		if mode >= 0 && t.dims[i].Modes[mode].Base {
			choice[i] = -1
		}
	}
	return choice
}

// row returns what the properties are in a combination.
func (t *table) row(choice []int) []int32 { return t.rows[key(t.plain(choice))] }

// at returns the position in texts of what a property is by a row.
func at(row []int32, name int) int32 {
	if name < len(row) {
		return row[name]
	}
	return 0 // the text absent
}

// read returns the row of a tokens.css.
func (t *table) read(sheet []byte) []int32 {
	texts := make([]string, len(t.names), max(len(t.names), bytes.Count(sheet, []byte{'\n'})))
	refers := false
	for line := range bytes.Lines(sheet) {
		name, text, ok := strings.Cut(string(line), ": ")
		if name = strings.TrimLeft(name, " "); !ok || !strings.HasPrefix(name, "--") {
			continue
		}
		position, ok := t.position[name]
		if !ok {
			position = len(t.names)
			t.position[name] = position
			t.names = append(t.names, name)
		}
		for len(texts) <= position {
			texts = append(texts, "")
		}
		texts[position] = strings.TrimSuffix(text, ";\n")
		refers = refers || strings.Contains(text, "var(")
	}
	digests := make(map[int]uint64)
	row := make([]int32, len(texts))
	for i, text := range texts {
		v := value{text: text}
		if text == "" {
			v.text = absent
		} else if refers {
			v.refs = t.digest(texts, i, digests)
		}
		row[i] = t.intern(v)
	}
	return row
}

// digest is of all properties that a value refers to by var(), and of what these refer to; 0 if it refers to none.
func (t *table) digest(texts []string, i int, known map[int]uint64) uint64 {
	if d, ok := known[i]; ok {
		return d
	}
	known[i] = 1 // of a property that refers to itself
	var h maphash.Hash
	h.SetSeed(t.seed)
	refers := false
	for rest := texts[i]; ; {
		_, after, ok := strings.Cut(rest, "var(")
		if !ok {
			break
		}
		rest = strings.TrimLeft(after, " \t")
		name := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isName))]
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

// isName reports whether a character may stand in the name of a custom property, as far as tokens.css writes them.
func isName(c rune) bool { return !strings.ContainsRune(" \t,()", c) }

// intern returns the position of a value in texts.
func (t *table) intern(v value) int32 {
	position, ok := t.known[v]
	if !ok {
		v.text = strings.Clone(v.text)
		position = int32(len(t.texts))
		t.known[v] = position
		t.texts = append(t.texts, v.text)
	}
	return position
}

// needed returns the properties that the block of a choice of modes of the dimensions in set must declare: those that
// a block of some of these modes declares otherwise, and those that would keep the value of an element around it.
func (t *table) needed(set subset, choice []int) (properties []int32) {
	row, parts, others := t.row(choice), t.parts(set, choice), t.others(set, choice)
	for i, name := range t.differ {
		text, covered := at(row, int(name)), subset(0)
		contradicted := false
		for _, p := range parts {
			if p.declares(int32(i)) {
				covered |= p.set
				contradicted = contradicted || at(p.row, int(name)) != text
			}
		}
		inherited := slices.ContainsFunc(others, func(o other) bool {
			return !covered.has(o.dimension) && at(o.row, int(name)) != text
		})
		if contradicted || inherited {
			properties = append(properties, int32(i))
		}
	}
	return properties
}

// part is the block of some modes of a choice.
type part struct {
	set      subset
	row      []int32
	declared []int32
}

func (p part) declares(property int32) bool {
	_, ok := slices.BinarySearch(p.declared, property)
	return ok
}

// parts returns the blocks of fewer modes of a choice.
func (t *table) parts(set subset, choice []int) (parts []part) {
	for some := range set.proper() {
		fewer := some.restrict(choice)
		parts = append(parts, part{some, t.row(fewer), t.declared[key(fewer)]})
	}
	return parts
}

// other is what an element around may have: a choice with another mode of one dimension.
type other struct {
	dimension int
	row       []int32
}

func (t *table) others(set subset, choice []int) (others []other) {
	for _, i := range set.list() {
		changed := slices.Clone(choice)
		for changed[i] = -1; changed[i] < len(t.dims[i].Modes); changed[i]++ {
			others = append(others, other{i, t.row(changed)})
		}
	}
	return others
}
