// Package abi is the contract between a renderer module and its host, Livery's Go host or
// a page's JavaScript: the exported functions, their numbers and the layout of the bytes that both
// sides read. It holds constants and pure readers only, and is compiled into the guest, so it
// imports nothing.
//
// # Calls
//
// Every parameter and result is an unsigned 32-bit integer; a pointer is an offset into the
// module's linear memory, and every number in memory is little-endian. The module is a WASI
// reactor: the host calls "_initialize" once, and then, one call at a time:
//
//	info() pointer                       of the info block
//	input(size) pointer                  of at least size writable bytes; 0: refused, more than the limit
//	plan_alloc(slot, size) pointer       of size writable bytes, which the slot keeps; 0: refused
//	plan_open(slot) status               checks the plan that was written there
//	plan_drop(slot) status               frees the slot
//	render(slot, overlayLen) status      one file
//	render_iov(slot, overlayLen) status  one file, in pieces
//	compile(kind, file, themeLen, overridesLen, prefixLen) status
//
// The module keeps plans (package renderer/plan) in slots, numbered from 0, so that one plan is
// written and checked once for any number of files that are rendered from it. plan_alloc drops what
// the slot held and refuses a slot or a size past the limits of the info block, or 0 bytes, and what
// would make all slots together hold more than twice the most bytes of one plan. From plan_open on
// the bytes must not be written any more.
//
// For render the host writes the overlay at the input pointer; overlayLen 0 renders the Theme alone.
// The answer is the file. render_iov answers with the address of a list of pieces, each a u32 pointer
// and a u32 length, the number of pieces as the length and the size of the file as the position: the
// file is the pieces, one after the other.
//
// For compile the host writes three texts back to back at the input pointer: the Theme document, the
// overrides (a flat JSON object, or nothing), the CSS prefix. Kind 0 makes the plan of a file, kind
// 1 the overlay that turns this plan into the file with the overrides. The module keeps the Theme
// that it compiled last, so that all kinds and files of one Theme cost one reading of it.
//
// The input buffer stays the module's: it keeps its place and its content until the next call of
// input, and the content belongs to the host between calls. Slots keep their places until they are
// dropped. An answer stays until the next call; it may lie in a slot or in the input buffer, which
// must not be written before it is read. Memory may grow in any call, so that host views of it must be
// taken anew after each.
//
// # Layouts
//
//	info block                             result block
//	 0  u32 bytes in this block             0  u32 status
//	 4  u32 ABI version (major)             4  u32 pointer of the answer, or of a message
//	 8  u32 features, a bit set, 0 now      8  u32 length of it, in bytes or pieces
//	12  u32 pointer of the result block    12  u32 position: of the fault in the text that the status
//	16  u32 pointer of the core version           names, in bytes; after render_iov the file's size
//	20  u32 length of the core version
//	24  u32 most bytes that input reserves piece, 8 bytes
//	28  u32 number of files                 0  u32 pointer
//	32  u32 plan format version             4  u32 length in bytes
//	36  u32 overlay format version
//	40  u32 number of slots
//	44  u32 most bytes of a plan
//	48  u32 most bytes of a rendered file
//
// Blocks and pieces begin at multiples of 4. After a refusal the answer is a message in UTF-8.
//
// # Versions
//
// A host takes a module whose ABI version it knows and refuses any other. What is added without
// changing the above (further exports, members at the end of a block) gets a bit in features and
// leaves the version as it is; anything else gets the next version. A plan or overlay is only
// given to a module whose format version is the one it is written in.
package abi

// Version is the major version of this contract.
const Version = 1

// The names of the exported functions.
const (
	ExportInitialize = "_initialize"
	ExportInfo       = "info"
	ExportInput      = "input"
	ExportPlanAlloc  = "plan_alloc"
	ExportPlanOpen   = "plan_open"
	ExportPlanDrop   = "plan_drop"
	ExportRender     = "render"
	ExportRenderIOV  = "render_iov"
	ExportCompile    = "compile"
)

// The versions of the formats of package renderer/plan that a module of today reads and writes.
const (
	PlanFormat    = 1
	OverlayFormat = 1
)

// The limits of a module of today. The limits of any module are in its info block.
const (
	// MaxInputBytes is the most that one input may hold: a Theme document and overrides of the
	// largest size that the API takes, and room for the prefix.
	MaxInputBytes = 17 << 20

	// MaxFileBytes is the most that a rendered file may have.
	MaxFileBytes = 64 << 20

	// MaxPlanBytes is the most that a plan may have: a file and what stands before it.
	MaxPlanBytes = MaxFileBytes + 64

	// PlanSlots is the number of slots; every slot is below it.
	PlanSlots = 64
)

// The sizes of the blocks in bytes.
const (
	InfoSize   = 52
	ResultSize = 16
	PieceSize  = 8
)

// Kind is what compile makes. The zero value is a plan.
type Kind uint32

// The kinds. Their numbers are part of the contract and never change.
const (
	KindPlan Kind = iota
	KindOverlay
)

// KindCount is the number of kinds; every Kind is below it.
const KindCount = 2

// Info is the content of the info block.
type Info struct {
	Version       uint32
	Features      uint32 // a bit set; none is defined
	Result        uint32 // pointer of the result block
	Core          uint32 // pointer of the core version, a text
	CoreLength    uint32 // in bytes
	MaxInput      uint32 // bytes
	FilesServed   uint32 // the module knows the files below this number
	PlanFormat    uint32 // version of the plans that the module reads and writes
	OverlayFormat uint32 // version of the overlays that the module reads and writes
	PlanSlots     uint32 // the module has the slots below this number
	MaxPlan       uint32 // bytes
	MaxFile       uint32 // bytes
}

// Put writes the block.
func (i Info) Put(block *[InfoSize]byte) {
	words := [InfoSize / 4]uint32{
		InfoSize, i.Version, i.Features, i.Result, i.Core, i.CoreLength, i.MaxInput, i.FilesServed,
		i.PlanFormat, i.OverlayFormat, i.PlanSlots, i.MaxPlan, i.MaxFile,
	}
	for n, word := range words {
		put(block[4*n:], word)
	}
}

// ReadInfo reads an info block; ok is false if it is shorter than this version's.
func ReadInfo(block []byte) (i Info, ok bool) {
	if len(block) < InfoSize || get(block) < InfoSize {
		return Info{}, false
	}
	word := func(n int) uint32 { return get(block[4*n:]) }
	return Info{
		Version: word(1), Features: word(2), Result: word(3), Core: word(4), CoreLength: word(5), MaxInput: word(6),
		FilesServed: word(7), PlanFormat: word(8), OverlayFormat: word(9), PlanSlots: word(10), MaxPlan: word(11), MaxFile: word(12),
	}, true
}

// Result is the content of the result block.
type Result struct {
	Status   Status
	Pointer  uint32
	Length   uint32 // bytes; pieces after render_iov
	Position uint32 // of the fault in the text that is not valid, or the size of a file in pieces, in bytes; else 0
}

// Put writes the block.
func (r Result) Put(block *[ResultSize]byte) {
	put(block[0:], uint32(r.Status))
	put(block[4:], r.Pointer)
	put(block[8:], r.Length)
	put(block[12:], r.Position)
}

// ReadResult reads a result block; ok is false if it is too short.
func ReadResult(block []byte) (r Result, ok bool) {
	if len(block) < ResultSize {
		return Result{}, false
	}
	word := func(n int) uint32 { return get(block[4*n:]) }
	return Result{Status(word(0)), word(1), word(2), word(3)}, true
}

// Piece is one entry of the list that render_iov answers with.
type Piece struct {
	Pointer uint32
	Length  uint32 // bytes
}

// Span says that Length bytes of a rendered file from At on are those of its plan from From on: a Piece that lies in a
// slot, as the host knows it.
type Span struct{ At, From, Length int }

// ReadPiece reads the piece at the beginning of list, which must have PieceSize bytes.
func ReadPiece(list []byte) Piece {
	_ = list[PieceSize-1]
	return Piece{get(list), get(list[4:])}
}

func put(dst []byte, word uint32) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = byte(word), byte(word>>8), byte(word>>16), byte(word>>24)
}

func get(src []byte) uint32 {
	_ = src[3]
	return uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16 | uint32(src[3])<<24
}
