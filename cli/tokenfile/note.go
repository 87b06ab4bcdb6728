package tokenfile

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// noteName is the member in which a file that Livery wrote in another form says what that form cannot.
const noteName = "com.livery"

// NewNote returns the note for a file of a form: what of a document is not there, or is another, when the file is read again.
// back is what was read, and places are the pointers to the tokens of the document -> to those in back.
func NewNote(k Kind, document, back *jsontree.Node, places map[string]string) *jsontree.Node {
	note := newNote{kind: k, tokens: jsontree.NewObject(), groups: jsontree.NewObject(), back: back, places: places}
	note.group(document, nil)
	return jsontree.NewObject(
		jsontree.Member{Name: "form", Value: jsontree.NewString(noteForms[k])},
		jsontree.Member{Name: "tokens", Value: note.tokens},
		jsontree.Member{Name: "groups", Value: note.groups},
	)
}

// noteForms are the forms that Livery writes, by the words of livery pull --format.
var noteForms = map[Kind]string{StyleDictionary: "style-dictionary", Studio: "tokens-studio", Figma: "figma"}

// WithNote returns a file with a note in the place that its form has for members of others.
func WithNote(file, note *jsontree.Node) *jsontree.Node {
	for _, holder := range []string{"$metadata", "$extensions"} {
		if inside := file.Find(holder); inside.IsObject() {
			return set(file, holder, set(inside, noteName, note))
		}
	}
	if file.Find("meta") != nil {
		return set(file, noteName, note)
	}
	return set(file, "$extensions", jsontree.NewObject(jsontree.Member{Name: noteName, Value: note}))
}

// noteOf returns the note of a file, or nil.
func noteOf(file *jsontree.Node) *jsontree.Node {
	for _, holder := range []*jsontree.Node{file.Find("$metadata"), file.Find("$extensions"), file} {
		if note := holder.Find(noteName); note.Find("form").IsString() {
			return note
		}
	}
	return nil
}

// set returns an object with another value of a member, which comes last if it is new.
func set(n *jsontree.Node, name string, value *jsontree.Node) *jsontree.Node {
	if n.IndexOf(name) >= 0 {
		return tree.With(n, name, value)
	}
	result := jsontree.NewObject(append(slices.Clone(n.Members), jsontree.Member{Name: name, Value: value})...)
	result.Index()
	return result
}

// newNote compares a document with what was read.
type newNote struct {
	kind                 Kind
	tokens, groups, back *jsontree.Node
	places               map[string]string
}

func (w *newNote) group(n *jsontree.Node, at jsontree.Pointer) {
	read, meta := w.back.Lookup(at), metaOf(n)
	isEmpty := len(n.Members) == len(meta.Members)
	// What is read in an empty group moves to its own place, and the group goes with the last of it.
	isLost := isEmpty && (read == nil || len(read.Members) > len(metaOf(read).Members))
	if isLost || !jsontree.Equal(meta, metaOf(read)) {
		w.groups.Members = append(w.groups.Members, jsontree.Member{Name: at.String(), Value: quoted(meta)})
	}
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case m.Value.Find("$value") != nil:
			w.token(m.Value, below.String())
		default:
			w.group(m.Value, below)
		}
	}
}

func (w *newNote) token(n *jsontree.Node, pointer string) {
	place, visible := w.places[pointer]
	p, _ := jsontree.ParsePointer(place)
	read := w.back.Lookup(p)
	isComputed := w.kind == Studio && !computesToItself.MatchString(n.Find("$value").Text) // if the note does not have it
	if visible && place == pointer && jsontree.Equal(n, read) && !isComputed {
		return
	}
	entry := jsontree.NewObject(jsontree.Member{Name: "token", Value: quoted(n)})
	if visible && read != nil {
		entry.Members = append(entry.Members, jsontree.Member{Name: "read", Value: jsontree.NewString(digest(read))})
	}
	if visible && place != pointer {
		entry.Members = append(entry.Members, jsontree.Member{Name: "at", Value: jsontree.NewString(place)})
	}
	w.tokens.Members = append(w.tokens.Members, jsontree.Member{Name: pointer, Value: entry})
}

// computesToItself is a value that is not an expression of Tokens Studio: a colour, a number with a unit, an alias or a word.
var computesToItself = regexp.MustCompile(`^(#\w+|-?[\d.]+[a-zA-Z]*|\{[^{}"]+\}|[\w-]+)$`)

// quoted is a node as text: other tools look for tokens in all objects.
func quoted(n *jsontree.Node) *jsontree.Node {
	return jsontree.NewString(string(jsontree.Append(nil, n)))
}

// metaOf returns the metadata of a group, without a note.
func metaOf(n *jsontree.Node) *jsontree.Node {
	meta := jsontree.NewObject()
	if n == nil {
		return meta
	}
	for _, m := range n.Members {
		if isMeta(m.Name) {
			meta.Members = append(meta.Members, m)
		}
	}
	return meta
}

// digest tells whether a token is as it was written.
func digest(n *jsontree.Node) string {
	h := fnv.New64a()
	_, _ = h.Write(jsontree.Append(nil, n))
	return strconv.FormatUint(h.Sum64(), 36)
}

// restore returns the part of a file with a note as the document that the file was made of: each token that is as it was
// written is what it was before; one that was changed is read as it stands.
func restore(file *jsontree.Node, part Part) Part {
	note := noteOf(file)
	if note == nil {
		return part
	}
	r := restorer{tree: cloneGroups(withoutNote(part.Tree)), restored: map[string]bool{}}
	for _, m := range membersOf(note.Find("tokens")) {
		r.token(m.Name, m.Value)
	}
	for _, move := range r.moves {
		r.put(move.to, move.token)
	}
	for _, m := range membersOf(note.Find("groups")) {
		r.group(m.Name, m.Value)
	}
	tree.Index(r.tree)
	part.Tree, part.Restored = r.tree, map[string]bool{}
	for _, move := range r.moves {
		part.Restored[move.to.String()] = true
	}
	isAsWritten := func(c Concession) bool { // an empty group was one before
		return r.restored[strings.TrimPrefix(c.Pointer, part.At)] || c.Kind == withoutValue
	}
	part.Concessions = slices.DeleteFunc(part.Concessions, isAsWritten)
	return part
}

// withoutNote returns a tree without the note that a reader kept as metadata.
func withoutNote(root *jsontree.Node) *jsontree.Node {
	extensions := root.Find("$extensions")
	if extensions.Find(noteName) == nil {
		return root
	}
	if extensions = tree.With(extensions, noteName, nil); len(extensions.Members) == 0 {
		extensions = nil
	}
	return tree.With(root, "$extensions", extensions)
}

// cloneGroups copies the groups of a tree, so that they may be changed.
func cloneGroups(n *jsontree.Node) *jsontree.Node {
	result := jsontree.NewObject(slices.Clone(n.Members)...)
	for i, m := range result.Members {
		if !isMeta(m.Name) && m.Value.IsObject() && m.Value.Find("$value") == nil {
			result.Members[i].Value = cloneGroups(m.Value)
		}
	}
	return result
}

// restorer puts back what a note says into a tree that it may change.
type restorer struct {
	tree     *jsontree.Node
	restored map[string]bool // pointers in the tree as it was read
	moves    []move
}

// move is a token and its new place, once no other token stands in its way.
type move struct {
	to    jsontree.Pointer
	token *jsontree.Node
}

func (r *restorer) token(pointer string, entry *jsontree.Node) {
	place := pointer
	if at := entry.Find("at"); at.IsString() {
		place = at.Text
	}
	from, ok := jsontree.ParsePointer(place)
	to, isPointer := jsontree.ParsePointer(pointer)
	original, err := jsontree.Parse(textOf(entry.Find("token")))
	if !ok || !isPointer || len(from) == 0 || len(to) == 0 || err != nil || original.Find("$value") == nil {
		return // the note is not one that Livery wrote
	}
	read := r.tree.Lookup(from)
	if written := entry.Find("read"); written != nil && (read == nil || digest(read) != textOf(written)) {
		return
	}
	r.restored[place] = true
	if place != pointer {
		r.remove(r.tree, from)
	}
	r.moves = append(r.moves, move{to, original})
}

// remove takes a token away, and the groups that hold nothing without it.
func (r *restorer) remove(n *jsontree.Node, at jsontree.Pointer) {
	i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return m.Name == at[0] })
	if i < 0 {
		return
	}
	if len(at) > 1 {
		if r.remove(n.Members[i].Value, at[1:]); len(n.Members[i].Value.Members) > 0 {
			return
		}
	}
	n.Members = slices.Delete(n.Members, i, i+1)
}

func (r *restorer) put(at jsontree.Pointer, token *jsontree.Node) {
	n, last := tree.Group(r.tree, at[:len(at)-1]...), at[len(at)-1]
	if i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return m.Name == last }); i >= 0 {
		n.Members[i].Value = token
		return
	}
	n.Members = append(n.Members, jsontree.Member{Name: last, Value: token})
}

// group gives a group the metadata that it had, or makes one that had nothing else.
func (r *restorer) group(pointer string, text *jsontree.Node) {
	at, ok := jsontree.ParsePointer(pointer)
	meta, err := jsontree.Parse(textOf(text))
	if !ok || err != nil || !meta.IsObject() {
		return
	}
	n := r.tree
	for _, name := range at {
		if n = tree.Group(n, name); n.Find("$value") != nil {
			return
		}
	}
	rest := slices.DeleteFunc(n.Members, func(m jsontree.Member) bool { return isMeta(m.Name) })
	n.Members = slices.Concat(slices.DeleteFunc(slices.Clone(meta.Members), func(m jsontree.Member) bool { return !strings.HasPrefix(m.Name, "$") }), rest)
}
