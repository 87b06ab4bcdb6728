package httpserver

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"example.com/livery/origin/share"
)

// A client that takes an answer slowly has all of it, and one that stops is cut off.
func TestGuardedConn_Write(t *testing.T) {
	const answer = 20 * step
	for _, c := range []struct {
		name  string
		taken int64
		err   error
	}{
		{"slow", answer, nil},
		{"deaf", answer / 2, os.ErrDeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := net.Pipe()
				memory := share.NewBudget(1<<20, 0)
				room := memory.For(share.Caller{})
				if err := room.Resize(1000); err != nil {
					t.Fatal(err)
				}
				conn := &guardedConn{Conn: server, writeTimeout: time.Minute, release: func() {}}
				conn.answer.Store(room)
				go func() {
					for taken := int64(0); taken < c.taken; taken += step {
						time.Sleep(50 * time.Second)
						_, _ = io.CopyN(io.Discard, client, step)
					}
				}()
				n, err := conn.Write(make([]byte, answer))
				if int64(n) != c.taken || !errors.Is(err, c.err) {
					t.Errorf("Write() = %d, %v, want %d, %v", n, err, c.taken, c.err)
				}
				if used := memory.Used(); used != 1000 {
					t.Errorf("%d bytes are reserved while the answer is written, want 1000", used)
				}
				_ = conn.Close()
				_ = client.Close()
				if used := memory.Used(); used != 0 {
					t.Errorf("%d bytes are reserved when the connection is closed, want none", used)
				}
			})
		})
	}
}
