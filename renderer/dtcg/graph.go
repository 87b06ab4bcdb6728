package dtcg

import "slices"

// grapher brings tokens with aliases into an order in which every token comes after those it
// needs, and finds the cycles (Tarjan's strongly connected components). It keeps its own stack: a
// chain of aliases may be as long as the document.
type grapher struct {
	*states
	tokens []Token // those that are resolved: what stands on stacks and in marks are places in it
	order  []int32 // when each token was first seen, from 1; 0 while it was not
	low    []int32 // the earliest token on the stack that each one reaches
	open   []int32 // seen tokens whose component is not complete
	isOpen []bool
	path   []frame
	count  int32

	one      func(token int32)
	cycle    func(component []int32)
	followed int
}

type frame struct {
	token int32
	next  int // the reference to follow next
}

// components calls one for every token with aliases that is resolved, those it needs first, or cycle for all tokens that
// need each other, or the only one itself. It returns the number of references it followed. A token whose aliases all name
// what was found before, as most do, is found without a walk.
func components(s *states, one func(token int32), cycle func(component []int32)) (followed int) {
	tokens := s.resolved()
	g := grapher{states: s, tokens: tokens, order: make([]int32, len(tokens)), one: one, cycle: cycle}
	for i := range tokens {
		switch {
		case len(tokens[i].refs) == 0 || g.order[i] != 0:
		case g.waits(int32(i)):
			g.walk(int32(i))
		default:
			g.count++
			g.order[i] = g.count
			one(g.position(int32(i)))
		}
	}
	return g.followed
}

// waits reports whether a token needs one that was not found yet. No token is open.
func (g *grapher) waits(token int32) bool {
	for _, ref := range g.tokens[token].refs {
		g.followed++
		if to := g.place(ref); to >= 0 && len(g.tokens[to].refs) > 0 && g.order[to] == 0 {
			return true
		}
	}
	return false
}

func (g *grapher) walk(start int32) {
	if g.low == nil {
		g.low, g.isOpen = make([]int32, len(g.tokens)), make([]bool, len(g.tokens))
	}
	g.enter(start)
	for len(g.path) > 0 {
		f := &g.path[len(g.path)-1]
		if refs := g.tokens[f.token].refs; f.next < len(refs) {
			ref := refs[f.next]
			f.next++
			g.follow(f.token, ref)
			continue
		}
		g.leave(f.token)
	}
}

func (g *grapher) enter(token int32) {
	g.count++
	g.order[token], g.low[token] = g.count, g.count
	g.open = append(g.open, token)
	g.isOpen[token] = true
	g.path = append(g.path, frame{token: token})
}

func (g *grapher) follow(from, ref int32) {
	g.followed++
	to := g.place(ref)
	switch {
	case to < 0 || len(g.tokens[to].refs) == 0: // nothing to wait for
	case g.order[to] == 0:
		g.enter(to)
	case g.isOpen[to]:
		g.low[from] = min(g.low[from], g.order[to])
	}
}

func (g *grapher) leave(token int32) {
	g.path = g.path[:len(g.path)-1]
	if len(g.path) > 0 {
		parent := g.path[len(g.path)-1].token
		g.low[parent] = min(g.low[parent], g.low[token])
	}
	if g.low[token] != g.order[token] {
		return
	}
	first := len(g.open) - 1
	for g.open[first] != token {
		first--
	}
	for i, member := range g.open[first:] {
		g.isOpen[member] = false
		g.open[first+i] = g.position(member)
	}
	if component := g.open[first:]; isCycle(g.states, component) {
		g.cycle(component)
	} else {
		g.one(component[0])
	}
	g.open = g.open[:first]
}

// isCycle reports whether the members of a component need each other, or the only one itself.
func isCycle(s *states, component []int32) bool {
	return len(component) > 1 || slices.Contains(s.at(component[0]).refs, component[0])
}

// cycleThrough returns a shortest cycle from the first token of a component back to it, without
// the repeated end. It costs no more than the references of the component.
func cycleThrough(s *states, component []int32, start int32) []int32 {
	from := make(map[int32]int32, len(component)) // how each member was reached first
	for _, member := range component {
		from[member] = refMissing
	}
	for queue := []int32{start}; len(queue) > 0; queue = queue[1:] {
		for _, ref := range s.at(queue[0]).refs {
			if ref == start {
				return walkBack(from, start, queue[0])
			}
			if before, inside := from[ref]; inside && before == refMissing {
				from[ref] = queue[0]
				queue = append(queue, ref)
			}
		}
	}
	return component
}

func walkBack(from map[int32]int32, start, end int32) []int32 {
	cycle := []int32{end}
	for end != start {
		end = from[end]
		cycle = append(cycle, end)
	}
	slices.Reverse(cycle)
	return cycle
}
