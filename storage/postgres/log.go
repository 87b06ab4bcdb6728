package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Changes returns up to limit entries after the cursor, in order and without a gap:
// storage.ErrTrimmed or storage.ErrDiverged if the cursor cannot be continued.
func (s *Store) Changes(ctx context.Context, after storage.Cursor, limit int) (all []storage.LoggedChange, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	err = s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
		r, err := newReader(ctx, c)
		if err != nil {
			return err
		}
		return r.runWhole(func(r *reader) error {
			all, err = r.changes(after, limit)
			return err
		})
	})
	return all, err
}

func (r *reader) changes(after storage.Cursor, limit int) ([]storage.LoggedChange, error) {
	h, err := readHead(r.ctx, r.conn)
	if err != nil {
		return nil, r.note(err)
	}
	if err := r.checkCursor(h, after); err != nil || limit <= 0 {
		return nil, err
	}
	rows, err := r.conn.Query(r.ctx, "SELECT seq, tag, body FROM livery_changes WHERE seq > $1 ORDER BY seq LIMIT $2", int64(after.Seq), limit)
	if err != nil {
		return nil, r.note(err)
	}
	var all []storage.LoggedChange
	var seq int64
	var tag, body []byte
	next := after.Seq
	var bad error
	_, err = pgx.ForEachRow(rows, []any{&seq, &tag, &body}, func() error {
		next++
		var e storage.LoggedChange
		if e, bad = parseEntry(seq, tag, body); bad == nil && e.Cursor.Seq != next {
			bad = fmt.Errorf("postgres: %w: entry %d of the change log is missing", storage.ErrCorrupt, next)
		}
		all = append(all, e)
		return bad
	})
	if bad != nil {
		return nil, bad
	}
	return all, r.note(err)
}

func parseEntry(seq int64, tag, body []byte) (e storage.LoggedChange, err error) {
	e.Cursor = cursor(seq, tag)
	if err := record.Decode(body, &e.Change); err != nil {
		return e, fmt.Errorf("postgres: %w: entry %d of the change log: %w", storage.ErrCorrupt, seq, err)
	}
	return e, nil
}

// checkCursor reports whether the log can be read on from after.
func (r *reader) checkCursor(h head, after storage.Cursor) error {
	switch {
	case after.Seq < h.begin.Seq:
		return fmt.Errorf("postgres: cursor %s, the log begins after %s: %w", after, h.begin, storage.ErrTrimmed)
	case after.Seq > h.end.Seq:
		return fmt.Errorf("postgres: cursor %s, the log ends at %s: %w", after, h.end, storage.ErrDiverged)
	case after.Seq == 0:
		return nil
	}
	at := h.begin
	if after.Seq > h.begin.Seq {
		var tag []byte
		err := r.conn.QueryRow(r.ctx, "SELECT tag FROM livery_changes WHERE seq = $1", int64(after.Seq)).Scan(&tag)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("postgres: entry %d of the change log is missing: %w", after.Seq, storage.ErrCorrupt)
		}
		if err != nil {
			return r.note(err)
		}
		at = cursor(int64(after.Seq), tag)
	}
	if at.Tag != after.Tag {
		return fmt.Errorf("postgres: cursor %s, here it is %s: %w", after, at, storage.ErrDiverged)
	}
	return nil
}

// Trim drops entries of the change log up to and including seq; a seq past the end drops all.
func (s *Store) Trim(ctx context.Context, seq uint64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	return s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return trim(ctx, tx, seq) })
	})
}

func trim(ctx context.Context, tx pgx.Tx, seq uint64) error {
	h, err := scanHead(tx.QueryRow(ctx, lockHead))
	if err != nil {
		return err
	}
	seq = min(seq, h.end.Seq)
	if seq <= h.begin.Seq {
		return nil
	}
	var tag []byte
	if err := tx.QueryRow(ctx, "SELECT tag FROM livery_changes WHERE seq = $1", int64(seq)).Scan(&tag); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM livery_changes WHERE seq <= $1", int64(seq)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE livery_head SET trimmed = $1, trimmed_tag = $2", int64(seq), tag)
	return err
}

// Wait returns nil as soon as an entry after the cursor exists, or ctx's error: storage.ErrDiverged
// if the cursor is past the end.
func (s *Store) Wait(ctx context.Context, after storage.Cursor) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	// Another origin may have committed what this one has not heard of.
	var h head
	err := s.retry(ctx, func(ctx context.Context, c *pgx.Conn) (err error) {
		h, err = readHead(ctx, c)
		return err
	})
	switch {
	case err != nil:
		return err
	case after.Seq > h.end.Seq || after.Seq == h.end.Seq && after.Tag != h.end.Tag:
		return fmt.Errorf("postgres: wait after %s, the log ends at %s: %w", after, h.end, storage.ErrDiverged)
	case h.end.Seq > after.Seq:
		return nil
	}
	return s.follow.await(ctx, after.Seq)
}

// Check reads every blob and every entry of the change log and calls report for each that is
// missing or is not what it should be. It returns the error that stopped it, or ctx's.
func (s *Store) Check(ctx context.Context, report func(storage.Finding)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if err := s.checkBlobs(ctx, report); err != nil {
		return err
	}
	return s.snapshot(ctx, func(r *reader) error { return r.checkLog(report) })
}

const repairLog = "dump the store and load the dump into a new one: it begins a new log, and edges ask for everything again"

func (r *reader) checkLog(report func(storage.Finding)) error {
	h, err := readHead(r.ctx, r.conn)
	if err != nil {
		return r.note(err)
	}
	rows, err := r.conn.Query(r.ctx, "SELECT seq, tag, body FROM livery_changes ORDER BY seq")
	if err != nil {
		return r.note(err)
	}
	var seq int64
	var tag, body []byte
	at := h.begin
	_, err = pgx.ForEachRow(rows, []any{&seq, &tag, &body}, func() error {
		if uint64(seq) != at.Seq+1 {
			report(storage.Finding{Where: "change log", Problem: fmt.Sprintf("entry %d is missing", at.Seq+1), Repair: repairLog})
		}
		at = storage.Cursor{Seq: uint64(seq), Tag: hex.EncodeToString(tag)}
		if _, err := parseEntry(seq, tag, body); err != nil {
			report(storage.Finding{Where: fmt.Sprintf("change log entry %d", seq), Problem: err.Error(), Repair: repairLog})
		}
		return nil
	})
	if err == nil && at != h.end {
		report(storage.Finding{Where: "change log", Problem: fmt.Sprintf("it ends at %s and its head says %s", at, h.end), Repair: repairLog})
	}
	return r.note(err)
}
