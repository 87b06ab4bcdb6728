package jsontree

// What the parts of a tree take on a 64-bit machine, in bytes.
const (
	nodeBytes   = 80
	memberBytes = 24
	itemBytes   = 8
	indexBytes  = 48 // of a map without its slots
	slotBytes   = 25 // of a map, for each of its slots, of which 7 in 8 are used at most
)

// MemoryBytes returns about how many bytes of memory the tree below n takes. The text that it was parsed from is
// not counted: its strings are parts of that.
func (n *Node) MemoryBytes() int {
	total := n.OwnMemoryBytes()
	for _, item := range n.Items {
		total += item.MemoryBytes()
	}
	for i := range n.Members {
		total += n.Members[i].Value.MemoryBytes()
	}
	return total
}

// OwnMemoryBytes is MemoryBytes without what stands below n.
func (n *Node) OwnMemoryBytes() int {
	total := nodeBytes + len(n.Members)*memberBytes + len(n.Items)*itemBytes
	if n.index != nil {
		total += IndexMemoryBytes(len(n.Members))
	}
	return total
}

// IndexMemoryBytes returns about how many bytes of memory a map[string]int32 with n entries takes, its keys' text
// left out.
func IndexMemoryBytes(n int) int {
	slots := 8
	for slots*7/8 < n {
		slots *= 2
	}
	return indexBytes + slots*slotBytes
}
