package diskcache

import (
	"context"
	"sync"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// The bounds of what is written to disk later.
const (
	writeDelay      = time.Second
	maxPendingBytes = 4 << 20 // of blobs
)

// WriteBehind is what a refresh brought and the disk does not have yet. Writing it costs more than
// everything else that an edge does for a publish, so that it waits a moment until every request has been
// answered, and of publish after publish only the newest is written. A process that is killed meanwhile
// finds on disk what was there before, which is asked for anew in any case. It may be used concurrently.
type WriteBehind struct {
	disk     *Cache
	logError func(error)

	mu      sync.Mutex // guards all below
	records map[string]pendingRecord
	blobs   map[record.Hash]*pendingBlob
	bytes   int
	writes  int           // how often what waits was written
	wakeup  chan struct{} // of one place
}

// pendingRecord is a Theme's record, or that of a pair, which is written with what it is made from.
type pendingRecord struct {
	inputs feedproto.Pair // whose plan and overlay the pair needs
	write  func() error
}

// pendingBlob is a blob that no disk has yet.
type pendingBlob struct {
	bytes  []byte
	users  int // that may yet add a pair that names it
	writes int // WriteBehind.writes when it was held last
}

// NewWriteBehind returns one that writes to d; logError is told of what cannot be written, and called with nil too.
func NewWriteBehind(c *Cache, logError func(error)) *WriteBehind {
	return &WriteBehind{
		disk: c, logError: logError, wakeup: make(chan struct{}, 1),
		records: map[string]pendingRecord{}, blobs: map[record.Hash]*pendingBlob{},
	}
}

// Blob returns a blob that is not on disk yet.
func (w *WriteBehind) Blob(name record.Hash) ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if held := w.blobs[name]; held != nil {
		return held.bytes, true
	}
	return nil, false
}

// Hold holds a blob for a pair that will be added before release or within a moment, or returns false if too many wait.
func (w *WriteBehind) Hold(name record.Hash, blob []byte) (release func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.blobs[name]
	if held == nil {
		if w.bytes+len(blob) > maxPendingBytes {
			return nil, false
		}
		held = &pendingBlob{bytes: blob}
		w.blobs[name] = held
		w.bytes += len(blob)
	}
	return w.use(held), true
}

// HoldAgain holds a blob that is held already for another pair, or returns false.
func (w *WriteBehind) HoldAgain(name record.Hash) (release func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.blobs[name]
	if held == nil {
		return nil, false
	}
	return w.use(held), true
}

// use counts a user of a blob until release is called. w.mu is held.
func (w *WriteBehind) use(held *pendingBlob) (release func()) {
	held.users++
	held.writes = w.writes
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		held.users--
	}
}

// AddPair has a pair written that is made from what r names, which replaces what waits under its key. newest is called when
// it is written: it returns what to write, or false if the pair is not to be written any more.
func (w *WriteBehind) AddPair(key string, r feedproto.Pair, newest func() (Record[feedproto.Pair], bool)) {
	w.add(pairName(key), pendingRecord{r, func() error {
		k, ok := newest()
		if !ok {
			return nil
		}
		blobs := map[record.Hash][]byte{}
		for _, name := range []record.Hash{r.Plan, r.Overlay} {
			if blob, ok := w.Blob(name); ok {
				blobs[name] = blob
			}
		}
		return w.disk.PutPair(key, k, blobs)
	}})
}

// AddTheme has a Theme written, as newest returns it then.
func (w *WriteBehind) AddTheme(key string, newest func() (Record[feedproto.Theme], bool)) {
	w.add(themeName(key), pendingRecord{write: func() error {
		k, ok := newest()
		if !ok {
			return nil
		}
		return w.disk.PutTheme(key, k)
	}})
}

func (w *WriteBehind) add(name string, r pendingRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records[name] = r
	select {
	case w.wakeup <- struct{}{}:
	default:
	}
}

// take returns what waits. Its blobs are still held.
func (w *WriteBehind) take() map[string]pendingRecord {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.records
	w.records = map[string]pendingRecord{}
	return taken
}

// release drops the blobs that no pair names that still waits, and that are not new: a pair may be about to be added.
func (w *WriteBehind) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	named := map[record.Hash]bool{}
	for _, p := range w.records {
		named[p.inputs.Plan], named[p.inputs.Overlay] = true, true
	}
	for name, b := range w.blobs {
		if b.users == 0 && !named[name] && b.writes < w.writes-1 {
			delete(w.blobs, name)
			w.bytes -= len(b.bytes)
		}
	}
}

// Run writes what waits, a second after it came, until ctx ends; Flush writes the rest.
func (w *WriteBehind) Run(ctx context.Context) {
	for {
		select {
		case <-w.wakeup:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(writeDelay):
		case <-ctx.Done():
			return
		}
		w.Flush()
	}
}

// Flush writes what waits.
func (w *WriteBehind) Flush() {
	for _, r := range w.take() {
		w.logError(r.write())
	}
	w.release()
}
