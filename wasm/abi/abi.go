// Package abi is the contract between Livery's host and its renderer module: the exported
// functions, their numbers and the layout of the bytes that both sides read. It holds constants and
// pure readers only, and is compiled into the guest, so it imports nothing.
//
// # Calls
//
// Every parameter and result is an unsigned 32-bit integer; a pointer is an offset into the
// module's linear memory, and every number in memory is little-endian. The module is a WASI
// reactor: the host calls "_initialize" once, and then, one call at a time:
//
//	info() pointer                                        of the info block
//	input(size) pointer                                   of at least size writable bytes; 0: refused
//	render(file, themeLen, overridesLen, prefixLen) status
//
// For render the host writes three texts back to back at the input pointer: the Theme document, the
// overrides (a flat JSON object, or nothing), the CSS prefix. The module leaves the answer in the
// result block. The input buffer stays the module's: it keeps its place until the next call of
// input, and its content belongs to the host between calls. The answer stays until the next call.
// Memory may grow in any call, so that host views of it must be taken anew after each.
//
// # Layouts
//
//	info block                          result block
//	 0  u32 bytes in this block          0  u32 status
//	 4  u32 ABI version (major)          4  u32 pointer of the file, or of a message
//	 8  u32 features, a bit set          8  u32 length of it in bytes
//	12  u32 pointer of the result block 12  u32 position of the fault in the text, in bytes
//	16  u32 pointer of the core version
//	20  u32 length of the core version
//	24  u32 most bytes that input reserves
//	28  u32 number of files that render knows
//
// # Versions
//
// A host takes a module whose ABI version it knows and refuses any other. What is added without
// changing the above (compiled plans, further exports, members at the end of a block) gets a bit in
// features and leaves the version as it is; anything else gets the next version.
package abi

// Version is the major version of this contract.
const Version = 1

// The names of the exported functions.
const (
	ExportInitialize = "_initialize"
	ExportInfo       = "info"
	ExportInput      = "input"
	ExportRender     = "render"
)

// FeatureRender is the feature bit of the export render. Every module of version 1 has it.
const FeatureRender = 1 << 0

// MaxInputBytes is the most that one input may hold: a Theme document and overrides of the largest
// size that the API takes, and room for the prefix.
const MaxInputBytes = 17 << 20

// The sizes of the blocks in bytes.
const (
	InfoSize   = 32
	ResultSize = 16
)

// Status is the outcome of render. The zero value is success.
type Status uint32

// The outcomes of render.
const (
	StatusOK           Status = iota // the result is the file
	StatusBadTheme                   // the Theme document is no JSON object
	StatusBadOverrides               // the overrides are no JSON object
	StatusBadFile                    // the module knows no file of that number
	StatusBadInput                   // the lengths do not fit the input buffer
)

// String names the status the way error messages spell it.
func (s Status) String() string {
	switch s {
	case StatusOK:
		return "rendered"
	case StatusBadTheme:
		return "the theme document is not valid"
	case StatusBadOverrides:
		return "the overrides are not valid"
	case StatusBadFile:
		return "the module does not know the file"
	case StatusBadInput:
		return "the input does not fit the input buffer"
	}
	return "an unknown status"
}

// File is the number of a served file. The zero value is tokens.css.
type File uint8

// The served files. Their numbers are part of the contract and never change.
const (
	TokensCSS File = iota
	TokensValuesJSON
	TokensDTCGJSON
	TokensJSON
	TokensFlatJSON
)

// FileCount is the number of served files; every File is below it.
const FileCount = 5

var fileNames = [FileCount]string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

// Name returns the name that f is served under, or "" where there is no such file.
func (f File) Name() string {
	if int(f) < len(fileNames) {
		return fileNames[f]
	}
	return ""
}

// FileByName returns the file served under name; ok is false where there is none.
func FileByName(name string) (f File, ok bool) {
	for i := range fileNames {
		if fileNames[i] == name {
			return File(i), true
		}
	}
	return 0, false
}

// Info is the content of the info block.
type Info struct {
	Version     uint32
	Features    uint32 // a bit set of Feature…
	Result      uint32 // pointer of the result block
	Core        uint32 // pointer of the core version, a text
	CoreLength  uint32 // in bytes
	MaxInput    uint32 // bytes
	FilesServed uint32 // render knows the files below this number
}

// Put writes the block.
func (i Info) Put(block *[InfoSize]byte) {
	words := [InfoSize / 4]uint32{InfoSize, i.Version, i.Features, i.Result, i.Core, i.CoreLength, i.MaxInput, i.FilesServed}
	for n, word := range words {
		put(block[4*n:], word)
	}
}

// ReadInfo reads an info block; ok is false where it is shorter than this version's.
func ReadInfo(block []byte) (i Info, ok bool) {
	if len(block) < InfoSize || get(block) < InfoSize {
		return Info{}, false
	}
	word := func(n int) uint32 { return get(block[4*n:]) }
	return Info{word(1), word(2), word(3), word(4), word(5), word(6), word(7)}, true
}

// Result is the content of the result block.
type Result struct {
	Status   Status
	Pointer  uint32
	Length   uint32 // bytes
	Position uint32 // of the fault in the text that is not valid, in bytes; 0 where there is none
}

// Put writes the block.
func (r Result) Put(block *[ResultSize]byte) {
	words := [ResultSize / 4]uint32{uint32(r.Status), r.Pointer, r.Length, r.Position}
	for n, word := range words {
		put(block[4*n:], word)
	}
}

// ReadResult reads a result block; ok is false where it is too short.
func ReadResult(block []byte) (r Result, ok bool) {
	if len(block) < ResultSize {
		return Result{}, false
	}
	word := func(n int) uint32 { return get(block[4*n:]) }
	return Result{Status(word(0)), word(1), word(2), word(3)}, true
}

func put(dst []byte, word uint32) {
	dst[0], dst[1], dst[2], dst[3] = byte(word), byte(word>>8), byte(word>>16), byte(word>>24)
}

func get(src []byte) uint32 {
	return uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16 | uint32(src[3])<<24
}
