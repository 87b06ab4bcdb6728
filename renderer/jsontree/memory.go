package jsontree

// What the parts of a tree take on a 64-bit machine, in bytes.
const (
	nodeBytes   = 56
	memberBytes = 24
	itemBytes   = 8
	moreBytes   = 32
	indexBytes  = 48 // of Names without its slots
	slotBytes   = 8
)

// MemoryBytes returns about how many bytes of memory the tree below n takes. The text that it was parsed from is
// not counted: its strings are parts of that.
func (n *Node) MemoryBytes() int {
	total := n.OwnMemoryBytes()
	for _, item := range n.Items() {
		total += item.MemoryBytes()
	}
	for i := range n.Members {
		total += n.Members[i].Value.MemoryBytes()
	}
	return total
}

// OwnMemoryBytes is MemoryBytes without what stands below n.
func (n *Node) OwnMemoryBytes() int {
	total := nodeBytes + len(n.Members)*memberBytes + len(n.Items())*itemBytes
	if n.more != nil {
		total += moreBytes
	}
	if n.more != nil && n.more.index != nil {
		total += IndexMemoryBytes(len(n.Members))
	}
	return total
}

// IndexMemoryBytes returns about how many bytes of memory Names of n names take.
func IndexMemoryBytes(n int) int { return indexBytes + slotsFor(n)*slotBytes }
