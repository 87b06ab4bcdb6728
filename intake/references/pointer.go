package references

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// target returns the place that a site names and what stands there: in place of a reference alone what that leads to, if it is no group.
// The site is broken if nothing does.
func (a *applier) target(site *jsontree.Node) (p jsontree.Pointer, found []*jsontree.Node) {
	p, why, ok := a.parse(site)
	if !ok && !a.isBroken(site) {
		a.broken[site] = why
	}
	if found, known := a.targets[site]; known || a.isBroken(site) {
		return p, found
	}
	partial := a.partial
	a.follow(site, func() {
		switch found = a.lookup(p); {
		case a.isBroken(site): // it is circular
		case len(found) == 0:
			a.broken[site] = a.nowhere(site, p)
		case isPlainReference(found[0]) && !inValue(p):
			inner := found[0].Find("$ref")
			if found = a.opened(found); a.isBroken(inner) && !a.isBroken(site) {
				a.breakAfter(site)
			}
		}
	})
	if a.isBroken(site) {
		return p, nil
	}
	if partial == a.partial {
		a.targets[site] = found
	}
	return p, found
}

// nowhere says how far a place exists, and what is named nearly as it.
func (a *applier) nowhere(site *jsontree.Node, p jsontree.Pointer) problem {
	why := problem{textOf(site) + " leads nowhere: the document has no " + strings.Join(p, "."), "Name a token or group that exists."}
	i := len(p) - 1
	for i > 0 && a.lookup(p[:i]) == nil {
		i--
	}
	holder := a.opened(a.lookup(p[:i]))
	if holder[0].Kind == jsontree.Array {
		why.message += "; its " + strings.Join(p[:i], ".") + " has " + strconv.Itoa(len(holder[0].Items())) + " items, the first of them 0"
		return why
	}
	var names []string
	for _, n := range holder {
		for _, m := range n.Members {
			if m.Value.Find("$ref") != site && m.Value.Find("$extends") != site { // which is the reference itself
				names = append(names, m.Name)
			}
		}
	}
	if near := spelling.Nearest(p[i], names); near != "" {
		meant := append(p[:i:i], near)
		if whole := append(meant, p[i+1:]...); a.lookup(whole) != nil {
			meant = whole
		}
		why.next = "Did you mean " + strings.Join(meant, ".") + "?"
	}
	return why
}

// parse reads a reference: {a.b}, #/a/b, or #/a/b of a file that is part of the document.
func (a *applier) parse(site *jsontree.Node) (p jsontree.Pointer, why problem, ok bool) {
	if site.IsObject() {
		site = site.Find("$ref") // of an $extends that is written so
	}
	if !site.IsString() {
		kind := "an object without a $ref"
		if site != nil {
			kind = "of kind " + site.Kind.String()
		}
		return nil, problem{"a reference is a text, and this is " + kind, "Write #/group/token, or {group} for $extends."}, false
	}
	text := strings.TrimSpace(site.Text)
	if inner, curly := strings.CutPrefix(text, "{"); curly && strings.HasSuffix(inner, "}") {
		return strings.Split(strings.TrimSpace(strings.TrimSuffix(inner, "}")), "."), problem{}, true
	}
	file, fragment, isPointer := strings.Cut(text, "#")
	switch name := strings.Trim(text, "{}/"); {
	case text == "":
		return nil, problem{"a reference is empty", "Write #/group/token, or {group} for $extends."}, false
	case strings.Contains(file, "://"):
		return nil, problem{text + " is on a server, and Livery fetches nothing", "Download it, and name the file."}, false
	case !isPointer && (text[0] == '{' || text[0] == '/' || !strings.ContainsAny(text, "./")):
		name = strings.NewReplacer(".", "/").Replace(name)
		return nil, problem{text + " is not a reference", "Write #/" + name + ", or {" + strings.ReplaceAll(name, "/", ".") + "} for $extends."}, false
	}
	if decoded, err := url.PathUnescape(file); err == nil {
		file = decoded
	}
	if file != "" && !a.isFile(file) {
		return nil, problem{text + " leads to the file " + file + ", which is not read", "Push both files together, or name the file in a resolver document."}, false
	}
	if file != "" && strings.Trim(fragment, "/") == "" {
		return nil, problem{text + " leads to a whole file, whose tokens are in the document already", "Name a group of it, " + file + "#/group, or remove the reference."}, false
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

// lookup returns what stands at a place, or nothing.
func (a *applier) lookup(p jsontree.Pointer) []*jsontree.Node {
	found := []*jsontree.Node{a.root}
	for _, name := range p {
		if found = a.child(found, name); len(found) == 0 {
			return nil
		}
	}
	return found
}

// child returns what stands under a name at a place, also of what the references of groups there bring. A site in the chain brings
// nothing: its group is sought without it.
func (a *applier) child(of []*jsontree.Node, name string) []*jsontree.Node {
	if of = a.opened(of); !isGroup(of[0]) {
		if n := of[0].Lookup(jsontree.Pointer{name}); n != nil {
			return []*jsontree.Node{n}
		}
		return nil
	}
	var p pile
	for _, n := range of {
		if own := n.Find(name); own != nil {
			p.add(own)
		}
		for _, site := range a.sites(n) {
			if slices.Contains(a.chain, site) {
				a.partial++
			} else if _, found := a.target(site); !p.isClosed && len(found) > 0 && isGroup(found[0]) {
				a.follow(site, func() { p.add(a.child(found, name)...) })
			}
		}
	}
	return p.list
}

// opened returns what stands for a place so that names lead on from it: for an alias the value of its token, for a reference alone what it
// leads to, if it is no group.
func (a *applier) opened(place []*jsontree.Node) []*jsontree.Node {
	switch n := place[0]; {
	case tree.IsAlias(n):
		return a.aliased(n)
	case isPlainReference(n):
		site := n.Find("$ref")
		p, found := a.target(site)
		if len(found) == 0 || isGroup(found[0]) && !inValue(p) {
			return place
		}
		if a.follow(site, func() { found = a.opened(found) }); !a.isBroken(site) {
			return found
		}
	}
	return place
}

// aliased returns the value of the token that an alias names; the alias if there is none.
func (a *applier) aliased(n *jsontree.Node) []*jsontree.Node {
	if slices.Contains(a.chain, n) {
		return []*jsontree.Node{n}
	}
	a.chain = append(a.chain, n)
	defer func() { a.chain = a.chain[:len(a.chain)-1] }()
	if token := a.lookup(strings.Split(n.Text[1:len(n.Text)-1], ".")); len(token) > 0 {
		if value := a.opened(token)[0].Find("$value"); value != nil {
			return a.opened([]*jsontree.Node{value})
		}
	}
	return []*jsontree.Node{n}
}

// typeAbove returns the $type of the nearest group above a place, or nil.
func (a *applier) typeAbove(p jsontree.Pointer) (typ *jsontree.Node) {
	found := []*jsontree.Node{a.root}
	for _, name := range p {
		if own := a.child(found, "$type"); len(own) > 0 {
			typ = own[0]
		}
		if found = a.child(found, name); len(found) == 0 {
			break
		}
	}
	return typ
}

// isTokenAt reports whether what stands at a place is a token, or a reference to one.
func (a *applier) isTokenAt(place []*jsontree.Node) bool {
	return len(place) > 0 && place[0].IsObject() && dtcg.IsToken(a.opened(place)[0])
}

// aliasTo returns the alias that says the same as a pointer to a token or to its whole value; nil if there is none.
func (a *applier) aliasTo(p jsontree.Pointer, found []*jsontree.Node) *jsontree.Node {
	if token := tokenOf(p); len(token) < len(p) {
		p, found = token, a.lookup(token)
	}
	switch {
	case inValue(p) || !a.isTokenAt(found):
		return nil
	case !isPlain(p): // package check renames a token whose name has a dot, and the alias with it, unless another has the path
		if same := strings.Split(strings.Join(p, "."), "."); !isPlain(same) || a.lookup(same) != nil {
			return nil
		}
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
