//go:build linux

package soak

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"example.com/livery/renderer"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// soakFile is one file that clients of the soak ask for.
type soakFile struct {
	theme, pair, version int // version 0: the latest
	name                 string
}

// soakRequest is one request, and what the answer is held to.
type soakRequest struct {
	soakFile
	codings  string
	ranged   bool // asks for some bytes, as they are
	current  bool // asks whether the copy of an earlier answer is current, if there is one
	close    bool // on a connection of its own
	earliest int  // the oldest version that the latest may still be
}

// soakClient sends requests in one protocol.
type soakClient struct {
	name string
	edge *world.Edge
	http *http.Client
}

const (
	answerTime = 30 * time.Second // after which a request counts as hanging
	slowTime   = 5 * time.Minute  // the same, of a slow client
	mostAsked  = 256              // requests under way at a constant rate
	slowBytes  = 4 << 10          // that a slow client takes at a time
	slowPause  = 40 * time.Millisecond
)

// protocols are the clients of the soak: each is one of HTTP/1.1, HTTP/1.1 under TLS and HTTP/2. Slow ones take their
// answers a little at a time.
func (s *soak) protocols(slow bool) (clients []*soakClient) {
	for _, p := range []struct {
		name  string
		edge  *world.Edge
		http2 bool
	}{{"HTTP/1.1", s.plain, false}, {"HTTP/1.1 under TLS", s.edge, false}, {"HTTP/2", s.edge, true}} {
		var protocols http.Protocols
		protocols.SetHTTP1(!p.http2)
		protocols.SetHTTP2(p.http2)
		t := &http.Transport{
			DisableCompression: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: 5 * time.Second, Protocols: &protocols,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // an edge of this run, on the loopback
		}
		patience := answerTime
		if slow {
			p.name += ", slow"
			t.DialContext, patience = dialSlowly, slowTime
		}
		clients = append(clients, &soakClient{p.name, p.edge, &http.Client{Transport: t, Timeout: patience}})
	}
	return clients
}

// dialSlowly connects for a client that takes little at a time, with little room in its socket.
func dialSlowly(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return errors.Join(c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, slowBytes) }))
	}}
	c, err := d.DialContext(ctx, network, address)
	return slowConn{c}, err
}

type slowConn struct{ net.Conn }

// Read implements net.Conn.
func (c slowConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), slowBytes)])
	time.Sleep(slowPause) // it is what the client does, not a wait of the test
	return n, err
}

// tag is a copy that a client has.
type tag struct {
	text    string
	version int // of the latest
}

// oracle knows what every file holds: it renders natively what was published.
type oracle struct {
	mu   sync.Mutex
	sums map[soakFile][sha256.Size]byte // of version, which is not 0
	tags map[string]tag                 // by path and codings
}

// content returns a file as the renderer makes it natively. version is not 0.
func content(f soakFile) []byte {
	value := f.theme // of the first version
	if f.version > 1 {
		value = firstPublished + (f.version-2)*soakThemes + f.theme
	}
	overrides := ""
	if f.pair > 0 {
		overrides = `{"published":` + strconv.Itoa(world.Override(f.theme, f.pair-1)) + `}`
	}
	set, err := renderer.Load(world.Document(f.theme, tokensOf(f.theme), value), overrides, "")
	file, ok := renderer.FileByName(f.name)
	if err != nil || !ok {
		panic(fmt.Sprintf("%s cannot be rendered: %v", f.name, err)) // the documents are the soak's own
	}
	return set.Append(nil, file)
}

// is reports whether a body is the file of one of the versions from f.version to last, and returns which.
func (o *oracle) is(f soakFile, last int, body []byte) (version int, ok bool) {
	got := sha256.Sum256(body)
	for ; f.version <= last; f.version++ {
		o.mu.Lock()
		want, known := o.sums[f]
		o.mu.Unlock()
		if !known {
			want = sha256.Sum256(content(f))
			o.mu.Lock()
			o.sums[f] = want
			o.mu.Unlock()
		}
		if got == want {
			return f.version, true
		}
	}
	return 0, false
}

// tally counts the answers since it was taken last. It may be used concurrently.
type tally struct {
	mu       sync.Mutex
	now      traffic
	answers  map[string]int // right ones, by client
	examples []string       // of what went wrong
}

// take returns what was counted, and begins anew.
func (t *tally) take() (taken traffic) {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken, t.now = t.now, traffic{}
	return taken
}

func (t *tally) wrong(count *int, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if *count++; *count <= 10 && len(t.examples) < 40 { // counts begin anew with each sample
		t.examples = append(t.examples, fmt.Sprintf(format, args...))
	}
}

// atRate sends requests that become due at a constant rate, until ctx is done and every one has ended.
func (s *soak) atRate(ctx context.Context) {
	clients := s.protocols(false)
	next, due, turns := s.popularity(), time.NewTicker(time.Second/time.Duration(s.rate)), make(chan struct{}, mostAsked)
	defer due.Stop()
	var asked sync.WaitGroup
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			asked.Wait()
			for _, c := range clients {
				c.http.CloseIdleConnections()
			}
			return
		case at := <-due.C:
			select {
			case turns <- struct{}{}:
			default:
				s.tally.wrong(&s.tally.now.unanswered, "%d requests are under way", mostAsked)
				continue
			}
			r, c := next(n), clients[n%len(clients)]
			asked.Go(func() {
				s.ask(c, r, at)
				<-turns
			})
		}
	}
}

// slowly has slow clients ask for the long files until ctx is done.
func (s *soak) slowly(ctx context.Context) {
	const each = 4
	var asking sync.WaitGroup
	for i := range each {
		for _, c := range s.protocols(true) {
			asking.Go(func() {
				defer c.http.CloseIdleConnections()
				random := rand.New(rand.NewPCG(uint64(i), 7))
				for ctx.Err() == nil {
					s.ask(c, soakRequest{soakFile: soakFile{theme: soakThemes, version: 1, name: soakFiles[random.IntN(len(soakFiles))]}, codings: "identity"}, time.Now())
				}
			})
		}
	}
	asking.Wait()
}

// ask sends a request that was due at a time, and judges what becomes of it.
func (s *soak) ask(c *soakClient, r soakRequest, due time.Time) {
	path := s.origin.Path(s.themes[r.theme], r.pair, r.version, r.name)
	var connections atomic.Int32
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connections.Add(1) },
	}), http.MethodGet, c.edge.URL()+path, http.NoBody)
	if err != nil {
		panic(err) // the address is an edge's
	}
	request.Close = r.close
	request.Header.Set("Accept-Encoding", r.codings)
	if r.ranged {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", rangeFrom, rangeTo-1))
	}
	copyOf := r.codings + path
	s.oracle.mu.Lock()
	had := s.oracle.tags[copyOf]
	s.oracle.mu.Unlock()
	if r.current = r.current && had.version >= max(r.version, r.earliest); r.current {
		request.Header.Set("If-None-Match", had.text)
	}
	response, err := c.http.Do(request)
	if err != nil {
		s.tally.wrong(&s.tally.now.unanswered, "%s, %s: %v", c.name, path, err)
		return
	}
	body, err := io.ReadAll(response.Body)
	took := time.Since(due)
	_ = response.Body.Close()
	switch {
	case err != nil:
		s.tally.wrong(&s.tally.now.unanswered, "%s, %s: after %d bytes: %v", c.name, path, len(body), err)
	case connections.Load() > 1 && response.ProtoMajor == 1: // in HTTP/2 the server says which requests it did not look at
		s.tally.wrong(&s.tally.now.unanswered, "%s, %s: sent on %d connections", c.name, path, connections.Load())
	case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
		s.tally.mu.Lock()
		s.tally.now.shed++
		s.tally.mu.Unlock()
	case response.StatusCode == http.StatusNotModified && r.current && response.Header.Get("ETag") == had.text:
		s.count(c, response, took)
	default:
		version, fault := s.judge(&r, response, body)
		if fault != "" {
			s.tally.wrong(&s.tally.now.failed, "%s, %s, %+v: %s, %v", c.name, path, r, fault, response.Header)
			return
		}
		s.count(c, response, took)
		s.oracle.mu.Lock()
		s.oracle.tags[copyOf] = tag{response.Header.Get("ETag"), version}
		s.oracle.mu.Unlock()
	}
}

// count counts a right answer.
func (s *soak) count(c *soakClient, response *http.Response, took time.Duration) {
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	s.tally.answers[c.name]++
	switch {
	case strings.HasSuffix(c.name, ", slow"): // how long it takes is the client's doing
	case response.Header.Get("Cache-Status") == "livery; hit":
		s.tally.now.hits = append(s.tally.now.hits, took)
	default:
		s.tally.now.misses = append(s.tally.now.misses, took)
	}
}

// The part of a file that some requests ask for.
const rangeFrom, rangeTo = 100, 1100

// judge returns the version that an answer has, and what is wrong with it.
func (s *soak) judge(r *soakRequest, response *http.Response, body []byte) (version int, fault string) {
	f, last := r.soakFile, r.version
	if r.version == 0 {
		f.version, last = r.earliest, int(s.latest[r.theme].Load())+1
	}
	plain, err := decoded(response.Header.Get("Content-Encoding"), body)
	switch {
	case r.ranged && response.StatusCode == http.StatusPartialContent:
		for ; f.version <= last; f.version++ {
			if bytes.Equal(body, content(f)[rangeFrom:rangeTo]) {
				return f.version, ""
			}
		}
		return 0, "the bytes of the range are wrong"
	case response.StatusCode != http.StatusOK || r.ranged:
		return 0, fmt.Sprintf("status %d: %.200q", response.StatusCode, body)
	case err != nil:
		return 0, err.Error()
	}
	version, ok := s.oracle.is(f, last, plain)
	if !ok {
		fault = fmt.Sprintf("%d bytes are those of none of the versions %d to %d", len(plain), f.version, last)
	}
	return version, fault
}

// decoded returns what a body says.
func decoded(coding string, body []byte) ([]byte, error) {
	switch coding {
	case "":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "br":
		return io.ReadAll(brotli.NewReader(bytes.NewReader(body)))
	case "zstd":
		return unpack().DecodeAll(body, nil)
	}
	return nil, fmt.Errorf("the coding is %q", coding)
}

var unpack = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // there is nothing to read
	}
	return d
})

// reportAll adds what came of the whole run.
func (s *soak) reportAll(set *figures.Set, samples []sample) {
	add := func(name, unit string, value float64) {
		set.AddOne(figures.Figure{Name: name, Subject: "all", Unit: unit}, value)
	}
	var all traffic
	for _, taken := range samples {
		all.add(taken.traffic)
	}
	add("highest resident", "MiB", slices.Max(values(samples, func(s sample) float64 { return s.resident }))/mib)
	add("told to come again (503)", "answers", float64(all.shed))
	add("wrong answers", "answers", float64(all.failed))
	add("lost requests", "answers", float64(all.unanswered))
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.tally.answers)) {
		add("right answers, "+name, "answers", float64(s.tally.answers[name]))
	}
}
