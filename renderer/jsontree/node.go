// Package jsontree is an ordered JSON tree (RFC 8259): it keeps member order and the spelling of
// numbers exactly as written, finds values by pointer (RFC 6901) and writes them back minified.
// It runs inside the WebAssembly guest, so it imports text packages of the standard library only.
package jsontree

// Kind is the JSON kind of a Node. The zero value is Null.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind the way error messages spell it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	default:
		return "object"
	}
}

// indexFrom is the number of members from which an object answers Find from an index.
const indexFrom = 12

// traits are what a parser saw of a value. Without one, it is not known.
type traits uint8

const (
	plain   traits = 1 << iota // the text of a String, or the names of an Object's members, need no escapes
	literal                    // a String has no opening brace, or none is below an Array or an Object that has a Text
)

// Node is one JSON value. A Node that more than one tree or goroutine can see must not be changed;
// an edit builds new nodes along the path. The zero value is null.
type Node struct {
	Kind    Kind
	True    bool // the value of a Bool
	traits  traits
	values  uint32   // how many names $value Parse saw in an Object and below
	Text    string   // a String, decoded; anything else as Append writes it, of an Array or Object only if it was parsed
	Members []Member // the members of an Object, in document order, names unique
	more    *more    // nil in most
}

// more is what few nodes have, so that all others are short.
type more struct {
	items []*Node // of an Array
	index *Names  // of an Object with many members
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value *Node
}

// NewString returns a String node.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewArray returns an Array node that owns items.
func NewArray(items ...*Node) *Node { n := ArrayOf(items); return &n }

// ArrayOf is NewArray for a node that is kept elsewhere.
func ArrayOf(items []*Node) Node { return Node{Kind: Array, more: &more{items: items}} }

// Items returns the elements of an Array, and nothing of anything else.
func (n *Node) Items() []*Node {
	if n.more == nil {
		return nil
	}
	return n.more.items
}

// AddItem appends an element to an Array.
func (n *Node) AddItem(item *Node) {
	if n.more == nil {
		n.more = &more{}
	}
	n.more.items = append(n.more.items, item)
}

// NewObject returns an Object node that owns members.
func NewObject(members ...Member) *Node { return &Node{Kind: Object, Members: members} }

// WithMembers returns n, an Object, with other values of its members. It owns them.
func (n *Node) WithMembers(members []Member) Node {
	return Node{Kind: Object, Members: members, traits: n.traits & plain}
}

// HasPlainNames reports whether n is known to be an object whose names need no escapes.
func (n *Node) HasPlainNames() bool { return n.Kind == Object && n.traits&plain != 0 }

// Values returns how many members called $value are in n, an object, and below, of which Parse made n. It is 0 if n was
// made otherwise.
func (n *Node) Values() int { return int(n.values) }

// Find returns the member called name, or nil if n is not an object or has none. Objects that Parse
// or Index saw answer in constant time.
func (n *Node) Find(name string) *Node {
	if i := n.IndexOf(name); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// IndexOf returns the position of the member called name, or -1.
func (n *Node) IndexOf(name string) int {
	if n == nil {
		return -1
	}
	if n.more != nil && n.more.index != nil {
		return int(n.more.index.Find(name, n.nameAt))
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// Index makes Find constant-time on n. Call it again after Members changed.
func (n *Node) Index() {
	if n.Kind == Object || n.Kind == Array {
		n.Text, n.traits = "", 0
	}
	if n.Kind != Object {
		return
	}
	if n.more = nil; len(n.Members) < indexFrom {
		return
	}
	index := n.addIndex()
	index.Grow(len(n.Members))
	for i := range n.Members {
		index.Put(n.Members[i].Name, int32(i), n.nameAt)
	}
}

// addIndex gives n, an object, an index without names.
func (n *Node) addIndex() *Names {
	made := &struct {
		more
		Names
	}{}
	made.index = &made.Names
	n.more = &made.more
	return made.index
}

func (n *Node) nameAt(i int32) string { return n.Members[i].Name }

// IsLiteral reports whether n is known to hold no string with an opening brace. A tree that Parse has not made knows nothing.
func (n *Node) IsLiteral() bool {
	return n != nil && n.traits&literal != 0 && (n.Kind < Array || n.Text != "")
}

// IsPlain reports whether n is known to be a string that needs no escapes: of ASCII characters that show, and blanks.
func (n *Node) IsPlain() bool { return n != nil && n.Kind == String && n.traits&plain != 0 }

// IsString reports whether n is a String.
func (n *Node) IsString() bool { return n != nil && n.Kind == String }

// IsObject reports whether n is an Object.
func (n *Node) IsObject() bool { return n != nil && n.Kind == Object }

// Equal reports JSON equality: member order does not count, numbers compare by value (RFC 6902
// section 4.6), so 1, 1.0 and 1e0 are equal.
func Equal(a, b *Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Bool:
		return a.True == b.True
	case String:
		return a.Text == b.Text
	case Number:
		return equalNumbers(a.Text, b.Text)
	case Array:
		return equalItems(a.Items(), b.Items())
	case Object:
		return equalMembers(a, b)
	}
	return true
}

func equalItems(a, b []*Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalMembers(a, b *Node) bool {
	if len(a.Members) != len(b.Members) {
		return false
	}
	for i, m := range a.Members {
		other := (*Node)(nil)
		if b.Members[i].Name == m.Name {
			other = b.Members[i].Value // the usual case: same order
		} else if other = b.Find(m.Name); other == nil {
			return false
		}
		if !Equal(m.Value, other) {
			return false
		}
	}
	return true
}
