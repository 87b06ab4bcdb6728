package scan

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/internal/spelling"
)

// The rules that findings are of.
const (
	Unknown    = "unknown-token"    // a name that the tokens do not have
	Deprecated = "deprecated-token" // a use of a token that is deprecated
	Unused     = "unused-token"     // a token that no file names
)

// What a name that may be unknown would be.
const (
	ofProperty = "custom property"
	ofPath     = "path"
	ofClass    = "class"
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
	Message string `json:"message"` // what is wrong

	width   int    // of the name, in characters
	what    string // the name would be
	guarded bool   // a custom property that has a fallback: the author knows that it may be missing
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

// Count returns how many findings are of a rule.
func (r *Result) Count(rule string) (n int) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			n++
		}
	}
	return n
}

// addUnused adds the tokens that no file names, and that no name whose rest a program makes can be.
func (s *Scanner) addUnused(r *Result) {
	isMade := func(name string) bool {
		for start := range s.dynamic {
			if strings.HasPrefix(name, start) {
				return true
			}
		}
		return false
	}
	for i, n := range s.counts {
		if t := &s.tokens[i]; n == 0 && !isMade(t.Path) && !slices.ContainsFunc(t.Properties, func(p export.Property) bool { return isMade(p.Name) }) {
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

// addUnknown adds the names that the tokens do not have, and that the files do not declare either.
func (s *Scanner) addUnknown(r *Result) {
	type key struct {
		name, what string
		guarded    bool
	}
	type judgement struct {
		unknown bool
		nearest string
	}
	judged, compared := map[key]judgement{}, 0
	for _, f := range s.doubtful {
		k := key{f.Name, f.what, f.guarded}
		j, known := judged[k]
		if !known {
			j.unknown, j.nearest = s.judge(f, &compared)
			judged[k] = j
			if f.what == ofProperty && !j.unknown && !s.declared[f.Name] {
				r.Foreign++
			}
		}
		if j.unknown {
			f.Nearest, f.Message = j.nearest, f.Name+" is not a "+f.what+" of a token"
			if f.Nearest != "" {
				f.Message += "; did you mean " + f.Nearest + "?"
			}
			r.Findings = append(r.Findings, f)
		}
	}
}

// mostCompared bounds how often two names are compared to tell the nearest of those that are more than a slip away.
const mostCompared = 2_000_000

// judge reports whether a name is unknown, and the nearest name of a token. compared counts comparisons.
func (s *Scanner) judge(f Finding, compared *int) (unknown bool, nearest string) {
	if f.what == ofClass {
		return !s.isOwnClass(f.Name), s.classes[f.Name].near
	}
	group, _, hasDots := strings.Cut(f.Name, ".")
	all, ours := s.paths, hasDots && s.groups[group]
	if f.what == ofProperty {
		all = s.properties
		ours = s.options.Strict || s.prefix != "" && strings.HasPrefix(f.Name, s.prefix) || !f.guarded && s.isGrouped(f.Name)
	}
	if s.declared[f.Name] {
		return false, ""
	}
	if nearest = all.near(f.Name); nearest == "" && ours && *compared < mostCompared {
		*compared += len(all.tokens)
		nearest = spelling.Nearest(f.Name, slices.Collect(maps.Keys(all.tokens)))
	}
	return ours || nearest != "", nearest
}

// isOwnClass reports whether a stylesheet of the files has a class, or declares the theme variable that makes it.
func (s *Scanner) isOwnClass(name string) bool {
	for k := 1; k < len(name)-1; k++ {
		if name[k] == '-' && slices.ContainsFunc(utilities[name[:k]], func(namespace string) bool { return s.declared["--"+namespace+name[k:]] }) {
			return true
		}
	}
	return s.selectors[name]
}

// rules describe the rules, in the order in which SARIF names them.
var rules = []struct{ id, level, short, help string }{
	{Unknown, "error", "A name that the Theme does not have", "The name is near to that of a token or stands in a group of the Theme, and neither the tokens nor the files declare it. " +
		"Correct it, add the token, or write " + suppression + " in a comment on the line or the line above."},
	{Deprecated, "warning", "A token that is deprecated", "The Theme marks the token with $deprecated, which often names what to use instead."},
	{Unused, "note", "A token that no file names", "Deprecate the token before it is removed: sources that were not scanned may name it."},
}

// SARIF returns the findings that have a place as a log of SARIF 2.1.0, which GitHub and editors show beside the lines.
func (r *Result) SARIF() ([]byte, error) {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	described, results := []object{}, []object{}
	index := map[string]int{}
	for i, rule := range rules {
		index[rule.id] = i
		described = append(described, object{
			"id": rule.id, "shortDescription": text(rule.short), "fullDescription": text(rule.short + "."), "help": text(rule.help),
			"defaultConfiguration": object{"level": rule.level},
		})
	}
	for _, f := range r.Findings {
		if f.File == "" {
			continue // GitHub refuses a log with a result that has no place
		}
		region := object{"startLine": f.Line}
		if f.width > 0 {
			region["startColumn"], region["endColumn"] = f.Column, f.Column+f.width
		}
		results = append(results, object{
			"ruleId": f.Rule, "ruleIndex": index[f.Rule], "level": rules[index[f.Rule]].level, "message": text(f.Message),
			"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": fileURI(f.File)}, "region": region}}},
		})
	}
	log, err := json.Marshal(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":       object{"driver": object{"name": "livery scan", "rules": described}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
	return append(escape.JSON(log), '\n'), err
}

// fileURI spells the path of a file as a URI, relative if the path is.
func fileURI(name string) string {
	if path.IsAbs(name) {
		return (&url.URL{Scheme: "file", Path: name}).String()
	}
	return strings.TrimPrefix((&url.URL{Path: name}).String(), "./")
}
