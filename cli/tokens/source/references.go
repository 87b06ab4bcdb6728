package source

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/references"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/renderer/jsontree"
)

// Unapplied is a reference or a modifier of the files that no served file applies.
type Unapplied struct {
	references.Fault
	Location string // file and line
}

// Dropped is u for the list of what a push leaves out.
func (u Unapplied) Dropped() validate.Dropped {
	d := validate.Dropped{Path: u.Path, Reason: u.Location + ": " + u.Message + ". " + u.Next, Kind: u.Kind}
	if u.Lost {
		d.Tokens = 1
	}
	return d
}

// applyReferences applies the $extends and $ref of the document of all files, or names them if they are kept.
func (s *Sources) applyReferences(o tokenfile.Options) {
	for _, at := range references.UnusedDefinitions(s.Tree) {
		s.read = append(s.read, concession{tokenfile.Concession{
			Kind: "definitions that nothing refers to", Pointer: at.String(), Path: strings.Join(at, "."), Message: "it is left out; only a $ref to it would read it",
		}, s.spotOf(at.String())})
	}
	if o.KeepReferences {
		s.unapplied(references.Unapplied(s.Tree))
		return
	}
	done := references.Apply(s.Tree, references.Options{Beside: s.resolverRoot(), IsFile: s.isFile})
	s.unapplied(done.Faults)
	for _, c := range done.Copies {
		s.addCopy(c, s.spotOf(c.Pointer))
	}
	s.Tree = done.Tree
	if len(done.Origins) == 0 {
		return
	}
	at := make(map[string]spot, len(s.at)+len(done.Origins))
	for pointer, spot := range s.at {
		at[pointer] = spot
	}
	for pointer, origin := range done.Origins {
		if found, ok := s.at[origin]; ok {
			at[pointer] = found
		}
	}
	s.at = at
}

// resolverRoot is the resolver document that the tokens are of, or nil: its own tokens may refer to places in it.
func (s *Sources) resolverRoot() *jsontree.Node {
	if i := slices.IndexFunc(s.forms, isResolver); i >= 0 {
		return s.forms[i].parsed.Root
	}
	return nil
}

// isFile reports whether one of the files has a name, as another of them writes it.
func (s *Sources) isFile(name string) bool { return slices.ContainsFunc(s.forms, isCalled(name)) }

// isCalled returns whether a file has a name, as another file writes it: relative to a folder that is not known.
func isCalled(name string) func(*tokenFile) bool {
	name = filepath.Clean(string(filepath.Separator) + filepath.FromSlash(name)) // without ../
	return func(f *tokenFile) bool {
		path, err := filepath.Abs(f.name)
		return err == nil && strings.HasSuffix(path, name)
	}
}

// ownDefinitions gives each file its own definitions, though others have some of the same names.
func ownDefinitions(files []*tokenFile) {
	var of []*tokenFile
	var parts []*tokenfile.Part
	var documents []*jsontree.Node
	for _, f := range files {
		for i := range f.parts {
			of, parts, documents = append(of, f), append(parts, &f.parts[i]), append(documents, f.parts[i].Tree)
			if isResolver(f) { // its own sources refer to its definitions
				documents[len(documents)-1] = f.parsed.Root
			}
		}
	}
	renamed := references.Separate(documents, func(file string) int { return slices.IndexFunc(of, isCalled(file)) })
	for i, part := range parts {
		if isResolver(of[i]) {
			continue
		}
		part.Tree = documents[i]
		for was, name := range renamed[i] {
			part.Origins = maps.Clone(part.Origins)
			if part.Origins == nil {
				part.Origins = map[string]string{}
			}
			part.Origins[jsontree.Pointer{"$defs", name}.String()] = part.At + jsontree.Pointer{"$defs", was}.String()
		}
	}
}

// nameModifiers names the modifiers of values that are not applied.
func (s *Sources) nameModifiers() { s.unapplied(references.Modifiers(s.Tree)) }

// unapplied takes faults of the document. What is not in it any more counts as lost.
func (s *Sources) unapplied(list []references.Fault) {
	for _, f := range list {
		s.add(Unapplied{f, s.Location(f.Pointer)})
	}
}

func (s *Sources) add(u Unapplied) {
	s.Unapplied = append(s.Unapplied, u)
	if u.Lost {
		s.Faults = append(s.Faults, u.Dropped())
	}
}

func (s *Sources) addCopy(c references.Copy, at spot) {
	s.read = append(s.read, concession{tokenfile.Concession{Kind: "values copied from another token", Pointer: c.Pointer, Path: c.Path, Message: c.Message}, at})
}

// wholeOf is the document of all files together, which their references may lead into.
func wholeOf(files []*tokenFile) *jsontree.Node {
	whole := jsontree.NewObject()
	for _, file := range files {
		for _, part := range file.parts {
			whole = tokentree.JoinGroups(whole, part.Tree)
		}
	}
	return whole
}

// applyIn applies the references of one part of a file of overrides.
func (s *Sources) applyIn(part *tokenfile.Part, file *tokenFile, whole *jsontree.Node, o tokenfile.Options) {
	if o.KeepReferences {
		for _, f := range references.Unapplied(part.Tree) {
			s.add(Unapplied{f, file.location(part.At + f.Pointer)})
		}
		return
	}
	done := references.Apply(part.Tree, references.Options{In: whole, Beside: s.resolverRoot(), IsFile: s.isFile, Overlay: true})
	for _, f := range done.Faults {
		s.add(Unapplied{f, file.location(part.At + f.Pointer)})
	}
	for _, c := range done.Copies {
		s.addCopy(c, spot{file: file, pointer: part.At + c.Pointer})
	}
	for _, group := range done.Partial {
		s.notes = append(s.notes, file.name+": what a group inherits from "+group+" is what these files say of it; the Theme may have more there, and its own values stay")
	}
	if done.Tree == part.Tree {
		return
	}
	origins := map[string]string{}
	for pointer, origin := range part.Origins {
		origins[pointer] = origin
	}
	for pointer, origin := range done.Origins {
		origins[pointer] = origin
		if own, ok := part.Origins[origin]; ok {
			origins[pointer] = own
		}
	}
	part.Tree, part.Origins = done.Tree, origins
}

// OnlyUnapplied lists what no served file applies and is not left out, thus is not one of the Faults.
func (s *Sources) OnlyUnapplied() (list []validate.Dropped) {
	for _, u := range s.Unapplied {
		if !u.Lost {
			list = append(list, u.Dropped())
		}
	}
	return list
}

// PrintUnapplied lists on the standard error what no served file applies and is not left out.
func PrintUnapplied(a *term.App, verbose bool, all ...*Sources) {
	var list []validate.Dropped
	for _, s := range all {
		list = append(list, s.OnlyUnapplied()...)
	}
	if len(list) > 0 {
		a.Warn("No served file applies %s:", term.Plural(len(list), "place"))
		validate.PrintRows(a, list, verbose)
	}
}
