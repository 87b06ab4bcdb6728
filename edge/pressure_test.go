package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge"
)

// pressed returns small in an ordinary run and full in that of make suite NAME=pressure.
func pressed(small, full int) int {
	if os.Getenv("LIVERY_PRESSURE") == "full" {
		return full
	}
	return small
}

// tally counts answers by status, and what was no answer.
type tally struct {
	status [600]atomic.Int64
	lost   atomic.Int64
	bare   atomic.Int64 // 503 without Retry-After
	wrong  atomic.Int64 // 200 with another body than it should have
}

// String tells the counts that are not 0.
func (c *tally) String() string {
	text := fmt.Sprintf("lost %d, bare %d, wrong %d", c.lost.Load(), c.bare.Load(), c.wrong.Load())
	for status := range c.status {
		if n := c.status[status].Load(); n > 0 {
			text += fmt.Sprintf(", %d: %d", status, n)
		}
	}
	return text
}

// only reports whether every answer was 200 or, if shed is true, a 503 that says when to come again.
func (c *tally) only(shed bool) bool {
	for status := range c.status {
		if n := c.status[status].Load(); n > 0 && status != 200 && (status != 503 || !shed) {
			return false
		}
	}
	return c.lost.Load() == 0 && c.bare.Load() == 0 && c.wrong.Load() == 0
}

// caller is one connection of a client that sends one request after the other.
type caller struct {
	conn   net.Conn
	reader *bufio.Reader
}

func call(address string) (*caller, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &caller{conn, bufio.NewReaderSize(conn, 4<<10)}, nil
}

// ask counts the answer to one request, whose body must hold a text if it is 200.
func (c *caller) ask(path, codings, text string, counts *tally) bool {
	if _, err := fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: a\r\nAccept-Encoding: %s\r\n\r\n", path, codings); err != nil {
		counts.lost.Add(1)
		return false
	}
	res, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		counts.lost.Add(1)
		return false
	}
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		counts.lost.Add(1)
		return false
	case res.StatusCode == 503 && res.Header.Get("Retry-After") == "":
		counts.bare.Add(1)
	case res.StatusCode == 200 && !strings.Contains(string(body), text):
		counts.wrong.Add(1)
	default:
		counts.status[res.StatusCode].Add(1)
	}
	return !res.Close
}

func (r *running) address() string { return strings.TrimPrefix(r.url, "http://") }

// inUse returns what Go holds of memory, after a collection.
func inUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what was in pools is gone after the second one
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

// Many connections that wait cost little, and those at work among them get every answer.
func TestPressureOfConnections(t *testing.T) {
	idle, busy, each := pressed(300, 10_000), pressed(100, 2_000), pressed(20, 50)
	raiseFiles(t, idle+2*busy+500)
	f := publishedFeed(t)
	r := run(t, f, func(c *edge.Config) { c.MaxConnsPerClient = -1 })
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	r.client.CloseIdleConnections()
	before := inUse()
	others := startIdlers(t, r.address(), latest, idle)
	if open := int(r.counted("livery_edge_connections")); open < idle {
		t.Errorf("%d connections are open, want %d", open, idle)
	}
	cost := (inUse() - before) / int64(idle)
	if most := map[bool]int64{true: 4 << 10, false: 64 << 10}[fastPath(t)]; cost > most {
		t.Errorf("a connection that waits costs %d bytes, want %d at most", cost, most)
	}
	var counts tally
	var clients sync.WaitGroup
	for range busy {
		c, err := call(r.address())
		if err != nil {
			t.Fatal(err)
		}
		clients.Go(func() {
			defer c.conn.Close()
			for n := 0; n < each && c.ask(latest, "identity", "4px", &counts); n++ {
			}
		})
	}
	clients.Wait()
	if !counts.only(false) || counts.status[200].Load() != int64(busy*each) {
		t.Errorf("%d connections at work: %s", busy, &counts)
	}
	if answered := others.ask(); answered != idle {
		t.Errorf("%d of %d connections that had waited were answered", answered, idle)
	}
	t.Logf("%d connections that wait cost %d bytes each; %d at work: %s", idle, cost, busy, &counts)
}

// Who does not read what was asked for is cut off, and holds up nobody meanwhile.
func TestPressureOfSlowReaders(t *testing.T) {
	slow, each := pressed(20, 500), pressed(100, 2_000)
	raiseFiles(t, 2*slow+500)
	f := newFeed(t)
	f.publish(thm, largeTheme())
	r := run(t, f, func(c *edge.Config) { c.WriteTimeout = 2 * time.Second })
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "px")
	var readers []*caller
	for range slow {
		c, err := call(r.address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.conn.Close()
		_ = c.conn.(*net.TCPConn).SetReadBuffer(16 << 10)
		for range 100 { // together far more than any buffer on the way takes
			if _, err := fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", latest); err != nil {
				t.Fatal(err)
			}
		}
		readers = append(readers, c)
	}
	var counts tally
	var clients sync.WaitGroup
	for range 4 {
		c, err := call(r.address())
		if err != nil {
			t.Fatal(err)
		}
		clients.Go(func() {
			defer c.conn.Close()
			for n := 0; n < each && c.ask(latest, "gzip", "", &counts); n++ {
			}
		})
	}
	clients.Wait()
	if !counts.only(false) || counts.status[200].Load() != int64(4*each) {
		t.Errorf("others meanwhile: %s", &counts)
	}
	r.client.CloseIdleConnections()
	eventually(t, "all of them are cut off", func() bool { return r.counted("livery_edge_connections") == 0 })
	for _, c := range readers {
		clients.Go(func() {
			_ = c.conn.SetReadDeadline(time.Now().Add(5 * time.Second)) // its system may not hear that it was cut off
			if n, err := io.Copy(io.Discard, c.conn); err == nil && n > 90*200<<10 {
				t.Errorf("one that did not read got all %d bytes", n)
			}
		})
	}
	clients.Wait()
}

// largeTheme is one with a stylesheet of some 250 KB.
func largeTheme() string {
	var b strings.Builder
	b.WriteString(`{"space":{"$type":"dimension"`)
	for i := range 12_000 {
		fmt.Fprintf(&b, `,"s%d":{"$value":"%dpx"}`, i, i)
	}
	return b.String() + "}}"
}

// numbered is a Theme whose files tell its version.
func numbered(n int) string {
	return strings.Replace(bigTheme(), `"$type"`, fmt.Sprintf(`"version":{"$value":"%dpx"},"$type"`, 1_000_000+n), 1)
}

// A cold edge with a small memory, under Zipf traffic over all versions while more are published, answers
// with the right bytes or says when to come again, and holds no more than it may.
func TestPressureOnAColdCache(t *testing.T) {
	const budget = 1 << 20
	clients, lasting, every := pressed(8, 32), time.Duration(pressed(2, 60))*time.Second, time.Duration(pressed(100, 1000))*time.Millisecond
	f := newFeed(t)
	for n := range 5 {
		f.publish(thm, numbered(n+1))
	}
	r := run(t, f, func(c *edge.Config) { c.CacheBytes = budget })
	r.settle()
	var newest atomic.Int64
	newest.Store(5)
	ended := make(chan struct{})
	var working sync.WaitGroup
	var counts tally
	for i := range clients {
		working.Go(func() { wander(r.address(), rand.New(rand.NewPCG(uint64(i), 3)), &newest, ended, &counts) })
	}
	most := 0.0
	for began, turns := time.Now(), time.NewTicker(every); time.Since(began) < lasting; {
		<-turns.C
		f.publish(thm, numbered(int(newest.Load())+1))
		newest.Add(1)
		most = max(most, r.counted("livery_edge_cache_bytes"))
	}
	close(ended)
	working.Wait()
	if !counts.only(true) || counts.status[200].Load() == 0 {
		t.Errorf("answers: %s", &counts)
	}
	if most > budget*5/4 { // what is over goes in the background
		t.Errorf("%v bytes were held, the budget is %d", most, budget)
	}
	if evicted := r.counted("livery_edge_cache_evictions_total"); evicted == 0 {
		t.Error("nothing had to make place: the budget was not pressed")
	}
	t.Logf("%d versions, %s; %v bytes held at most", newest.Load(), &counts, most)
}

// wander asks for versions by Zipf's law, the newest most, in every coding.
func wander(address string, random *rand.Rand, newest *atomic.Int64, ended chan struct{}, counts *tally) {
	zipf := rand.NewZipf(random, 1.2, 2, 1<<20)
	var c *caller
	defer func() {
		if c != nil {
			c.conn.Close()
		}
	}()
	for {
		select {
		case <-ended:
			return
		default:
		}
		if c == nil {
			var err error
			if c, err = call(address); err != nil {
				counts.lost.Add(1)
				return
			}
		}
		last := uint64(newest.Load())
		version := last - zipf.Uint64()%last
		file := []string{"tokens.css", "tokens.json", "tokens.flat.json", "tokens.dtcg.json"}[random.IntN(4)]
		coding, text := "identity", strconv.FormatUint(1_000_000+version, 10)
		if n := random.IntN(4); n > 0 {
			coding, text = []string{"gzip", "zstd", "br"}[n-1], ""
		}
		if !c.ask(path("-", strconv.FormatUint(version, 10), file), coding, text, counts) {
			c.conn.Close()
			c = nil
		}
	}
}

// Beyond what may wait at one time requests are told to come again; what is held is served meanwhile,
// and as soon as upstream answers all is as before.
func TestPressureSheds(t *testing.T) {
	const waiting = 1024
	crowd := waiting + pressed(100, 2_000)
	raiseFiles(t, 2*crowd+500)
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	latest, cold := path("-", "latest", "tokens.css"), path("-", "1", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	before := inUse()
	release := f.held()
	var counts tally
	var working sync.WaitGroup
	for range crowd {
		c, err := call(r.address())
		if err != nil {
			release()
			t.Fatal(err)
		}
		working.Go(func() {
			defer c.conn.Close()
			c.ask(cold, "identity", "4px", &counts)
		})
	}
	eventually(t, "the rest are told to come again", func() bool { return counts.status[503].Load() >= int64(crowd-waiting) })
	for range 50 {
		want(t, r.get(latest), 200, "4px")
	}
	release()
	working.Wait()
	if !counts.only(true) || counts.status[200].Load() < waiting/2 {
		t.Errorf("a crowd of %d: %s", crowd, &counts)
	}
	if shed := r.counted("livery_edge_shed_total"); int64(shed) != counts.status[503].Load() {
		t.Errorf("%v are counted as shed, %d were", shed, counts.status[503].Load())
	}
	want(t, r.get(cold), 200, "4px")
	eventually(t, "the memory is given back", func() bool { return inUse()-before < 16<<20 })
	t.Logf("a crowd of %d: %s", crowd, &counts)
}
