package source

import (
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/intake/value"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Fault is one thing that the served files leave out.
type Fault struct {
	client.Diagnostic
	Location string `json:"where,omitempty"` // file and line; empty if it comes from no file
	Value    string `json:"value,omitempty"` // the value that does not fit, as JSON and cut short; empty if the message is not about one
	Next     string `json:"next"`            // what to do

	Token *jsontree.Node `json:"-"` // the value of the token; nil if it is not known
	Near  string         `json:"-"` // the name that was likely meant; empty if none is near
}

// Dropped returns the fault as what a push reports.
func (f Fault) Dropped() Dropped {
	d := Dropped{Path: f.Path, Reason: f.Message, Location: f.Location, Value: f.Value}
	if f.Near != "" {
		d.Reason += "; did you mean " + f.Near + "?"
	}
	return d
}

// Faults lists what the served files of a document with overrides, which may be nil, would leave out.
func Faults(document, overrides *jsontree.Node, locate func(path string) string) (list []Fault) {
	read := dtcg.Read(document)
	for _, d := range renderer.LoadTree(document, overrides, "").Diagnostics() {
		f := Fault{Diagnostic: client.Diagnostic{Path: d.Path, Kind: d.Kind, Message: d.Message}, Location: locate(d.Path), Token: overrides.Find(d.Path)}
		if t := read.Token(d.Path); f.Token == nil && t != nil {
			f.Token = t.Value
		}
		if f.Token != nil && (d.Kind == dtcg.ValueMisfit || d.Kind == dtcg.ValueUnsafe) {
			f.Value = value.Spell(f.Token)
			if !f.Token.IsString() {
				f.Message = withHint(f.Message, f.Token)
			}
		}
		list = append(list, f)
	}
	advise(list, read)
	return list
}

// advices say what to do about each kind of diagnostic.
var advices = map[string]string{
	dtcg.AliasMissing:     "Name a token that exists.",
	dtcg.AliasCycle:       "Give one of these tokens a value of its own.",
	dtcg.AliasToGroup:     "Name one token of that group.",
	dtcg.ValueMisfit:      "Write a value of the token's type, or give the token another $type.",
	dtcg.ValueUnsafe:      "Write a plain value: nothing in it may end a declaration or make a browser fetch anything.",
	dtcg.NameCollision:    "Rename one of the two tokens.",
	dtcg.OverrideIgnored:  "Fix the path, or remove the override with livery edit --unset.",
	dtcg.TokenHasChildren: "Move what is inside out of the token, or make the token the $root of a group.",
}

// The most names that a slip is looked for in, and the most slips that are looked for: each is compared with all names.
const (
	maxCompared = 20_000
	maxSlips    = 1_000
)

// advise adds to each fault what to do about it, and the name that was likely meant. It does not suggest tokens that are
// faults themselves.
func advise(list []Fault, document *dtcg.Document) {
	faulty, nearest := map[string]bool{}, map[string]string{}
	for _, f := range list {
		faulty[f.Path] = true
	}
	var sound []string
	for i := range document.Tokens {
		if path := document.Tokens[i].Path; len(list) > 0 && !faulty[path] {
			sound = append(sound, path)
		}
	}
	for i := range list {
		f := &list[i]
		f.Next = advices[f.Kind]
		wrong := f.missingName()
		if _, known := nearest[wrong]; wrong != "" && !known && len(sound) <= maxCompared && len(nearest) < maxSlips {
			nearest[wrong] = nearestPath(wrong, sound)
		}
		if f.Near = nearest[wrong]; f.Near != "" {
			f.Next = "Did you mean " + f.Near + "? " + f.Next
		}
	}
}

// missingName returns the name that a fault is about because nothing has it.
func (f *Fault) missingName() string {
	switch f.Kind {
	case dtcg.AliasMissing:
		_, rest, _ := strings.Cut(f.Message, "{")
		name, _, _ := strings.Cut(rest, "}")
		return name
	case dtcg.OverrideIgnored:
		return f.Path
	}
	return ""
}

// nearestPath returns the path that is nearest to a wrong one. That both begin with the same group does not make them near.
func nearestPath(wrong string, paths []string) string {
	near := term.Nearest(wrong, paths)
	i := strings.LastIndexByte(wrong, '.') + 1
	if len(near) >= i && near[:i] == wrong[:i] && term.Nearest(wrong[i:], []string{near[i:]}) == "" {
		return ""
	}
	return near
}

// IsLoss reports whether no served file has the token.
func (f Fault) IsLoss() bool {
	return slices.Contains([]string{dtcg.AliasMissing, dtcg.AliasCycle, dtcg.AliasToGroup, dtcg.ValueMisfit, dtcg.ValueUnsafe}, f.Kind)
}
