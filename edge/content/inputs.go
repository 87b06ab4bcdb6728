package content

import (
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"
	"unique"

	"example.com/livery/edge/coding"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// ID names the inputs of a pair: what is made of equal inputs is stored once.
type ID [sha256.Size]byte

// Key names a file by what it is made from.
type Key struct {
	Inputs ID
	File   abi.File
}

// Line names the files of a Theme or Variant in the same modes, under every version: only of the same line is a file a
// dictionary of another.
type Line struct {
	Files string // "{env}/{theme}/{-|variant}"; empty: no line
	Modes string // as the address names them; empty: none
}

// DictionaryKey names a file that clients may have, by its digest: only of the same line is it a dictionary.
type DictionaryKey struct {
	Line   Line
	File   abi.File
	Digest coding.Digest
}

// Inputs is what the files of a pair are made from: a feedproto.Pair, its cursor apart, in a third of the memory, as an
// edge holds one for each address.
type Inputs struct {
	ID      ID
	Version uint32
	Sealed  bool

	plan, overlay [sha256.Size]byte // zero: none
	module        unique.Handle[record.Hash]

	offered  atomic.Uint32 // a bit for each file that was offered as a dictionary
	searched atomic.Uint32 // a bit for each file whose older versions were searched for a dictionary

	before ID // what they replace at their address; References guard it
}

// NewInputs returns what a pair names.
func NewInputs(p feedproto.Pair) Inputs {
	named := string(p.Plan) + "\n" + string(p.Overlay) + "\n" + string(p.Module)
	return Inputs{
		ID: sha256.Sum256([]byte(named)), plan: inBytes(p.Plan), overlay: inBytes(p.Overlay), module: unique.Make(p.Module), Version: p.Version, Sealed: p.Sealed,
	}
}

// Same reports whether a record of other would say the same, its cursor and number apart.
func (in *Inputs) Same(other *Inputs) bool { return in.ID == other.ID && in.Sealed == other.Sealed }

// Pair returns the record that NewInputs was called with, without its cursor.
func (in *Inputs) Pair() feedproto.Pair {
	return feedproto.Pair{Version: in.Version, Plan: inDigits(in.plan), Overlay: inDigits(in.overlay), Module: in.module.Value(), Sealed: in.Sealed}
}

// inBytes returns what the digits of a hash say; zero if it is not valid.
func inBytes(h record.Hash) (b [sha256.Size]byte) {
	if h.Valid() {
		_, _ = hex.Decode(b[:], []byte(h))
	}
	return b
}

func inDigits(b [sha256.Size]byte) record.Hash {
	if b == [sha256.Size]byte{} {
		return ""
	}
	return record.Hash(hex.EncodeToString(b[:]))
}
