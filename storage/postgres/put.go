package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// unconfirmedBlobs are the blobs put by this process that no commit of it has yet followed. A put does not
// wait for the quorum: the commit that names the blob does, and it comes later in the server's log. A
// failover between the two can lose the put, so each commit checks that what was put before it is
// there, and puts it again if it is not. What was put longer than storage.PutWindow ago belongs to
// no publish any more.
type unconfirmedBlobs struct {
	mu    sync.Mutex // guards below
	blobs map[record.Hash]unconfirmedBlob
	bytes int
}

// unconfirmedBlob is a blob as it was put.
type unconfirmedBlob struct {
	packed []byte
	at     time.Time
}

// mostUnconfirmed is how many bytes of blobs are kept for putting again; those past it wait for the
// quorum at once.
const mostUnconfirmed = 64 << 20

// add keeps a blob, or reports that the room is used up.
func (u *unconfirmedBlobs) add(name record.Hash, b unconfirmedBlob) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bytes -= len(u.blobs[name].packed)
	delete(u.blobs, name)
	if u.bytes+len(b.packed) > mostUnconfirmed {
		return false
	}
	if u.blobs == nil {
		u.blobs = map[record.Hash]unconfirmedBlob{}
	}
	u.blobs[name] = b
	u.bytes += len(b.packed)
	return true
}

// all returns those that a commit may name, and forgets the others.
func (u *unconfirmedBlobs) all(now time.Time) map[record.Hash]unconfirmedBlob {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, b := range u.blobs {
		if now.Sub(b.at) > storage.PutWindow {
			u.bytes -= len(b.packed)
			delete(u.blobs, name)
		}
	}
	return maps.Clone(u.blobs)
}

// forget drops the blobs that are durable now, but for those that were put again meanwhile.
func (u *unconfirmedBlobs) forget(blobs map[record.Hash]unconfirmedBlob) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, b := range blobs {
		if now, there := u.blobs[name]; there && now.at.Equal(b.at) {
			delete(u.blobs, name)
			u.bytes -= len(b.packed)
		}
	}
}

// put is a blob on its way.
type put struct {
	name    record.Hash
	packed  []byte
	durable bool       // it waits for the quorum
	done    chan error // holds one: what became of it
}

// mostPutBytes is how many bytes there are when no further blob goes into one transaction.
const mostPutBytes = 4 << 20

// putAll puts blobs, together in the order of names: two transactions do not wait for each other then.
func (s *Store) putAll(all []*put) {
	for len(all) > 0 {
		n := 0
		for size := 0; n < len(all) && size < mostPutBytes; n++ {
			size += len(all[n].packed)
		}
		some := all[:n]
		all = all[n:]
		slices.SortFunc(some, func(a, b *put) int { return cmp.Compare(a.name, b.name) })
		err := s.retry(context.Background(), func(ctx context.Context, c *pgx.Conn) error { return putBlobs(ctx, c, some, s.opts.clock()) })
		for _, p := range some {
			p.done <- err
		}
	}
}

// putBlob writes a blob. Each body of a name says the same, so that of the database is replaced if it is another: it may
// be corrupt.
const putBlob = `INSERT INTO livery_blobs AS b (name, body, put_at) VALUES ($1, $2, $3)
	ON CONFLICT (name) DO UPDATE SET put_at = excluded.put_at, unnamed = NULL,
	body = CASE WHEN b.body = excluded.body THEN b.body ELSE excluded.body END`

// putBlobs writes blobs in one transaction and one round trip.
func putBlobs(ctx context.Context, c *pgx.Conn, some []*put, at time.Time) error {
	synchronous := "off"
	if slices.ContainsFunc(some, func(p *put) bool { return p.durable }) {
		synchronous = "on"
	}
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue("SELECT set_config('synchronous_commit', $1, true)", synchronous)
	for _, p := range some {
		b.Queue(putBlob, digest(p.name), p.packed, at)
	}
	return c.SendBatch(ctx, b).Close()
}
