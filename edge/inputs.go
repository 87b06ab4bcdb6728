package edge

import (
	"bytes"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// recordContent is what the records need of an edge: it implements records.Content.
type recordContent struct{ *Edge }

// FetchInputs makes sure that what a pair is rendered from is here, whole.
func (c recordContent) FetchInputs(p feedproto.Pair) error { return c.content.FetchInputs(p) }

// HoldInputs takes the blobs that came with a pair, until it is added to what is written to disk and release is called.
func (c recordContent) HoldInputs(p feedproto.Pair, blobs map[record.Hash][]byte) (release func()) {
	plan, overlay := c.holdInput(p.Plan, blobs[p.Plan]), c.holdInput(p.Overlay, blobs[p.Overlay])
	return func() { plan(); overlay() }
}

// holdInput takes a blob, if it is that of the name.
func (c recordContent) holdInput(name record.Hash, blob []byte) (release func()) {
	if blob == nil || record.HashOf(blob) != name || c.disk.HasBlob(name) {
		return func() {}
	}
	own := bytes.Clone(blob) // one part does not hold the whole answer
	release, ok := c.postponed.Hold(name, own)
	if !ok {
		c.logDiskError(c.disk.PutBlob(name, own))
		release = func() {}
	}
	c.content.PutInput(name, own)
	return release
}

// PersistInputs writes what a pair is rendered from to disk, and reports false if not all of it is here.
func (c recordContent) PersistInputs(p feedproto.Pair) bool {
	if in := content.NewInputs(p); !c.content.HasInputs(&in) {
		return false
	}
	for _, name := range []record.Hash{p.Plan, p.Overlay} {
		if held, ok := c.content.HeldInput(name); ok && !c.disk.HasBlob(name) {
			c.logDiskError(c.disk.PutBlob(name, held))
		}
	}
	return true
}

// MakeFiles makes the files of a state in the codings that were requested of its pair, if they are not held. A
// failure is logged and kept where it happens.
func (c recordContent) MakeFiles(t *records.ThemeState, p *records.Pair, s *records.PairState) {
	l := records.Background(c.now())
	for bit := range fileEncodings {
		f, enc := fileEncoding(bit)
		if p.Wanted.Load()&(1<<bit) != 0 && s.Missing == "" && t.Files[f] && c.ctx.Err() == nil {
			_, _, _ = c.bodyOf(s, f, enc, &l)
		}
	}
}

// want notes what was requested, so that it is made again after a change.
func want(p *records.Pair, now time.Time, file abi.File, enc coding.Encoding) {
	p.Requested(now)
	if bit := uint32(1) << bitOf(file, enc); p.Wanted.Load()&bit == 0 {
		p.Wanted.Or(bit)
	}
}

// wanted reports whether a file was requested in a coding.
func wanted(p *records.Pair, file abi.File, enc coding.Encoding) bool {
	return p.Wanted.Load()&(1<<bitOf(file, enc)) != 0
}

// fileEncodings is the number of bits in Pair.Wanted; bitOf and fileEncoding translate.
const fileEncodings = abi.FileCount * coding.Count

func bitOf(file abi.File, enc coding.Encoding) int { return int(file)*coding.Count + int(enc) }

func fileEncoding(bit int) (abi.File, coding.Encoding) {
	return abi.File(bit / coding.Count), coding.Encoding(bit % coding.Count)
}
