package pebble

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Changes returns up to limit durable entries after the cursor, in order and without a gap:
// storage.ErrTrimmed or storage.ErrDiverged if the cursor cannot be continued.
func (s *Store) Changes(ctx context.Context, after storage.Cursor, limit int) ([]storage.LoggedChange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.history.enter(); err != nil {
		return nil, err
	}
	defer s.history.leave()
	last := s.history.last()
	snap := s.db.NewSnapshot() // shows the newest Trim, and of the log at least all up to last
	defer func() { _ = snap.Close() }()
	if err := checkCursor(snap, after, last); err != nil {
		return nil, err
	}
	return readLog(snap, after.Seq+1, last.Seq, limit)
}

// checkCursor reports whether the log can be read on from after.
func checkCursor(from pebble.Reader, after, last storage.Cursor) error {
	begin, err := logBegin(from)
	if err != nil {
		return err
	}
	if after.Seq < begin.Seq {
		return fmt.Errorf("pebble: cursor %s, the log begins after %d: %w", after, begin.Seq, storage.ErrTrimmed)
	}
	if after.Seq > last.Seq {
		return fmt.Errorf("pebble: cursor %s, the log ends at %d: %w", after, last.Seq, storage.ErrDiverged)
	}
	if after.Seq == 0 {
		return nil
	}
	at := begin
	if after.Seq > begin.Seq {
		if at, err = cursorAt(from, after.Seq); err != nil {
			return err
		}
	}
	if at.Tag != after.Tag {
		return fmt.Errorf("pebble: cursor %s, here it is %s: %w", after, at, storage.ErrDiverged)
	}
	return nil
}

// logBegin returns the place of the last entry trimmed, the zero Cursor if none was.
func logBegin(from pebble.Reader) (storage.Cursor, error) {
	value, err := get(from, []byte(trimmedKey))
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Cursor{}, nil
	}
	if err != nil {
		return storage.Cursor{}, err
	}
	return parseCursor(value)
}

// logEnd returns the place of the newest entry.
func logEnd(from pebble.Reader) (storage.Cursor, error) {
	end, err := logBegin(from)
	if err != nil {
		return storage.Cursor{}, err
	}
	start, stop := []byte{ownSpace, logSpace}, []byte{ownSpace, logSpace + 1}
	err = scan(from, start, stop, storage.Descending, func(key, value []byte) (bool, error) {
		entry, err := parseEntry(key, value)
		end = entry.Cursor
		return false, err
	})
	return end, err
}

// cursorAt returns the place of entry seq, which must not be trimmed.
func cursorAt(from pebble.Reader, seq uint64) (storage.Cursor, error) {
	value, err := get(from, logKey(seq))
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Cursor{}, fmt.Errorf("pebble: entry %d of the change log is missing: %w", seq, storage.ErrCorrupt)
	}
	if err != nil {
		return storage.Cursor{}, err
	}
	entry, err := parseEntry(logKey(seq), value)
	return entry.Cursor, err
}

// readLog returns the entries from first to last, limit at most. A gap is storage.ErrCorrupt.
func readLog(from pebble.Reader, first, last uint64, limit int) ([]storage.LoggedChange, error) {
	if limit <= 0 || first > last {
		return nil, nil
	}
	n := min(uint64(limit), last-first+1)
	entries := make([]storage.LoggedChange, 0, n)
	err := scan(from, logKey(first), logKey(first+n), storage.Ascending, func(key, value []byte) (bool, error) {
		entry, err := parseEntry(key, value)
		entries = append(entries, entry)
		if want := first + uint64(len(entries)) - 1; err == nil && entry.Cursor.Seq != want {
			err = fmt.Errorf("%w: entry %d of the change log is missing", storage.ErrCorrupt, want)
		}
		return true, err
	})
	if err == nil && uint64(len(entries)) < n {
		err = fmt.Errorf("pebble: entry %d of the change log is missing: %w", first+uint64(len(entries)), storage.ErrCorrupt)
	}
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func parseEntry(key, value []byte) (storage.LoggedChange, error) {
	var e storage.LoggedChange
	if len(key) != len(logKey(0)) || len(value) < tagSize {
		return e, fmt.Errorf("%w: entry %x of the change log", storage.ErrCorrupt, key)
	}
	e.Cursor = storage.Cursor{Seq: logSeq(key), Tag: hex.EncodeToString(value[:tagSize])}
	if err := record.Decode(value[tagSize:], &e.Change); err != nil {
		return e, fmt.Errorf("%w: entry %d of the change log: %w", storage.ErrCorrupt, e.Cursor.Seq, err)
	}
	return e, nil
}

// Wait returns nil as soon as a durable entry after the cursor exists, or ctx's error. It does not
// wait for a history that is not this one: storage.ErrDiverged if the cursor is past the end.
func (s *Store) Wait(ctx context.Context, after storage.Cursor) error {
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	last := s.history.last()
	if after.Seq > last.Seq || after.Seq == last.Seq && after.Tag != last.Tag {
		return fmt.Errorf("pebble: wait after %s, the log ends at %s: %w", after, last, storage.ErrDiverged)
	}
	return s.history.await(ctx, after.Seq+1)
}

// Trim drops durable entries of the change log up to and including seq; a seq past the end drops
// all. A cursor at the last entry dropped can still be continued.
func (s *Store) Trim(ctx context.Context, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	s.trimMu.Lock()
	defer s.trimMu.Unlock()
	begin, err := logBegin(s.db)
	if err != nil {
		return err
	}
	seq = min(seq, s.history.last().Seq)
	if seq <= begin.Seq {
		return nil
	}
	leave, err := s.admission.Admit(ctx, 2*len(logKey(0))+8+tagSize, 2, true)
	if err != nil {
		return err
	}
	defer leave()
	return s.moveBegin(begin.Seq, seq)
}

func (s *Store) moveBegin(from, to uint64) error {
	cursor, err := cursorAt(s.db, to)
	if err != nil {
		return err
	}
	mark, err := appendCursor(nil, cursor)
	if err != nil {
		return err
	}
	batch := s.db.NewBatch()
	if err := batch.DeleteRange(logKey(from+1), logKey(to+1), nil); err != nil {
		return failure("trim", err)
	}
	if err := batch.Set([]byte(trimmedKey), mark, nil); err != nil {
		return failure("trim", err)
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return failure("trim", err)
	}
	if err := s.history.failed(); err != nil {
		return err
	}
	return failure("trim", batch.Close())
}
