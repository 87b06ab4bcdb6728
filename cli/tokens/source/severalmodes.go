package source

import (
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// readSeveral reads files with modes of several dimensions, as acme,dark, and the defaults of the others. defaults are all
// defaults. It returns nil if the options do not name several modes, for the name of one may have a comma.
func readSeveral(a *term.App, names []string, o tokenfile.Options) (read, defaults *Sources, err error) {
	wanted := o.Mode
	if !strings.Contains(wanted, ",") {
		return nil, nil, nil
	}
	o.Mode, o.Overrides = "", false
	s, defaults, err := OpenSystem(a, names, nil, o)
	switch {
	case err != nil:
		return nil, nil, err
	case slices.ContainsFunc(s.Dimensions, func(d tokenfile.Dimension) bool { return slices.Contains(d.Modes, wanted) }):
		return nil, nil, nil
	case len(o.Inputs) > 0:
		return nil, nil, term.Fail("Name the contexts in --token-mode too, and leave --input out.", "--input and several modes of --token-mode both choose")
	}
	choice, err := s.choiceOf(strings.Split(wanted, ","))
	if err != nil {
		return nil, nil, err
	}
	if read, err = s.whole(choice); err != nil {
		return nil, nil, err
	}
	read.nameReplaced()
	read.clashes, read.inOne = defaults.clashes, defaults.inOne // files of the modes are laid over each other as they should be
	return read, defaults, refuseUnused(read.forms, o)
}

// choiceOf returns the modes that do not have the default, by their dimensions. One name may be of several dimensions.
func (s *System) choiceOf(modes []string) (map[string]string, error) {
	taken, choice := map[string]string{}, map[string]string{}
	for _, mode := range modes {
		mode = strings.TrimSpace(mode)
		isOf := func(d tokenfile.Dimension) bool { return mode != "" && slices.Contains(d.Modes, mode) }
		if !slices.ContainsFunc(s.Dimensions, isOf) {
			return nil, term.Fail(s.validModes(), "the files have no mode %s", mode)
		}
		for _, d := range s.Dimensions {
			switch other, isTaken := taken[d.Name]; {
			case !isOf(d):
			case isTaken && other != mode:
				return nil, term.Fail("Name one of them. "+s.validModes(), "%s and %s are modes of one dimension", other, mode)
			default:
				if taken[d.Name] = mode; mode != d.Modes[0] {
					choice[d.Name] = mode
				}
			}
		}
	}
	return choice, nil
}

// validModes lists the modes of each dimension.
func (s *System) validModes() string {
	var list []string
	for _, d := range s.Dimensions {
		named := strings.Join(slices.DeleteFunc(slices.Clone(d.Modes), func(mode string) bool { return mode == "" }), ", ")
		list = append(list, strings.TrimPrefix(d.Name+": "+named, ": "))
	}
	if list == nil {
		return "They have no modes at all; leave --token-mode out."
	}
	return "Valid values: " + strings.Join(list, "; ") + "."
}

// overridesOf returns s as overrides of the defaults: the tokens that have another value there, or are not there.
func (s *Sources) overridesOf(defaults *Sources) *Sources {
	overrides, theme, document := jsontree.NewObject(), dtcg.Read(defaults.Tree), dtcg.Read(s.Tree)
	for i := range document.Tokens {
		t := &document.Tokens[i]
		own := theme.Token(t.Path)
		if document.Names(t) && (own == nil || !jsontree.Equal(own.Value, t.Value)) {
			overrides.Members = append(overrides.Members, jsontree.Member{Name: t.Path, Value: t.Value})
		}
	}
	overrides.Index()
	s.concedeMetadata(defaults.Tree)
	return s.Of(overrides)
}
