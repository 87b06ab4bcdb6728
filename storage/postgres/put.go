package postgres

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// unconfirmed are the blobs put by this process that no commit of it has yet followed. A put does not
// wait for the quorum: the commit that names the blob does, and it comes later in the server's log. A
// failover between the two can lose the put, so each commit checks that what was put before it is
// there, and puts it again if it is not. What was put longer than storage.PutWindow ago belongs to
// no publish any more.
type unconfirmed struct {
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

// add keeps a blob, or reports that there is no room.
func (u *unconfirmed) add(name record.Hash, b unconfirmedBlob) bool {
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
func (u *unconfirmed) all(now time.Time) map[record.Hash]unconfirmedBlob {
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
func (u *unconfirmed) forget(blobs map[record.Hash]unconfirmedBlob) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, b := range blobs {
		if now, there := u.blobs[name]; there && now.at.Equal(b.at) {
			delete(u.blobs, name)
			u.bytes -= len(b.packed)
		}
	}
}

// puts are the blobs to be put. Those that come while some are put go together as the next.
type puts struct {
	mu      sync.Mutex // guards below
	waiting []*put
	running bool // putWaiting does
}

// put is a blob on its way.
type put struct {
	name    record.Hash
	packed  []byte
	durable bool       // it waits for the quorum
	done    chan error // holds one: what became of it
}

// mostPutBytes is from where on no further blob goes into one transaction.
const mostPutBytes = 4 << 20

// next returns what is put together next: in the order of names, in which no two transactions wait for each other. none
// ends putWaiting.
func (p *puts) next() (some []*put) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for size := 0; len(p.waiting) > 0 && size < mostPutBytes; p.waiting = p.waiting[1:] {
		some = append(some, p.waiting[0])
		size += len(p.waiting[0].packed)
	}
	p.running = len(some) > 0
	slices.SortFunc(some, func(a, b *put) int { return bytes.Compare(digest(a.name), digest(b.name)) })
	return some
}

// putWaiting puts blobs until none waits.
func (s *Store) putWaiting() {
	defer s.leave()
	for some := s.puts.next(); len(some) > 0; some = s.puts.next() {
		err := s.retry(context.Background(), func(ctx context.Context, c *pgx.Conn) error { return s.put(ctx, c, some) })
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

// put writes blobs in one transaction and one round trip.
func (s *Store) put(ctx context.Context, c *pgx.Conn, some []*put) error {
	synchronous := "off"
	if slices.ContainsFunc(some, func(p *put) bool { return p.durable }) {
		synchronous = "on"
	}
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue("SELECT set_config('synchronous_commit', $1, true)", synchronous)
	for _, p := range some {
		b.Queue(putBlob, digest(p.name), p.packed, s.opts.clock())
	}
	return c.SendBatch(ctx, b).Close()
}
