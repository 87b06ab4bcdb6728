package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
)

// loss is what this process knows of commits that were durable once and are there no more: a standby
// was promoted that did not have them, or the database was restored.
type loss struct {
	mu   sync.Mutex // guards below
	lost storage.Cursor
}

// Lost returns the place of a commit that this machine was shown and that the database does not have any
// more, and whether there is one. The followers of the change log notice by themselves: their cursors
// are of another history.
func (s *Store) Lost() (storage.Cursor, bool) {
	s.loss.mu.Lock()
	defer s.loss.mu.Unlock()
	return s.loss.lost, s.loss.lost != storage.Cursor{}
}

// findLoss compares the change log with what the file says it was.
func (s *Store) findLoss(ctx context.Context) error {
	was, err := s.readLogEnd()
	if err != nil {
		return err
	}
	return s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
		_, err := s.confirm(ctx, c, was)
		return err
	})
}

// confirm finds out whether the log still holds what was seen of it, and returns its end.
func (s *Store) confirm(ctx context.Context, c *pgx.Conn, was storage.Cursor) (now storage.Cursor, err error) {
	if was.Seq == 0 {
		return was, nil
	}
	p, err := readLog(ctx, c, was, 0)
	if err == nil {
		err = p.check(was)
	}
	switch {
	case errors.Is(err, storage.ErrDiverged):
		s.loss.mu.Lock()
		s.loss.lost = was
		s.loss.mu.Unlock()
		s.opts.Logger.Error("storage: acknowledged changes are gone: the change log went further than it does now; look for the server that had them, or go on from what is left",
			"was", was.String(), "is", p.head.end.String())
		return p.head.end, nil
	case errors.Is(err, storage.ErrTrimmed):
		return p.head.end, nil
	}
	return p.head.end, err
}

// The file is one line: the ID of the store and the newest cursor that was seen.
func (s *Store) readLogEnd() (storage.Cursor, error) {
	if s.opts.LogEndFile == "" {
		return storage.Cursor{}, nil
	}
	text, err := os.ReadFile(s.opts.LogEndFile)
	if errors.Is(err, fs.ErrNotExist) {
		return storage.Cursor{}, nil
	}
	if err != nil {
		return storage.Cursor{}, fmt.Errorf("read how far the change log was: %w", err)
	}
	id, place, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), " ")
	at, err := storage.ParseCursor(place)
	if err != nil || len(at.Tag) != 2*tagSize {
		return storage.Cursor{}, nil // it was cut off
	}
	if id != s.id {
		s.opts.Logger.Warn("storage: this is another database than the last time", "was", id, "is", s.id)
		return storage.Cursor{}, nil
	}
	return at, nil
}

// logEndEvery is how far the file may lag behind.
const logEndEvery = 5 * time.Second

// logEndMarker notes how far the change log was seen. It is for one goroutine.
type logEndMarker struct {
	store   *Store
	written storage.Cursor
	at      time.Time
}

// note writes the file if something is new, now and then, or with end at once. A failure costs
// nothing but the note.
func (w *logEndMarker) note(seen storage.Cursor, end bool) {
	path := w.store.opts.LogEndFile
	if path == "" || seen == w.written || seen.Seq == 0 || !end && time.Since(w.at) < logEndEvery {
		return
	}
	w.written, w.at = seen, time.Now()
	err := os.WriteFile(path+".new", []byte(w.store.id+" "+seen.String()+"\n"), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		w.store.opts.Logger.Warn("storage: the note of how far the change log is was not written", "file", path, "error", err)
	}
}
