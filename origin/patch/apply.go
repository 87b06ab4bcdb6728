package patch

import (
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Apply applies ops to root in order, all or nothing, by RFC 6902. It returns the new document, the
// renames that the `move` operations made (as Compose describes them), and no faults; or only the
// faults, of which it finds as many as it can: an operation that builds on a faulty one is not
// listed. root is not changed and shares nodes with the result. A `move` within one object keeps
// the member's place, elsewhere the member becomes the last one; a member that is replaced keeps
// its place. The cost is linear in the document and the batch; a batch that copies without end is
// refused before it takes memory.
func Apply(root *jsontree.Node, ops []Operation, limits Limits) (*jsontree.Node, []record.Move, []Fault) {
	e := newEditor(root, limits)
	for i := range ops {
		if !e.do(i, &ops[i]) {
			break
		}
	}
	if len(e.faults) > 0 {
		return nil, nil, e.faults
	}
	return e.root.freeze(), e.moves(), nil
}

// Check returns what is wrong with the operations on their own, whatever the document: their names, what they carry and
// their pointers. Apply finds all of it too.
func Check(ops []Operation, limits Limits) []Fault {
	e := newEditor(nil, limits)
	for i := range ops {
		_, _, problems := e.check(&ops[i])
		for _, p := range problems {
			e.faults = append(e.faults, Fault{i, p.pointer, p.what})
		}
	}
	return e.faults
}

// maxWork bounds what one batch may walk, shift and copy beside the linear part, in members. Only
// a batch made for it comes near: it took some tenths of a second then.
const maxWork = 1 << 22

// editor is one batch at work.
type editor struct {
	root     *cell
	limits   Limits
	measures measures
	work     int
	faults   []Fault
	failed   map[string]bool // pointers at which something would stand had its operation been right
}

func newEditor(root *jsontree.Node, limits Limits) *editor {
	return &editor{root: &cell{node: root, original: true}, limits: limits, measures: measures{}}
}

// problem is why an operation cannot be done. The zero value means that there is none.
type problem struct {
	pointer, what string
	stop          bool // the rest of the batch is not looked at
}

func (e *editor) spend(members int) { e.work += members }

// do does one operation or records its faults; it reports whether to go on with the batch.
func (e *editor) do(index int, op *Operation) bool {
	path, from, problems := e.check(op)
	if len(problems) == 0 {
		if e.followsFault(op) {
			return true
		}
		var p problem
		switch op.Op {
		case "add":
			p = e.add(path, op.Value)
		case "replace":
			p = e.replace(path, op.Value)
		case "remove":
			p = e.remove(path)
		case "move":
			p = e.move(from, path)
		default:
			p = e.copy(from, path)
		}
		if p.what != "" {
			problems = append(problems, p)
		}
	}
	for _, p := range problems {
		e.faults = append(e.faults, Fault{index, p.pointer, p.what})
		if p.stop {
			return false
		}
	}
	if len(problems) > 0 {
		e.fail(op)
	}
	return true
}

// fail remembers what a faulty operation would have changed.
func (e *editor) fail(op *Operation) {
	if e.failed == nil {
		e.failed = map[string]bool{}
	}
	if op.Op != "remove" {
		e.failed[op.Path] = true
	}
	if op.Op == "move" {
		e.failed[op.From] = true
	}
}

// followsFault reports whether op names a place that a faulty operation would have changed.
func (e *editor) followsFault(op *Operation) bool {
	if len(e.failed) == 0 || !e.belowFailed(op.Path) && !e.belowFailed(op.From) {
		return false
	}
	e.fail(op)
	return true
}

func (e *editor) belowFailed(pointer string) bool {
	for end := len(pointer); end > 0; end = strings.LastIndexByte(pointer[:end], '/') {
		if e.failed[pointer[:end]] {
			return true
		}
	}
	return false
}

func hasPrefix(p, prefix jsontree.Pointer) bool {
	if len(p) < len(prefix) {
		return false
	}
	for i := range prefix {
		if p[i] != prefix[i] {
			return false
		}
	}
	return true
}

// clip shortens a caller's text for a message.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
