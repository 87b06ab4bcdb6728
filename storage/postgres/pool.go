package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
)

// pool lends connections for reading and for putting blobs. A connection on which anything went wrong
// is not lent again.
type pool struct {
	config *pgx.ConnConfig
	turns  chan struct{} // one for each connection that may be lent
	waits  chan struct{} // one for each of them that may wait for another origin, or have its turn
	breaks atomic.Int64  // how often the server was found away

	mu   sync.Mutex // guards idle
	idle []*pgx.Conn
}

func newPool(config *pgx.ConnConfig, o Options) *pool {
	config = config.Copy()
	config.DialFunc = pgconn.DialFunc(impatiently(dial(config.DialFunc)))
	return &pool{config: config, turns: make(chan struct{}, o.MaxConnections), waits: make(chan struct{}, o.MaxConnections/2)}
}

// take waits for a turn and returns a connection; give must follow.
func (p *pool) take(ctx context.Context) (*pgx.Conn, error) {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if conn := p.pop(); conn != nil {
		return conn, nil
	}
	conn, err := lasting(ctx, p.config)
	if err != nil {
		p.broke(ctx, err)
		<-p.turns
	}
	return conn, err
}

// pop returns an unused connection, or nil.
func (p *pool) pop() *pgx.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		conn := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if !conn.IsClosed() {
			return conn
		}
	}
	return nil
}

// give takes a connection back, or closes it if anything went wrong, which err is. Closing does not wait for
// the server.
func (p *pool) give(ctx context.Context, conn *pgx.Conn, err error) {
	defer func() { <-p.turns }()
	if err == nil && conn.PgConn().TxStatus() == 'I' {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, conn)
		return
	}
	drop(conn)
	p.broke(ctx, err)
}

// end gives a connection back once its snapshot has ended, which no caller waits for.
func (p *pool) end(ctx context.Context, conn *pgx.Conn, err error) {
	if err != nil || conn.IsClosed() {
		p.give(ctx, conn, cmp.Or(err, errUnfinished))
		return
	}
	go func() {
		_, err := conn.Exec(context.Background(), "COMMIT")
		p.give(context.Background(), conn, err)
	}()
}

// shut waits until every connection is given back, and closes them.
func (p *pool) shut() {
	for range cap(p.turns) {
		p.turns <- struct{}{}
	}
	p.close()
}

// broke notes that the server may be away.
func (p *pool) broke(ctx context.Context, err error) {
	if ctx.Err() == nil && isAway(err) {
		p.breaks.Add(1)
		p.close() // the others are of the same server
	}
}

// enterTurn reports whether a connection may wait for another origin: half of them may not, so that one of those is
// never the last. leaveTurn must follow.
func (p *pool) enterTurn() bool {
	select {
	case p.waits <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p *pool) leaveTurn() { <-p.waits }

// drop closes a connection and waits until its goroutine is gone.
func drop(conn *pgx.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = conn.Close(ctx)
	_ = conn.PgConn().Conn().Close() // the driver may be waiting for a server that says nothing
	<-conn.PgConn().CleanupDone()
}

// close closes the connections that are not lent.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.idle {
		drop(conn)
	}
	p.idle = nil
}

// lasting connects for work that must never be cancelled: when a connection breaks, the driver asks
// the server to cancel what it does, and a commit that waits for its quorum would then be shown
// before it is there. The connection it would ask by is refused. Reading is short, and nothing is gained
// by asking a server that hangs to end it.
func lasting(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	c := config.Copy()
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if connected.Load() {
			return nil, errors.New("postgres: a commit is not cancelled")
		}
		return dial(ctx, network, addr)
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	connected.Store(true)
	return conn, nil
}

// errAway means that a primary is missing.
var errAway = errors.New("no primary answers")

// lockNotAvailable is the server's code for a lock that was waited for in vain.
const lockNotAvailable = "55P03"

// isAway reports whether an error means that the server is away or not the primary any more, so that
// the same may succeed on another connection.
func isAway(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		var network net.Error
		return errors.Is(err, errAway) || errors.As(err, &network) || pgconn.SafeToRetry(err) || isBroken(err)
	}
	switch pg.Code {
	case "57P01", "57P02", "57P03", "57P05", // shut down, crashed, starting up, idle for too long
		"25006",          // the primary is a standby now
		lockNotAvailable, // the head of the log is held by a connection that may be gone
		"40001", "40P01", // serialization, deadlock
		"53300": // too many connections
		return true
	}
	return strings.HasPrefix(pg.Code, "08")
}

// isBroken reports whether an error is that of a connection which ended in the midst.
func isBroken(err error) bool {
	text := err.Error()
	return strings.Contains(text, "conn closed") || strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn busy")
}

// failure names what callers branch on; nil stays nil.
func failure(ctx context.Context, err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, storage.ErrUnavailable):
		return err
	case errors.As(err, &pg) && pg.Code == "53100":
		return fmt.Errorf("postgres: %w: %w", storage.ErrNoSpace, err)
	case errors.As(err, &pg) && strings.HasPrefix(pg.Code, "XX"):
		return fmt.Errorf("postgres: %w: %w", storage.ErrCorrupt, err)
	case isAway(err):
		return fmt.Errorf("postgres: %w: %w", storage.ErrUnavailable, err)
	}
	return err
}
