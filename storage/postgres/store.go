// Package postgres is the shared engine of storage: one PostgreSQL (or what speaks its wire) that
// several origins use at once, with the guarantees of the embedded engine. It knows keys and commits,
// and no rules.
//
// Updates that wait for one scope run together as a group: one after the other over one snapshot, each shown the
// writes of those before it. All groups that wait are committed together: one transaction of two round trips, one wait
// for the disks of the quorum. It locks the head of the change log, one row, so that the log has no gap and one order
// everywhere, and a group whose scope another process changed since the snapshot runs again while the lock is held.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/livery/storage"
)

// Options are what Open can be told. The zero value is right for a server.
type Options struct {
	Logger         *slog.Logger  // nil means slog.Default()
	MaxConnections int           // for reading and putting blobs; 0 means 24. One more commits and one follows the log
	RetryFor       time.Duration // how long a call tries to reach a primary; 0 means 40 s
	CommitWait     time.Duration // how long a caller waits for a commit under way before storage.ErrUncertain; 0 means 40 s

	SnapshotIdle time.Duration // how long a snapshot may read nothing before the server ends it; 0 means a minute

	// Alone allows a server without synchronous standbys: what it acknowledged is lost with its disk.
	Alone bool

	// LogEndFile is a file of this machine that notes how far the change log was seen, so that a start finds
	// out what the server has lost meanwhile. Empty means none. Lost: a loss before the start goes unnoticed.
	LogEndFile string

	clock func() time.Time // when blobs are put, for tests; nil means time.Now
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 24
	}
	if o.RetryFor == 0 {
		o.RetryFor = 30 * time.Second
	}
	if o.CommitWait == 0 {
		o.CommitWait = 40 * time.Second
	}
	if o.SnapshotIdle == 0 {
		o.SnapshotIdle = time.Minute
	}
	if o.clock == nil {
		o.clock = time.Now
	}
	return o
}

// Store is a connection to a database, shared with other processes. All methods may be called
// concurrently. The zero Store is not usable; call Open.
type Store struct {
	opts   Options
	id     string
	codec  *storage.Codec
	pool   *pgxpool.Pool // for reading and for putting blobs
	breaks atomic.Int64  // how often a reader found the server away
	follow *follower
	cached blobCache
	loss   loss

	global    sync.RWMutex // held by each group until it is settled; a Global one holds it alone
	updates   batcher[*update]
	contended contended
	commits   batcher[*group]
	committer committer
	puts      batcher[*put]
	views     batcher[*view]

	unconfirmed unconfirmedBlobs

	mu     sync.Mutex // guards closed; calls grow only while it is false
	closed bool
	calls  sync.WaitGroup
}

var _ storage.Store = (*Store)(nil)

// Open connects to the database that url names ("postgres://user:password@host1,host2/database"), makes
// the tables if there are none, and checks that the server keeps what is promised: an error lists
// everything that is missing and how to set it. Of several hosts the primary is used.
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	opts = opts.withDefaults()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, unread(err)
	}
	prepareConfig(config.ConnConfig, opts)
	codec, err := storage.NewCodec()
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	cached, err := newBlobCache(MemoryBytes)
	if err != nil {
		codec.Close()
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	s := &Store{opts: opts, codec: codec, cached: cached}
	own := config.ConnConfig.Copy() // of the connections that are not of the pool
	if s.pool, err = newPool(ctx, config, opts); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		s.release()
		return nil, fmt.Errorf("postgres: open: %w", explained(own, err))
	}
	s.committer = committer{store: s, config: forCommits(own)}
	s.follow = newFollower(s, own)
	return s, nil
}

// prepare checks the server and makes the tables.
func (s *Store) prepare(ctx context.Context) error {
	err := s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
		if err := checkServer(ctx, c, s.opts.Alone); err != nil {
			return err
		}
		var err error
		s.id, err = prepareTables(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	return s.findLoss(ctx)
}

// release gives back what Open took.
func (s *Store) release() {
	if s.pool != nil {
		s.pool.Close()
	}
	s.cached.close()
	s.codec.Close()
}

// ID returns the database's random name, given when its tables were made: 32 hexadecimal digits.
func (s *Store) ID() string { return s.id }

// errClosed is what calls on a closed store are refused with.
var errClosed = fmt.Errorf("postgres: the store is closed: %w", storage.ErrUnavailable)

// enter counts a call in, unless ctx has ended or the store is closed; leave must follow.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *Store) leave() { s.calls.Done() }

// Close waits for the calls in progress, wakes those that Wait, and closes the connections. Later
// calls return storage.ErrUnavailable; a second Close does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.follow.close()
	s.calls.Wait()
	s.committer.drop()
	s.release()
	return nil
}

// TryAlone runs fn while no other process that calls TryAlone with the name runs its own, and reports
// whether it did; if another does it returns at once. If the connection breaks meanwhile another
// process may begin before fn ends.
func (s *Store) TryAlone(ctx context.Context, name string, fn func(context.Context) error) (ran bool, err error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.leave()
	conn, err := s.acquire(ctx)
	if err != nil {
		return false, failure(ctx, err)
	}
	defer conn.Release()
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, hashtext($2))", tablesLock, name).Scan(&ran); err != nil || !ran {
		return false, failure(ctx, err)
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock_all()")
	}()
	return true, fn(ctx)
}

// retry runs do on a connection, and again on another one while the server is away, up to
// Options.RetryFor. do must be able to run again.
func (s *Store) retry(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	return s.retryWhileAway(ctx, func() error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		return do(ctx, conn.Conn())
	})
}

// errUnfinished is the error of a function that did not return.
var errUnfinished = errors.New("a function did not return")

// retryWhileAway runs do, and again while the server is away, up to Options.RetryFor.
func (s *Store) retryWhileAway(ctx context.Context, do func() error) error {
	deadline := time.Now().Add(s.opts.RetryFor)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err := do()
		if err == nil || ctx.Err() != nil || !isAway(err) {
			return failure(ctx, err)
		}
		s.noteAway()
		if time.Now().After(deadline) {
			return failure(ctx, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// noteAway gives up all connections, because they are of a server that was found away.
func (s *Store) noteAway() {
	s.breaks.Add(1)
	s.pool.Reset()
}

// View runs fn on one snapshot of what is committed on a quorum, and returns fn's error.
func (s *Store) View(ctx context.Context, fn func(storage.Reader) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if storage.ExpectedReads(ctx).All {
		v := &view{ctx: ctx, done: make(chan error, 1)}
		s.views.add(&s.calls, "", v, s.readTogether)
		select {
		case err := <-v.done:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := fn(v.reader); v.reader.broken == nil {
			return err
		}
	}
	return s.snapshot(ctx, func(r *reader) error { return fn(r) })
}

// snapshot runs fn once on a snapshot. Only what comes before fn is tried again.
func (s *Store) snapshot(ctx context.Context, fn func(*reader) error) error {
	var r *reader
	var end func()
	err := s.retryWhileAway(ctx, func() (err error) {
		r, end, err = s.begin(ctx, storage.ExpectedReads(ctx))
		return err
	})
	if err != nil {
		return err
	}
	defer end()
	err = fn(r)
	if r.broken == nil {
		return err
	}
	if ctx.Err() == nil && isAway(r.broken) {
		s.noteAway()
	}
	if err == nil || errors.Is(err, r.broken) {
		return failure(ctx, r.broken)
	}
	return err
}

// checkKey refuses what no key of the key table is.
func checkKey(key []byte) error {
	if len(key) == 0 || key[0] == 0 || key[0] == 0xff {
		return fmt.Errorf("postgres: key %q does not begin with a table's letter", key)
	}
	return nil
}
