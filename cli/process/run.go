// Package process starts servers of this process one after the other and ends them in reverse order.
package process

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// closeWithin is how long the requests in progress have to end. A user waits 5 s at most.
const closeWithin = 4 * time.Second

// Run is a set of servers that were started one after the other and end in reverse order.
type Run struct {
	Log    *slog.Logger
	Failed chan error

	DrainDelay time.Duration // how long the servers go on, and say that they are not ready, when they are told to end

	closes  []func(context.Context) error
	ending  atomic.Bool
	checks  atomic.Pointer[checks] // nil: the servers start
	dropped func() uint64          // lines of the log; nil: none are
	flush   func()                 // waits for the log; nil: it is written at once
}

// New returns a Run that no server belongs to yet.
func New(log *slog.Logger) *Run {
	keepMemoryPrivate()
	return &Run{Log: log, Failed: make(chan error, 16)}
}

// NewServer returns the Run of a command that runs servers. Whatever becomes of the reader of what the command prints,
// it goes on: SIGPIPE is ignored, and lines that cannot be written are dropped.
func NewServer(a *term.App, level string, asJSON bool) (*Run, error) {
	signal.Ignore(syscall.SIGPIPE)
	dropped := a.Background()
	log, err := Logger(a, level, asJSON)
	if err != nil {
		return nil, err
	}
	r := New(log)
	r.dropped, r.flush = dropped, a.Flush
	return r, nil
}

// Abort ends the process at once, after what was logged is written.
func (r *Run) Abort() {
	if r.flush != nil {
		r.flush()
	}
	os.Exit(1)
}

// OnClose registers what ends with the run, before everything registered so far.
func (r *Run) OnClose(f func(context.Context) error) { r.closes = append(r.closes, f) }

// Serve runs a server in the background. One that fails ends the run.
func (r *Run) Serve(server func() error) {
	go func() {
		if err := server(); err != nil {
			r.Failed <- err
		}
	}()
}

// Wait returns DrainDelay after ctx ends, or with the error of the first server that failed. The server has started: Wait
// gives the memory that only the start needed back to the system.
func (r *Run) Wait(ctx context.Context) error {
	debug.FreeOSMemory()
	select {
	case <-ctx.Done():
	case err := <-r.Failed:
		return err
	}
	r.ending.Store(true)
	r.Log.Info("ending: not ready for new clients any more", "drainDelay", r.DrainDelay)
	select {
	case <-time.After(r.DrainDelay):
		return nil
	case err := <-r.Failed:
		return err
	}
}

// End closes the run of a command that ended with err, and returns how the command ended. If ctx has ended, err came of
// that: a server that is told to end while it starts does so without an error.
func (r *Run) End(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, r.Close())
}

// Close ends everything, whatever fails on the way. What clients or upstreams did not finish in time is not a failure.
func (r *Run) Close() error {
	r.ending.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var faults []error
	for i := len(r.closes) - 1; i >= 0; i-- {
		switch err := r.closes[i](ctx); {
		case errors.Is(err, context.DeadlineExceeded):
			r.Log.Warn("requests in progress were cut", "after", closeWithin, "error", err)
		case err != nil:
			r.Log.Warn("a part could not be closed in order", "error", err)
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Logger returns the log of a server: lines of text on a terminal-like run of dev, JSON elsewhere.
func Logger(a *term.App, level string, asJSON bool) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(strings.ToUpper(level))); err != nil {
		return nil, term.UsageError("Valid values: debug, info, warn, error.", "--log-level %q is not a valid level", level)
	}
	options := &slog.HandlerOptions{Level: l}
	if asJSON {
		return slog.New(slog.NewJSONHandler(logLines{a.Err}, options)), nil
	}
	return slog.New(slog.NewTextHandler(logLines{a.Err}, options)), nil
}

// logLines writes lines that a terminal shows as they are: slog leaves the delete character, and in JSON all but the
// first controls.
type logLines struct{ w io.Writer }

// Write writes one line of a log.
func (l logLines) Write(line []byte) (int, error) {
	if _, err := l.w.Write(escape.JSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}
