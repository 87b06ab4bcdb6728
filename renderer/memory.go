package renderer

import "example.com/livery/renderer/dtcg"

// What a compiled Theme takes on a 64-bit machine beside its document and its plans, in bytes.
const (
	compiledBytes = 1280                          // whatever the document
	allocatorPart = 12                            // one part in so many more is what the allocator rounds up to
	perTokenBytes = 4*FileCount + 4*(FileCount-1) // the ends of its pieces, and its own text
)

// MemoryBytes returns about how many bytes of memory c takes with the tree that it was compiled from, as
// jsontree.Parse made it of a text of that many bytes.
func (c *CompiledTheme) MemoryBytes(textBytes int) int {
	total := textBytes + c.base.MemoryBytes() + len(c.doc.Tokens)*perTokenBytes + len(c.contested) +
		dtcg.DiagnosticsMemoryBytes(c.diagnostics)
	for _, blob := range c.blobs {
		total += len(blob)
	}
	return compiledBytes + total + total/allocatorPart
}
