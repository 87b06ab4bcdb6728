package pebble

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
)

// failure says what was being done when the engine returned err, and names corruption by
// storage.ErrCorrupt; nil stays nil.
func failure(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case pebble.IsCorruptionError(err) && !errors.Is(err, storage.ErrCorrupt):
		return fmt.Errorf("pebble: %s: %w: %w", doing, storage.ErrCorrupt, err)
	}
	return fmt.Errorf("pebble: %s: %w", doing, err)
}

// fail refuses every later call and hands the first cause to Options.Fatal.
func (s *Store) fail(cause error) {
	if s.line.fail(cause) {
		s.opts.Fatal(cause)
	}
}

// checkSpace returns storage.ErrNoSpace where writing need bytes could take the disk below the
// floor. The engine itself does not survive a full disk well: writes block while its flush retries.
func (s *Store) checkSpace(need int) error {
	if s.opts.MinFreeBytes < 0 {
		return nil
	}
	usage, err := s.fs.GetDiskUsage(s.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pebble: free space of %s: %w: %w", s.dir, storage.ErrUnavailable, err)
	}
	if usage.AvailBytes < uint64(s.opts.MinFreeBytes)+uint64(need) {
		return fmt.Errorf("pebble: %d bytes free in %s, %d are kept back: %w", usage.AvailBytes, s.dir, s.opts.MinFreeBytes, storage.ErrNoSpace)
	}
	return nil
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
