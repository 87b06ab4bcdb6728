package references

import (
	"net/url"
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/internal/spelling"
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
	if n == nil && !a.isBroken(site) && !a.again {
		a.broken[site] = a.nowhere(site, p)
	}
	return p, n
}

// nowhere says how far a place exists, and what is named nearly as it.
func (a *applier) nowhere(site *jsontree.Node, p jsontree.Pointer) problem {
	why := problem{textOf(site) + " leads nowhere: the document has no " + strings.Join(p, "."), "Name a token or group that exists."}
	i := len(p) - 1
	for i > 0 && a.lookup(p[:i]) == nil {
		i--
	}
	holder := a.open(a.lookup(p[:i]))
	if isArray := holder != nil && holder.Kind == jsontree.Array; isArray {
		why.message += "; its " + strings.Join(p[:i], ".") + " has " + itoa(len(holder.Items())) + " items, the first of them 0"
		return why
	}
	var names []string
	if holder.IsObject() {
		for _, m := range holder.Members {
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

// mayInherit reports whether a group may have a part of a member from another group: without that, what it says itself is all,
// though its references be circular for others.
func (a *applier) mayInherit(n *jsontree.Node, name string, seen []*jsontree.Node) bool {
	for _, site := range a.sites(n) {
		if slices.Contains(seen, site) {
			continue
		}
		seen = append(seen, site)
		p, _, ok := a.parse(site)
		target := a.root.Lookup(p)
		if !ok || !isGroup(target) || target.Find(name) != nil || a.mayInherit(target, name, seen) {
			return true
		}
	}
	return false
}

// lookup returns what stands at a place, or nil.
func (a *applier) lookup(p jsontree.Pointer) *jsontree.Node {
	n := a.root
	for _, name := range p {
		if own := n.Find(name); own != nil && !dtcg.IsMetadata(name) && len(a.sites(n)) > 0 && !a.mayInherit(n, name, nil) {
			n = own
			continue
		}
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
		found, known := a.opened[n]
		if !known {
			found = a.openReference(n, site)
		}
		if found != nil {
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

// openReference returns what a plain reference stands for, or nil if that is a group.
func (a *applier) openReference(n, site *jsontree.Node) *jsontree.Node {
	partial, found, inside := a.partial, n, false
	a.follow(site, func() {
		if p, target := a.target(site); target != nil {
			found, inside = a.open(target), inValue(p)
		}
	})
	if !inside && isGroup(found) {
		found = nil
	}
	if partial == a.partial && !a.again && !a.isBroken(site) {
		a.opened[n] = found
	}
	return found
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
		p, target = token, a.lookup(token)
	}
	switch {
	case inValue(p) || !a.leadsToToken(target):
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
