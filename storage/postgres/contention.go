package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Origins that write in one scope take turns, chain by chain, as long as contendedFor after one overtook another:
// else each would overtake the other again and again. A turn is a lock of the server's. It is a courtesy,
// and given up after turnWait: what was overtaken is found out when it is committed.
const (
	contendedFor = 5 * time.Second
	turnWait     = time.Second
	turnLock     = 0x4c495653 // the first half of the lock's name
)

// contend notes that another origin writes in a scope too.
func (a *chains) contend(scope string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.contended == nil {
		a.contended = map[string]time.Time{}
	}
	a.contended[scope] = time.Now()
}

// isContended reports whether another origin wrote in a scope of late.
func (a *chains) isContended(scope string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	since, there := a.contended[scope]
	if there && time.Since(since) > contendedFor {
		delete(a.contended, scope)
		return false
	}
	return there
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

func endTurn(conn *pgx.Conn, scope string) error {
	_, err := conn.Exec(context.Background(), "SELECT pg_advisory_unlock($1, hashtext($2))", turnLock, scope)
	return err
}
