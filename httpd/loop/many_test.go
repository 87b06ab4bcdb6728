package loop

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestManyConnectionsOverSeveralThreads: every client gets the answers to its own requests, in order,
// whichever server gives them.
func TestManyConnectionsOverSeveralThreads(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open(func(c *Config) { c.Threads = 3 })
		paths := []string{"/2k.css", "/20k.css", "/200k.css", "/missed.css", "/empty.css", "/panic.css"}
		var clients sync.WaitGroup
		for i := range 100 {
			c := h.dial(t)
			random := rand.New(rand.NewPCG(uint64(i), 7))
			clients.Go(func() {
				if err := converse(c, h.site, paths, random); err != "" {
					t.Error(err)
				}
				_ = c.Close()
			})
		}
		clients.Wait()
		eventually(t, "every connection has ended", func() bool { return h.loop.Stats().Connections == 0 })
	})
}

// converse asks for some files at random, up to five at a time, and says what is wrong with the answers.
func converse(c net.Conn, s *site, paths []string, random *rand.Rand) string {
	r := bufio.NewReader(c)
	for range 20 {
		var text strings.Builder
		var asked []string
		for range 1 + random.IntN(5) {
			path := paths[random.IntN(len(paths))]
			asked = append(asked, path)
			text.WriteString(get(path))
		}
		if _, err := io.WriteString(c, text.String()); err != nil {
			return err.Error()
		}
		for _, path := range asked {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				return path + ": " + err.Error()
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || string(body) != string(s.files[path].body) {
				return path + ": another body"
			}
		}
	}
	return ""
}

// TestConnectionsThatComeAndGo: a descriptor that is used again belongs to the new client alone.
func TestConnectionsThatComeAndGo(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		var clients sync.WaitGroup
		for i := range 8 {
			random := rand.New(rand.NewPCG(uint64(i), 8))
			clients.Go(func() {
				for range 60 {
					c, err := h.connect()
					if err != nil {
						t.Error(err)
						return
					}
					path := []string{"/2k.css", "/nothing", "/200k.css"}[random.IntN(3)]
					_, _ = io.WriteString(c, get(path, "Connection: close"))
					if random.IntN(3) == 0 { // and goes before the answer
						_ = socket(c).SetLinger(random.IntN(2) - 1)
						_ = c.Close()
						continue
					}
					resp, err := http.ReadResponse(bufio.NewReader(c), nil)
					if err == nil {
						_, err = io.Copy(io.Discard, resp.Body)
					}
					if err != nil {
						t.Errorf("%s: %v", path, err)
					}
					_ = c.Close()
				}
			})
		}
		clients.Wait()
		eventually(t, "every connection has ended", func() bool { return h.loop.Stats().Connections == 0 })
	})
}
