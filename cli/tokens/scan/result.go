package scan

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/internal/spelling"
)

// The rules that findings are of.
const (
	Unknown    = "unknown-token"    // a name that the tokens do not have
	Deprecated = "deprecated-token" // a use of a token that is deprecated
	Unused     = "unused-token"     // a token that no file names
	Use        = "token"            // a use of a token
)

// Finding is one thing that a scan lists.
type Finding struct {
	Rule    string `json:"rule"`
	File    string `json:"file,omitempty"` // empty if it is about no place in a file
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"` // in characters; both count from 1
	Name    string `json:"name"`             // as the file spells it; of an unused token its path
	Token   string `json:"token,omitempty"`  // path of the token that is named
	Nearest string `json:"nearest,omitempty"`
	Message string `json:"message,omitempty"` // what is wrong; empty for a use
	Fixed   bool   `json:"fixed,omitempty"`   // Fix has replaced the name

	offset int  // of the name, in bytes
	width  int  // of the name, in characters
	isSlip bool // one slip makes the name of Nearest, and of no other
}

// Sentence says what the finding is.
func (f *Finding) Sentence() string {
	if f.Rule == Use {
		return f.Name + " is " + f.Token
	}
	return f.Message
}

// Skipped is a file or folder that was not read.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
	Failed bool   `json:"failed,omitempty"` // the system refused it
}

// Count is how often files name a token.
type Count struct {
	Path string `json:"path"`
	Uses int    `json:"uses"`
}

// Result is what a scan found. Equal files and tokens give equal results.
type Result struct {
	Files    int       `json:"files"`
	Lines    int       `json:"lines"`
	Uses     int       `json:"uses"`
	Foreign  int       `json:"foreign"`  // custom properties that are asked for and that neither the tokens nor the files declare
	Tokens   []Count   `json:"tokens"`   // in document order
	Findings []Finding `json:"findings"` // by file, line and column, then unused tokens in document order
	Skipped  []Skipped `json:"skipped"`
}

// Result returns what was found in all that was added.
func (s *Scanner) Result() *Result {
	r := s.result
	for i, n := range s.counts {
		r.Uses += n
		r.Tokens = append(r.Tokens, Count{s.tokens[i].Path, n})
	}
	s.addUnknown(&r)
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Rule, b.Rule), strings.Compare(a.Token, b.Token))
	})
	slices.SortFunc(r.Skipped, func(a, b Skipped) int { return strings.Compare(a.File, b.File) })
	if s.options.Unused {
		s.addUnused(&r)
	}
	return &r
}

// Count returns how many findings are of a rule and not fixed.
func (r *Result) Count(rule string) (n int) {
	for _, f := range r.Findings {
		if f.Rule == rule && !f.Fixed {
			n++
		}
	}
	return n
}

// addUnused adds the tokens that no file names, and that no name whose rest a program makes can be.
func (s *Scanner) addUnused(r *Result) {
	for i, n := range s.counts {
		if t := &s.tokens[i]; n == 0 && !s.mayBeMade(t.Path) && !slices.ContainsFunc(t.Properties, func(p export.Property) bool { return s.mayBeMade(p.Name) }) {
			f := Finding{Rule: Unused, Name: t.Path, Token: t.Path, Message: "no file names " + t.Path}
			if at := strings.LastIndexByte(t.Location, ':'); at > 0 {
				if line, err := strconv.Atoi(t.Location[at+1:]); err == nil {
					f.File, f.Line = t.Location[:at], line
				}
			}
			r.Findings = append(r.Findings, f)
		}
	}
}

func (s *Scanner) mayBeMade(name string) bool {
	for start := range s.dynamic {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// mostCompared bounds how often two names are compared to tell the nearest of those that are more than a slip away.
const mostCompared = 2_000_000

// judgement is what a name that the tokens do not have turned out to be.
type judgement struct {
	unknown bool
	nearest string
	isSlip  bool
}

// addUnknown adds the names that the tokens do not have, and that the files do not declare either.
func (s *Scanner) addUnknown(r *Result) {
	type key struct {
		name    string
		kind    int
		guarded bool
	}
	judged, compared := map[key]judgement{}, 0
	for _, c := range s.candidates {
		k := key{c.Name, c.kind, c.guarded}
		j, known := judged[k]
		if !known {
			j = s.judge(c, &compared)
			judged[k] = j
			if c.kind == ofProperty && !j.unknown && !s.declared[c.Name] {
				r.Foreign++
			}
		}
		if j.unknown {
			f := c.Finding
			f.Message = c.Name + " is not a " + kinds[c.kind] + " of a token"
			if f.Nearest, f.isSlip = j.nearest, j.isSlip; f.Nearest != "" {
				f.Message += "; did you mean " + f.Nearest + "?"
			}
			r.Findings = append(r.Findings, f)
		}
	}
}

// kinds name the kinds of candidates.
var kinds = [...]string{ofProperty: "custom property", ofPath: "path", ofClass: "class"}

// judge says what a candidate is. compared counts comparisons.
func (s *Scanner) judge(c candidate, compared *int) judgement {
	near, all := []string(nil), s.nearProperties.names
	ours := c.kind == ofPath // the text around it told
	switch c.kind {
	case ofProperty:
		if s.declared[c.Name] {
			return judgement{}
		}
		near = s.nearProperties.near(c.Name)
		ours = s.options.Strict || s.prefix != "" && strings.HasPrefix(c.Name, s.prefix) ||
			!c.guarded && !isOwnVariable(c.Name) && s.propertyGroups.begin(c.Name)
	case ofPath:
		near, all = s.nearPaths.near(c.Name), s.nearPaths.names
	case ofClass:
		if s.isOwnClass(c.Name) {
			return judgement{}
		}
		class := s.class(c.Name)
		near, all, ours = class.near, nil, class.inGroup
	}
	switch {
	case len(near) > 0:
		return judgement{true, near[0], len(near) == 1}
	case ours && *compared+len(all) <= mostCompared:
		*compared += len(all)
		return judgement{true, spelling.Nearest(c.Name, all), false}
	}
	return judgement{unknown: ours}
}

// isOwnClass reports whether a stylesheet of the files has a class, or declares the theme variable that makes it.
func (s *Scanner) isOwnClass(name string) bool {
	if s.selectors[name] {
		return true
	}
	for k := 1; k < len(name)-1; k++ {
		if name[k] != '-' {
			continue
		}
		for _, namespace := range utilities[name[:k]] {
			if s.declared["--"+namespace+name[k:]] {
				return true
			}
		}
	}
	return false
}

// CanFix reports whether a name is unknown and one slip makes a token's name of it, and of that token's alone.
func (f *Finding) CanFix() bool { return f.Rule == Unknown && f.isSlip }

// Fix returns the text of a file with the names of its findings replaced by the nearest, and marks these as fixed. The
// findings are in order and can be fixed. It returns nil, and marks nothing, if the text is not the one that was read.
func Fix(text []byte, findings []*Finding) []byte {
	var fixed []byte
	done := 0
	for _, f := range findings {
		if f.offset < done || f.offset > len(text) || !bytes.HasPrefix(text[f.offset:], []byte(f.Name)) {
			return nil
		}
		fixed = append(append(fixed, text[done:f.offset]...), f.Nearest...)
		done = f.offset + len(f.Name)
	}
	for _, f := range findings {
		f.Fixed, f.Message = true, f.Name+" is "+f.Nearest+" now"
	}
	return slices.Concat(fixed, text[done:])
}
