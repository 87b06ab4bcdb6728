package source

import (
	"fmt"
	"slices"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/intake"
	"example.com/livery/intake/model"
)

// Report is what a command prints of files under --json.
type Report struct {
	Problems []Problem         `json:"problems,omitempty"`
	Replaced []string          `json:"replaced,omitempty"` // pairs of files that give tokens different values
	Unsent   []string          `json:"unsent,omitempty"`   // declared modes that are not sent
	Skipped  []string          `json:"skipped,omitempty"`  // files of folders that hold no tokens
	Forms    map[string]string `json:"forms,omitempty"`    // by file
}

// Problem is a declaration that is read otherwise than it is written, or not read.
type Problem struct {
	Where   string `json:"where"`
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Lost    bool   `json:"lost,omitempty"`
}

// Report returns what is to be said of the files.
func (s *Source) Report() Report {
	r := Report{Skipped: s.Skipped, Forms: map[string]string{}}
	for _, group := range s.Problems {
		for _, p := range group.List {
			r.Problems = append(r.Problems, Problem{p.Place.String(), p.Path, p.Kind, p.Message, p.Lost})
		}
	}
	for _, pair := range s.Replaced {
		r.Replaced = append(r.Replaced, pair.String())
	}
	for _, u := range s.Unsent {
		if !slices.Contains(r.Unsent, u.Line) {
			r.Unsent = append(r.Unsent, u.Line)
		}
	}
	for _, d := range s.Documents {
		for _, f := range d.Files {
			r.Forms[f.Name] = d.Form
		}
	}
	return r
}

// Print writes to the standard error which forms the files have, which values are read otherwise than written, and which modes are not sent.
// It leaves out lost declarations: see Lost.
func (s *Source) Print(a *term.App, all bool) {
	for _, g := range term.Grouped(s.Documents, func(d *model.Document) string { return d.Form }) {
		if len(s.Documents) == 1 {
			a.Warn("%s is %s.", escape.Line(term.NameOf(g[0].Files[0].Name)), g[0].Form)
			break
		}
		files := 0
		for _, d := range g {
			files += len(d.Files)
		}
		a.Warn("%s: %s.", term.Plural(files, "file"), g[0].Form)
	}
	if len(s.Skipped) > 0 {
		a.Warn("Skipped, without tokens: %s.", escape.Line(term.ShortList(s.Skipped)))
	}
	for _, pair := range s.Replaced {
		a.Warn("%s; the later one counts.", escape.Line(pair.String()))
	}
	s.printProblems(a, all)
	if lines := s.Report().Unsent; len(lines) > 0 {
		a.Warn("%s declared in the files and not sent. These lines of %s push them:\n  variants:", isAre(len(lines), "mode"), intake.MappingName)
		for _, line := range lines {
			a.Warn("    %s", escape.Line(line))
		}
	}
}

// printProblems prints the first problem of each kind, or all.
func (s *Source) printProblems(a *term.App, all bool) {
	more := 0
	for _, group := range s.Problems {
		list := slices.DeleteFunc(slices.Clone(group.List), func(p model.Problem) bool { return p.Lost })
		if len(list) == 0 {
			continue
		}
		a.Warn("%s (%d):", escape.Line(capital(group.Kind)), len(list))
		if !all {
			more += len(list) - 1
			list = list[:1]
		}
		for _, p := range list {
			a.Warn("  %s", escape.Line(fmt.Sprintf("%s: %s: %s", p.Place, p.Path, p.Message)))
		}
	}
	if more > 0 {
		a.Warn("%s; livery check lists all.", term.Plural(more, "more problem"))
	}
}

func capital(text string) string { return string(text[0]&^0x20) + text[1:] }

func isAre(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}

// Lost lists the declarations that no result has.
func (s *Source) Lost() (list []Dropped) {
	for _, group := range s.Problems {
		for _, p := range group.List {
			if p.Lost {
				list = append(list, Dropped{Path: p.Path, Reason: p.Message, Tokens: 1, Location: p.Place.String()})
			}
		}
	}
	return list
}
