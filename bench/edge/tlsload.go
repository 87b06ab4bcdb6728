//go:build linux

package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// secureSubject is one running server under TLS.
type secureSubject struct {
	name    string
	address string
	process *os.Process
	paths   map[string]string // where a scenario's path is here
	trusted *x509.CertPool
}

// secureAsk sends one request and takes its answer.
type secureAsk func() error

// load has the server answer a scenario for some time.
func (s *secureSubject) load(sc secureScenario, d time.Duration) (m measured, err error) {
	asks, done, err := s.askers(sc)
	defer done()
	if err != nil {
		return m, err
	}
	server := subject{process: s.process}
	before, err := server.busy()
	if err != nil {
		return m, err
	}
	started := time.Now()
	waits, err := askAll(asks, started.Add(d))
	if err != nil {
		return m, err
	}
	m.took = time.Since(started)
	after, err := server.busy()
	m.busy, m.requests, m.waits = after-before, len(waits), waits
	slices.Sort(m.waits)
	return m, err
}

// askAll has everybody ask at once, one request after the other, until end.
func askAll(asks []secureAsk, end time.Time) (waits []time.Duration, err error) {
	var mu sync.Mutex // guards waits and err
	var working sync.WaitGroup
	for _, ask := range asks {
		working.Go(func() {
			var own []time.Duration
			var failed error
			for now := time.Now(); failed == nil && now.Before(end); {
				failed = ask()
				then := time.Now()
				own, now = append(own, then.Sub(now)), then
			}
			mu.Lock()
			defer mu.Unlock()
			waits, err = append(waits, own...), errors.Join(err, failed)
		})
	}
	working.Wait()
	return waits, err
}

// askers opens the connections of a scenario and asks once on each. done closes them.
func (s *secureSubject) askers(sc secureScenario) (asks []secureAsk, done func(), err error) {
	var closes []func()
	done = func() {
		for _, c := range closes {
			c()
		}
	}
	for range sc.conns {
		var ask secureAsk
		var end func()
		switch {
		case sc.streams > 0:
			ask, end = s.overHTTP2(sc)
		case sc.fresh:
			ask, end, err = s.anew(sc)
		default:
			ask, end, err = s.kept(sc)
		}
		if err != nil {
			return nil, done, err
		}
		closes = append(closes, end)
		if err := ask(); err != nil {
			return nil, done, err
		}
		for range max(1, sc.streams) {
			asks = append(asks, ask)
		}
	}
	return asks, done, nil
}

func (s *secureSubject) config() *tls.Config {
	return &tls.Config{RootCAs: s.trusted, ServerName: "127.0.0.1", NextProtos: []string{"http/1.1"}}
}

func (s *secureSubject) request(sc secureScenario) string {
	head := "GET " + s.paths[sc.path] + " HTTP/1.1\r\nHost: files.example\r\n"
	if sc.coding != "" {
		head += "Accept-Encoding: " + sc.coding + "\r\n"
	}
	if sc.fresh {
		head += "Connection: close\r\n"
	}
	return head + "\r\n"
}

// kept asks on one connection of HTTP/1.1.
func (s *secureSubject) kept(sc secureScenario) (secureAsk, func(), error) {
	c, err := tls.Dial("tcp", s.address, s.config())
	if err != nil {
		return nil, nil, err
	}
	request := []byte(s.request(sc))
	size, err := exchange(c, request)
	if err != nil {
		return nil, nil, err
	}
	buffer := make([]byte, size)
	return func() error {
		if _, err := c.Write(request); err != nil {
			return err
		}
		_, err := io.ReadFull(c, buffer)
		return err
	}, func() { _ = c.Close() }, nil
}

// anew asks on a new connection each time.
func (s *secureSubject) anew(sc secureScenario) (secureAsk, func(), error) {
	config, request, first := s.config(), []byte(s.request(sc)), true
	if sc.resumed {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	}
	return func() error {
		c, err := tls.Dial("tcp", s.address, config)
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err := exchange(c, request); err != nil {
			return err
		}
		if resumed := c.ConnectionState().DidResume; resumed != (sc.resumed && !first) {
			return fmt.Errorf("the session was resumed: %t", resumed)
		}
		first = false
		return nil
	}, func() {}, nil
}

// exchange asks, checks the answer and returns its length.
func exchange(c io.ReadWriter, request []byte) (int, error) {
	if _, err := c.Write(request); err != nil {
		return 0, err
	}
	counted := &counter{r: c}
	r := bufio.NewReader(counted)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, err
	}
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %d", res.StatusCode)
	}
	return counted.n - r.Buffered(), nil
}

// overHTTP2 asks on one connection of HTTP/2, as many at once as call it.
func (s *secureSubject) overHTTP2(sc secureScenario) (secureAsk, func()) {
	config := s.config()
	config.NextProtos = []string{"h2"}
	t := &http.Transport{ForceAttemptHTTP2: true, DisableCompression: true, TLSClientConfig: config}
	return func() error {
		req, err := http.NewRequest(http.MethodGet, "https://"+s.address+s.paths[sc.path], http.NoBody)
		if err != nil {
			return err
		}
		if sc.coding != "" {
			req.Header.Set("Accept-Encoding", sc.coding)
		}
		res, err := t.RoundTrip(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK || res.ProtoMajor != 2 {
			return fmt.Errorf("%s %s", res.Proto, res.Status)
		}
		return nil
	}, t.CloseIdleConnections
}
