package term

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// The bounds of what waits to be written in the background: further writes are dropped.
const (
	waitingWrites = 4096
	waitingBytes  = 1 << 20
)

// flushWithin is how long Finish waits for what is still to be written.
const flushWithin = time.Second

// Background has what is printed from now on written in the background, so that a reader that hangs or goes away neither
// blocks nor ends the program. Finish waits a moment for the rest. It returns a function that returns how many writes
// were dropped.
func (a *App) Background() (dropped func() uint64) {
	out, errOut := newBackground(a.Out), newBackground(a.Err)
	a.Out, a.Err = out, errOut
	a.backgrounds = []*background{out, errOut}
	return func() (n uint64) {
		for _, b := range a.backgrounds {
			n += b.dropped.Load()
		}
		return n
	}
}

// Flush waits until what was printed so far is written, for a moment.
func (a *App) Flush() {
	ctx, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	for _, b := range a.backgrounds {
		b.flush(ctx)
	}
}

// background writes to a writer on a goroutine of its own. It may be used concurrently.
type background struct {
	w       io.Writer
	writes  chan write
	bytes   atomic.Int64 // of writes
	dropped atomic.Uint64
}

// write is a text to be written, or a question whether all before it is written.
type write struct {
	text []byte
	done chan<- struct{} // nil: nobody asks
}

func newBackground(w io.Writer) *background {
	b := &background{w: w, writes: make(chan write, waitingWrites)}
	go b.run()
	return b
}

func (b *background) run() {
	for next := range b.writes {
		if next.done != nil {
			close(next.done)
			continue
		}
		if _, err := b.w.Write(next.text); err != nil {
			b.dropped.Add(1)
		}
		b.bytes.Add(-int64(len(next.text)))
	}
}

// Write implements io.Writer. It does not wait, and always succeeds.
func (b *background) Write(text []byte) (int, error) {
	n := int64(len(text))
	if b.bytes.Add(n) > waitingBytes {
		b.bytes.Add(-n)
		b.dropped.Add(1)
		return len(text), nil
	}
	select {
	case b.writes <- write{text: append([]byte(nil), text...)}:
	default:
		b.bytes.Add(-n)
		b.dropped.Add(1)
	}
	return len(text), nil
}

// flush waits until all writes so far are done, or ctx is.
func (b *background) flush(ctx context.Context) {
	done := make(chan struct{})
	select {
	case b.writes <- write{done: done}:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}
