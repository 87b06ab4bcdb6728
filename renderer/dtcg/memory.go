package dtcg

import "example.com/livery/renderer/jsontree"

// What the parts of a document take on a 64-bit machine, in bytes.
const (
	tokenBytes      = 96 + 16 + 4 // with its measure and the position of its first dependent
	namesBytes      = 24          // of a list of names, without these
	nameBytes       = 16
	refBytes        = 4 + 4 // with the dependent that it makes
	groupBytes      = 48
	diagnosticBytes = 48
	failureBytes    = 64 // with its share of the map
)

// MemoryBytes returns about how many bytes of memory b takes with the tree that it was read from, the text of that
// tree left out.
func (b *Base) MemoryBytes() int {
	d := b.Theme
	total := d.Root.MemoryBytes() + jsontree.IndexMemoryBytes(d.byPath.Len()) + len(b.failures)*failureBytes
	for i := range d.Tokens {
		t := &d.Tokens[i]
		total += tokenBytes + len(t.Path) + max(1, len(t.refs))*refBytes + builtBytes(t.Value, t.Served)
		if t.names != nil {
			total += namesBytes + len(*t.names)*nameBytes
		}
	}
	for i := range d.Groups {
		total += groupBytes + len(d.Groups[i].Path)
	}
	return total + DiagnosticsMemoryBytes(d.diagnostics)
}

// DiagnosticsMemoryBytes returns about how many bytes of memory diagnostics take, the paths of tokens left out.
func DiagnosticsMemoryBytes(all []Diagnostic) (total int) {
	for i := range all {
		total += diagnosticBytes + len(all[i].Message)
	}
	return total
}

// builtBytes returns about what was built to replace the aliases in a value. What has none is shared with the tree, and
// what is an alias with the token that it names.
func builtBytes(value, served *jsontree.Node) int {
	if served == nil || served == value || isAlias(value) {
		return 0
	}
	total := served.OwnMemoryBytes() + len(served.Text)
	for i := range min(len(value.Items()), len(served.Items())) {
		total += builtBytes(value.Items()[i], served.Items()[i])
	}
	for i := range min(len(value.Members), len(served.Members)) {
		total += builtBytes(value.Members[i].Value, served.Members[i].Value)
	}
	return total
}
