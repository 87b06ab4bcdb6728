package form

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const resolverName = "a resolver document"

// resolverVersion is the version of the specification that a resolver document must name.
const resolverVersion = "2025.10"

// maxSources bounds what references to sets may multiply.
const maxSources = 1 << 16

// isResolver reports whether a file is a document of the DTCG Resolver Module.
func isResolver(f *model.File) bool {
	hasParts := f.Root.Find("sets").IsObject() || f.Root.Find("modifiers").IsObject()
	return isArray(f.Root.Find("resolutionOrder")) || hasParts && value.Text(f.Root.Find("version")) == resolverVersion
}

func isArray(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.Array }

// resolver reads a resolver document and the files that it names.
type resolver struct {
	document *model.Document
	tokens   *dtcgReader
	options  Options
	isInline map[string]bool      // by the names in the order: the set or modifier stands in it
	used     map[model.Place]bool // lists of sources, and tokens, that were read
	sources  int                  // that were read
}

// part is a value of a file that says where tokens are.
type part struct {
	node *jsontree.Node
	model.Place
	through []model.Place // the targets of the references that lead to it
}

func (p part) child(name string) part {
	return part{p.node.Find(name), model.Place{File: p.File, Pointer: p.Pointer + jsontree.Pointer{name}.String()}, p.through}
}

func (p part) item(i int) part {
	return part{p.node.Items()[i], model.Place{File: p.File, Pointer: p.Pointer + "/" + strconv.Itoa(i)}, p.through}
}

// fail returns an error at a part: a sentence without its end, and what to do.
func (p part) fail(what, next string) error {
	return &model.Error{Place: p.Place, What: what, Next: next}
}

// readResolver reads the sets and modifiers of a resolver document in its resolutionOrder. Sets hold always, contexts in their mode. A
// context that cannot be read becomes a problem, unless it is the default.
func readResolver(f *model.File, o Options) (*model.Document, error) {
	d := &model.Document{Files: []*model.File{f}}
	r := &resolver{document: d, tokens: newDTCGReader(d, o), options: o, isInline: map[string]bool{}, used: map[model.Place]bool{}}
	root := part{node: f.Root, Place: model.Place{File: f}}
	order := root.child("resolutionOrder")
	switch {
	case value.Text(f.Root.Find("version")) != resolverVersion:
		return nil, root.child("version").fail("the version of a resolver document must be "+resolverVersion, `Write "version": "`+resolverVersion+`".`)
	case len(itemsOf(order.node)) == 0:
		return nil, order.fail("the document has no sets or modifiers in its resolutionOrder", `Write "resolutionOrder": [{"$ref": "#/sets/NAME"}].`)
	}
	for i := range order.node.Items() {
		if err := r.readItem(order.item(i)); err != nil {
			return nil, err
		}
	}
	r.nameUnused(root)
	r.declareDefinitions(root)
	return r.tokens.finish(), nil
}

// readItem reads an item of the resolutionOrder: a set, a modifier, or a reference to one.
func (r *resolver) readItem(p part) error {
	kind, name := value.Text(p.node.Find("type")), value.Text(p.node.Find("name"))
	isInline := p.node.Find("$ref") == nil
	if !isInline {
		target, err := r.follow(p)
		if err != nil {
			return err
		}
		at, _ := jsontree.ParsePointer(target.Pointer)
		if len(at) != 2 || at[0] != "sets" && at[0] != "modifiers" {
			return p.fail("the resolutionOrder takes sets and modifiers, and "+target.Pointer+" is neither", "Write #/sets/NAME or #/modifiers/NAME.")
		}
		kind, name = strings.TrimSuffix(at[0], "s"), at[1]
	}
	if name == "" || kind != "set" && kind != "modifier" {
		return p.fail("an item of the resolutionOrder is not a set or modifier with a name: "+value.Spell(p.node), `Write {"$ref": "#/sets/NAME"}, or "type" and "name".`)
	}
	if other, isTaken := r.isInline[name]; isTaken && (other || isInline) {
		return p.fail("the name "+name+" stands twice in the resolutionOrder", "Rename one of the two.")
	}
	r.isInline[name] = isInline
	if kind == "modifier" {
		return r.readModifier(p, name)
	}
	list, err := r.find(p, "sources")
	if err != nil {
		return err
	}
	return r.readSources(list, nil)
}

// find returns a member of a set or modifier, or that of the one in the document that it refers to.
func (r *resolver) find(p part, name string) (part, error) {
	if p.node.Find(name) != nil || !strings.HasPrefix(value.Text(p.node.Find("$ref")), "#") {
		return p.child(name), nil
	}
	target, err := r.follow(p)
	if err != nil {
		return target, err
	}
	return r.find(target, name)
}

// readModifier reads each context of a modifier in its mode. Without a default the first counts.
func (r *resolver) readModifier(p part, name string) error {
	contexts, err := r.find(p, "contexts")
	if err != nil {
		return err
	}
	given, err := r.find(p, "default")
	if err != nil {
		return err
	}
	if len(membersOf(contexts.node)) == 0 {
		return p.fail("the modifier "+name+" has no contexts", `Write "contexts": {"NAME": [SOURCES], …}.`)
	}
	d := model.Dimension{Axis: model.Axis{Kind: model.Resolver, Name: name}, Default: contexts.node.Members[0].Name}
	if given.node != nil {
		if d.Default = value.Text(given.node); contexts.node.Find(d.Default) == nil {
			return given.fail("the default of the modifier "+name+" is not one of its contexts", namesOf(contexts.node, d.Default))
		}
	}
	for _, m := range contexts.node.Members {
		decls, problems, used := len(r.document.Decls), len(r.document.Problems), maps.Clone(r.used)
		context := contexts.child(m.Name)
		err := r.readSources(context, []model.Context{{{Axis: d.Axis, Mode: m.Name}}})
		switch {
		case err == nil:
			d.Modes = append(d.Modes, m.Name)
		case m.Name == d.Default:
			return err
		default:
			r.document.Decls, r.document.Problems, r.used = r.document.Decls[:decls], r.document.Problems[:problems], used
			r.document.Report(context.Place, name+"."+m.Name, "contexts that cannot be read", err.Error()+"; the context is left out", true)
		}
	}
	if !slices.ContainsFunc(r.document.Dimensions, func(other model.Dimension) bool { return other.Axis == d.Axis }) {
		r.document.Dimensions = append(r.document.Dimensions, d)
	}
	return nil
}

// readSources reads a list of sources, which hold in the contexts when.
func (r *resolver) readSources(p part, when []model.Context) error {
	if p.node.Find("$ref") != nil {
		target, err := r.follow(p)
		if err != nil {
			return err
		}
		return r.readSources(target, when)
	}
	if !isArray(p.node) {
		return p.fail("the sources of tokens are not an array", `Write an array of tokens or of {"$ref": "FILE"}.`)
	}
	r.used[p.Place] = true
	for i := range p.node.Items() {
		if r.sources++; r.sources > maxSources {
			return p.fail("sets that lead to each other make too many sources", "Name each source once.")
		}
		if err := r.readSource(p.item(i), when); err != nil {
			return err
		}
	}
	return nil
}

// readSource reads tokens, or what a reference leads to and then the tokens beside the reference.
func (r *resolver) readSource(p part, when []model.Context) error {
	ref := p.node.Find("$ref")
	if !p.node.IsObject() {
		return p.fail("a source is not an object", `Write tokens or {"$ref": "FILE"}.`)
	} else if ref == nil {
		r.used[p.Place] = true
		r.tokens.read(p.node, p.Place, when)
		return nil
	}
	first, own := len(r.document.Decls), tree.With(p.node, "$ref", nil)
	if !strings.HasPrefix(value.Text(ref), "#") {
		if err := r.readFile(p, when); err != nil {
			return err
		}
	} else {
		target, err := r.follow(p)
		if err != nil {
			return err
		}
		if list, err := r.find(target, "sources"); err != nil {
			return err
		} else if isArray(list.node) || isArray(target.node) {
			if isSomewhere(own, isDeclaration) {
				return p.fail("tokens beside a $ref to a set cannot replace some of its sources", "Write them as a source of their own after it.")
			}
			if isArray(list.node) {
				target = list
			}
			return r.readSources(target, when)
		}
		if err := r.readSource(target, when); err != nil {
			return err
		}
	}
	if len(own.Members) > 0 {
		r.replace(first, own)
		r.tokens.read(own, p.Place, when)
	}
	return nil
}

// replace takes the declarations from first on out whose group stands beside the reference to them.
func (r *resolver) replace(first int, own *jsontree.Node) {
	kept := r.document.Decls[:first:first]
	for _, decl := range r.document.Decls[first:] {
		if len(decl.Path) == 0 || dtcg.IsMetadata(decl.Path[0]) || own.Find(decl.Path[0]) == nil {
			kept = append(kept, decl)
		} else if !decl.Group {
			r.document.Report(decl.Place, decl.Name(), "tokens that a resolver document replaces", "another "+decl.Path[0]+" stands beside the $ref to this one", false)
		}
	}
	r.document.Decls = kept
}

// readFile reads the file that a reference names, a part of it, or a set of another resolver document.
func (r *resolver) readFile(p part, when []model.Context) error {
	ref := value.Text(p.node.Find("$ref"))
	file, fragment, _ := strings.Cut(ref, "#")
	name, err := url.PathUnescape(file)
	at, ok := pointerOf(fragment)
	switch {
	case strings.Contains(file, "://"):
		return p.fail(ref+" is on a server, and Livery fetches nothing", "Download it, and name the file.")
	case r.options.Open == nil:
		return p.fail("files that a document names are not read here: "+ref, "Name the document itself.")
	case err != nil || !ok || file == "":
		return p.fail("a $ref is not a file or a JSON Pointer: "+value.Spell(p.node.Find("$ref")), "Write FILE, FILE#/a/b or #/sets/NAME.")
	}
	f, err := r.options.Open(p.Place.File, name)
	if err != nil {
		next := "Correct the name, or write the file."
		if e, ok := errors.AsType[*model.Error](err); ok {
			next = e.Next
		}
		return p.fail(err.Error(), next)
	}
	if !slices.Contains(r.document.Files, f) {
		r.document.Files = append(r.document.Files, f)
	}
	target := part{f.Root.Lookup(at), model.Place{File: f, Pointer: at.String()}, p.through}
	switch {
	case !target.node.IsObject():
		return p.fail("the file "+name+" has no group "+target.Pointer, "Name a group that the file has.")
	case target.node.Find("$value") != nil:
		return p.fail(target.Pointer+" of the file "+name+" is a token, and a source is a group", "Name the group that holds it.")
	case isArray(target.node.Find("sources")):
		if slices.Contains(p.through, target.Place) {
			return p.fail("the reference is circular: "+ref+" leads back to itself", "Remove it.")
		}
		target.through = append(slices.Clip(p.through), target.Place)
		return r.readSources(target.child("sources"), when)
	case len(at) == 0 && isResolver(f):
		return p.fail(name+" is a resolver document too", "Name a file of tokens, or a set of that document: FILE#/sets/NAME.")
	}
	form, ok := readerOf(f)
	if len(at) > 0 || !ok || form.name == dtcgName {
		r.tokens.read(target.node, target.Place, when)
		return nil
	}
	d, err := form.read(f, r.options)
	if err != nil {
		return err
	}
	for _, decl := range d.Decls {
		for _, context := range when {
			decl.When = withContext(decl.When, context)
		}
		r.document.Decls = append(r.document.Decls, decl)
	}
	r.document.Dimensions, r.document.Problems = append(r.document.Dimensions, d.Dimensions...), append(r.document.Problems, d.Problems...)
	r.document.Language = max(r.document.Language, d.Language)
	return nil
}

// follow returns the part of the document to which a reference leads.
func (r *resolver) follow(p part) (part, error) {
	ref := p.node.Find("$ref")
	text := value.Text(ref)
	fragment, isOwn := strings.CutPrefix(text, "#")
	at, ok := pointerOf(fragment)
	isOfOrder := strings.HasPrefix(p.Pointer, "/resolutionOrder/") && strings.Count(p.Pointer, "/") == 2
	target := part{p.File.Root.Lookup(at), model.Place{File: p.File, Pointer: at.String()}, nil}
	switch {
	case !isOwn || !ok:
		return target, p.fail("a reference that is not to a source of tokens must lead into the document: "+value.Spell(ref), "Write #/sets/NAME or another JSON Pointer.")
	case len(at) > 0 && at[0] == "resolutionOrder":
		return target, p.fail(text+" leads into the resolutionOrder, and no reference may", `Write the set under "sets", and refer to #/sets/NAME.`)
	case len(at) > 0 && at[0] == "modifiers" && !isOfOrder:
		return target, p.fail(text+" leads to a modifier, and only the resolutionOrder may", "Refer to a set or a file.")
	case target.node == nil:
		return target, p.fail("the document has no "+text, namesOf(p.File.Root.Lookup(at[:len(at)-1]), at[len(at)-1]))
	case slices.Contains(p.through, target.Place) || strings.HasPrefix(p.Pointer+"/", target.Pointer+"/"):
		return target, p.fail("the reference is circular: "+text+" leads back to itself", "Remove it.")
	}
	target.through = append(slices.Clip(p.through), target.Place)
	return target, nil
}

// pointerOf reads the fragment of a reference. The specification itself leaves out its first slash once.
func pointerOf(fragment string) (jsontree.Pointer, bool) {
	fragment, err := url.PathUnescape(fragment)
	if fragment != "" && fragment[0] != '/' {
		fragment = "/" + fragment
	}
	p, ok := jsontree.ParsePointer(fragment)
	return p, ok && err == nil
}

// namesOf says which members an object has in place of one that it lacks.
func namesOf(n *jsontree.Node, missing string) string {
	var names []string
	for _, m := range membersOf(n) {
		names = append(names, m.Name)
	}
	if near := spelling.Nearest(missing, names); near != "" {
		return "Did you mean " + near + "?"
	}
	return "Valid values: " + cmp.Or(strings.Join(names, ", "), "none") + "."
}

// declareDefinitions declares the definitions of tokens in a document that are no sources: references of its sources may lead to them.
func (r *resolver) declareDefinitions(root part) {
	defs, tokens := root.child("$defs"), jsontree.NewObject()
	for _, m := range membersOf(defs.node) {
		if m.Value.Find("$ref") == nil && isSomewhere(m.Value, isDeclaration) && !r.isUsed(defs.child(m.Name).Place) {
			tokens.Members = append(tokens.Members, m)
		}
	}
	if tokens.Index(); len(tokens.Members) > 0 {
		node := jsontree.NewObject(jsontree.Member{Name: "$defs", Value: tokens})
		r.document.Decls = append(r.document.Decls, model.Decl{Node: node, Group: true, Place: root.Place})
	}
}

// isUsed reports whether something at or below a place was read.
func (r *resolver) isUsed(at model.Place) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(r.used)), func(read model.Place) bool {
		return read.File == at.File && strings.HasPrefix(read.Pointer+"/", at.Pointer+"/")
	})
}

// nameUnused names the parts of a document that nothing read: sets and modifiers to which the resolutionOrder does not lead, and tokens that stand elsewhere.
func (r *resolver) nameUnused(root part) {
	for _, m := range root.node.Members {
		p := root.child(m.Name)
		switch {
		case m.Name == "resolutionOrder" || m.Name == "$defs":
		case m.Name == "sets" || m.Name == "modifiers":
			for _, inner := range membersOf(p.node) {
				one := p.child(inner.Name)
				if !r.isUsed(one.Place) {
					r.document.Report(one.Place, inner.Name, "unused sets and modifiers", "the resolutionOrder does not lead to it, and it is left out", false)
				}
			}
		case isSomewhere(m.Value, isDeclaration):
			r.document.Report(p.Place, m.Name, "tokens outside of the sources", "a resolver document has tokens in its sources only; move it into a set", true)
		}
	}
}
