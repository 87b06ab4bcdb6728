package postgres

import (
	"context"
	"net"
	"sync"
	"time"
)

// answerWithin is how long a server may be silent while a statement runs. All statements but commits are
// short, or send rows as they go.
const answerWithin = 8 * time.Second

// deadlineConn is a connection whose reads end with an error when nothing comes for answerWithin: a server
// that hangs acknowledges what is sent to it for ever.
type deadlineConn struct {
	net.Conn

	mu  sync.Mutex // guards end, and the order of deadlines
	end time.Time  // the driver's own deadline for reads; zero means none
}

// Read is that of the connection, with a deadline.
func (c *deadlineConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	end := time.Now().Add(answerWithin)
	if !c.end.IsZero() && c.end.Before(end) {
		end = c.end
	}
	err := c.Conn.SetReadDeadline(end)
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// SetDeadline is that of the connection.
func (c *deadlineConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = t
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline is that of the connection.
func (c *deadlineConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = t
	return c.Conn.SetReadDeadline(t)
}

// dial connects to a server.
type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// impatiently returns a dial of impatient connections.
func impatiently(to dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := to(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &deadlineConn{Conn: conn}, nil
	}
}
