// Package process starts servers of this process one after the other and ends them in reverse order.
package process

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// closeWithin is how long everything together may take to end. A user waits 5 s at most.
const closeWithin = 4 * time.Second

// Run is a set of servers that were started one after the other and end in reverse order.
type Run struct {
	Log    *slog.Logger
	Failed chan error
	closes []func(context.Context) error
}

// New returns a Run that no server belongs to yet.
func New(log *slog.Logger) *Run {
	keepMemoryPrivate()
	return &Run{Log: log, Failed: make(chan error, 16)}
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

// Wait returns when ctx ends, or with the error of the first server that failed.
func (r *Run) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-r.Failed:
		return err
	}
}

// Close ends everything, whatever fails on the way.
func (r *Run) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var faults []error
	for i := len(r.closes) - 1; i >= 0; i-- {
		if err := r.closes[i](ctx); err != nil {
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
