package references

import (
	"net/url"
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func (a *applier) isBroken(site *jsontree.Node) bool {
	_, ok := a.broken[site]
	return ok
}

// target returns the place that a reference names and what stands there, its own references not applied. The reference is
// broken if nothing does.
func (a *applier) target(site *jsontree.Node) (jsontree.Pointer, *jsontree.Node) {
	if a.isBroken(site) {
		return nil, nil
	}
	p, why, ok := a.parse(site)
	if !ok {
		a.broken[site] = why
		return nil, nil
	}
	n := a.lookup(p)
	switch {
	case n != nil || a.isBroken(site) || a.again:
	case a.Overlay && isPlain(tokenOf(p)):
		return p, missing
	default:
		a.broken[site] = problem{textOf(site) + " leads nowhere: the document has no " + strings.Join(p, "."), "Name a token or group that exists."}
	}
	return p, n
}

// missing stands for a token of the Theme that a document of overrides names.
var missing = jsontree.NewObject(jsontree.Member{Name: "$value", Value: &jsontree.Node{}})

// parse reads a reference: {a.b}, #/a/b, or #/a/b of a file that is part of the document.
func (a *applier) parse(site *jsontree.Node) (p jsontree.Pointer, why problem, ok bool) {
	if site.IsObject() {
		site = site.Find("$ref") // of an $extends that is written so
	}
	if !site.IsString() {
		return nil, problem{"a reference is a text, and this is of kind " + site.Kind.String(), "Write #/group/token, or {group} for $extends."}, false
	}
	text := strings.TrimSpace(site.Text)
	if inner, curly := strings.CutPrefix(text, "{"); curly && strings.HasSuffix(inner, "}") {
		return strings.Split(strings.TrimSpace(strings.TrimSuffix(inner, "}")), "."), problem{}, true
	}
	file, fragment, _ := strings.Cut(text, "#")
	if file != "" && (a.IsFile == nil || !a.IsFile(file)) {
		return nil, problem{text + " leads to the file " + file + ", which is not read", "Push both files together, or name the file in a resolver document."}, false
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if fragment == "/" {
		fragment = ""
	}
	if p, ok = jsontree.ParsePointer(fragment); !ok {
		return nil, problem{text + " is not a JSON Pointer", "Write #/group/token: each name after a slash, ~ as ~0 and / as ~1."}, false
	}
	return p, problem{}, true
}

// lookup returns what stands at a place, or nil.
func (a *applier) lookup(p jsontree.Pointer) *jsontree.Node {
	n := a.In
	for _, name := range p {
		if n = a.open(n); n == nil {
			return nil
		}
		if n = n.Lookup(jsontree.Pointer{name}); n == nil {
			return nil
		}
	}
	return n
}

// open returns a place so that names lead on from it: a group with what it inherits, in place of a $ref what it stands for,
// in place of an alias the value of its token.
func (a *applier) open(n *jsontree.Node) *jsontree.Node {
	switch {
	case n == nil:
		return nil
	case isAlias(n):
		return a.aliased(n)
	case !n.IsObject() || dtcg.IsToken(n):
		return n
	}
	if site := n.Find("$ref"); site != nil && !hasGroup(n) {
		if a.isBroken(site) {
			return n
		}
		found, inside := n, false
		a.follow(site, func() {
			if p, target := a.target(site); target != nil {
				found, inside = a.open(target), inValue(p)
			}
		})
		if inside || !isGroup(found) {
			return found
		}
	}
	for _, site := range a.sites(n) {
		if slices.Contains(a.chain, site) {
			a.partial++
			return n
		}
	}
	return a.inherit(n).group
}

// aliased returns the value of the token that an alias names; the alias if there is none.
func (a *applier) aliased(n *jsontree.Node) *jsontree.Node {
	if slices.Contains(a.chain, n) {
		return n
	}
	a.chain = append(a.chain, n)
	defer func() { a.chain = a.chain[:len(a.chain)-1] }()
	token := a.open(a.lookup(strings.Split(n.Text[1:len(n.Text)-1], ".")))
	if value := token.Find("$value"); value != nil {
		return a.open(value)
	}
	return n
}

// leadsToToken reports whether a place is a token, or a $ref to one.
func (a *applier) leadsToToken(n *jsontree.Node) bool {
	return n.IsObject() && (dtcg.IsToken(n) || n.Find("$ref") != nil && !hasGroup(n) && dtcg.IsToken(a.open(n)))
}

// leadsToBroken reports whether a place is a reference, or a chain of them, whose last cannot be applied.
func (a *applier) leadsToBroken(n *jsontree.Node) bool {
	for seen := []*jsontree.Node(nil); n.IsObject() && isPlainReference(n) && !slices.Contains(seen, n); {
		seen = append(seen, n)
		site := n.Find("$ref")
		if _, n = a.target(site); a.isBroken(site) {
			return true
		}
	}
	return false
}

// breakAfter breaks a reference that leads to one that is broken.
func (a *applier) breakAfter(site *jsontree.Node) {
	a.broken[site] = problem{textOf(site) + " leads to a reference that cannot be applied", "Correct that reference first."}
}

// aliasTo returns the alias that says the same as a pointer to a token or to its whole value; nil if there is none.
func (a *applier) aliasTo(p jsontree.Pointer, target *jsontree.Node) *jsontree.Node {
	if token := tokenOf(p); len(token) < len(p) {
		if p = token; target != missing {
			target = a.lookup(p)
		}
	}
	if inValue(p) || !isPlain(p) || target != missing && !a.leadsToToken(target) {
		return nil
	}
	return jsontree.NewString("{" + strings.Join(p, ".") + "}")
}

// tokenOf returns the place of the token whose whole value a place is; else the place.
func tokenOf(p jsontree.Pointer) jsontree.Pointer {
	if n := len(p); n > 1 && p[n-1] == "$value" {
		return p[:n-1]
	}
	return p
}

// inValue reports whether a place is inside the metadata of a token or group, such as its value.
func inValue(p jsontree.Pointer) bool {
	return slices.ContainsFunc(p, func(name string) bool { return strings.HasPrefix(name, "$") && name != "$root" && name != "$defs" })
}

// isPlain reports whether an alias can name a place.
func isPlain(p jsontree.Pointer) bool {
	return len(p) > 0 && !slices.ContainsFunc(p, func(name string) bool {
		return name == "" || strings.ContainsAny(name, ".{}") || name[0] == '$' && name != "$root"
	})
}
