package events

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Bounds of streams.
const (
	streamsPerCaller = 8
	streamFor        = 5 * time.Minute        // then the client comes again, with its token and its last event
	keepAlive        = 15 * time.Second       // between two signs of life
	pause            = 100 * time.Millisecond // between two looks at the store, whatever is written to it meanwhile
	perLook          = 500                    // events
)

// Streams bounds the streams of every caller. Its methods may be called concurrently; the zero Streams has none.
type Streams struct {
	mu   sync.Mutex                       // guards open
	open map[string][]*context.CancelFunc // of each caller, the oldest first
}

// Begin opens a stream of the caller, and ends its oldest one if it has too many. The stream must end with the context;
// end must be called after it.
func (s *Streams) Begin(ctx context.Context, caller string) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.open[caller]
	if len(all) == streamsPerCaller {
		(*all[0])()
		all = all[1:]
	}
	if s.open == nil {
		s.open = map[string][]*context.CancelFunc{}
	}
	s.open[caller] = append(all, &cancel)
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		all := slices.DeleteFunc(s.open[caller], func(c *context.CancelFunc) bool { return c == &cancel })
		if s.open[caller] = all; len(all) == 0 {
			delete(s.open, caller)
		}
	}
}

// Stream writes events as server-sent events until a write fails.
type Stream struct {
	Store       storage.Store
	Environment string
	After       Cursor
	Allowed     func(r storage.Reader) (identities bool, err error) // an error ends the stream: the caller may not see it any more
	Flush       func(w *bufio.Writer) error                         // sends what was written
	Now         func() time.Time
}

// Run writes until ctx or the stream's time ends.
func (s Stream) Run(ctx context.Context, w *bufio.Writer) {
	ctx, cancel := context.WithTimeout(ctx, streamFor)
	defer cancel()
	// With the id a client that loses the stream before the first event goes on without a gap. Flush says if it went away.
	_, _ = w.WriteString("retry: 1000\nid: " + s.After.String() + "\n\n")
	if s.Flush(w) != nil {
		return
	}
	for ctx.Err() == nil {
		at, more, err := s.look(ctx, w)
		if err != nil {
			return
		}
		if !more && !s.wait(ctx, at, w) {
			return
		}
	}
}

// look writes what happened since the last look. It returns the place in the change log that it saw, and whether there may be
// more.
func (s *Stream) look(ctx context.Context, w *bufio.Writer) (at storage.Cursor, more bool, err error) {
	var p Page
	next := s.After
	err = s.Store.View(ctx, func(r storage.Reader) error {
		at = r.Cursor()
		identities, err := s.Allowed(r)
		if err == nil {
			p, next, err = Read(r, s.Environment, s.After, perLook, identities, s.Now())
		}
		return err
	})
	if err != nil {
		return at, false, err
	}
	s.After = next
	if p.Missed {
		_, _ = w.WriteString("event: missed\ndata: {}\n\n")
	}
	for _, e := range p.Items {
		data, err := json.Marshal(e, record.AnswerTimes)
		if err != nil {
			return at, false, err
		}
		_, _ = w.WriteString("id: " + e.ID + "\nevent: " + e.Kind + "\ndata: " + string(data) + "\n\n")
	}
	if len(p.Items) > 0 || p.Missed {
		err = s.Flush(w)
	}
	return at, p.Next != "", err
}

// wait returns once something was written to the store, and whether the stream goes on.
func (s *Stream) wait(ctx context.Context, at storage.Cursor, w *bufio.Writer) bool {
	waiting, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	err := s.Store.Wait(waiting, at)
	if waiting.Err() != nil && ctx.Err() == nil {
		_, _ = w.WriteString(":\n\n")
		return s.Flush(w) == nil
	}
	if err != nil && !errors.Is(err, storage.ErrDiverged) {
		return false
	}
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
