package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// batchState is what a batch is checked against, while its transaction holds the head of the log.
type batchState struct {
	head
	newest map[string]uint64    // entry of the log, by scope
	there  map[record.Hash]bool // blobs
}

// begin begins a transaction that holds the head of the log.
func (g *group) begin(batch []*writes, puts map[record.Hash]unconfirmedBlob) (now batchState, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait+ackWait)
	defer cancel()
	scopes := []string{storage.Global}
	for _, w := range batch {
		scopes = append(scopes, w.scope)
	}
	now = batchState{newest: map[string]uint64{}, there: map[record.Hash]bool{}}
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED") // so that what follows the lock sees what was committed before it
	b.Queue(lockHead).QueryRow(func(row pgx.Row) (err error) {
		now.head, err = scanHead(row)
		return err
	})
	b.Queue("SELECT scope, seq FROM livery_scopes WHERE scope = ANY($1)", scopes).Query(func(rows pgx.Rows) error {
		var scope string
		var seq int64
		_, err := pgx.ForEachRow(rows, []any{&scope, &seq}, func() error {
			now.newest[scope] = uint64(seq)
			return nil
		})
		return err
	})
	if len(puts) > 0 {
		b.Queue("SELECT name FROM livery_blobs WHERE name = ANY($1)", digests(slices.Collect(maps.Keys(puts)))).Query(func(rows pgx.Rows) error {
			var name []byte
			_, err := pgx.ForEachRow(rows, []any{&name}, func() error {
				now.there[record.Hash(hex.EncodeToString(name))] = true
				return nil
			})
			return err
		})
	}
	return now, g.conn.SendBatch(ctx, b).Close()
}

// end sends the statements of a transaction with its COMMIT. Only an error of the server from before the
// COMMIT says that it was not carried out.
func (g *group) end(b *pgx.Batch, within time.Duration) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	before := b.Len()
	b.Queue("COMMIT")
	results := g.conn.SendBatch(ctx, b)
	done := 0
	for ; done <= before && err == nil; done++ {
		_, err = results.Exec()
	}
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	var refused *pgconn.PgError
	return done > before || !errors.As(err, &refused), err
}

// statementTimeout is how long the statements of a batch may take.
func statementTimeout(batch []*writes) time.Duration {
	bytes := 0
	for _, w := range batch {
		for i := range w.keys {
			bytes += len(w.keys[i]) + len(w.values[i])
		}
	}
	return ackWait + time.Duration(bytes)*byteWait
}

// sortOut tells the writes that rest on the newest of their scope from those that were overtaken. A
// Global commit rests on everything, and everything on the last Global one; what continues a chain rests on
// the writes before it.
func (now batchState) sortOut(batch []*writes) (fresh, overtaken []*writes) {
	last := now.end.Seq
	for _, w := range batch {
		w.seq = 0
		if now.overtook(w) || w.scope == storage.Global && last > w.base.Seq {
			overtaken = append(overtaken, w)
			continue
		}
		last++
		w.before, w.seq, now.newest[w.scope] = now.newest[w.scope], last, last
		fresh = append(fresh, w)
	}
	return fresh, overtaken
}

// overtook reports whether another origin committed in the scope of writes since they were made.
func (now batchState) overtook(w *writes) bool {
	newest := now.newest[w.scope]
	switch {
	case now.newest[storage.Global] > w.base.Seq:
		return true
	case w.after == nil:
		return newest > w.base.Seq
	}
	return w.after.seq == 0 || newest != w.after.seq
}

// enterAll queues what writes the fresh ones in order.
func enterAll(b *pgx.Batch, fresh []*writes) {
	if len(fresh) == 0 {
		return
	}
	for _, w := range fresh {
		for _, r := range w.cleared {
			b.Queue("DELETE FROM livery_keys WHERE key >= $1 AND key < $2", r.Start, r.End)
		}
		if len(w.deleted) > 0 {
			b.Queue("DELETE FROM livery_keys WHERE key = ANY($1)", w.deleted)
		}
		for from := 0; from < len(w.keys); from += mostInOne {
			to := min(from+mostInOne, len(w.keys))
			b.Queue("INSERT INTO livery_keys SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT (key) DO UPDATE SET value = excluded.value", w.keys[from:to], w.values[from:to])
		}
		b.Queue("INSERT INTO livery_scopes VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq", w.scope, int64(w.seq))
		b.Queue("INSERT INTO livery_changes VALUES ($1, $2, $3)", int64(w.seq), w.tag, w.body)
	}
	end := fresh[len(fresh)-1]
	b.Queue("UPDATE livery_head SET seq = $1, tag = $2", int64(end.seq), end.tag)
}
