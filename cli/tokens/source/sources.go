// Package source reads the token files of a command as one tree, with the place of each part.
package source

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/references"
	"example.com/livery/cli/tokenfile/repair"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Sources are the files of a push as one tree: a document for a Theme, a flat map for a Variant.
type Sources struct {
	Tree    *jsontree.Node
	at      map[string]spot    // what stands in the tree: by pointer, or by path in a flat map
	clashes []string           // lines for a person: what a later file takes the place of
	inOne   int                // of these, of files of one folder: only their names say which is the later
	merged  []*Merge           // token sets, by the file or folder that holds them
	notes   []string           // lines for a person: which modes are taken, and which are left out
	Faults  []validate.Dropped // what no token can be made of
	hidden  []hidden           // values that another choice of modes may have
	forms   []*tokenFile       // the files that were read
	read    []concession       // what is read otherwise than it is written
	Unread  []validate.Dropped // files that cannot be read, though others are

	Unapplied []Unapplied // references and modifiers that no served file applies

	needs map[string]map[string]bool // path of a token whose value was computed -> the tokens that it was computed from
}

// spot is a place in a file.
type spot struct {
	file     *tokenFile
	pointer  string
	standing tokenfile.Standing // of the part
	value    *jsontree.Node     // of a token, as the part has it; nil of other members
}

func (s spot) String() string { return s.file.location(s.pointer) }

// Location returns the file and line of what a pointer into the tree leads to, or of the nearest that
// holds it; empty if the files do not hold it.
func (s *Sources) Location(pointer string) string {
	if s == nil {
		return ""
	}
	if found := s.spotOf(pointer); found.file != nil {
		return found.String()
	}
	return ""
}

// spotOf returns the place of what a pointer into the tree leads to, or of the nearest that holds it; without a file if
// the files do not hold it.
func (s *Sources) spotOf(pointer string) spot {
	for above := pointer; above != ""; above = above[:strings.LastIndexByte(above, '/')] {
		if found, ok := s.at[above]; ok {
			return spot{file: found.file, pointer: found.pointer + pointer[len(above):]}
		}
	}
	return spot{}
}

// TokenLocation is Location for a dotted path.
func (s *Sources) TokenLocation(path string) string {
	if s == nil {
		return ""
	}
	if found, ok := s.at[path]; ok {
		return found.String()
	}
	return s.Location(tokentree.Pointer(path))
}

// Theme reads token files as one document; a later file is laid over the earlier ones. It refuses options that
// none of the files has a use for.
func Theme(a *term.App, names []string, o tokenfile.Options) (*Sources, error) {
	if read, _, err := readSeveral(a, names, o); read != nil || err != nil {
		return read, err
	}
	files, err := readSources(opener{App: a}, names, o)
	if err != nil {
		return nil, err
	}
	s, err := themeSources(files, o)
	if err != nil {
		return nil, err
	}
	s.noteModeFiles(files)
	return s, cmp.Or(refuseUnused(files, o), s.refuseModesAlone(files))
}

// refuseModesAlone returns the failure that the files hold modes, and nothing for the usual one.
func (s *Sources) refuseModesAlone(files []*tokenFile) error {
	var modes []string
	for _, f := range files {
		modes = append(modes, f.modeNames()...)
	}
	if len(modes) == 0 || len(s.Faults)+len(s.Unread) > 0 {
		return nil
	}
	tokens := dtcg.Read(s.Tree).Tokens
	for i := range tokens { // an initial value of a property is not what the file says of it
		if pointer := s.spotOf(tokens[i].Pointer().String()).pointer; !strings.HasPrefix(pointer, "/"+syntax.Registered+"/") {
			return nil
		}
	}
	return term.Fail("Choose one with --token-mode "+quoted(modes[0])+", or push them all with --variants auto.", "the files hold tokens of modes alone: %s", term.ShortList(modes))
}

// noteModeFiles says of files that hold several modes that the last counts, and how each can be kept.
func (s *Sources) noteModeFiles(files []*tokenFile) {
	if len(s.clashes) == 0 {
		return
	}
	for _, g := range groupModeFiles(files) {
		if len(g.files) > 1 || g.without && tokenfile.IsModeName(g.modes[0]) {
			named := slices.DeleteFunc(g.names(), func(mode string) bool { return mode == "" })
			note := "the modes " + term.ShortList(named) + " of the same tokens stand in files of their own, and the last counts; livery push --variants auto makes a Variant of each"
			s.notes = tokenfile.AppendNew(s.notes, note)
		}
	}
}

// Read reads token files for a Variant, or for a Theme.
func Read(a *term.App, isVariant bool, names []string, o tokenfile.Options) (*Sources, error) {
	if isVariant {
		return Variant(a, names, o)
	}
	return Theme(a, names, o)
}

func newSources(files []*tokenFile, o tokenfile.Options) *Sources {
	s := &Sources{Tree: jsontree.NewObject(), at: map[string]spot{}, notes: modeNotes(files, o.Mode)}
	named := map[*syntax.File]bool{} // several sources of a resolver document are one file
	several := slices.ContainsFunc(files, func(f *tokenFile) bool { return f.why != "" })
	for _, f := range files {
		s.notes = append(s.notes, f.notes...)
		if f.parsed != nil && !named[f.parsed] {
			named[f.parsed] = true
			s.nameDuplicates(f)
		}
		switch {
		case f.unread != nil:
			said := term.Explain(f.unread)
			reason, next := term.Sentence(said.Sentence), program(f.name).next
			if f.resolver != nil {
				next = said.Next
			}
			if next != "" {
				reason += " " + next
			}
			s.Unread = append(s.Unread, validate.Dropped{Path: f.name, Reason: reason})
		case f.why != "":
			s.forms = append(s.forms, f)
		case several && f.resolver == nil:
			s.read = append(s.read, concession{tokenfile.Concession{Kind: "files without tokens", Path: f.name, Message: cmp.Or(f.purpose(), tokenfile.Unlike(f.parsed.Root), "no $value, value or value of a known shape stands in it")}, spot{}})
		}
	}
	return s
}

// readSources reads files, without those of Figma's own export that hold another mode than the wanted one.
func readSources(a opener, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	files, err := readFiles(a, names, o)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 && files[0].unread != nil {
		return nil, files[0].unread
	}
	if len(files) == 1 && files[0].parsed != nil && tokenfile.IsSchema(files[0].parsed.Root) {
		return nil, term.Fail("Name the file of tokens that it describes.", "%s holds no token: %s", files[0].name, files[0].purpose())
	}
	if o.Choice != nil {
		return files, nil // readSystem chooses
	}
	return chooseModeFiles(files, o)
}

func themeSources(files []*tokenFile, o tokenfile.Options) (*Sources, error) {
	files = modesLast(files, cmp.Or(o.Choice[""], o.Mode))
	ownDefinitions(files)
	s := newSources(files, o)
	for _, file := range files {
		if file.unread == nil && file.kind == tokenfile.Flat && len(files) == 1 && len(file.parsed.Root.Members) > 0 {
			next, why := "A Theme takes a tree of tokens, in one of the forms that livery push --help lists; a flat map of paths to values is for a Variant (--variant).", file.nearestForm()
			if unlike := tokenfile.Unlike(file.parsed.Root); unlike != "" {
				next, why = "If it is of tokens, write $value for value, and give each its $type.", unlike
			}
			return nil, term.Fail(next, "%s holds no token: %s", file.name, why)
		}
		for _, part := range file.parts {
			if len(files) > 1 {
				part.Tree = withOwnTypes(part.Tree, nil)
			}
			if file.resolver != nil {
				part.Tree = keepTypes(s.Tree, part.Tree)
			}
			s.Tree = keepOwnTypes(s.Tree, part.Tree)
			s.lay(file, part)
		}
	}
	if slices.ContainsFunc(files, func(f *tokenFile) bool { return f.mode != "" }) {
		var said []tokenfile.Concession
		s.Tree, said = tokenfile.WithFigma(s.Tree, dtcg.Read(s.Tree))
		s.concedeInTree(said)
	}
	s.applyReferences(o)
	s.compute(files)
	s.repair()
	s.nameModifiers()
	if o.Choice == nil { // else all choices together tell
		s.nameReplaced()
	}
	return s, nil
}

// withOwnTypes returns a document of one of several files in which its tokens have the type that the root says, which
// is that of this file alone. above is that type, nil at the root.
func withOwnTypes(n, above *jsontree.Node) *jsontree.Node {
	typ := n.Find("$type")
	if above == nil && typ == nil {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch {
		case m.Name == "$type" && above == nil:
			m.Value = nil
		case tokentree.IsMeta(m.Name) || !m.Value.IsObject() || m.Value.Find("$type") != nil:
		case tokentree.IsGroup(m.Value):
			m.Value = withOwnTypes(m.Value, cmp.Or(above, typ))
		default:
			m.Value = tree.With(m.Value, "$type", cmp.Or(above, typ))
		}
		return m
	})
}

// keepOwnTypes returns a document in which the tokens of each group that has another type in a later one have the type of
// before themselves.
func keepOwnTypes(under, over *jsontree.Node) *jsontree.Node {
	typ, other := under.Find("$type"), over.Find("$type")
	if typ != nil && other != nil && !jsontree.Equal(typ, other) {
		under = withOwnTypes(under, typ)
	}
	return tree.MapChildren(under, func(name string, value *jsontree.Node) *jsontree.Node {
		if later := over.Find(name); !tokentree.IsMeta(name) && tokentree.IsGroup(value) && tokentree.IsGroup(later) {
			return keepOwnTypes(value, later)
		}
		return value
	})
}

// nearestForm says what a file lacks to be of the form that it is most like.
func (f *tokenFile) nearestForm() string {
	inArrays := tokenfile.Outside(f.parsed.Root, nil, func(string) bool { return false })
	switch {
	case len(inArrays) > 0:
		return "the token " + strings.TrimPrefix(inArrays[0].Path, "-.") + " stands in an array, and only groups, or lists of tokens with names, hold tokens"
	case strings.Contains(f.text, `"valuesByMode"`):
		return "variables of Figma stand in it, and not beside them their collections, as meta.variableCollections or as a list of which each has a name and modes"
	}
	return cmp.Or(f.purpose(), "no $value stands in it")
}

// lay lays one part of a file over the tree.
func (s *Sources) lay(file *tokenFile, part tokenfile.Part) {
	s.fault(file, part)
	s.concede(file, part)
	l := layer{Sources: s, file: file, part: part, set: s.mergeSet(file, part)}
	l.note(s.Tree, part.Tree, nil)
	s.Tree = tokentree.JoinGroups(s.Tree, part.Tree) // a root is a group, whatever it holds
}

func (s *Sources) fault(file *tokenFile, part tokenfile.Part) {
	for _, f := range part.Faults {
		at := strings.TrimPrefix(f.Pointer, part.At)
		s.Faults = append(s.Faults, validate.Dropped{Path: f.Path, Pointer: at, Reason: file.location(f.Pointer) + ": " + f.Message, Tokens: 1})
	}
}

// AsStored returns s, or if the files say nothing else than what is stored, a document or a flat map, s for this as it is:
// what is written in it otherwise than the API takes it now is not a change. References that it has are applied.
func (s *Sources) AsStored(stored *jsontree.Node) *Sources {
	isSame := len(s.forms) == 1 && jsontree.Equal(s.forms[0].parsed.Root, stored)
	if !isSame || len(references.Unapplied(stored)) > 0 {
		return s
	}
	return s.With(stored, nil, nil)
}

// layer is one part of a file on its way into the tree.
type layer struct {
	*Sources
	file *tokenFile
	part tokenfile.Part
	set  *mergedSet // nil unless the part is a token set
}

// note remembers the places of all of over, and what of the tree under it takes the place of.
func (l layer) note(under, over *jsontree.Node, at jsontree.Pointer) {
	for _, m := range over.Members {
		below := append(at[:len(at):len(at)], m.Name)
		old := under.Find(m.Name)
		if tokentree.IsMeta(m.Name) && m.Name != "$defs" || !m.Value.IsObject() {
			l.member(old, m, below)
			l.remember(below, nil)
			continue
		}
		if old.IsObject() {
			l.clash(old, m.Value, below)
		}
		l.remember(below, m.Value.Find("$value"))
		if tokentree.IsGroup(m.Value) && !(isReference(m.Value) && isReference(old)) {
			l.note(old, m.Value, below)
		}
	}
}

func (l layer) remember(at jsontree.Pointer, value *jsontree.Node) {
	l.at[at.String()] = spot{l.file, l.origin(at), l.part.Standing, value}
}

// origin is the place in the file of what stands at a place of the part.
func (l layer) origin(at jsontree.Pointer) string {
	pointer := at.String()
	if own, ok := l.part.Origins[pointer]; ok {
		return own
	}
	return l.part.At + pointer
}

// clash tells of a token that stands in two files with two contents, or as a group in one of them.
func (l layer) clash(old, over *jsontree.Node, at jsontree.Pointer) {
	areGroups := tokentree.IsGroup(old) && tokentree.IsGroup(over)
	isMixed := tokentree.IsGroup(old) != tokentree.IsGroup(over)
	isOther := !tokentree.IsGroup(old) && !jsontree.Equal(old.Find("$value"), over.Find("$value"))
	first := l.at[at.String()]
	path := strings.Join(at, ".")
	here := spot{file: l.file, pointer: l.origin(at)}
	isOfContext := first.file != nil && first.file.context != "" && first.file.context != l.file.context
	isLost := isOfContext || first.standing.LosesTo(l.part.Standing)
	switch {
	case first.file == nil:
	case areGroups && !(isReference(old) && isReference(over)): // they are joined
	case isMixed && !isReference(old) && !isReference(over): // a reference may be to either
		l.replaced(old, at, here)
	case isOther && (isLost || first.file.family == l.file.family):
		l.set.overrides()
		l.hidden = append(l.hidden, hidden{path, at.String(), first, here, isLost, ""})
	case first.file.family != l.file.family && !jsontree.Equal(old, over):
		l.clashes = append(l.clashes, fmt.Sprintf("%s stands in %s and in %s; the later one counts", path, first, here))
		l.countInOne(first.file, l.file)
	}
}

// isReference reports whether an object says nothing but the place of another token or group.
func isReference(n *jsontree.Node) bool {
	return n.Find("$ref") != nil && tokentree.IsGroup(n) && !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return !tokentree.IsMeta(m.Name) || m.Name == "$extends" })
}

// member names what an earlier file says of a group otherwise: the later counts. Types are kept in the tokens.
func (l layer) member(old *jsontree.Node, m jsontree.Member, at jsontree.Pointer) {
	first := l.at[at.String()]
	isOfMode := l.file.mode != "" && len(at) == 1 && m.Name == "$extensions" // Figma says its name there
	isKept := m.Name == "$type" || m.Name == "$schema" || isOfMode
	if old == nil || first.file == nil || first.file.family == l.file.family || isKept || jsontree.Equal(old, m.Value) {
		return
	}
	l.leaveOut(jsontree.Member{Name: m.Name, Value: old}, at, l.file.location(l.origin(at)))
}

// replacedMetadata is the kind of the concessions of leaveOut.
const replacedMetadata = "metadata of groups that a later file replaces"

// leaveOut names a member of a group in whose place something counts that stands here.
func (l layer) leaveOut(m jsontree.Member, at jsontree.Pointer, here string) {
	path, first := cmp.Or(strings.Join(at[:len(at)-1], "."), "whole file"), l.spotOf(at.String())
	was := m.Name + " " + tokenfile.Spelled(m.Value)
	if m.Name == "$extends" || m.Name == "$ref" {
		reason := first.String() + ": the group has no tokens of " + was + ": " + here + " counts in its place; write one group that has both"
		l.Faults = append(l.Faults, validate.Dropped{Path: path, Reason: reason, Tokens: 1})
		return
	}
	l.read = append(l.read, concession{tokenfile.Concession{
		Kind: replacedMetadata, Pointer: at.String(), Path: path, Message: was + " is left out: " + here + " counts in its place",
	}, first})
}

// without names what a group that a token takes the place of says beside its tokens.
func (l layer) without(group *jsontree.Node, at jsontree.Pointer, here string) {
	for _, m := range group.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case m.Name == "$type":
		case tokentree.IsMeta(m.Name):
			l.leaveOut(m, below, here)
		case tokentree.IsGroup(m.Value):
			l.without(m.Value, below, here)
		}
	}
}

// countInOne counts a clash of two files of one folder.
func (s *Sources) countInOne(first, second *tokenFile) {
	if first.folder != "" && first.folder == second.folder {
		s.inOne++
	}
}

// ClashesInFolders counts the tokens to which several files of one folder give different values.
func (s *Sources) ClashesInFolders() int { return s.inOne }

// replaced notes the tokens of a place that are gone because a later layer has a token there, or a group.
func (l layer) replaced(old *jsontree.Node, at jsontree.Pointer, here spot) {
	what, lost := "a group", []jsontree.Pointer{at}
	if tokentree.IsGroup(old) {
		l.without(old, at, here.String())
		what, lost = "a token", nil
		document := dtcg.Read(old)
		for i := range document.Tokens {
			lost = append(lost, slices.Concat(at, document.Tokens[i].Segments()))
		}
	}
	for _, p := range lost {
		pointer := p.String()
		why := strings.Join(at, ".") + " is " + what + " in " + here.String() + ", which counts; rename one of the two, or make the token the $root of the group"
		of := cmp.Or(l.at[pointer], l.spotOf(pointer))
		l.hidden = append(l.hidden, hidden{strings.Join(p, "."), pointer, of, here, true, why})
		delete(l.at, pointer) // the document does not show it
	}
}

// Variant reads flat maps and token files as one map of overrides; of a token file only the
// values are taken. A later file wins. It refuses options that none of the files has a use for.
func Variant(a *term.App, names []string, o tokenfile.Options) (*Sources, error) {
	if read, defaults, err := readSeveral(a, names, o); err != nil {
		return nil, err
	} else if read != nil {
		return read.overridesOf(defaults), nil
	}
	o.Overrides = true
	files, err := readSources(opener{App: a}, names, o)
	if err != nil {
		return nil, err
	}
	s := variantSources(files, o)
	if len(o.Inputs) > 0 && slices.ContainsFunc(files, isResolver) {
		if err := s.withoutDefaults(opener{App: a}, names, o); err != nil {
			return nil, err
		}
	}
	if hasSets(files) && !slices.ContainsFunc(names, term.IsStream) { // which is read once
		if err := s.computeOverrides(opener{App: a}, names, o); err != nil {
			return nil, err
		}
	}
	return s, refuseUnused(files, o)
}

// ThemeAndOverrides reads files as a document and others, which may be none, as overrides of it. It refuses options
// that none of all has a use for.
func ThemeAndOverrides(a *term.App, names, overrides []string, o tokenfile.Options) (theme, laid *Sources, err error) {
	if theme, _, err = readSeveral(a, names, o); theme != nil || err != nil {
		if err == nil && len(overrides) > 0 {
			laid, err = Variant(a, overrides, o)
		}
		return theme, laid, err
	}
	files, err := readSources(opener{App: a}, names, o)
	if err != nil {
		return nil, nil, err
	}
	if theme, err = themeSources(files, o); err != nil {
		return nil, nil, err
	}
	theme.noteModeFiles(files)
	if len(overrides) > 0 {
		o.Overrides = true
		over, err := readSources(opener{App: a}, overrides, o)
		if err != nil {
			return nil, nil, err
		}
		laid, files = variantSources(over, o), append(files, over...)
	}
	return theme, laid, refuseUnused(files, o)
}

func variantSources(files []*tokenFile, o tokenfile.Options) *Sources {
	ownDefinitions(files)
	s := newSources(files, o)
	place, whole := map[string]int{}, wholeOf(files)
	for _, file := range files {
		for _, m := range file.flat {
			if m.Name == "$schema" { // about the file, for editors
				continue
			}
			s.override(place, file, override{Member: m, pointer: jsontree.Pointer{m.Name}.String()})
		}
		for _, part := range file.parts {
			s.fault(file, part)
			s.concede(file, part)
			if file.mode != "" {
				var said []tokenfile.Concession
				part.Tree, said = tokenfile.WithFigma(part.Tree, dtcg.Read(whole))
				s.concede(file, tokenfile.Part{Concessions: said})
			}
			s.applyIn(&part, file, whole, o)
			s.mendNames(&part)
			for _, o := range overridesOf(part, s.mergeSet(file, part)) {
				s.override(place, file, o)
			}
		}
	}
	s.Tree.Index()
	return s
}

// mendNames gives the tokens of a part names that the origin takes, and keeps their places.
func (s *Sources) mendNames(part *tokenfile.Part) {
	done := repair.Names(part.Tree)
	if done.Tree == part.Tree {
		return
	}
	origins := maps.Clone(part.Origins)
	if origins == nil {
		origins = map[string]string{}
	}
	for now, before := range done.Places {
		origins[now] = part.At + before
		if own, ok := part.Origins[before]; ok {
			origins[now] = own
		}
	}
	part.Tree, part.Origins = done.Tree, origins
}

// override is one value of a file and its place there.
type override struct {
	jsontree.Member
	pointer string
	set     *mergedSet // nil unless it is of a token set
}

func overridesOf(part tokenfile.Part, set *mergedSet) (list []override) {
	document := dtcg.Read(part.Tree)
	for i := range document.Tokens {
		t := &document.Tokens[i]
		pointer := t.Pointer().String()
		if own, ok := part.Origins[pointer]; ok {
			pointer = own
		}
		list = append(list, override{jsontree.Member{Name: t.Path, Value: t.Value}, pointer, set})
	}
	return list
}

func (s *Sources) override(place map[string]int, file *tokenFile, o override) {
	i, twice := place[o.Name]
	first, here := s.at[o.Name], spot{file: file, pointer: o.pointer}
	if twice && !jsontree.Equal(s.Tree.Members[i].Value, o.Value) {
		if first.file.family == file.family {
			o.set.overrides()
		} else {
			s.clashes = append(s.clashes, fmt.Sprintf("%s stands in %s and in %s; the later one counts", o.Name, first, here))
			s.countInOne(first.file, file)
		}
	}
	s.at[o.Name] = here
	if twice {
		s.Tree.Members[i] = o.Member
		return
	}
	place[o.Name] = len(s.Tree.Members)
	s.Tree.Members = append(s.Tree.Members, o.Member)
}
