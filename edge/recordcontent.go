package edge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"example.com/livery/edge/blobs"
	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/records"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// recordContent is what the records need to know of files and what they are made from: it implements records.Content.
type recordContent struct {
	ctx          context.Context
	content      *content.Store
	blobs        *blobs.Store
	disk         *diskcache.Cache
	logDiskError func(error)
}

// HasInputs reports whether what a pair is rendered from is here.
func (c recordContent) HasInputs(in *content.Inputs) bool { return c.content.HasInputs(in) }

// TakeInputs makes sure that what a pair is rendered from is here, whole: the blobs that came with it stay until the pair is
// added to what is written to disk and release is called, and the others are fetched.
func (c recordContent) TakeInputs(p feedproto.Pair, blobs map[record.Hash][]byte) (release func(), err error) {
	plan, overlay := c.holdInput(p.Plan, blobs[p.Plan]), c.holdInput(p.Overlay, blobs[p.Overlay])
	release = func() { plan(); overlay() }
	if err = c.content.FetchInputs(p); err != nil {
		release()
	}
	return release, err
}

// holdInput takes a blob, if it is that of the name, in memory too.
func (c recordContent) holdInput(name record.Hash, blob []byte) (release func()) {
	own, release := c.blobs.Hold(name, blob)
	if own != nil {
		c.content.PutInput(name, own)
	}
	return release
}

// PersistInputs writes what a pair is rendered from to disk, and reports false if not all of it is here.
func (c recordContent) PersistInputs(p feedproto.Pair) bool {
	if in := content.NewInputs(p); !c.HasInputs(&in) {
		return false
	}
	for _, name := range []record.Hash{p.Plan, p.Overlay} {
		if held, ok := c.content.HeldInput(name); ok && !c.disk.HasBlob(name) {
			c.logDiskError(c.disk.PutBlob(name, held))
		}
	}
	return true
}

// Replace notes that an address that led to old leads to next from now on.
func (c recordContent) Replace(old, next *content.Inputs) { c.content.References.Replace(old, next) }

// inputsID returns the ID of what the files of a pair are made from.
func inputsID(p feedproto.Pair) [sha256.Size]byte {
	in := content.NewInputs(p)
	return in.ID
}

// Persist writes the files of an address to disk, and returns how many.
func (c recordContent) Persist(in *content.Inputs) (written int, err error) {
	return c.content.Persist(in)
}

// Forget notes that an address that leads to in is not held any more.
func (c recordContent) Forget(in *content.Inputs) { c.content.References.Forget(in) }

// MakeFiles makes the files of a state in the codings that were requested of its pair, if they are not held. A
// failure is logged and remembered by content.Store.
func (c recordContent) MakeFiles(t *records.ThemeState, p *records.Pair, s *records.PairState) {
	if held := p.State(); held != nil && held.Missing == "" {
		c.content.References.Succeed(&held.Inputs, &s.Inputs)
	}
	for bit := range fileEncodings {
		f, enc := fileEncoding(bit)
		if p.Wanted.Load()&(1<<bit) != 0 && s.Missing == "" && t.Files[f] && c.ctx.Err() == nil {
			_, _ = c.content.Make(&s.Inputs, f, enc)
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

// errInputsGone means that an input of a pair in modes is not on this machine any more: upstream has it with the pair.
var errInputsGone = errors.New("edge: the overlay of modes is not held any more")

// awaitInputs waits for what a pair is rendered from, if it has to come from upstream, as long as q may.
func (e *Edge) awaitInputs(p *records.Pair, s *records.PairState, q *records.Lookup) error {
	if e.content.HasInputs(&s.Inputs) {
		return nil
	}
	if p.HasModes() {
		return errInputsGone
	}
	_, err := e.records.Share(q, "inputs/"+string(s.Inputs.ID[:]), func() (any, error) { return nil, e.content.FetchInputs(s.Inputs.Pair()) })
	return err
}

// bodyOf returns the file of x in the coding asked for, or in identity if coding is not worth its while, and how it came
// about. It is made once for all requests that wait.
func (e *Edge) bodyOf(x *exchange, enc coding.Encoding) (*content.Body, records.Outcome, error) {
	in, f, q := &x.PairState.Inputs, x.address.File, &x.Lookup
	b, held, err := e.content.Cached(in, f, enc, q.Now)
	if b != nil && x.ctx == nil && len(x.in.IfNoneMatch) == 0 && !b.DigestsAtOnce() {
		return nil, records.Hit, records.ErrBusy
	}
	if b != nil || err != nil {
		return b, records.Hit, err
	}
	if !held && x.mayMake {
		if b = e.content.MakeAtOnce(in, f, enc); b != nil {
			return b, records.Miss, nil
		}
	}
	if !e.records.Acquire(q) {
		return nil, records.Miss, records.ErrBusy
	}
	if b = e.content.LoadBody(in, f, enc); b != nil {
		return b, records.Hit, nil
	}
	b, err = records.RetryWhileDown(e.records, q, func() (*content.Body, error) {
		if !held {
			if err := e.awaitInputs(x.Pair, x.PairState, q); err != nil {
				return nil, err
			}
		}
		return e.content.Make(in, f, enc)
	})
	if held {
		return b, records.Recoded, err
	}
	return b, records.Miss, err
}

// preloadAgain is the pause before the newest renderer module is asked for again.
const preloadAgain = 500 * time.Millisecond

// preload loads the newest of the renderer modules that list returns, so that the first request need not wait for its
// compilation, and has the edge be ready then. It tries again while upstream is out of reach and nothing is held from an
// earlier run. After any other failure the edge is ready as well: it serves what it has, and a request that needs a
// module loads it itself.
func (e *Edge) preload(list func() ([]record.Module, error)) {
	loaded := make(chan error, 1)
	for {
		go func() { loaded <- e.loadNewest(list) }()
		select {
		case <-e.ctx.Done(): // a compilation cannot be interrupted, and need not be waited for
			return
		case err := <-loaded:
			if err == nil || !errors.Is(err, upstream.ErrUnreachable) || e.disk.HoldsThemes() {
				if err != nil {
					e.log.Warn("the newest renderer module cannot be loaded ahead", "error", err)
				}
				e.preloaded.Store(true)
				debug.FreeOSMemory() // what compiling needed
				return
			}
		}
		upstream.Sleep(e.ctx, preloadAgain, nil)
	}
}

// modulesOnDisk lists the renderer modules that upstream had in an earlier run.
func (e *Edge) modulesOnDisk() ([]record.Module, error) {
	list, _ := e.disk.Modules()
	return list, nil
}

// loadNewest compiles the newest renderer module and renders with it once.
func (e *Edge) loadNewest(list func() ([]record.Module, error)) error {
	modules, err := list()
	if err != nil {
		return err
	}
	var newest record.Module
	for _, m := range modules {
		if m.ABIVersion == abi.Version && m.Digest.Valid() && m.RegisteredAt.After(newest.RegisteredAt) {
			newest = m
		}
	}
	if newest.Digest == "" {
		return nil
	}
	if err := e.content.Load(newest.Digest); err != nil {
		return fmt.Errorf("module %s: %w", newest.Digest, err)
	}
	return e.config.Runtime.Try(e.ctx, string(newest.Digest))
}
