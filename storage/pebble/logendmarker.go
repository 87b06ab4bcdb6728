package pebble

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/livery/storage"
)

// logEndMarker is the file that says how far the change log once was. The engine opens a store
// cleanly whose newest write-ahead log is missing or torn, with acknowledged commits gone; only this
// file shows it. It is not synced: it may be behind, and never ahead.
type logEndMarker struct {
	fs   vfs.FS
	path string
	log  *slog.Logger
}

// logEndName is the name of the file in the data directory.
const logEndName = "livery-witness"

// Lost returns the place of a durable commit that this store had when it was open before and did
// not have when it was opened now, and whether there is one. The followers of the change log notice
// by themselves: their cursors are of another history.
func (s *Store) Lost() (storage.Cursor, bool) { return s.lost, s.lost != storage.Cursor{} }

// findLoss compares the end of the change log with what the marker says.
func (s *Store) findLoss(end storage.Cursor) error {
	was, err := s.logEnd.read()
	if err != nil || was == (storage.Cursor{}) {
		return err
	}
	err = checkCursor(s.db, was, end)
	switch {
	case errors.Is(err, storage.ErrDiverged):
		s.lost = was
		s.opts.Logger.Error("storage: acknowledged changes are gone: the change log went further than it does now; restore a backup, or go on from what is left",
			"directory", s.dir, "was", was.String(), "is", end.String())
		return nil
	case errors.Is(err, storage.ErrTrimmed):
		return nil
	}
	return err
}

// read returns the zero Cursor if the marker is missing or incomplete.
func (m *logEndMarker) read() (storage.Cursor, error) {
	f, err := m.fs.Open(m.path)
	if err != nil {
		return storage.Cursor{}, nil // a new store has none
	}
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err := errors.Join(err, f.Close()); err != nil {
		return storage.Cursor{}, fmt.Errorf("pebble: read how far the change log was from %s: %w", m.path, err)
	}
	line, whole := strings.CutSuffix(string(text), "\n")
	at, err := storage.ParseCursor(line)
	if !whole || err != nil || len(at.Tag) != 2*tagSize {
		return storage.Cursor{}, nil
	}
	return at, nil
}

// write notes that a commit is durable. A failure costs nothing but the note.
func (m *logEndMarker) write(at storage.Cursor) {
	if at.Seq == 0 {
		return
	}
	f, err := m.fs.Create(m.path+".new", vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write([]byte(at.String() + "\n"))
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = m.fs.Rename(m.path+".new", m.path)
	}
	if err != nil {
		m.log.Warn("storage: the note of how far the change log is was not written", "file", m.path, "error", err)
	}
}
