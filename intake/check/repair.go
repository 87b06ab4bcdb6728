// Package check changes a document of tokens that the origin would refuse, or of which the served files would leave
// something out, as little as it takes: names, aliases and types. It changes no value but aliases and semicolons behind
// a value, and names all that it changes. It is pure.
package check

import (
	"regexp"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// repair is a document under repair. Moved has the tokens that were renamed, or moved with their group.
type repair struct{ model.Pass }

// Document returns a document with names that the origin takes, aliases that lead to tokens, and types that are known
// and that the values have. It does not change root.
func Document(root *jsontree.Node) model.Pass {
	r := repair{model.Pass{Tree: root}}
	r.names()
	r.aliases()
	r.gradients()
	r.semicolons()
	r.unknownTypes()
	r.wrongValues()
	r.composites()
	r.expressions()
	r.wrongAliases()
	r.nameColors()
	return r.Pass
}

// takenNames is the kind of the corrections of names that cannot be mended.
const takenNames = "names that others have"

// names mends names with dots and braces, and the aliases to the tokens below them. A name that is taken is left, and
// so is the second of two that would become one.
func (r *repair) names() {
	renamed := map[string]string{}
	fixed := r.fixNames(r.Tree, nil)
	if fixed == r.Tree {
		return
	}
	before, after := dtcg.Read(r.Tree).Tokens, dtcg.Read(fixed).Tokens
	r.Moved = map[string]string{}
	var braced []string // aliases whose end the braces in them hide
	for i := range before {
		renamed[before[i].Path] = after[i].Path
		if strings.ContainsAny(before[i].Path, "{}") {
			braced = append(braced, "{"+before[i].Path+"}", "{"+after[i].Path+"}")
		}
		if now, old := after[i].Pointer().String(), before[i].Pointer().String(); now != old {
			r.Moved[now] = old
		}
	}
	r.Tree = MapAliases(mapTexts(fixed, strings.NewReplacer(braced...).Replace), func(path string) string {
		if path, ok := renamed[path]; ok {
			return path
		}
		return path
	})
}

// fixNames returns the group at a place with its names mended.
func (r *repair) fixNames(group *jsontree.Node, at jsontree.Pointer) *jsontree.Node {
	taken := map[string]bool{}
	return tree.MapMembers(group, func(m jsontree.Member) jsontree.Member {
		name, old := value.FixedName(m.Name), append(at[:len(at):len(at)], m.Name)
		switch {
		case dtcg.IsMetadata(m.Name):
			return m
		case name == m.Name:
		case group.Find(name) != nil || taken[name]:
			r.Report(old, takenNames, `"`+m.Name+`" would be "`+name+`", which stands beside it; rename one of the two`)
		default:
			fixed := make(jsontree.Pointer, len(old))
			for i := range old {
				fixed[i] = value.FixedName(old[i])
			}
			r.Report(fixed, "names with dots or braces", `"`+m.Name+`" is "`+name+`" now, in aliases too`)
			taken[name], m.Name = true, name
		}
		if m.Value.IsObject() && !dtcg.IsToken(m.Value) {
			m.Value = r.fixNames(m.Value, old)
		}
		return m
	})
}

// opacity is an alias of a colour with a part of it in percent, as Panda and Chakra write it.
var opacity = regexp.MustCompile(`\{([^{}/]+)/(\d{1,2}|100)\}`)

// aliases mends those that name the value of a token, {a.b.value}, and not the token, and those with an opacity.
func (r *repair) aliases() {
	d := dtcg.Read(r.Tree)
	before := r.Tree
	r.Tree = mapTexts(r.Tree, func(text string) string {
		return opacity.ReplaceAllStringFunc(text, func(alias string) string {
			m := opacity.FindStringSubmatch(alias)
			if d.Token(m[1]) == nil || d.Token(m[1]+"/"+m[2]) != nil {
				return alias
			}
			return "color-mix(in srgb, {" + m[1] + "} " + m[2] + "%, transparent)"
		})
	})
	if r.Tree != before {
		old, now := d.Tokens, dtcg.Read(r.Tree).Tokens
		for i := range now {
			if now[i].Value != old[i].Value {
				r.Report(now[i].Pointer(), "aliases with an opacity", shown(old[i].Value)+" is read as "+shown(now[i].Value))
			}
		}
	}
	r.Tree = MapAliases(r.Tree, func(path string) string {
		if d.Token(path) != nil {
			return path
		}
		for _, end := range []string{".value", ".$value"} {
			if short, ok := strings.CutSuffix(path, end); ok && d.Token(short) != nil {
				return short
			}
		}
		if through := throughGroup(d, path); d.Token(through) != nil {
			return through
		}
		return path
	})
}

// throughGroup returns the path of what an alias means that leads on from the value of a token, if that is an alias of
// a group: {a.value.b} with {g} as the value of a is g.b.
func throughGroup(d *dtcg.Document, path string) string {
	for range 8 { // groups that lead to groups
		before, rest, ok := strings.Cut(path, ".value.")
		t := d.Token(before)
		if !ok || t == nil || !t.Value.IsString() {
			break
		}
		group := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(t.Value.Text), "{"), "}")
		if len(group)+2 != len(strings.TrimSpace(t.Value.Text)) {
			break
		}
		path = strings.TrimSuffix(group, ".value") + "." + rest
	}
	return strings.TrimSuffix(path, ".value")
}

// isWordOrFunction reports whether a text is a single word, or a function.
var isWordOrFunction = regexp.MustCompile(`^[\w-]+(\(.*\))?$`)

// semicolons takes the one behind a text away, and !important, if it is a value without it: a declaration ends so, and
// no value does.
func (r *repair) semicolons() {
	r.rewrite("ends of declarations behind values", func(d *dtcg.Document, i int) (made *jsontree.Node, typ, message string) {
		t := &d.Tokens[i]
		kind, isKnown := dtcg.KindOf(t.Resolved)
		made = value.MapStrings(t.Value, value.WithoutSemicolon)
		if made == t.Value || isKnown && (kind == css.String || !dtcg.Fits(d, t.Resolved, made)) || !isKnown && value.Shape(made) == "" && !isWordOrFunction.MatchString(made.Text) {
			return nil, "", ""
		}
		return made, "", shown(t.Value) + " is read as " + shown(made)
	})
}

// rewrite gives tokens the values and types that choose returns for them, if it returns some, and reports each with its message.
func (r *repair) rewrite(kind string, choose func(d *dtcg.Document, i int) (made *jsontree.Node, typ, message string)) {
	d, changed := dtcg.Read(r.Tree), map[string][]jsontree.Member{} // by pointer
	for i := range d.Tokens {
		made, typ, message := choose(d, i)
		if message == "" {
			continue
		}
		at := d.Tokens[i].Pointer()
		r.Report(at, kind, message)
		if made != nil {
			changed[at.String()] = append(changed[at.String()], jsontree.Member{Name: "$value", Value: made})
		}
		if typ != "" {
			changed[at.String()] = append(changed[at.String()], jsontree.Member{Name: "$type", Value: jsontree.NewString(typ)})
		}
	}
	if len(changed) == 0 {
		return
	}
	r.Tree = tree.MapTokens(r.Tree, func(at jsontree.Pointer, token *jsontree.Node) *jsontree.Node {
		for _, own := range changed[at.String()] {
			token = tree.With(token, own.Name, own.Value)
		}
		return token
	})
}

// MapAliases returns a document in which change is applied to the paths of the aliases in the values of its tokens.
func MapAliases(root *jsontree.Node, change func(path string) string) *jsontree.Node {
	return mapTexts(root, func(text string) string { return value.MapAliases(text, change) })
}

// mapTexts returns a document with the texts in the values of its tokens changed.
func mapTexts(root *jsontree.Node, change func(text string) string) *jsontree.Node {
	return tree.MapTokens(root, func(_ jsontree.Pointer, token *jsontree.Node) *jsontree.Node {
		own := token.Find("$value")
		if changed := value.MapStrings(own, change); changed != own {
			return tree.With(token, "$value", changed)
		}
		return token
	})
}
