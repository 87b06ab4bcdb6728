package patch_test

import (
	"slices"
	"strconv"
	"testing"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
	"pgregory.net/rapid"
)

// drawValue draws a small value whose members have few names, so that operations meet.
func drawValue(t *rapid.T, depth int) *jsontree.Node {
	kinds := 6
	if depth <= 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return &jsontree.Node{}
	case 1:
		return &jsontree.Node{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"1", "1.0", "-2e3", "10"}).Draw(t, "number")}
	case 2, 3:
		return jsontree.NewString(rapid.SampledFrom([]string{"", "x", "<\"", "a longer text, to make a difference"}).Draw(t, "text"))
	case 4:
		n := &jsontree.Node{Kind: jsontree.Array}
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			n.AddItem(drawValue(t, depth-1))
		}
		return n
	}
	return drawObject(t, depth)
}

var names = []string{"a", "b", "c", "d", "e/f", "~"}

func drawObject(t *rapid.T, depth int) *jsontree.Node {
	n := jsontree.NewObject()
	for _, name := range names[:rapid.IntRange(0, len(names)).Draw(t, "members")] {
		n.Members = append(n.Members, jsontree.Member{Name: name, Value: drawValue(t, depth-1)})
	}
	return n
}

// drawPointer draws a pointer that mostly leads somewhere in n.
func drawPointer(t *rapid.T, n *jsontree.Node) string {
	var p jsontree.Pointer
	for {
		var choices []string
		switch {
		case n.IsObject():
			choices = names
		case n != nil && n.Kind == jsontree.Array:
			choices = []string{"-", "0", strconv.Itoa(len(n.Items())), strconv.Itoa(max(0, len(n.Items())-1))}
		default:
			return p.String()
		}
		name := rapid.SampledFrom(choices).Draw(t, "name")
		p = append(p, name)
		n = n.Lookup(jsontree.Pointer{name})
		if rapid.IntRange(0, 2).Draw(t, "stop") == 0 {
			return p.String()
		}
	}
}

func drawOperation(t *rapid.T, n *jsontree.Node, kinds []string) patch.Operation {
	op := patch.Operation{Op: rapid.SampledFrom(kinds).Draw(t, "op"), Path: drawPointer(t, n)}
	switch op.Op {
	case "add", "replace":
		op.Value = drawValue(t, 2)
	case "move", "copy":
		op.From = drawPointer(t, n)
	}
	return op
}

var allKinds = []string{"add", "replace", "remove", "move", "move", "move", "copy"}

// drawEdits applies random operations to n and returns the result with the renames, composed batch
// by batch.
func drawEdits(t *rapid.T, n *jsontree.Node, kinds []string) (*jsontree.Node, []record.Move) {
	var moves []record.Move
	for range rapid.IntRange(0, 8).Draw(t, "batches") {
		after, more, faults := patch.Apply(n, []patch.Operation{drawOperation(t, n, kinds)}, patch.Limits{MaxBytes: 4096, MaxDepth: 20})
		if len(faults) == 0 {
			n, moves = after, patch.Compose(moves, more)
		}
	}
	return n, moves
}

// What Diff derives makes the one document out of the other, with and without the renames, and
// survives its stored form (S165, decision 4.7). What Diff says it makes is what Apply makes, to the order of members.
func TestDiffMakesTheOtherDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := drawObject(t, 3)
		to, moves := drawEdits(t, from, allKinds)
		if rapid.Bool().Draw(t, "unrelated") {
			to = drawObject(t, 3)
		}
		for _, use := range [][]record.Move{nil, moves} {
			before, other := text(from), text(to)
			derived, made := patch.Diff(from, to, use)
			stored := patch.Append(nil, derived)
			ops, err := patch.Parse(string(stored))
			if err != nil {
				t.Fatalf("Parse(%s): %v", stored, err)
			}
			got, _, faults := patch.Apply(from, ops, patch.Limits{})
			if len(faults) > 0 || !jsontree.Equal(got, to) {
				t.Fatalf("from %s to %s by %s: %s gives %v %v", text(from), text(to), spell(use), stored, faults, got)
			}
			if text(made) != text(got) || text(from) != before || text(to) != other {
				t.Fatalf("from %s to %s by %s: Diff made %s, %s makes %s", before, other, spell(use), text(made), stored, text(got))
			}
		}
	})
}

// Whatever the moves say, Diff survives them: they come from a store.
func TestDiffSurvivesAnyMoves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawObject(t, 3), drawObject(t, 3)
		var moves []record.Move
		for range rapid.IntRange(0, 6).Draw(t, "moves") {
			moves = append(moves, record.Move{From: drawPointer(t, from), To: drawPointer(t, to)})
		}
		ops, made := patch.Diff(from, to, moves)
		if got, _, faults := patch.Apply(from, ops, patch.Limits{}); len(faults) > 0 || !jsontree.Equal(got, to) || text(got) != text(made) {
			t.Fatalf("from %s to %s by %s: %s gives %v, and Diff made %s", text(from), text(to), spell(moves), patch.Append(nil, ops), faults, text(made))
		}
	})
}

// An edit that is taken back leaves nothing (S165).
func TestEditAndRevertLeavesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := drawObject(t, 3)
		to, moves := drawEdits(t, from, allKinds)
		home, _ := patch.Diff(to, from, nil)
		back, more, faults := patch.Apply(to, home, patch.Limits{})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if ops, _ := patch.Diff(from, back, patch.Compose(moves, more)); len(ops) > 0 {
			t.Fatalf("from %s over %s and back: %s is left", text(from), text(to), patch.Append(nil, ops))
		}
	})
}

// The difference with renames keeps every object's members in the order that renaming in place gave
// them.
func TestRenamesInPlaceKeepTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := drawObject(t, 2)
		to, moves := from, []record.Move(nil)
		for range rapid.IntRange(1, 8).Draw(t, "renames") {
			a, b := rapid.SampledFrom(names).Draw(t, "from"), rapid.SampledFrom(append([]string{"f", "g"}, names...)).Draw(t, "to")
			if to.Find(a) == nil || to.Find(b) != nil {
				continue
			}
			move := patch.Operation{Op: "move", From: jsontree.Pointer{a}.String(), Path: jsontree.Pointer{b}.String()}
			after, more, faults := patch.Apply(to, []patch.Operation{move}, patch.Limits{})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			to, moves = after, patch.Compose(moves, more)
		}
		if jsontree.Equal(from, to) {
			return // equality does not see order
		}
		if _, got := patch.Diff(from, to, moves); text(got) != text(to) {
			t.Fatalf("from %s by %s: %s, want %s", text(from), spell(moves), text(got), text(to))
		}
	})
}

// marked is the model of a document in which every member of the first one carries a mark: the
// pointer that it had. It follows the RFC in the plainest way, by rebuilding maps.
type marked struct {
	mark    string // "" for what an operation brought in
	members map[string]*marked
	other   bool // no object: nothing below is followed
}

func mark(n *jsontree.Node, at jsontree.Pointer) *marked {
	m := &marked{mark: at.String(), other: n.Kind != jsontree.Object, members: map[string]*marked{}}
	for _, member := range n.Members {
		m.members[member.Name] = mark(member.Value, append(slices.Clone(at), member.Name))
	}
	return m
}

func (m *marked) at(p jsontree.Pointer) *marked {
	for _, name := range p {
		if m == nil {
			return nil
		}
		m = m.members[name]
	}
	return m
}

func (m *marked) move(from, to jsontree.Pointer) bool {
	source, parent := m.at(from), m.at(to[:len(to)-1])
	if source == nil || parent == nil || parent.other || len(to) >= len(from) && slices.Equal(to[:len(from)], from) {
		return false
	}
	delete(m.at(from[:len(from)-1]).members, from[len(from)-1])
	parent.members[to[len(to)-1]] = source
	return true
}

func (m *marked) places(at jsontree.Pointer, into map[string]string) {
	for name, member := range m.members {
		p := append(slices.Clone(at), name)
		into[member.mark] = p.String()
		member.places(p, into)
	}
}

// The renames of any sequence of moves, composed over any split into batches, take each member that
// is still there to where the model has it (decision 4.8, S168).
func TestRenamesAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := drawObject(t, 3)
		model, first := mark(doc, nil), doc
		var composed []record.Move
		var batch []patch.Operation
		flush := func() {
			after, more, faults := patch.Apply(doc, batch, patch.Limits{})
			if len(faults) > 0 {
				t.Fatalf("Apply(%s): %v", patch.Append(nil, batch), faults)
			}
			doc, composed, batch = after, patch.Standing(patch.Compose(composed, more), first, after), nil
		}
		for range rapid.IntRange(1, 12).Draw(t, "moves") {
			now, _, _ := patch.Apply(doc, batch, patch.Limits{})
			from, to := drawPointer(t, now), drawPointer(t, now)
			source, _ := jsontree.ParsePointer(from)
			target, _ := jsontree.ParsePointer(to)
			if len(source) > 0 && len(target) > 0 && model.move(source, target) {
				batch = append(batch, patch.Operation{Op: "move", From: from, Path: to})
			}
			if rapid.IntRange(0, 3).Draw(t, "flush") == 0 {
				flush()
			}
		}
		flush()
		agree(t, first, model, composed)
	})
}

func agree(t *rapid.T, first *jsontree.Node, model *marked, composed []record.Move) {
	want := map[string]string{}
	model.places(nil, want)
	renaming := patch.NewRenaming(composed)
	for from, to := range want {
		if got, ok := renaming.Follow(from); got != to || !ok {
			t.Fatalf("%s in %s goes to %s (%v), want %s: %s", from, text(first), got, ok, to, spell(composed))
		}
	}
	for _, m := range composed {
		if want[m.From] != m.To {
			t.Fatalf("%s>%s is no rename, %s is at %q", m.From, m.To, m.From, want[m.From])
		}
	}
}

// Apply never panics, changes nothing if it finds a fault, and stays within its limits.
func TestApplyIsTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := drawObject(t, 3)
		before := text(doc)
		var ops []patch.Operation
		for range rapid.IntRange(0, 8).Draw(t, "operations") {
			ops = append(ops, drawOperation(t, doc, append([]string{"test", ""}, allKinds...)))
		}
		limits := patch.Limits{MaxBytes: 400, MaxDepth: 6, MaxName: 3}
		got, _, faults := patch.Apply(doc, ops, limits)
		if (got == nil) != (len(faults) > 0) {
			t.Fatalf("Apply = %v, %v", got, faults)
		}
		if got != nil && len(text(got)) > max(limits.MaxBytes, len(before)) {
			t.Fatalf("Apply made %d bytes", len(text(got)))
		}
		if text(doc) != before {
			t.Fatalf("Apply changed its document")
		}
	})
}
