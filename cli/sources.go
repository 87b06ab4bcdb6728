package cli

import (
	"fmt"
	"strings"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// sources are the files of a push as one tree: a document for a Theme, a flat map for a Variant.
type sources struct {
	tree    *jsontree.Node
	at      map[string]spot // what stands in the tree: by pointer, or by path in a flat map
	clashes []string        // lines for a person: what a later file takes the place of
	merged  []*merge        // token sets, by the file or folder that holds them
	notes   []string        // lines for a person: which modes are taken, and which are left out
	faults  []skipped       // what no token can be made of
}

// spot is a place in a file.
type spot struct {
	file    *tokenFile
	pointer string
}

func (s spot) String() string { return s.file.where(s.pointer) }

// where returns the file and line of what a pointer into the tree leads to, or of the nearest that
// holds it; empty where the files do not hold it.
func (s *sources) where(pointer string) string {
	if s == nil {
		return ""
	}
	for above := pointer; above != ""; above = above[:strings.LastIndexByte(above, '/')] {
		if found, ok := s.at[above]; ok {
			return found.file.where(found.pointer + pointer[len(above):])
		}
	}
	return ""
}

// whereToken is where for a dotted path.
func (s *sources) whereToken(path string) string {
	if s == nil {
		return ""
	}
	if found, ok := s.at[path]; ok {
		return found.String()
	}
	return s.where(pointer(path))
}

// themeSource reads token files as one document; a later file is laid over the earlier ones. It refuses options that
// none of the files has a use for.
func (a *app) themeSource(names []string, o tokenfile.Options) (*sources, error) {
	files, err := a.readSources(names, o)
	if err != nil {
		return nil, err
	}
	s, err := themeOf(files, o)
	if err != nil {
		return nil, err
	}
	return s, refuseUnused(files, o)
}

func newSources(files []*tokenFile, o tokenfile.Options) *sources {
	return &sources{tree: jsontree.NewObject(), at: map[string]spot{}, notes: modeNotes(files, o.Mode)}
}

// readSources reads files, without those of Figma's own export that hold another mode than the wanted one.
func (a *app) readSources(names []string, o tokenfile.Options) ([]*tokenFile, error) {
	files, err := a.readFiles(names, o)
	if err != nil {
		return nil, err
	}
	return chooseModeFiles(files, o.Mode)
}

func themeOf(files []*tokenFile, o tokenfile.Options) (*sources, error) {
	s := newSources(files, o)
	for _, file := range files {
		if file.kind == tokenfile.Flat && len(file.flat) > 0 {
			return nil, fail("A Theme takes a DTCG document; a flat map of paths to values is for a Variant (--variant).",
				"%s holds no token: no $value stands in it", file.name)
		}
		for _, part := range file.parts {
			if err := s.lay(file, part); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// lay lays one part of a file over the tree.
func (s *sources) lay(file *tokenFile, part tokenfile.Part) error {
	s.fault(file, part)
	l := layer{sources: s, file: file, part: part, set: s.mergeSet(file, part)}
	if err := l.note(s.tree, part.Tree, nil); err != nil {
		return err
	}
	s.tree = joinGroups(s.tree, part.Tree) // a root is a group, whatever it holds
	return nil
}

func (s *sources) fault(file *tokenFile, part tokenfile.Part) {
	for _, f := range part.Faults {
		s.faults = append(s.faults, skipped{Path: f.Path, Reason: file.where(f.Pointer) + ": " + f.Message, Tokens: 1})
	}
}

// layer is one part of a file on its way into the tree.
type layer struct {
	*sources
	file *tokenFile
	part tokenfile.Part
	set  *mergedSet // nil unless the part is a token set
}

// note remembers where all of over stands, and what of the tree under it takes the place of.
func (l layer) note(under, over *jsontree.Node, at jsontree.Pointer) error {
	for _, m := range over.Members {
		below := append(at[:len(at):len(at)], m.Name)
		old := under.Find(m.Name)
		if isMeta(m.Name) || !m.Value.IsObject() {
			l.remember(below)
			continue
		}
		if old.IsObject() {
			if err := l.clash(old, m.Value, below); err != nil {
				return err
			}
		}
		l.remember(below)
		if isGroup(m.Value) {
			if err := l.note(old, m.Value, below); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l layer) remember(at jsontree.Pointer) {
	pointer := at.String()
	origin := pointer
	if own, ok := l.part.Origins[pointer]; ok {
		origin = own
	} else if l.part.Name != "" && l.file.family == l.file.name {
		origin = jsontree.Pointer{l.part.Name}.String() + pointer // a set within a file
	}
	l.at[pointer] = spot{l.file, origin}
}

// clash tells of a token that stands in two files with two contents. It refuses a token that is a group
// in another file: one of the two must be meant otherwise.
func (l layer) clash(old, over *jsontree.Node, at jsontree.Pointer) error {
	first := l.at[at.String()]
	path := strings.Join(at, ".")
	origin := at.String()
	if own, ok := l.part.Origins[origin]; ok {
		origin = own
	}
	here := l.file.where(origin)
	switch {
	case first.file == nil:
		return nil
	case first.file.family == l.file.family:
		if (!isGroup(old) || !isGroup(over)) && !jsontree.Equal(old.Find("$value"), over.Find("$value")) {
			l.set.overrides()
		}
		return nil
	case isGroup(old) != isGroup(over):
		what, other := "a token", "a group"
		if isGroup(old) {
			what, other = other, what
		}
		return fail("Rename one of the two, or make the token the $root of the group.", "%s is %s in %s and %s in %s", path, what, first, other, here)
	case !isGroup(over) && !jsontree.Equal(old, over):
		l.clashes = append(l.clashes, fmt.Sprintf("%s stands in %s and in %s; the later one counts", path, first, here))
	}
	return nil
}

// variantSource reads flat maps and token files as one map of overrides; of a token file only the
// values are taken. A later file wins. It refuses options that none of the files has a use for.
func (a *app) variantSource(names []string, o tokenfile.Options) (*sources, error) {
	o.Overrides = true
	files, err := a.readSources(names, o)
	if err != nil {
		return nil, err
	}
	return variantOf(files, o), refuseUnused(files, o)
}

// themeAndOverrides reads files as a document and others, which may be none, as overrides of it. It refuses options
// that none of all has a use for.
func (a *app) themeAndOverrides(names, overrides []string, o tokenfile.Options) (theme, laid *sources, err error) {
	files, err := a.readSources(names, o)
	if err != nil {
		return nil, nil, err
	}
	if theme, err = themeOf(files, o); err != nil {
		return nil, nil, err
	}
	if len(overrides) > 0 {
		o.Overrides = true
		over, err := a.readSources(overrides, o)
		if err != nil {
			return nil, nil, err
		}
		laid, files = variantOf(over, o), append(files, over...)
	}
	return theme, laid, refuseUnused(files, o)
}

func variantOf(files []*tokenFile, o tokenfile.Options) *sources {
	s := newSources(files, o)
	place := map[string]int{}
	for _, file := range files {
		for _, m := range file.flat {
			s.override(place, file, override{Member: m, pointer: jsontree.Pointer{m.Name}.String()})
		}
		for _, part := range file.parts {
			s.fault(file, part)
			for _, o := range overridesOf(part, s.mergeSet(file, part)) {
				s.override(place, file, o)
			}
		}
	}
	s.tree.Index()
	return s
}

// override is one value of a file and where it stands there.
type override struct {
	jsontree.Member
	pointer string
	set     *mergedSet // nil unless it is of a token set
}

func overridesOf(part tokenfile.Part, set *mergedSet) (list []override) {
	document := dtcg.Read(part.Tree)
	for i := range document.Tokens {
		t := &document.Tokens[i]
		pointer := jsontree.Pointer(t.Segments).String()
		if own, ok := part.Origins[pointer]; ok {
			pointer = own
		}
		list = append(list, override{jsontree.Member{Name: t.Path, Value: t.Value}, pointer, set})
	}
	return list
}

func (s *sources) override(place map[string]int, file *tokenFile, o override) {
	i, twice := place[o.Name]
	first, here := s.at[o.Name], spot{file, o.pointer}
	if twice && !jsontree.Equal(s.tree.Members[i].Value, o.Value) {
		if first.file.family == file.family {
			o.set.overrides()
		} else {
			s.clashes = append(s.clashes, fmt.Sprintf("%s stands in %s and in %s; the later one counts", o.Name, first, here))
		}
	}
	s.at[o.Name] = here
	if twice {
		s.tree.Members[i] = o.Member
		return
	}
	place[o.Name] = len(s.tree.Members)
	s.tree.Members = append(s.tree.Members, o.Member)
}
