// Package references applies $extends and $ref of DTCG 2025.10 to a document, and names what it cannot apply. A $ref to a
// token becomes an alias, so that an override of that token still counts; a $ref into a value becomes that value. It is
// pure: it opens no file, and never changes a tree that it was given.
package references

import (
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// NotApplied is the kind of the faults: a $ref or $extends that is wrong, or that was kept.
const NotApplied = "referenceNotApplied"

// Fault is a place whose tokens no served file has, or has with another value than the file means.
type Fault struct {
	Pointer string // into the document as it was given
	Path    string // dotted
	Message string
	Next    string // what to do
	Lost    bool   // the place is not in the result
}

// Copy is a reference that copies the value of another token, or a part of it: an override of that token does not reach it.
type Copy struct {
	Pointer string // into the document as it was given
	Path    string // dotted
	Message string
}

// Result is a document after its references were applied.
type Result struct {
	Tree    *jsontree.Node
	Origins map[string]string // pointer to a token or group in Tree -> pointer to the place where it was written, if that is another
	Faults  []Fault           // in document order
	Copies  []Copy            // in document order
}

// Apply returns a document with its references applied. A token with a reference that cannot be applied is left out; a
// group keeps its own tokens. isFile reports whether the document has the content of a file.
func Apply(root *jsontree.Node, isFile func(name string) bool) Result {
	if !holdsReference(root) {
		return Result{Tree: root}
	}
	a := applier{root: root, isFile: isFile, broken: map[*jsontree.Node]problem{}}
	budget := mostCopied + writtenShare*count(root)
	for range mostPasses {
		a.start(budget)
		a.result.Tree = a.group(root, nil, false)
		switch {
		case a.budget < 0:
			return tooLarge(root)
		case !a.circles:
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
func tooLarge(root *jsontree.Node) Result {
	r := Result{Tree: root, Faults: Unapplied(root)}
	for i := range r.Faults {
		r.Faults[i].Message = "the references of the document together make too many tokens, or too deep groups; none is applied"
		r.Faults[i].Next = "Look for references that multiply each other, and write the tokens instead."
	}
	return r
}

// applier is one call of Apply. It goes through the document again as long as it finds circles: what is in one is then
// broken from the beginning.
type applier struct {
	root   *jsontree.Node
	isFile func(name string) bool
	broken map[*jsontree.Node]problem // texts of $extends and $ref -> why they cannot be applied

	// Of one pass:
	budget  int  // of members to copy
	circles bool // some were found, so that the result does not count
	again   bool // one was found in the member of the root at hand, which is not gone through any further
	result  Result
	where   map[*jsontree.Node]string            // groups and tokens -> the place where they were written
	owner   map[*jsontree.Node]string            // references of groups and tokens -> the place of that group or token
	pending map[*jsontree.Node][2]*jsontree.Node // groups that are two, the second laid over the first
	merged  map[*jsontree.Node]merge
	opened  map[*jsontree.Node]*jsontree.Node // what stands for a plain reference
	values  map[*jsontree.Node]*jsontree.Node // what stands for a reference in a value
	copied  map[*jsontree.Node]source         // references in values that are no alias -> what they copy
	chain   []*jsontree.Node                  // references that are being followed
	above   []*jsontree.Node                  // references that made the groups above the place at hand
	partial int                               // how often a reference led through a group whose own reference is being followed
	named   map[*jsontree.Node]bool
}

// source is what a reference copies: the value of a token, or a part of it.
type source struct {
	token  string // dotted
	isPart bool
}

// problem is why a reference cannot be applied.
type problem struct{ message, next string }

func (a *applier) start(budget int) {
	a.budget, a.circles, a.again = budget, false, false
	a.result = Result{Origins: map[string]string{}}
	a.where, a.owner = map[*jsontree.Node]string{}, map[*jsontree.Node]string{}
	a.pending = map[*jsontree.Node][2]*jsontree.Node{}
	a.merged, a.named = map[*jsontree.Node]merge{}, map[*jsontree.Node]bool{}
	a.opened, a.values = map[*jsontree.Node]*jsontree.Node{}, map[*jsontree.Node]*jsontree.Node{}
	a.copied = map[*jsontree.Node]source{}
	a.locate(a.root, nil)
}

// locate notes where the groups and tokens of a document are written.
func (a *applier) locate(n *jsontree.Node, at jsontree.Pointer) {
	a.where[n] = at.String()
	for _, name := range referenceNames {
		if site := n.Find(name); site != nil {
			a.owner[site] = a.where[n]
		}
	}
	for _, m := range n.Members {
		if m.Value.IsObject() && (!dtcg.IsMetadata(m.Name) || m.Name == "$defs") {
			a.locate(m.Value, append(at[:len(at):len(at)], m.Name))
		}
	}
}

// fault names a place that a reference of it makes faulty, once for each reference.
func (a *applier) fault(site *jsontree.Node, pointer string, lost bool) {
	if a.named[site] {
		return
	}
	a.named[site] = true
	why := a.broken[site]
	a.result.Faults = append(a.result.Faults, Fault{pointer, pathOf(pointer), why.message, why.next, lost})
}

// noteCopy names a reference of a token that copies the value of another token, or a part of it, once for each reference.
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
	a.result.Copies = append(a.result.Copies, Copy{pointer, path, "its $ref copies " + what + ": an override of " + from.token + " does not reach it"})
}

// circle breaks the references of a circle: those of a list from the one that is met again.
func (a *applier) circle(list []*jsontree.Node, site *jsontree.Node) {
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
		if _, known := a.broken[s]; !known {
			a.broken[s] = problem{message, "Write the tokens of one of them, instead of a reference."}
		}
	}
	a.circles, a.again = true, true
}

// follow does what a reference asks for, unless it is being followed already or the budget is spent.
func (a *applier) follow(site *jsontree.Node, do func()) {
	if !a.spend(1) {
		return
	}
	if slices.Contains(a.chain, site) {
		a.circle(a.chain, site)
		return
	}
	a.chain = append(a.chain, site)
	do()
	a.chain = a.chain[:len(a.chain)-1]
}

// spend takes copied members from the budget, and reports whether there is something left.
func (a *applier) spend(members int) bool {
	a.budget -= members
	return a.budget >= 0
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

func count(n *jsontree.Node) int {
	total := len(n.Members) + len(n.Items())
	for _, m := range n.Members {
		total += count(m.Value)
	}
	for _, item := range n.Items() {
		total += count(item)
	}
	return total
}
