package syntax

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Positions has the position in a text of each member of its objects and each item of its arrays. It may be read concurrently.
type Positions struct {
	text    string
	offsets map[string]int // pointer -> offset of the member's name, or of the item, in bytes
}

// Line returns the line of what a pointer leads to, or of the nearest that holds it. Lines count from 1.
func (p *Positions) Line(pointer string) int {
	for {
		if offset, ok := p.offsets[pointer]; ok {
			return 1 + strings.Count(p.text[:offset], "\n")
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return 1
		}
		pointer = pointer[:cut]
	}
}

// members are the places of the members of a text while it is read, and those of them that later ones override.
type members struct {
	text       string
	offsets    map[string]int // as in Positions
	duplicates []Duplicate
}

func newMembers(text string) members { return members{text: text, offsets: map[string]int{}} }

func (m *members) positions() *Positions { return &Positions{m.text, m.offsets} }

// override adds the member at a pointer, whose offset is known, to the duplicates. Those in it go with it.
func (m *members) override(pointer string, value *jsontree.Node) {
	for i := range m.duplicates {
		d := &m.duplicates[i]
		d.Inside = d.Inside || strings.HasPrefix(d.Pointer, pointer+"/")
	}
	m.duplicates = append(m.duplicates, Duplicate{pointer, 1 + strings.Count(m.text[:m.offsets[pointer]], "\n"), value, false})
}
