package edge_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/livery/internal/test/floods"
)

// witness asks a running edge from another address than the flood, over both protocols, and returns how many answers were
// wrong and how long the slowest took.
func witness(address, path string, asks int) (wrong []string, slowest time.Duration) {
	for n := range asks {
		start := time.Now()
		if err := askOnce(address, path, n%2 == 0); err != nil {
			wrong = append(wrong, err.Error())
		}
		slowest = max(slowest, time.Since(start))
	}
	return wrong, slowest
}

// askOnce asks for a file on a connection of its own.
func askOnce(address, path string, h2 bool) error {
	protocol := map[bool]string{true: "h2", false: "http/1.1"}[h2]
	c, err := floods.Dial("127.0.0.2", address, protocol)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if !h2 {
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil {
			return err
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
			return fmt.Errorf("HTTP/1.1: %v, %.40q", err, answer)
		}
		return nil
	}
	if _, err := io.WriteString(c, preface+headersOf(1, path)); err != nil {
		return err
	}
	for {
		f, err := floods.ReadFrame(c)
		switch {
		case err != nil:
			return fmt.Errorf("HTTP/2: %w", err)
		case f.Kind == frameHeaders && f.Payload[0] != 0x88: // ":status: 200" in the static table
			return fmt.Errorf("HTTP/2: the head is %q", f.Payload)
		case f.Kind == frameReset || f.Kind == frameGoAway:
			return fmt.Errorf("HTTP/2: frame %d, error %d", f.Kind, binary.BigEndian.Uint32(f.Payload[len(f.Payload)-4:]))
		case f.Stream == 1 && f.Flags&endStream != 0:
			return nil
		}
	}
}
