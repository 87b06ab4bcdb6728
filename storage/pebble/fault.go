package pebble

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble/admission"
)

// failure says what was being done, to which key, when the engine returned err, and names
// corruption by storage.ErrCorrupt and the file that has it; nil stays nil.
func failure(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case !pebble.IsCorruptionError(err) || errors.Is(err, storage.ErrCorrupt):
		return fmt.Errorf("pebble: %s: %w", doing, err)
	}
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		return fmt.Errorf("pebble: %s: %w: in file %s: %w", doing, storage.ErrCorrupt, info.Path, terse{err})
	}
	return fmt.Errorf("pebble: %s: %w: %w", doing, storage.ErrCorrupt, terse{err})
}

// terse is an error of the engine with the first line of its text.
type terse struct{ err error }

// Error returns the line.
func (t terse) Error() string { return oneLine(t.err) }

// Unwrap returns the whole.
func (t terse) Unwrap() error { return t.err }

// fail refuses every later call and hands the first cause to Options.Fatal.
func (s *Store) fail(cause error) {
	if s.history.fail(cause) {
		s.admission.Close(s.history.failed())
		s.opts.Fatal(cause)
	}
}

// engineLog passes the engine's words on: what it does at debug level, what goes wrong as errors.
type engineLog struct {
	to    *slog.Logger
	fatal func(error)
	named *sync.Map // the corrupt files that were reported
}

// Infof logs what the engine does.
func (l engineLog) Infof(format string, args ...any) {
	l.to.Debug("storage engine", "event", fmt.Sprintf(format, args...))
}

// Errorf logs what went wrong and is retried or reported elsewhere.
func (l engineLog) Errorf(format string, args ...any) {
	l.to.Error("storage engine", "error", fmt.Sprintf(format, args...))
}

// Fatalf is called if the engine cannot go on.
func (l engineLog) Fatalf(format string, args ...any) {
	l.fatal(fmt.Errorf(format, args...))
}

// events are the engine's warnings that an operator should see. Admission reports a full disk,
// once.
func (l engineLog) events(fs *admission.FS) *pebble.EventListener {
	return &pebble.EventListener{
		FlushEnd:      func(info pebble.FlushInfo) { fs.Flushed(info.Err) },
		CompactionEnd: func(info pebble.CompactionInfo) { fs.Compacted(info.Err) },
		BackgroundError: func(err error) {
			if !admission.NoRoom(err) {
				l.to.Error("storage engine: background work failed and is retried", "error", err.Error())
			}
		},
		DataCorruption: l.corrupt,
		DiskSlow:       func(info pebble.DiskSlowInfo) { l.to.Warn("storage engine: slow disk", "info", info.String()) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			l.to.Warn("storage engine: writes stall", "reason", info.Reason)
		},
		WriteStallEnd: func() { l.to.Warn("storage engine: writes go on") },
	}
}

// corrupt reports once, in one line, which file is corrupt, what it holds, and what repairs it. The engine's own
// words have a trace of its calls.
func (l engineLog) corrupt(info pebble.DataCorruptionInfo) {
	if _, again := l.named.LoadOrStore(info.Path, true); again {
		return
	}
	l.to.Error("storage: a file of the store is corrupt: run livery store check, and restore the newest backup that is clean",
		"file", info.Path, "from", spellKey(info.Bounds.Start), "to", spellKey(info.Bounds.End.Key), "error", oneLine(info.Details))
}
