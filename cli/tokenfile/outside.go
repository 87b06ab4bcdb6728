package tokenfile

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// freeNames are the $ members in whose objects anything may stand, or whose tokens are named otherwise.
var freeNames = []string{"$extensions", "$value", "$defs"}

// metadataNames are the $ members that are none of tokens.
var metadataNames = []string{"$extensions", "$description", "$type", "$value", "$ref", "$extends", "$deprecated", "$schema", "$themes", "$metadata", "$defs"}

// notRead lists as faults the tokens in a value that no reader looks into. at is its place, and why says what is wrong
// with it.
func notRead(n *jsontree.Node, at jsontree.Pointer, why string) (list []Fault) {
	isToken := n.IsObject() && isToken(n)
	if isToken {
		list = append(list, Fault{at.String(), strings.Join(at, "."), why})
	}
	for _, m := range n.Members {
		isOwn := isToken && m.Name != "sets" && (isMeta(m.Name) || slices.Contains(ownMembers, m.Name))
		if m.Name != "$extensions" && !isOwn {
			list = append(list, notRead(m.Value, append(at[:len(at):len(at)], m.Name), why)...)
		}
	}
	for i, item := range n.Items() {
		list = append(list, notRead(item, append(at[:len(at):len(at)], strconv.Itoa(i)), why)...)
	}
	return list
}

// Outside lists as faults the tokens of a file that stand in none of the members that are read of the object at a
// place.
func Outside(n *jsontree.Node, at jsontree.Pointer, read func(name string) bool) (list []Fault) {
	for _, m := range n.Members {
		if !read(m.Name) {
			list = append(list, notRead(m.Value, append(at[:len(at):len(at)], m.Name), "it stands outside of what is read of a file of this form; put it into a file of its own")...)
		}
	}
	return list
}

// commentNames are the members of groups in which people write comments.
var commentNames = []string{"comment", "description", "desc", "docs", "documentation", "note", "notes"}

// isComment reports whether a member of a group of that name is a comment.
func isComment(name string) bool {
	return slices.Contains(commentNames, strings.TrimLeft(strings.ToLower(name), "_"))
}

// stray converts a member of a group that is neither a group nor a token: a comment, or a value that is a token's by
// its shape or by the type of the group. Another value is lost if tokens stand beside it, unless it says something of the
// group or the file.
func (c *setConverter) stray(group *jsontree.Node, m jsontree.Member, path jsontree.Pointer) jsontree.Member {
	isText := func(m jsontree.Member) bool { return isComment(m.Name) && m.Value.IsString() }
	typ, isPlain := c.plainType(m, path)
	switch {
	case isText(m) && group.Find("$description") == nil && group.Members[slices.IndexFunc(group.Members, isText)].Name == m.Name:
		if m.Name != "description" || c.dialect == dollarTokens {
			c.concede("comments of groups", path, `it is the $description of its group now: "`+Clip(m.Value.Text)+`"`)
		}
		m.Name = "$description"
	case isPlain && isArray(m.Value) && c.above != "cubicBezier" && isScale(m.Value, path):
		c.concede(outsideToken, path, "each item of "+spelled(m.Value)+" is a token now")
		items := jsontree.NewObject()
		for i, item := range m.Value.Items() {
			tree.Put(items, []string{itoa(i)}, plainToken(item))
		}
		m.Value = items
	case isPlain:
		c.concede(outsideToken, path, spelled(m.Value)+" is a token"+ofType(typ)+" now")
		m.Value = plainToken(m.Value)
	case c.hidden(m.Value, path, "it stands in an array, and only groups hold tokens; write the array as a group with a name for each") && !holdsTexts(m.Value):
		m.Value = nil
	case c.isLost(group, m, path):
		message := spelled(m.Value) + ` is left out: it stands outside a token, and its shape is not that of a value; write {"$value": …} if it is one, else put it into $extensions`
		c.part.Faults = append(c.part.Faults, Fault{c.pointer(path), strings.Join(path, "."), message})
		m.Value = nil
	default:
		c.concede("members that are neither group nor token", path, spelled(m.Value)+" is left out")
		m.Value = nil
	}
	return m
}

// outsideToken is the kind of the concessions of values that stand in a group as they are.
const outsideToken = "values outside a token"

func plainToken(value *jsontree.Node) *jsontree.Node {
	return jsontree.NewObject(jsontree.Member{Name: "$value", Value: value})
}

// ofType names a type, if there is one.
func ofType(typ string) string {
	if typ == "" {
		return ""
	}
	return " of type " + typ
}

// plainType is the type of a member that is not written as a token, and reports whether it is one. A text of digits
// at the root is not.
func (c *setConverter) plainType(m jsontree.Member, path jsontree.Pointer) (typ string, is bool) {
	typ = Shape(m.Value)
	_, isKnown := dtcg.KindOf(c.above)
	isDigits := bareNumber.MatchString(textOf(m.Value))
	isNumber := m.Value.Kind == jsontree.Number || isDigits
	switch {
	case isNote(m.Name) || isDigits && len(path) == 1:
		return "", false
	case c.dialect != dollarTokens: // whose groups say more of themselves
		typ = css.InferType(m.Value)
		return typ, m.Value.IsString() && typ != ""
	case isKnown && m.Value.Kind != jsontree.Null && Fits(c.above, m.Value):
		return c.above, true
	}
	return typ, isNumber || isValue(m.Value) || isArray(m.Value) && isScale(m.Value, path)
}

// isLost reports whether a member that is not read is a token that is lost: tokens stand in its group of DTCG, or values
// in it.
func (c *setConverter) isLost(group *jsontree.Node, m jsontree.Member, path jsontree.Pointer) bool {
	if c.dialect != dollarTokens || len(path) == 1 || m.Value.Kind == jsontree.Bool || isNote(m.Name) {
		return false
	}
	holds, isKnown := c.holds[group]
	if !isKnown { // else a large group takes the square of its time
		holds = slices.ContainsFunc(group.Members, func(m jsontree.Member) bool {
			_, isPlain := c.plainType(m, path)
			return isPlain && !isMeta(m.Name) || isToken(m.Value)
		})
		c.holds[group] = holds
	}
	return holds || slices.ContainsFunc(leaves(jsontree.NewObject(m), nil, nil), func(l leaf) bool { return isValue(l.value) })
}

// isNote reports whether a member of a group of that name is not a value: a comment, a name or a version, say.
func isNote(name string) bool {
	return isComment(name) || slices.Contains(besideValue, name) || slices.Contains([]string{"version", "schemaversion"}, ModeKey(name))
}

// holdsTexts reports whether one of the items of an array is neither an object nor an array.
func holdsTexts(n *jsontree.Node) bool {
	return slices.ContainsFunc(n.Items(), func(item *jsontree.Node) bool { return !item.IsObject() && !isArray(item) })
}
