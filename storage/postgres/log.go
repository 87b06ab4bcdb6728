package postgres

import (
	"context"
	"encoding/hex"
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
		p, err := readLog(ctx, c, after, max(limit, 0))
		if err != nil {
			return err
		}
		all, err = p.entries(after)
		return err
	})
	return all, err
}

// logPage is what one snapshot shows of the change log.
type logPage struct {
	head  head
	after []byte // tag of the entry after which it is read; nil if it is not there
	rows  []logRow
}

type logRow struct {
	Seq       int64
	Tag, Body []byte
}

// readLog reads up to limit entries after the cursor, in one round trip.
func readLog(ctx context.Context, c *pgx.Conn, after storage.Cursor, limit int) (p logPage, err error) {
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	b.Queue(selectHead).QueryRow(func(row pgx.Row) (err error) {
		p.head, err = scanHead(row)
		return err
	})
	b.Queue("SELECT seq, tag, body FROM livery_changes WHERE seq >= $1 ORDER BY seq LIMIT $2", int64(after.Seq), limit+1).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[logRow])
		if len(all) > 0 && all[0].Seq == int64(after.Seq) {
			p.after, all = all[0].Tag, all[1:]
		}
		p.rows = all[:min(limit, len(all))]
		return err
	})
	b.Queue("COMMIT")
	return p, c.SendBatch(ctx, b).Close()
}

// entries returns what was read after the cursor.
func (p logPage) entries(after storage.Cursor) (all []storage.LoggedChange, err error) {
	if err := p.check(after); err != nil {
		return nil, err
	}
	next := after.Seq
	for _, row := range p.rows {
		next++
		e, err := parseEntry(row.Seq, row.Tag, row.Body)
		if err == nil && e.Cursor.Seq != next {
			err = fmt.Errorf("postgres: %w: entry %d of the change log is missing", storage.ErrCorrupt, next)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func parseEntry(seq int64, tag, body []byte) (e storage.LoggedChange, err error) {
	e.Cursor = cursor(seq, tag)
	if err := record.Decode(body, &e.Change); err != nil {
		return e, fmt.Errorf("postgres: %w: entry %d of the change log: %w", storage.ErrCorrupt, seq, err)
	}
	return e, nil
}

// check reports whether the log can be read on from after.
func (p logPage) check(after storage.Cursor) error {
	begin, end := p.head.begin, p.head.end
	at := begin
	switch {
	case after.Seq < begin.Seq:
		return fmt.Errorf("postgres: cursor %s, the log begins after %s: %w", after, begin, storage.ErrTrimmed)
	case after.Seq > end.Seq:
		return fmt.Errorf("postgres: cursor %s, the log ends at %s: %w", after, end, storage.ErrDiverged)
	case after.Seq == 0:
		return nil
	case after.Seq > begin.Seq && p.after == nil:
		return fmt.Errorf("postgres: entry %d of the change log is missing: %w", after.Seq, storage.ErrCorrupt)
	case after.Seq > begin.Seq:
		at = cursor(int64(after.Seq), p.after)
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
	if s.follow.isAt(after) {
		return s.follow.await(ctx, after.Seq)
	}
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
