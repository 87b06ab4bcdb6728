package patch_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, doc, ops, want string }{
		{
			"a rename keeps the member's place",
			`{"a":1,"b":2,"c":3}`, `[{"op":"move","from":"/b","path":"/x"}]`, `{"a":1,"x":2,"c":3}`,
		},
		{
			"a move to another parent appends",
			`{"a":{"x":1},"b":{"y":2}}`, `[{"op":"move","from":"/a/x","path":"/b/x"}]`, `{"a":{},"b":{"y":2,"x":1}}`,
		},
		{
			"a move onto a member takes its place",
			`{"a":{"x":1},"b":{"x":2,"z":3}}`, `[{"op":"move","from":"/a/x","path":"/b/x"}]`, `{"a":{},"b":{"x":1,"z":3}}`,
		},
		{
			"a rename onto a sibling keeps the place of what moved",
			`{"a":1,"b":2,"c":3}`, `[{"op":"move","from":"/c","path":"/a"}]`, `{"b":2,"a":3}`,
		},
		{
			"a replaced member keeps its place, by add as by replace",
			`{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3},{"op":"replace","path":"/b","value":4}]`, `{"a":3,"b":4}`,
		},
		{
			"a removed and added member is the last",
			`{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":1}]`, `{"b":2,"a":1}`,
		},
		{
			"a swap through a third name",
			`{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/t"},{"op":"move","from":"/b","path":"/a"},{"op":"move","from":"/t","path":"/b"}]`, `{"b":1,"a":2}`,
		},
		{
			"a child can move onto its parent",
			`{"a":{"b":{"c":1}}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":{"c":1}}`,
		},
		{
			"a copy of an edited value is a value of its own",
			`{"a":{"x":1}}`, `[{"op":"replace","path":"/a/x","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/a/x","value":3}]`, `{"a":{"x":3},"b":{"x":2}}`,
		},
		{
			"a value can be copied into itself",
			`{"a":{"x":1}}`, `[{"op":"copy","from":"/a","path":"/a/y"}]`, `{"a":{"x":1,"y":{"x":1}}}`,
		},
		{
			"positions shift once an element is taken out",
			`{"l":[1,2,[]]}`, `[{"op":"move","from":"/l/0","path":"/l/1/0"}]`, `{"l":[2,[1]]}`,
		},
		{
			"spellings of numbers stay (S6)",
			`{"a":0.10,"b":12345678901234567890}`, `[{"op":"move","from":"/a","path":"/c"}]`, `{"c":0.10,"b":12345678901234567890}`,
		},
		{
			"names are escaped by ~1 and ~0 (S155)",
			`{"a/b":{"m~n":1}}`, `[{"op":"move","from":"/a~1b/m~0n","path":"/~01"}]`, `{"a/b":{},"~1":1}`,
		},
		{
			"a value moved where it is stays", `{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := parse(t, c.doc)
			got, _, faults := patch.Apply(doc, operations(t, c.ops), patch.Limits{MaxBytes: 1000, MaxDepth: 10, MaxName: 10})
			if len(faults) > 0 || text(got) != c.want {
				t.Errorf("Apply(%s) = %s, %v, want %s", c.doc, text(got), faults, c.want)
			}
			if text(doc) != c.doc {
				t.Errorf("Apply changed its document from %s to %s", c.doc, text(doc))
			}
		})
	}
}

// Faults name the operation and the pointer and say what to do; a batch with one changes nothing
// (S157 to S162, decisions 1.5 and 4.2, attacks A33 to A35).
func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	const doc = `{"a":{"b":1},"l":[1,2],"s":"text"}`
	for _, c := range []struct{ name, ops, pointer, what string }{
		{"test", `[{"op":"test","path":"/a","value":1}]`, "/a", `"test" is not an operation`},
		{"add without value", `[{"op":"add","path":"/x"}]`, "/x", "add needs a value"},
		{"add with from", `[{"op":"add","path":"/x","from":"/a","value":1}]`, "/x", "add must not carry from"},
		{"replace with from", `[{"op":"replace","path":"/a","from":"/a","value":1}]`, "/a", "replace must not carry from"},
		{"remove with value", `[{"op":"remove","path":"/a","value":null}]`, "/a", "remove must not carry a value"},
		{"remove with from", `[{"op":"remove","path":"/a","from":"/s"}]`, "/a", "remove must not carry from"},
		{"move with value", `[{"op":"move","path":"/x","from":"/a","value":1}]`, "/x", "move must not carry a value"},
		{"move without from", `[{"op":"move","path":"/x"}]`, "/x", "move needs from"},
		{"copy without from", `[{"op":"copy","path":"/x"}]`, "/x", "copy needs from"},
		{"the empty pointer", `[{"op":"replace","path":"","value":{}}]`, "", "whole document"},
		{"a pointer without a slash", `[{"op":"remove","path":"a"}]`, "a", "begins with '/'"},
		{"~2", `[{"op":"remove","path":"/~2"}]`, "/~2", "'~' is followed by 0 or 1"},
		{"a trailing ~", `[{"op":"remove","path":"/a~"}]`, "/a~", "'~' is followed by 0 or 1"},
		{"a pointer past the depth", `[{"op":"remove","path":"/a/b/c/d/e"}]`, "/a/b/c/d/e", "5 levels; the limit is 4"},
		{"a missing member", `[{"op":"replace","path":"/a/x","value":1}]`, "/a/x", `at "/a" there is no member "x"`},
		{"a missing parent", `[{"op":"add","path":"/x/y","value":1}]`, "/x/y", `no member "x"; add the parents first`},
		{"a string for a parent", `[{"op":"add","path":"/s/y","value":1}]`, "/s/y", `there is a string`},
		{"a move into its own child", `[{"op":"move","from":"/a","path":"/a/x"}]`, "/a/x", "cannot move into itself"},
		{"/01", `[{"op":"add","path":"/l/01","value":1}]`, "/l/01", "not an array position"},
		{"/-1", `[{"op":"remove","path":"/l/-1"}]`, "/l/-1", "no element"},
		{"/- on remove", `[{"op":"remove","path":"/l/-"}]`, "/l/-", "no element"},
		{"past the end", `[{"op":"add","path":"/l/3","value":1}]`, "/l/3", "past the end"},
		{"a long name", `[{"op":"add","path":"/x","value":{"12345678901":1}}]`, "/x", "the limit is 10"},
		{"a deep value", `[{"op":"add","path":"/a/x","value":[[[]]]}]`, "/a/x", "5 levels deep; the limit is 4"},
		{"a large value", `[{"op":"add","path":"/x","value":"` + strings.Repeat("x", 100) + `"}]`, "/x", "the limit is 100"},
		{"a copy that nests too deep", `[{"op":"copy","from":"/a","path":"/a/x"},{"op":"copy","from":"/a","path":"/a/y"},{"op":"copy","from":"/a","path":"/a/x/z"}]`, "/a/x/z", "levels deep"},
		{"a move that nests too deep", `[{"op":"add","path":"/a/x","value":[[]]},{"op":"add","path":"/m","value":{}},{"op":"move","from":"/a","path":"/m/x"}]`, "/m/x", "levels deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, moves, faults := patch.Apply(parse(t, doc), operations(t, c.ops), patch.Limits{MaxBytes: 100, MaxDepth: 4, MaxName: 10})
			if got != nil || moves != nil || len(faults) != 1 {
				t.Fatalf("Apply(%s) = %v, %v, %v, want one fault", c.ops, got, moves, faults)
			}
			last := len(operations(t, c.ops)) - 1
			if f := faults[0]; f.Index != last || f.Pointer != c.pointer || !strings.Contains(f.What, c.what) {
				t.Errorf("Apply(%s) = %+v, want operation %d, pointer %q, %q", c.ops, f, last, c.pointer, c.what)
			}
		})
	}
}

// A batch of faults and endless pointers is refused without looking at each level of them.
func TestApplyBoundsPointers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("/", 1<<20)
	ops := []patch.Operation{{Op: "remove", Path: "/gone"}, {Op: "replace", Path: "/x", Value: &jsontree.Node{}}, {Op: "remove", Path: long}, {Op: "move", From: long, Path: "/y"}}
	if _, _, faults := patch.Apply(jsontree.NewObject(), ops, patch.Limits{MaxDepth: 64}); len(faults) != len(ops) {
		t.Errorf("%d faults, want %d", len(faults), len(ops))
	}
}

// All faults are found at once, and none that only follows from another (S103).
func TestApplyListsEveryFault(t *testing.T) {
	t.Parallel()
	_, _, faults := patch.Apply(parse(t, `{"a":1}`), operations(t, `[
		{"op":"test","path":"/a"},
		{"op":"remove","path":"/gone"},
		{"op":"add","path":"/g/x","value":{}},
		{"op":"add","path":"/g/x/y","value":{}},
		{"op":"replace","path":"/a","value":2},
		{"op":"move","from":"/gone/too","path":"/b"}
	]`), patch.Limits{})
	var got []int
	for _, f := range faults {
		got = append(got, f.Index)
	}
	if want := []int{0, 1, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("faulty operations %v, want %v: %v", got, want, faults)
	}
}

// The sizes that Apply counts are those of the minified text, whatever the operations were.
func TestApplyCountsBytesExactly(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{"a":{"b<":"x\n\u2028\u0001"},"l":[1,2],"s":"text"}`)
	for _, ops := range []string{
		`[{"op":"add","path":"/x","value":{"q\"":[true,null]}}]`,
		`[{"op":"remove","path":"/a/b<"},{"op":"add","path":"/a/c","value":false}]`,
		`[{"op":"move","from":"/a","path":"/long name"},{"op":"copy","from":"/long name","path":"/s"}]`,
		`[{"op":"move","from":"/l/0","path":"/a/n"},{"op":"move","from":"/a/n","path":"/l/-"},{"op":"add","path":"/l/0","value":7}]`,
		`[{"op":"move","from":"/s","path":"/l"},{"op":"copy","from":"/a","path":"/a/c"}]`,
		`[{"op":"replace","path":"/l/1","value":"<"},{"op":"copy","from":"/l","path":"/l/0"},{"op":"remove","path":"/l/0/1"}]`,
	} {
		list := operations(t, ops)
		for i := range list {
			// What is added last makes the document as large as it ever is, so that the limit is on what it is then.
			batch := append(slices.Clone(list[:i+1]), patch.Operation{Op: "add", Path: "/last", Value: parse(t, `"`+strings.Repeat("x", 1<<10)+`"`)})
			after, _, faults := patch.Apply(doc, batch, patch.Limits{MaxDepth: 64})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			size := len(text(after))
			_, _, exact := patch.Apply(doc, batch, patch.Limits{MaxBytes: size, MaxDepth: 64})
			_, _, less := patch.Apply(doc, batch, patch.Limits{MaxBytes: size - 1, MaxDepth: 64})
			if len(exact) > 0 || len(less) == 0 {
				t.Errorf("%s: after operation %d %d bytes are refused with that limit: %v, with one less: %v: %s", ops, i, size, exact, less, text(after))
			}
		}
	}
}

// Many members in one object cost linear time (A30). The unit of work is a batch of a few members: while one of scale
// times as many is applied, about scale of these are applied beside it, and scale times as many if the cost were quadratic.
func TestApplyIsLinear(t *testing.T) {
	const scale, few = 64, 500
	apply := func(count int) error {
		ops := make([]patch.Operation, 0, 3*count)
		for i := range count {
			ops = append(ops, patch.Operation{Op: "add", Path: "/n" + strconv.Itoa(i), Value: &jsontree.Node{Kind: jsontree.Object}})
		}
		for i := range count {
			name := "/n" + strconv.Itoa(i)
			ops = append(ops, patch.Operation{Op: "move", From: name, Path: name + "x"}, patch.Operation{Op: "remove", Path: name + "x"})
		}
		if _, _, faults := patch.Apply(jsontree.NewObject(), ops, patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256}); len(faults) > 0 {
			return errors.New(faults[0].What)
		}
		return nil
	}
	var beside int
	for range 2 { // a busy machine may favour one of both; a quadratic cost shows every time
		done := make(chan error, 1)
		go func() { done <- apply(scale * few) }()
		for beside = 0; len(done) == 0; beside++ {
			if err := apply(few); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if beside <= 8*scale {
			return
		}
	}
	t.Errorf("while %d members were changed, %d were %d times: more than %d", scale*few, few, beside, 8*scale)
}

// A small batch that doubles a value again and again is refused at the limit, and one that copies
// an edited value over and over without growing the document is refused for its work (A28).
func TestApplyRefusesCopyBombs(t *testing.T) {
	t.Parallel()
	doubling := []patch.Operation{{Op: "add", Path: "/a", Value: parse(t, `{"x":"0123456789"}`)}}
	for i := range 60 {
		doubling = append(doubling, patch.Operation{Op: "copy", From: "/a", Path: "/a/" + strconv.Itoa(i)})
	}
	big := jsontree.NewObject()
	for i := range 50000 {
		big.Members = append(big.Members, jsontree.Member{Name: strconv.Itoa(i), Value: jsontree.NewString("x")})
	}
	big.Index()
	rewriting := []patch.Operation{{Op: "add", Path: "/a", Value: big}}
	for range 4000 {
		rewriting = append(rewriting, patch.Operation{Op: "replace", Path: "/a/7", Value: jsontree.NewString("y")}, patch.Operation{Op: "copy", From: "/a", Path: "/b"})
	}
	limits := patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64}
	if _, _, faults := patch.Apply(jsontree.NewObject(), doubling, limits); len(faults) != 1 {
		t.Errorf("doubling: %v, want one fault", faults)
	}
	if _, _, faults := patch.Apply(jsontree.NewObject(), rewriting, limits); len(faults) != 1 || !strings.Contains(faults[0].What, "in parts") {
		t.Errorf("copying over and over: %v, want one fault about the work", faults)
	}
}

// The renames of a batch are one simultaneous renaming (decision 4.8, S168).
func TestApplyComposesMoves(t *testing.T) {
	t.Parallel()
	const doc = `{"a":{"x":1,"y":2},"b":{"x":3},"c":4,"l":[{"k":5}]}`
	for _, c := range []struct{ name, ops, want string }{
		{"a token", `/c>/d`, `/c>/d`},
		{"there and back", `/c>/d /d>/c`, ``},
		{"one after another", `/c>/d /d>/e`, `/c>/e`},
		{"a swap through a third name", `/a>/t /b>/a /t>/b`, `/a>/b /b>/a`},
		{"a group takes its tokens along", `/a>/g`, `/a>/g`},
		{"a token of a moved group", `/a>/g /g/x>/g/z`, `/a>/g /a/x>/g/z`},
		{"a token before its group", `/a/x>/a/z /a>/g`, `/a>/g /a/x>/g/z`},
		{"out of a moved group to where it was called before", `/a>/g +/a /g/x>/a/x`, `/a>/g /a/x>/a/x`},
		{"move then remove", `/c>/d -/d`, ``},
		{"rename then add at the old place", `/c>/d +/c`, `/c>/d`},
		{"remove and add at the new place is a replace", `/c>/d -/d +/d`, `/c>/d`},
		{"remove and add at the old place is a replace too", `-/c +/c /c>/d`, `/c>/d`},
		{"what is moved where another was removed is itself", `-/c /a/x>/c /c>/d`, `/a/x>/d`},
		{"what is added where that went from is new", `-/c /a/x>/c /c>/d +/c /c>/e`, `/a/x>/d`},
		{"what is added where a sibling went from is new", `-/c /b>/c /c>/d +/c /c>/e`, `/b>/d`},
		{"a newcomer that is moved there is new", `-/c +/n /n>/c /c>/d`, ``},
		{"a replaced value keeps the rename", `/c>/d =/d`, `/c>/d`},
		{"a new token has no rename", `+/n /n>/m`, ``},
		{"a token moved onto another", `/c>/b/x`, `/c>/b/x`},
		{"what was moved onto is gone", `/b/x>/k /c>/k`, `/c>/k`},
		{"out of a group that is moved onto, into what is moved there", `/b/x>/a/x /a>/b`, `/a>/b /b/x>/b/x`},
		{"elements of arrays are not followed", `/l/0/k>/k`, ``},
		{"into an array is out of sight", `/c>/l/0/c`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, moves, faults := patch.Apply(parse(t, doc), shorthand(c.ops), patch.Limits{})
			if len(faults) > 0 || spell(moves) != c.want {
				t.Errorf("moves = %s, want %s (%v, %s)", spell(moves), c.want, faults, text(got))
			}
		})
	}
}

// What a replaced value brings along is new: moving it renames nothing.
func TestApplyKnowsReplacedContent(t *testing.T) {
	t.Parallel()
	ops := operations(t, `[{"op":"replace","path":"/a","value":{"x":9}},{"op":"move","from":"/a/x","path":"/k"},{"op":"move","from":"/a","path":"/g"}]`)
	if _, got, faults := patch.Apply(parse(t, `{"a":{"x":1}}`), ops, patch.Limits{}); len(faults) > 0 || spell(got) != "/a>/g" {
		t.Errorf("moves = %s, %v, want /a>/g", spell(got), faults)
	}
}

// Two renamings after each other are the one that does both (decision 4.8).
func TestCompose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, then, want string }{
		{"nothing", "", "", ""},
		{"side by side", "/a>/b", "/c>/d", "/a>/b /c>/d"},
		{"one after another", "/a>/b", "/b>/c", "/a>/c"},
		{"there and back", "/a>/b", "/b>/a", ""},
		{"a swap in two batches", "/a>/t /b>/a", "/t>/b", "/a>/b /b>/a"},
		{"a group, then its token", "/g>/h", "/h/x>/h/y", "/g>/h /g/x>/h/y"},
		{"a token, then its group", "/g/x>/g/y", "/g>/h", "/g>/h /g/x>/h/y"},
		{"out of a moved group to the old name", "/g>/h", "/h/x>/g/x", "/g>/h /g/x>/g/x"},
		{"what is new at an old name is not what was there", "/a>/b", "/a>/c", "/a>/b"},
		{"moved onto a moved one", "/a>/b", "/c>/b", "/c>/b"},
		{"names that only begin alike", "/a>/b", "/bb>/cc", "/a>/b /bb>/cc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := spell(patch.Compose(moves(c.first), moves(c.then))); got != c.want {
				t.Errorf("Compose(%s, %s) = %s, want %s", c.first, c.then, got, c.want)
			}
		})
	}
}

// shorthand reads "/a>/b" as a move, "+/a" as an add, "=/a" as a replace and "-/a" as a remove.
func shorthand(s string) []patch.Operation {
	var ops []patch.Operation
	for _, word := range strings.Fields(s) {
		if from, to, ok := strings.Cut(word, ">"); ok {
			ops = append(ops, patch.Operation{Op: "move", From: from, Path: to})
			continue
		}
		op := map[byte]string{'+': "add", '=': "replace", '-': "remove"}[word[0]]
		o := patch.Operation{Op: op, Path: word[1:]}
		if op != "remove" {
			o.Value = jsontree.NewObject()
		}
		ops = append(ops, o)
	}
	return ops
}

func moves(s string) []record.Move {
	var list []record.Move
	for _, word := range strings.Fields(s) {
		from, to, _ := strings.Cut(word, ">")
		list = append(list, record.Move{From: from, To: to})
	}
	return list
}

func spell(moves []record.Move) string {
	var words []string
	for _, m := range moves {
		words = append(words, m.From+">"+m.To)
	}
	return strings.Join(words, " ")
}

// A renaming and what takes it back are not renaming together (decision 8.1b).
func TestInvert(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ moves, want string }{
		{"", ""},
		{"/a>/b", "/b>/a"},
		{"/a>/b /b>/a", "/a>/b /b>/a"},
		{"/g>/h /g/x>/h/y", "/h>/g /h/y>/g/x"},
		{"/g>/h /g/x>/g/x", "/g/x>/g/x /h>/g"},
		{"/c>/d /a>/z", "/d>/c /z>/a"},
	} {
		got := patch.Invert(moves(c.moves))
		if spell(got) != c.want || len(patch.Compose(moves(c.moves), got)) > 0 || spell(patch.Invert(got)) != spell(patch.Compose(moves(c.moves), nil)) {
			t.Errorf("Invert(%s) = %s, want %s; both together are %s", c.moves, spell(got), c.want, spell(patch.Compose(moves(c.moves), got)))
		}
	}
}
