// Package dtcg reads a design-token document (DTCG Format and Color modules 2025.10): its tokens
// and groups, the type of every token, and every value with its aliases replaced. It lays a
// Variant's overrides over a Theme and tells what is wrong with a document. It never applies $ref
// or $extends, never changes a node it was given, and is total: any JSON object reads.
package dtcg

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Token is one design token: an object with $value. It belongs to its Document and is never changed
// once the Document is read.
type Token struct {
	Path        string         // dotted; two tokens share one only if a name has a dot
	Node        *jsontree.Node // the token's object, as the Theme spells it
	Value       *jsontree.Node // $value as written, or the Variant's value laid over it
	Served      *jsontree.Node // Value with every alias replaced; nil if that cannot be done
	Resolved    string         // the type after aliases, inheritance and inference; empty when none
	Typed       bool           // Resolved is the token's own $type
	Inferred    bool           // Resolved was guessed from a value's shape
	Overridden  bool           // Value comes from the Variant
	isAlias     bool           // Value is one alias and nothing else
	PlainPath   bool           // Path is known to need no escapes in JSON
	NamePath    bool           // all names of Path stand in the name of a custom property as they are
	HasUnused   bool           // Node has a member $ref or $extends, or a $type that is not a text: none is ever applied
	HasChildren bool           // Node has members beside the $… ones: kept in the document, never read

	names *[]string // the names from the root to the token, if one of them has a full stop
	refs  []int32   // what the aliases in Value name: token positions, or refMissing
}

// Segments returns the names from the root to the token. The caller must not change them.
func (t *Token) Segments() []string {
	if t.names != nil {
		return *t.names
	}
	return strings.Split(t.Path, ".")
}

// Pointer returns the place of the token in the document (RFC 6901). The caller must not change it.
func (t *Token) Pointer() jsontree.Pointer { return t.Segments() }

// OwnType returns the token's own $type; it is empty if the token has none.
func (t *Token) OwnType() string {
	if t.Typed {
		return t.Resolved
	}
	return ""
}

// HasDottedName reports whether a name on the way to the token has a full stop, which Path does not tell.
func (t *Token) HasDottedName() bool { return t.names != nil }

// Group is a group that has metadata of its own. It belongs to its Document.
type Group struct {
	Path        string         // dotted; empty for the root
	Type        string         // its own $type; empty when it has none
	Description *jsontree.Node // its $description; nil when it has none
	Node        *jsontree.Node // the group's object
}

// Document is a read token tree, alone or with one Variant laid over it. It is not changed after
// Read or Overlay made it and may be read concurrently. The zero value is an empty document.
type Document struct {
	Root   *jsontree.Node // as it was given; a Variant's values are only in Tokens
	Tokens []Token        // depth first, in document order
	Groups []Group        // the groups with metadata of their own, in document order

	byPath      jsontree.Names // of two tokens with one path the later
	diagnostics []Diagnostic
	steps       int  // what resolving looked at: values, references; the tests of its cost read it
	tooLong     bool // the paths passed maxPathBytes; what comes after is not listed
}

// Read reads a token tree. It cannot fail: whatever is neither a token nor a group is passed over,
// and Check says why. The Document keeps root.
func Read(root *jsontree.Node) *Document { return read(root).d }

// read is Read, and returns all that came of resolving the document.
func read(root *jsontree.Node) *resolver {
	d := &Document{Root: root}
	d.list()
	refs := make([]int32, 0, len(d.Tokens))
	for i := range d.Tokens {
		t, start := &d.Tokens[i], len(refs)
		refs, t.isAlias = d.appendRefsOf(refs, t.Value)
		t.refs = refs[start:len(refs):len(refs)]
	}
	r := newResolver(d, states{all: d.Tokens})
	r.resolve(func(int32) {})
	d.diagnostics, d.steps = r.found, r.steps
	d.Sort(d.diagnostics)
	return r
}

// Token returns the token at a dotted path, or nil. If two tokens share the path it is the later
// one. It takes constant time.
func (d *Document) Token(path string) *Token {
	if i := d.at(path); i >= 0 {
		return &d.Tokens[i]
	}
	return nil
}

// at returns the position of the token at a dotted path, or refMissing.
func (d *Document) at(path string) int32 { return d.byPath.Find(path, d.pathAt) }

func (d *Document) pathAt(i int32) string { return d.Tokens[i].Path }

// AliasOf returns the position of the token that the value of token i is an alias of, or -1.
func (d *Document) AliasOf(i int) int { return int(d.Tokens[i].alias()) }

// alias returns what Value names if it is one alias and nothing else, else refMissing.
func (t *Token) alias() int32 {
	if t.isAlias {
		return t.refs[0]
	}
	return refMissing
}

// Names reports whether the path of t, one of the tokens of d, leads to t, and not to a later token
// that shares the path.
func (d *Document) Names(t *Token) bool {
	return d.byPath.Len() == len(d.Tokens) || d.Token(t.Path) == t
}

// position returns the place of the token at path in document order, and the number of tokens if
// there is none.
func (d *Document) position(path string) int {
	if i := d.at(path); i >= 0 {
		return int(i)
	}
	return len(d.Tokens)
}
