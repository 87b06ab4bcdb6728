package pebble

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
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
		return fmt.Errorf("pebble: %s: %w: in file %s: %w", doing, storage.ErrCorrupt, info.Path, err)
	}
	return fmt.Errorf("pebble: %s: %w: %w", doing, storage.ErrCorrupt, err)
}

// fail refuses every later call and hands the first cause to Options.Fatal.
func (s *Store) fail(cause error) {
	if s.line.fail(cause) {
		s.opts.Fatal(cause)
	}
}

// engineLog passes the engine's words on: what it does at debug level, what goes wrong as errors.
type engineLog struct {
	to    *slog.Logger
	fatal func(error)
}

// Infof logs what the engine does.
func (l engineLog) Infof(format string, args ...any) {
	l.to.Debug("storage engine", "event", fmt.Sprintf(format, args...))
}

// Errorf logs what went wrong and is retried or reported elsewhere.
func (l engineLog) Errorf(format string, args ...any) {
	l.to.Error("storage engine", "error", fmt.Sprintf(format, args...))
}

// Fatalf is called where the engine cannot go on.
func (l engineLog) Fatalf(format string, args ...any) {
	l.fatal(fmt.Errorf(format, args...))
}

// events are the engine's warnings that an operator should see.
func (l engineLog) events() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) { l.to.Error("storage engine: background work failed and is retried", "error", err) },
		DataCorruption:  func(info pebble.DataCorruptionInfo) { l.to.Error("storage engine: corrupt data", "info", info) },
		DiskSlow:        func(info pebble.DiskSlowInfo) { l.to.Warn("storage engine: slow disk", "info", info) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			l.to.Warn("storage engine: writes stall", "reason", info.Reason)
		},
		WriteStallEnd: func() { l.to.Warn("storage engine: writes go on") },
	}
}
