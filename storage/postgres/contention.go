package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/livery/storage"
)

// Origins that write in one scope take turns, chain by chain: else each would overtake the other again and again. An
// origin takes turns from when its commit finds that another committed in the scope since its own last one, or
// overtook it, until contendedFor of its chains found nothing of the kind. A turn is a lock of the server's. It is a
// courtesy, and given up after turnWait: what was overtaken is found out when it is committed.
const (
	contendedFor = 8
	turnWait     = time.Second
	turnLock     = 0x4c495653 // the first half of the lock's name
)

// contention knows the scopes in which other origins write too.
type contention struct {
	mu        sync.Mutex        // guards below
	own       map[string]uint64 // this origin's newest entry of a scope
	contended map[string]int    // for so many chains more
}

func newContention() *contention {
	return &contention{own: map[string]uint64{}, contended: map[string]int{}}
}

// mostOwn bounds the scopes that are known; all are forgotten beyond it.
const mostOwn = 1 << 14

// wrote notes that this origin committed in a scope, and the scope's newest entry before.
func (c *contention) wrote(scope string, before, at uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last, known := c.own[scope]; known && last != before {
		c.contended[scope] = contendedFor
	}
	if len(c.own) >= mostOwn {
		clear(c.own)
		clear(c.contended)
	}
	c.own[scope] = at
}

// overtaken notes that another origin overtook this one in a scope.
func (c *contention) overtaken(scope string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.contended[scope] = contendedFor
}

// wantsTurn reports whether the next writer of a scope should wait for its turn, on a connection of the pool; its
// leaveTurn must follow then.
func (c *contention) wantsTurn(scope string, p *pool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.contended[scope]
	if left > 1 {
		c.contended[scope] = left - 1
	} else {
		delete(c.contended, scope)
	}
	return left > 0 && scope != storage.Global && p.enterTurn()
}

// awaitTurn waits for the turn of a scope if it is contended. end gives it up.
func (s *Store) awaitTurn(ctx context.Context, scope string) (end func()) {
	if !s.contention.wantsTurn(scope, s.pool) {
		return func() {}
	}
	if conn, err := s.pool.take(ctx); err == nil {
		var taken bool
		if taken, err = takeTurn(ctx, conn, scope); taken {
			return func() { s.pool.giveTurn(conn, scope, nil) }
		}
		s.pool.give(ctx, conn, err)
	}
	s.pool.leaveTurn()
	return func() {}
}

// giveTurn gives up the turn of a scope, and the connection that has it back.
func (p *pool) giveTurn(conn *pgx.Conn, scope string, err error) {
	if err == nil {
		_, err = conn.Exec(context.Background(), "SELECT pg_advisory_unlock($1, hashtext($2))", turnLock, scope)
	}
	p.give(context.Background(), conn, err)
	p.leaveTurn()
}

// takeTurn waits for the turn of a scope, and reports whether the connection has it.
func takeTurn(ctx context.Context, conn *pgx.Conn, scope string) (bool, error) {
	b := &pgx.Batch{} // one transaction, because no statement of it begins one
	b.Queue("SELECT set_config('lock_timeout', $1, true)", strconv.FormatInt(turnWait.Milliseconds(), 10))
	b.Queue("SELECT pg_advisory_lock($1, hashtext($2))", turnLock, scope)
	err := conn.SendBatch(ctx, b).Close()
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == lockNotAvailable {
		return false, nil
	}
	return err == nil, err
}
