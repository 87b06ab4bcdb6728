package source

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/references"
	"example.com/livery/cli/tokenfile/resolver"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// resolverReader reads the files that a resolver document names.
type resolverReader struct {
	a        opener
	document *tokenFile
	folder   string // no file outside of it is read
	options  tokenfile.Options
	isTrial  bool // only whether the files can be read counts
}

// read returns a resolver document, and behind it the sources of the permutation that is wanted, in their order.
func (r resolverReader) read() ([]*tokenFile, error) {
	d, err := resolver.Read(r.document.parsed.Root)
	if err != nil {
		return nil, explainIn(r.document, err)
	}
	contexts, err := r.choose(d)
	if err != nil {
		return nil, err
	}
	unread, err := r.leaveOut(d, contexts)
	if err == nil && len(unread) > 0 { // of a context that another document has
		contexts, err = r.choose(d)
	}
	if err != nil {
		return nil, err
	}
	sources, err := d.Sources(contexts)
	if err != nil {
		return nil, explainIn(r.document, err)
	}
	files, err := r.files(r.document, sources, nil)
	if err != nil {
		return nil, err
	}
	part := tokenfile.Part{Tree: jsontree.NewObject(), Faults: outsideOf(r.document.parsed.Root)}
	for _, m := range d.Modifiers {
		part.Dimensions = append(part.Dimensions, dimensionOf(m))
	}
	r.document.parts = []tokenfile.Part{part}
	r.note(d, contexts, files)
	return slices.Concat([]*tokenFile{r.document}, files, unread), nil
}

// leaveOut takes the contexts out of a document of which a file cannot be read. They are a loss of a design system, and
// only named beside another context that is taken.
func (r resolverReader) leaveOut(d *resolver.Document, taken map[string]string) (unread []*tokenFile, err error) {
	known := r.document.known
	if known.unread == nil {
		if known.unread, err = r.unreadContexts(d, taken); err != nil {
			return nil, err
		}
	}
	for i := range d.Modifiers {
		m := &d.Modifiers[i]
		isLeft := func(context string) bool { return known.unread[[2]string{m.Name, context}] != nil }
		for _, context := range slices.DeleteFunc(slices.Clone(m.Contexts), func(c string) bool { return !isLeft(c) }) {
			file := *known.unread[[2]string{m.Name, context}]
			said := term.Explain(file.unread)
			reason := said.Sentence + "; the context " + context + " of " + m.Name + " is left out"
			if r.options.Choice == nil {
				r.document.notes = append(r.document.notes, reason)
				continue
			}
			file.unread = term.Fail(said.Next, "%s", reason)
			unread = append(unread, &file)
		}
		if r.options.Choice != nil {
			m.Contexts = slices.DeleteFunc(slices.Clone(m.Contexts), isLeft)
		}
	}
	return unread, nil
}

// unreadContexts returns a file that cannot be read of each context that has one, by modifier and context. That a context
// which is taken has one is an error.
func (r resolverReader) unreadContexts(d *resolver.Document, taken map[string]string) (map[[2]string]*tokenFile, error) {
	unread := map[[2]string]*tokenFile{}
	r.isTrial = true
	for _, m := range d.Modifiers {
		for _, context := range m.Contexts {
			sources, err := d.ContextSources(m.Name, context)
			if err != nil {
				return nil, explainIn(r.document, err)
			}
			files, err := r.files(r.document, sources, nil)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				if f.unread != nil && context == taken[m.Name] {
					return nil, f.unread
				} else if f.unread != nil {
					unread[[2]string{m.Name, context}] = f
				}
			}
		}
	}
	return unread, nil
}

// outsideOf lists as faults the tokens of a resolver document that stand in none of the members that are read: of the
// document, of a set or a modifier, or of an item of the resolutionOrder.
func outsideOf(root *jsontree.Node) []tokenfile.Fault {
	among := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	list := tokenfile.Outside(root, nil, among("sets", "modifiers", "resolutionOrder", "$defs"))
	inside := func(n *jsontree.Node, at ...string) {
		list = append(list, tokenfile.Outside(n, at, among("sources", "contexts", "$extensions"))...)
	}
	for _, kind := range []string{"sets", "modifiers"} {
		if all := root.Find(kind); all.IsObject() {
			for _, m := range all.Members {
				inside(m.Value, kind, m.Name)
			}
		}
	}
	for i, item := range root.Find("resolutionOrder").Items() {
		inside(item, "resolutionOrder", strconv.Itoa(i))
	}
	for _, at := range references.UnusedDefinitions(root) {
		list = append(list, tokenfile.Fault{Pointer: at.String(), Path: strings.Join(at, "."), Message: "no $ref leads to this definition, and nothing else reads it"})
	}
	return list
}

// explainIn says in which line a document is wrong.
func explainIn(f *tokenFile, err error) error {
	if e, ok := errors.AsType[*resolver.Error](err); ok {
		return term.Fail(e.Next, "%s: %s", f.location(e.Pointer), e.What)
	}
	return err
}

// choose returns the context of each modifier: of a design system that of the choice, else that of the inputs.
func (r resolverReader) choose(d *resolver.Document) (map[string]string, error) {
	if r.options.Choice != nil {
		contexts := map[string]string{}
		for _, m := range d.Modifiers {
			contexts[m.Name] = r.options.ModeAmong(m.Name, m.Contexts)
			if !slices.Contains(m.Contexts, contexts[m.Name]) { // another document may have it
				contexts[m.Name] = dimensionOf(m).Modes[0]
			}
		}
		return contexts, nil
	}
	contexts, wrong := d.Choose(r.options.Inputs)
	switch len(wrong) {
	case 0:
		return contexts, nil
	case 1:
		return nil, explainIn(r.document, wrong[0])
	}
	f := term.Fail("Correct them and try again.", "the inputs do not fit the modifiers of the document:")
	for _, e := range wrong {
		f.Faults = append(f.Faults, r.document.location(e.Pointer)+": "+e.What+". "+e.Next)
	}
	return nil, f
}

// dimensionOf is a modifier as a dimension of a design system, its default first. If it has none, the usual one is.
func dimensionOf(m resolver.Modifier) tokenfile.Dimension {
	i := slices.Index(m.Contexts, m.Default)
	if i < 0 {
		return tokenfile.Dimension{Name: m.Name, Modes: tokenfile.UsualFirst(m.Contexts)}
	}
	return tokenfile.Dimension{Name: m.Name, Modes: tokenfile.First(m.Contexts, i)}
}

// note notes for a person which contexts and files are taken, and which sets and modifiers are not used.
func (r resolverReader) note(d *resolver.Document, contexts map[string]string, files []*tokenFile) {
	f := r.document
	for _, pointer := range d.Unused {
		p, _ := jsontree.ParsePointer(pointer)
		f.notes = append(f.notes, f.location(pointer)+": the resolutionOrder does not lead to "+p[1]+" of the "+p[0]+", which is left out")
	}
	for _, pointer := range d.Replaced {
		at, _ := jsontree.ParsePointer(pointer)
		name := at[len(at)-1]
		f.notes = append(f.notes, f.location(pointer)+": the "+name+" beside a $ref count in place of the "+name+" that it leads to, which are left out there")
	}
	r.noteParts(files)
	if r.options.Choice != nil {
		return // all contexts are taken
	}
	for _, m := range d.Modifiers {
		line, taken := f.location(m.Pointer)+": the modifier "+m.Name+" gives its context "+contexts[m.Name], contexts[m.Name]
		if i := slices.IndexFunc(m.Contexts, func(c string) bool { return c != taken }); i >= 0 {
			line += ", of " + strings.Join(m.Contexts, ", ") + " (--input " + m.Name + "=" + m.Contexts[i] + ")"
		}
		f.notes = append(f.notes, line)
	}
	var names []string
	for _, source := range files {
		if source.unread == nil {
			names = append(names, source.name)
		}
	}
	if len(names) == 0 {
		return
	}
	f.notes = append(f.notes, f.name+" takes its tokens, in this order, from "+strings.Join(slices.Compact(names), ", "))
}

// noteParts notes the tokens of files of which the document names parts alone.
func (r resolverReader) noteParts(files []*tokenFile) {
	read := map[string][]string{} // name of a file -> places of its parts
	for _, f := range files {
		if f.name != r.document.name {
			for _, part := range f.parts {
				read[f.name] = append(read[f.name], part.At)
			}
		}
	}
	for _, f := range files {
		at := read[f.name]
		delete(read, f.name)
		if len(at) == 0 || slices.Contains(at, "") || isResolver(f) {
			continue
		}
		var left []string
		document := dtcg.Read(f.parsed.Root)
		for i := range document.Tokens {
			pointer := document.Tokens[i].Pointer().String() + "/"
			if !slices.ContainsFunc(at, func(part string) bool { return strings.HasPrefix(pointer, part+"/") }) {
				left = append(left, document.Tokens[i].Path)
			}
		}
		if len(left) > 0 {
			r.document.notes = append(r.document.notes, f.name+" is read in part, "+strings.Join(at, ", ")+", as the document names it; left out: "+term.ShortList(left))
		}
	}
}

// files reads the sources that a document names. through has the sets of other documents that lead to them.
func (r resolverReader) files(in *tokenFile, sources []resolver.Source, through []string) (all []*tokenFile, err error) {
	for _, s := range sources {
		first := len(all)
		if s.File == "" {
			at, _ := jsontree.ParsePointer(s.Pointer)
			inline := &tokenFile{name: in.name, parsed: in.parsed, known: in.known, kind: tokenfile.DTCG}
			all = append(all, r.source(inline, s.Tree, at, s))
		} else {
			files, err := r.file(in, s, through)
			if err != nil {
				return nil, err
			}
			all = append(all, files...)
		}
		for _, f := range all[first:] {
			f.context = s.Context
		}
	}
	return all, nil
}

// source makes a file of one source of its tree, which stands at a place of the file.
func (r resolverReader) source(f *tokenFile, root *jsontree.Node, at jsontree.Pointer, s resolver.Source) *tokenFile {
	if r.isTrial {
		return f
	}
	for _, name := range s.Without {
		if old := root.Find(name); old.IsObject() && !tokentree.IsMeta(name) {
			r.document.notes = append(r.document.notes, f.location(append(at[:len(at):len(at)], name).String())+": "+name+" is left out, since another "+name+" stands beside the $ref to this file")
		}
		root = tree.With(root, name, nil)
	}
	f.resolver, f.family = r.document, r.document.name
	f.parts = []tokenfile.Part{tokenfile.ConvertDTCG(root, at, r.options)}
	return f
}

// file reads a file that a source names, or the files of a set of another document that it names. A file that cannot be
// read, or that has not what is named of it, is noted as unread.
func (r resolverReader) file(in *tokenFile, s resolver.Source, through []string) ([]*tokenFile, error) {
	name, err := r.path(in, s)
	if err != nil {
		return nil, err
	}
	read, err := openFile(r.a, name)
	switch {
	case read == nil:
		return r.unread(in, s, name, term.Fail("Correct the name, or write the file.", "%s", term.Explain(err).Sentence)), nil
	case err != nil:
		return r.unread(in, s, name, err), nil
	}
	root := read.parsed.Root.Lookup(s.Part)
	switch {
	case !root.IsObject():
		return r.unread(in, s, name, term.Fail("Name a group that the file has.", "the file %s has no group %s", name, s.Part)), nil
	case dtcg.IsToken(root):
		return r.unread(in, s, name, term.Fail("Name the group that holds it.", "%s of the file %s is a token, and a source is a group", s.Part, name)), nil
	}
	key := name + "#" + s.Part.String()
	if sources, ok, err := resolver.SourcesAt(read.parsed.Root, s.Part); ok {
		if err != nil {
			return nil, explainIn(read, err)
		}
		if slices.Contains(through, key) {
			return nil, term.Fail("Remove it.", "%s: the reference is circular: %s leads back to itself", in.location(s.Pointer), key)
		}
		return r.files(read, sources, append(through[:len(through):len(through)], key))
	}
	if read.kind, read.why = tokenfile.Recognise(read.parsed, r.options); read.kind == tokenfile.Resolver {
		return nil, term.Fail("Name a file of tokens, or a set of that document: FILE#/sets/NAME.", "%s: %s is a resolver document too", in.location(s.Pointer), name)
	}
	if unlike := cmp.Or(read.purpose(), tokenfile.Unlike(root)); read.why == "" && unlike != "" {
		return r.unread(in, s, name, term.Fail("Name a file of tokens.", "%s holds no token: %s", name, unlike)), nil
	}
	if len(s.Part) > 0 || read.kind == tokenfile.Flat {
		read.kind, read.why = tokenfile.DTCG, "a resolver document names it"
	}
	if read.kind == tokenfile.DTCG {
		return []*tokenFile{r.source(read, root, s.Part, s)}, nil
	}
	if err := read.convert(r.options); err != nil {
		return r.unread(in, s, name, err), nil
	}
	read.resolver, read.family, read.mode = r.document, r.document.name, ""
	return []*tokenFile{read}, nil
}

// unread is a file that cannot be read, with the line of the document that names it.
func (r resolverReader) unread(in *tokenFile, s resolver.Source, name string, err error) []*tokenFile {
	said := term.Explain(err)
	failure := term.Fail(said.Next, "%s: %s", in.location(s.Pointer), said.Sentence)
	return []*tokenFile{{name: name, family: r.document.name, resolver: r.document, unread: failure}}
}

// path is the path of a file that a document names. It refuses a file outside of the folder.
func (r resolverReader) path(in *tokenFile, s resolver.Source) (string, error) {
	own := filepath.FromSlash(s.File)
	name := filepath.Join(filepath.Dir(in.name), own)
	if filepath.IsAbs(own) || !IsInside(r.folder, name) {
		return "", term.Fail("Move it there, or name a folder that holds both.",
			"%s: %s lies outside of the folder %s, and only files in it are read", in.location(s.Pointer), s.File, r.folder)
	}
	return name, nil
}

// IsInside reports whether a file lies in a folder, both by its name and after following symbolic links.
func IsInside(folder, name string) bool {
	folder, err := filepath.Abs(folder)
	if err == nil {
		name, err = filepath.Abs(name)
	}
	rel, bad := filepath.Rel(folder, name)
	if err != nil || bad != nil || !filepath.IsLocal(rel) {
		return false
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true // it cannot be opened, which is said then
	}
	if folder, err = filepath.EvalSymlinks(folder); err == nil {
		rel, err = filepath.Rel(folder, target)
	}
	return err == nil && filepath.IsLocal(rel)
}

// resolvedFolder reads the resolver document of a folder and what it names, and notes the other files as left out. ok
// is false if the folder has no such document.
func resolvedFolder(a opener, folder string, opened []*tokenFile, o tokenfile.Options) (all []*tokenFile, ok bool, err error) {
	documents := slices.DeleteFunc(slices.Clone(opened), func(f *tokenFile) bool { return !isResolver(f) })
	if len(documents) > 1 { // one may take sets of the others
		documents = slices.DeleteFunc(slices.Clone(documents), func(f *tokenFile) bool {
			return slices.ContainsFunc(documents, func(other *tokenFile) bool {
				return other != f && slices.Contains(namedFiles(other), filepath.Clean(f.name))
			})
		})
	}
	var left []string
	switch len(documents) {
	case 0:
		return nil, false, nil
	case 1:
	default:
		for _, f := range documents {
			left = append(left, f.name)
		}
		return nil, true, term.Fail("Name one of them in place of the folder.", "the folder %s holds several resolver documents: %s", folder, strings.Join(left, ", "))
	}
	document := documents[0]
	named := namedFiles(document)
	for _, f := range opened {
		if f != document && !slices.Contains(named, filepath.Clean(f.name)) {
			left = append(left, f.name)
		}
	}
	if len(left) > 0 {
		document.notes = append(document.notes, document.name+" does not name other files of its folder, which are left out: "+term.ShortList(left))
	}
	all, err = resolverReader{a: a, document: document, folder: folder, options: o}.read()
	return all, true, err
}

// namedFiles lists the files that a resolver document names anywhere.
func namedFiles(document *tokenFile) (names []string) {
	for _, name := range resolver.Files(document.parsed.Root) {
		names = append(names, filepath.Join(filepath.Dir(document.name), filepath.FromSlash(name)))
	}
	return names
}

// keepTypes gives tokens of a later source, if nothing there gives them a type, the type that they have by themselves
// in the sources before it.
func keepTypes(under, over *jsontree.Node) *jsontree.Node {
	if over.Find("$type") != nil {
		return over
	}
	return tree.MapChildren(over, func(name string, value *jsontree.Node) *jsontree.Node {
		old := under.Find(name)
		switch {
		case tokentree.IsMeta(name) || !value.IsObject() || !old.IsObject():
			return value
		case tokentree.IsGroup(value):
			return keepTypes(old, value)
		case value.Find("$type") == nil && !tokentree.IsGroup(old) && old.Find("$type") != nil:
			return tree.With(value, "$type", old.Find("$type"))
		}
		return value
	})
}

// withoutDefaults leaves in overrides what the inputs of resolver documents say otherwise than the defaults of the
// files do.
func (s *Sources) withoutDefaults(a opener, names []string, o tokenfile.Options) error {
	o.Choice, o.Inputs = map[string]string{}, nil
	files, err := readSources(a, names, o)
	if err != nil {
		return err
	}
	defaults := variantSources(files, o)
	s.Tree.Members = slices.DeleteFunc(s.Tree.Members, func(m jsontree.Member) bool {
		value := defaults.Tree.Find(m.Name)
		return value != nil && jsontree.Equal(value, m.Value)
	})
	s.Tree.Index()
	return nil
}
