package theming

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// candidates are the tokens of one content that a publish removed and added.
type candidates struct {
	removed, added           *dtcg.Token // the first of each
	removedCount, addedCount int
}

// matchContent adds to renamed the tokens that were removed in one place and added in another
// without a move: those whose own $type and $value are equal, if only one was removed and only
// one was added with that content.
func matchContent(before, after *dtcg.Document, renamed map[string]string) {
	targets := make(map[string]bool, len(renamed))
	for _, to := range renamed {
		targets[to] = true
	}
	byContent := map[string]*candidates{}
	for i := range before.Tokens {
		t := &before.Tokens[i]
		if _, moved := renamed[t.Path]; !moved && after.Token(t.Path) == nil {
			c := candidatesOf(byContent, t)
			c.removed, c.removedCount = t, c.removedCount+1
		}
	}
	if len(byContent) == 0 {
		return
	}
	for i := range after.Tokens {
		t := &after.Tokens[i]
		if !targets[t.Path] && before.Token(t.Path) == nil {
			c := candidatesOf(byContent, t)
			c.added, c.addedCount = t, c.addedCount+1
		}
	}
	for _, c := range byContent {
		if c.removedCount == 1 && c.addedCount == 1 && jsontree.Equal(c.removed.Value, c.added.Value) {
			renamed[c.removed.Path] = c.added.Path
		}
	}
}

func candidatesOf(byContent map[string]*candidates, t *dtcg.Token) *candidates {
	key := string(appendContent(append([]byte(t.OwnType()), 0), t.Value))
	c := byContent[key]
	if c == nil {
		c = &candidates{}
		byContent[key] = c
	}
	return c
}

// appendContent appends a text that is the same for all values that are equal (jsontree.Equal). It
// can be the same for two numbers that differ beyond the seventeenth digit.
func appendContent(dst []byte, v *jsontree.Node) []byte {
	switch v.Kind {
	case jsontree.Number:
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || f == 0 { // out of range, or a zero of either sign
			return append(dst, '0')
		}
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	case jsontree.Array:
		dst = append(dst, '[')
		for _, item := range v.Items() {
			dst = append(appendContent(dst, item), ',')
		}
		return append(dst, ']')
	case jsontree.Object:
		members := slices.Clone(v.Members)
		slices.SortFunc(members, func(a, b jsontree.Member) int { return strings.Compare(a.Name, b.Name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(jsontree.AppendString(dst, m.Name), ':')
			dst = append(appendContent(dst, m.Value), ',')
		}
		return append(dst, '}')
	}
	return jsontree.Append(dst, v)
}
