package syntax

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// overridden is a member of a text that a later one of the same name takes the place of.
type overridden struct {
	pointer            string
	offset, value, end int    // of its name, of its value, and behind its comma
	text               string // of the value

	first, last int  // of the overridden members in it, in the order in which they were found
	isInside    bool // it stands in another one, with which it goes
}

// parseLast parses JSON, in which the last of several members of one name counts. It returns the text with blanks in place of
// the others, and these.
func parseLast(text string) (root *jsontree.Node, blanked string, twice []overridden, err error) {
	if root, err = jsontree.Parse(text); err == nil {
		return root, text, nil, nil
	}
	l := locator{Positions: &Positions{text: text, offsets: map[string]int{}}, last: true}
	l.value()
	if len(l.twice) == 0 {
		return nil, text, nil, err
	}
	plain := []byte(text)
	for i, o := range l.twice {
		l.twice[i].text = string(plain[o.value : o.end-1])
		for at := o.offset; at < o.end; at++ {
			if plain[at] != '\n' {
				plain[at] = ' '
			}
		}
	}
	root, err = jsontree.Parse(string(plain))
	return root, string(plain), l.twice, err
}

// duplicates are the overridden members of a text; at is the place in it of a place in what was parsed.
func duplicates(text string, twice []overridden, at func(int) int) (list []Duplicate) {
	for _, o := range twice {
		value, _ := jsontree.Parse(o.text)
		list = append(list, Duplicate{o.pointer, 1 + strings.Count(text[:at(o.offset)], "\n"), value, o.isInside})
	}
	return list
}
