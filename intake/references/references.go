// Package references applies $extends and $ref of DTCG 2025.10 to a document, and names what it cannot apply. A $ref to a
// token becomes an alias, so that an override of that token still counts; a $ref into a value becomes that value. It is
// pure: it opens no file, and never changes a tree that it was given.
package references

import (
	"math"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Apply returns a document with its references applied. A token with a reference that cannot be applied is left out; a
// group keeps its own tokens. isFile reports whether the document has the content of a file.
func Apply(root *jsontree.Node, isFile func(name string) bool) model.Pass {
	if !holdsReference(root) {
		return model.Pass{Tree: root}
	}
	a := applier{root: root, isFile: isFile, where: map[*jsontree.Node]string{}, broken: map[*jsontree.Node]problem{}}
	a.locate(root, nil)
	for range mostPasses {
		a.pass = pass{
			budget: mostCopied + writtenShare*count(root, math.MaxInt), result: model.Pass{Moved: map[string]string{}}, named: map[*jsontree.Node]bool{},
			targets: map[*jsontree.Node][]*jsontree.Node{}, layers: map[*jsontree.Node][]*jsontree.Node{},
			values: map[*jsontree.Node]*jsontree.Node{}, copied: map[*jsontree.Node]source{},
		}
		a.result.Tree = a.group([]*jsontree.Node{root}, nil, nil, false)
		switch {
		case a.budget < 0:
			return tooLarge(root)
		case !a.hasCircles:
			return a.result
		}
	}
	return tooLarge(root)
}

// The most members that references may copy: as many as mostCopied and writtenShare times those that were written. The
// deepest tree is that of jsontree.
const (
	mostCopied   = 20_000
	writtenShare = 4
	mostPasses   = 50
)

// tooLarge names all references of a document whose result is too large, and applies none.
func tooLarge(root *jsontree.Node) model.Pass {
	result := model.Pass{Tree: root}
	why := problem{"the references of the document together make too many tokens, or too deep groups; none is applied", "Look for references that multiply each other, and write the tokens instead."}
	for _, f := range Unapplied(root) {
		report(&result, f.pointer, why, false)
	}
	return result
}

// report adds the problem of a place whose tokens no served file has, or has with another value than the file means.
func report(result *model.Pass, pointer string, why problem, isLost bool) {
	result.Problems = append(result.Problems, model.Problem{
		Place: model.Place{Pointer: pointer}, Path: pathOf(pointer), Kind: "references that are not applied", Message: why.message + ". " + why.next, Lost: isLost,
	})
}

// applier is one call of Apply. A site is the value of an $extends or a $ref; sites that cannot be applied are broken.
type applier struct {
	root   *jsontree.Node
	isFile func(name string) bool
	where  map[*jsontree.Node]string // groups and tokens -> the place where they are written
	broken map[*jsontree.Node]problem
	pass
}

// pass is one way through the document. One that finds circles does not count: their sites are broken from the beginning of the next.
type pass struct {
	budget     int // of members to copy
	hasCircles bool
	result     model.Pass
	named      map[*jsontree.Node]bool // sites, and groups, that a fault or copy names

	targets map[*jsontree.Node][]*jsontree.Node // sites -> what stands there
	layers  map[*jsontree.Node][]*jsontree.Node // written groups -> the written groups of which they consist
	values  map[*jsontree.Node]*jsontree.Node   // sites in values -> what stands for them
	copied  map[*jsontree.Node]source           // sites in values that become no alias -> what they copy

	chain   []*jsontree.Node // sites that are being followed
	partial int              // how often a place was sought in a group without what a site in the chain brings
}

// source is what a reference copies: the value of a token, or a part of it.
type source struct {
	token  string // dotted
	isPart bool
}

// problem is why a reference cannot be applied.
type problem struct{ message, next string }

// locate notes where the groups and tokens of a document are written. A group that refers to one that it stands in is circular.
func (a *applier) locate(n *jsontree.Node, at jsontree.Pointer) {
	a.where[n] = at.String()
	for _, site := range a.sites(n) {
		if p, _, ok := a.parse(site); ok && strings.HasPrefix(a.where[n]+"/", p.String()+"/") {
			a.breakCircle(nil, site)
		}
	}
	for _, m := range n.Members {
		if m.Value.IsObject() && (!dtcg.IsMetadata(m.Name) || m.Name == "$defs") {
			a.locate(m.Value, append(at[:len(at):len(at)], m.Name))
		}
	}
}

func (a *applier) isBroken(site *jsontree.Node) bool {
	_, ok := a.broken[site]
	return ok
}

// breakAfter breaks a reference that leads to one that is broken.
func (a *applier) breakAfter(site *jsontree.Node) {
	a.broken[site] = problem{textOf(site) + " leads to a reference that cannot be applied", "Correct that reference first."}
}

// breakCircle breaks the sites of a circle: those of a list from the one that is met again.
func (a *applier) breakCircle(list []*jsontree.Node, site *jsontree.Node) {
	list = append(list[max(0, slices.Index(list, site)):len(list):len(list)], site)
	var texts []string
	for _, s := range list {
		if s.IsObject() {
			s = s.Find("$ref") // of an $extends that is written so
		}
		texts = append(texts, textOf(s))
	}
	message := "the reference is circular: " + strings.Join(texts, " leads to ")
	for _, s := range list {
		if !a.isBroken(s) {
			a.broken[s] = problem{message, "Write the tokens of one of them, instead of a reference."}
		}
	}
	a.hasCircles = true
	clear(a.targets)
	clear(a.layers)
	clear(a.values)
}

// follow calls do while a site is in the chain, unless it is broken or the budget is spent. A site that is in the chain already is
// circular.
func (a *applier) follow(site *jsontree.Node, do func()) {
	switch {
	case a.isBroken(site) || !a.spend(1):
	case slices.Contains(a.chain, site):
		a.breakCircle(a.chain, site)
	default:
		a.chain = append(a.chain, site)
		do()
		a.chain = a.chain[:len(a.chain)-1]
	}
}

// spend takes copied members from the budget, and reports whether there is something left.
func (a *applier) spend(members int) bool {
	a.budget -= members
	return a.budget >= 0
}

// fault names a place that a broken site makes faulty, once for each site.
func (a *applier) fault(site *jsontree.Node, pointer string, isLost bool) {
	if !a.named[site] {
		a.named[site] = true
		report(&a.result, pointer, a.broken[site], isLost)
	}
}

// noteCopy names a reference of a token that copies the value of another token, or a part of it, once for each site.
func (a *applier) noteCopy(site *jsontree.Node, pointer string) {
	from, path := a.copied[site], pathOf(pointer)
	if from.token == "" || from.token == path || a.named[site] {
		return
	}
	a.named[site] = true
	what := from.token
	if from.isPart {
		what = "a part of " + what
	}
	at, _ := jsontree.ParsePointer(pointer)
	a.result.Report(at, "values copied from another token", "its $ref copies "+what+": an override of "+from.token+" does not reach it")
}

// pathOf returns the dotted path of the token or group in which a pointer leads somewhere.
func pathOf(pointer string) string {
	p, _ := jsontree.ParsePointer(pointer)
	for i, name := range p {
		if dtcg.IsMetadata(name) && name != "$defs" {
			p = p[:i]
			break
		}
	}
	return strings.Join(p, ".")
}
