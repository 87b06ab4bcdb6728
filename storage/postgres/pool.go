package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/livery/storage"
)

// newPool returns the connections for reading and for putting blobs.
func newPool(ctx context.Context, config *pgxpool.Config, o Options) (*pgxpool.Pool, error) {
	config.MaxConns = int32(o.MaxConnections)
	config.ConnConfig.DialFunc = pgconn.DialFunc(impatiently(dial(config.ConnConfig.DialFunc)))
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		neverCancel(c)
		return nil
	}
	config.BeforeClose = func(c *pgx.Conn) {
		if c.IsClosed() {
			_ = c.PgConn().Conn().Close() // the driver may be waiting for a server that says nothing
		}
	}
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // what breaks is tried again
	return pgxpool.NewWithConfig(ctx, config)
}

// acquire returns a connection of the pool; its Release must follow.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	return conn, nil
}

// connect makes a connection that is not of the pool; drop must follow.
func connect(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	c := config.Copy()
	neverCancel(c)
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	return conn, nil
}

// neverCancel prepares the configuration of one connection: when the connection breaks, the driver asks
// the server to cancel what it does, and a commit that waits for its quorum would then be shown
// before it is there. The connection it would ask by is refused. Reading is short, and nothing is gained
// by asking a server that hangs to end it.
func neverCancel(c *pgx.ConnConfig) {
	var connected atomic.Bool
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if connected.Load() {
			return nil, errors.New("postgres: a commit is not cancelled")
		}
		return dial(ctx, network, addr)
	}
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
}

// drop closes a connection and waits until its goroutine is gone.
func drop(conn *pgx.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = conn.Close(ctx)
	_ = conn.PgConn().Conn().Close() // the driver may be waiting for a server that says nothing
	<-conn.PgConn().CleanupDone()
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
