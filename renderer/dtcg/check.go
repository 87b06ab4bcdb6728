package dtcg

import (
	"strconv"
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Fault is one reason why a document is not a well-formed token tree.
type Fault struct {
	Pointer string // JSON Pointer (RFC 6901) to the place
	Message string // what is wrong there and what was expected
}

// maxFaultBytes bounds the pointers of all faults together, which repeat the names above them.
const maxFaultBytes = 1 << 20

// Check returns every fault of a token tree in document order, none if it is well formed: names,
// $type, $description, $extensions, and values whose JSON kind their type can never hold. A value
// that only has the wrong grammar is not a fault, and neither is an alias or a $ref.
func Check(root *jsontree.Node) []Fault {
	c := checker{}
	if !root.IsObject() {
		c.fault("a token document is an object")
		return c.faults
	}
	c.d = Read(root)
	if root.IndexOf("$value") >= 0 {
		c.faultAt("$value", "the root is a group and has no $value")
	}
	c.group(root)
	if c.d.tooLong {
		c.fault("the paths of all tokens together, or of all groups, are longer than 16 MiB")
	}
	if c.unlisted > 0 {
		c.faults = append(c.faults, Fault{"", "and " + strconv.Itoa(c.unlisted) + " faults more"})
	}
	return c.faults
}

// checker walks the tree in the order in which Read listed its tokens.
type checker struct {
	d      *Document
	at     jsontree.Pointer
	next   int // the token of d that comes next
	faults []Fault

	bytes    int // of the pointers of faults
	unlisted int // faults found after maxFaultBytes
}

func (c *checker) fault(message string) {
	if c.bytes > maxFaultBytes {
		c.unlisted++
		return
	}
	pointer := c.at.String()
	c.bytes += len(pointer)
	c.faults = append(c.faults, Fault{pointer, message})
}

func (c *checker) faultAt(name, message string) {
	c.at = append(c.at, name)
	c.fault(message)
	c.at = c.at[:len(c.at)-1]
}

func (c *checker) group(n *jsontree.Node) {
	c.metadata(n)
	for _, m := range n.Members {
		if IsMetadata(m.Name) {
			continue
		}
		c.at = append(c.at, m.Name)
		c.name(m.Name)
		switch {
		case !m.Value.IsObject():
			c.fault("a member without $ is a group or a token, thus an object, not " + spellKind(m.Value))
		case IsToken(m.Value):
			c.token(m.Value)
		case m.Name == rootName && m.Value.IndexOf("$ref") < 0:
			c.fault("$root names a token and needs a $value")
			c.group(m.Value)
		default:
			c.group(m.Value)
		}
		c.at = c.at[:len(c.at)-1]
	}
}

func (c *checker) name(name string) {
	if name == "" {
		c.fault("a name is not empty")
	}
	if strings.ContainsAny(name, "{}.") {
		c.fault("a name holds none of { } .")
	}
}

func (c *checker) metadata(n *jsontree.Node) {
	if typ := n.Find("$type"); typ != nil {
		if _, known := KindOf(text(typ)); !known {
			c.faultAt("$type", unknownType(typ))
		}
	}
	if v := n.Find("$description"); v != nil && v.Kind != jsontree.String {
		c.faultAt("$description", "$description is a string, not "+spellKind(v))
	}
	if v := n.Find("$extensions"); v != nil && v.Kind != jsontree.Object {
		c.faultAt("$extensions", "$extensions is an object, not "+spellKind(v))
	}
}

func unknownType(typ *jsontree.Node) string {
	if typ.Kind != jsontree.String {
		return "$type is a string, not " + spellKind(typ)
	}
	return "\"" + clip(typ.Text) + "\" is not a known $type; the standard ones are " + strings.Join(standardTypes, ", ")
}

// token checks one token. What stands inside it beside the $… members is kept and not looked at.
func (c *checker) token(n *jsontree.Node) {
	c.metadata(n)
	if c.next >= len(c.d.Tokens) {
		return // past maxPathBytes, which is a fault of its own
	}
	t := &c.d.Tokens[c.next]
	c.next++
	k, known := KindOf(t.Resolved)
	if !known || isReference(t) || css.FitsKind(k, t.Value) {
		return
	}
	c.faultAt("$value", "a value of type "+t.Resolved+" cannot be "+spellKind(t.Value))
}

// isReference reports whether the value of t is an alias, holds one in a string, or is a $ref, so
// that its JSON kind says nothing of what it stands for.
func isReference(t *Token) bool {
	return t.Value.IsString() && len(t.refs) > 0 || t.Value.Find("$ref") != nil
}

// spellKind names what v is, with its article.
func spellKind(v *jsontree.Node) string {
	switch v.Kind {
	case jsontree.Null:
		return "null"
	case jsontree.Array, jsontree.Object:
		return "an " + v.Kind.String() + " of this shape"
	}
	return "a " + v.Kind.String()
}
