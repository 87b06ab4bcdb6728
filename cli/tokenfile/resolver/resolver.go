// Package resolver reads documents of the DTCG Resolver Module 2025.10: which sources of tokens count, in which order, for
// one context of each modifier. It is pure: it names files and opens none, and it changes no tree.
package resolver

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// version is the one of the specification, which a document must name.
const version = "2025.10"

// Why says why a JSON tree is a resolver document; empty if it is none.
func Why(root *jsontree.Node) string {
	switch {
	case isArray(root.Find("resolutionOrder")):
		return "it has a resolutionOrder"
	case textOf(root.Find("version")) == version && (root.Find("sets").IsObject() || root.Find("modifiers").IsObject()):
		return "it has the version " + version
	}
	return ""
}

// Document is a resolver document. One goroutine uses it at a time.
type Document struct {
	Modifiers []Modifier // of its resolutionOrder, in that order
	Unused    []string   // pointers to the sets and modifiers that its resolutionOrder does not lead to
	Replaced  []string   // pointers to the sources and contexts that stand beside a $ref, and count in place of those that it leads to

	root  *jsontree.Node
	order []entry
	used  map[string]bool
	steps int // that reading took
}

// Modifier is a choice among contexts.
type Modifier struct {
	Name     string
	Contexts []string // in the order of the document, at least one
	Default  string   // one of them; empty if the document names none
	Pointer  string
}

// Source is a part of the tokens: of a file, or of the document itself.
type Source struct {
	File    string           // as the document writes it, relative to the document; empty for its own tokens
	Part    jsontree.Pointer // of that file; empty for all of it
	Without []string         // members of it that the document replaces
	Tree    *jsontree.Node   // the document's own tokens; nil for a file
	Pointer string           // into the document: to the tokens, or to the reference to the file
	Context string           // pointer to the context that it is of; empty if it is of a set
}

// Error says what is wrong with a document, or with what is asked of it.
type Error struct {
	Pointer string // into the document
	What    string // a sentence without its end
	Next    string // the next step to try
}

func (e *Error) Error() string { return e.What }

// entry is a set or a modifier of the resolutionOrder.
type entry struct {
	node *jsontree.Node
	at   jsontree.Pointer
	name string // of a modifier; empty for a set
}

// Read reads a resolver document. It returns an *Error if a part of the document is not valid, used or not.
func Read(root *jsontree.Node) (*Document, error) {
	d := &Document{root: root, used: map[string]bool{}}
	if textOf(root.Find("version")) != version {
		return nil, &Error{"/version", "the version of a resolver document must be " + version, `Write "version": "` + version + `".`}
	}
	order := root.Find("resolutionOrder")
	if !isArray(order) || len(order.Items()) == 0 {
		return nil, &Error{"/resolutionOrder", "the document has no sets or modifiers in its resolutionOrder", `Write "resolutionOrder": [{"$ref": "#/sets/NAME"}].`}
	}
	names := map[string]jsontree.Pointer{}
	for i, item := range order.Items() {
		if err := d.enter(item, jsontree.Pointer{"resolutionOrder", strconv.Itoa(i)}, names); err != nil {
			return nil, err
		}
	}
	return d, d.checkUnused()
}

// checkUnused reads the sets and modifiers that the resolutionOrder does not lead to, and lists them.
func (d *Document) checkUnused() error {
	for _, kind := range []string{"sets", "modifiers"} {
		for _, m := range membersOf(d.root.Find(kind)) {
			at := jsontree.Pointer{kind, m.Name}
			if !d.used[at.String()] {
				d.Unused = append(d.Unused, at.String())
			}
		}
	}
	for _, pointer := range d.Unused {
		at, _ := jsontree.ParsePointer(pointer)
		n, err := d.open(d.root.Lookup(at), at, nil)
		if err == nil && at[0] == "sets" {
			_, err = d.list(nil, n.Find("sources"), below(at, "sources"), nil)
		} else if err == nil {
			_, err = d.modifier(entry{n, at, at[1]})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enter takes an item of the resolutionOrder. names has the places of those that have a name already.
func (d *Document) enter(item *jsontree.Node, at jsontree.Pointer, names map[string]jsontree.Pointer) error {
	e := entry{item, at, textOf(item.Find("name"))}
	kind := textOf(item.Find("type"))
	if ref := item.Find("$ref"); ref != nil {
		target, err := d.target(ref, at)
		if err != nil {
			return err
		}
		if len(target) != 2 || target[0] != "sets" && target[0] != "modifiers" {
			return &Error{at.String(), "the resolutionOrder takes sets and modifiers, and " + textOf(ref) + " is neither", "Write #/sets/NAME or #/modifiers/NAME."}
		}
		n, err := d.open(d.root.Lookup(target), target, nil)
		if err != nil {
			return err
		}
		e, kind = entry{d.over(n, item, at), target, target[1]}, strings.TrimSuffix(target[0], "s")
	} else if text := textOf(item); text != "" {
		return &Error{at.String(), spelled(item) + " in the resolutionOrder is a text", `Write {"$ref": ` + spelled(item) + `}.`}
	} else if e.name == "" || kind != "set" && kind != "modifier" {
		return &Error{at.String(), "a set or modifier that stands in the resolutionOrder itself needs a name and a type", `Write "name": "NAME" and "type": "set" or "modifier".`}
	}
	if other, twice := names[e.name]; twice && (item.Find("$ref") == nil || other[0] == "resolutionOrder") {
		return &Error{at.String(), "the name " + e.name + " stands twice in the resolutionOrder", "Rename one of the two."}
	}
	names[e.name] = e.at
	if kind == "set" {
		_, err := d.list(nil, e.node.Find("sources"), below(e.at, "sources"), nil)
		e.name = ""
		d.order = append(d.order, e)
		return err
	}
	d.order = append(d.order, e)
	m, err := d.modifier(e)
	if !slices.ContainsFunc(d.Modifiers, func(other Modifier) bool { return other.Pointer == m.Pointer }) {
		d.Modifiers = append(d.Modifiers, m)
	}
	return err
}

// modifier reads a modifier and checks each of its contexts.
func (d *Document) modifier(e entry) (Modifier, error) {
	m := Modifier{Name: e.name, Default: textOf(e.node.Find("default")), Pointer: e.at.String()}
	for _, context := range membersOf(e.node.Find("contexts")) {
		m.Contexts = append(m.Contexts, context.Name)
		if _, err := d.list(nil, context.Value, below(e.at, "contexts", context.Name), nil); err != nil {
			return m, err
		}
	}
	switch {
	case len(m.Contexts) == 0:
		return m, &Error{m.Pointer, "the modifier " + m.Name + " has no contexts", `Write "contexts": {"NAME": [SOURCES], …}.`}
	case e.node.Find("default") != nil && !slices.Contains(m.Contexts, m.Default):
		return m, &Error{m.Pointer + "/default", "the default of the modifier " + m.Name + " is not one of its contexts", valid(m.Contexts)}
	}
	return m, nil
}

// Sources returns the sources of one permutation in the order in which they are laid over each other. contexts has those
// of the modifiers by name, as Choose returns them.
func (d *Document) Sources(contexts map[string]string) (list []Source, err error) {
	d.steps = 0
	for _, e := range d.order {
		if list, err = d.sourcesOf(list, e, contexts[e.name]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ContextSources returns the sources of one context of a modifier.
func (d *Document) ContextSources(modifier, context string) (list []Source, err error) {
	d.steps = 0
	i := slices.IndexFunc(d.order, func(e entry) bool { return e.name == modifier })
	return d.sourcesOf(nil, d.order[i], context)
}

// sourcesOf appends the sources of a set, or of a context of a modifier.
func (d *Document) sourcesOf(list []Source, e entry, context string) ([]Source, error) {
	if e.name == "" {
		return d.list(list, e.node.Find("sources"), below(e.at, "sources"), nil)
	}
	first, at := len(list), below(e.at, "contexts", context)
	list, err := d.list(list, e.node.Find("contexts").Find(context), at, nil)
	for i := first; i < len(list); i++ {
		list[i].Context = at.String()
	}
	return list, err
}

// SourcesAt returns the sources of a set that another document names by its place in this one. ok is false if no set
// stands there.
func SourcesAt(root *jsontree.Node, at jsontree.Pointer) (list []Source, ok bool, err error) {
	n := root.Lookup(at)
	if !isArray(n.Find("sources")) {
		return nil, false, nil
	}
	d := &Document{root: root, used: map[string]bool{}}
	list, err = d.list(nil, n.Find("sources"), below(at, "sources"), nil)
	return list, true, err
}
