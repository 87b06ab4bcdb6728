package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge"
)

// flood asks for addresses on one connection, many at a time, and counts the answers by status.
func flood(t *testing.T, r *running, addresses []string, counts *[600]atomic.Int64) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 64<<10)
	const batch = 50
	for len(addresses) > 0 {
		now := addresses[:min(batch, len(addresses))]
		addresses = addresses[len(now):]
		var requests strings.Builder
		for _, address := range now {
			requests.WriteString("GET " + address + " HTTP/1.1\r\nHost: a\r\n\r\n")
		}
		if _, err := io.WriteString(conn, requests.String()); err != nil {
			t.Error(err)
			return
		}
		for range now {
			res, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			counts[res.StatusCode].Add(1)
		}
	}
}

// A flood of 20,000 addresses that do not exist, Themes, Variants, versions and modes, reaches upstream with a
// few questions only, stays within the memory budget, and takes nothing from who asks for what exists
// (decisions 7.8).
func TestFloodOfUnknownAddresses(t *testing.T) {
	t.Parallel()
	const workers, budget, total = 8, 16 << 20, 20_000
	f := publishedFeed(t)
	r := run(t, f, func(c *edge.Config) { c.CacheBytes = budget })
	r.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	asked := func() int { return f.count("themes/") + f.count("pairs/") }
	before, started := asked(), time.Now()

	var counts [600]atomic.Int64
	var clients sync.WaitGroup
	for w := range workers {
		var addresses []string
		for i := w; i < total; i += workers {
			address := fmt.Sprintf("/%s/thm_%026d/-/latest/tokens.css", env, i+1000)
			switch i / workers % 4 {
			case 1:
				address = path(fmt.Sprintf("var_%026d", i+1000), "latest", "tokens.css")
			case 2:
				address = path("-", fmt.Sprint(i+1000), "tokens.css")
			case 3:
				address = latest + fmt.Sprintf("?modes=scheme.dark%d", i)
			}
			addresses = append(addresses, address)
		}
		clients.Go(func() { flood(t, r, addresses, &counts) })
	}
	stopped := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stopped:
				return
			default:
			}
			// On a machine that starves the feed the record goes stale and is asked for; it is served all the same.
			if status, source := ask(r, latest, "identity"); status != 200 {
				t.Errorf("who asks for what exists: %d %s", status, source)
				return
			}
		}
	})
	clients.Wait()
	close(stopped)
	others.Wait()

	took := time.Since(started)
	if sum := counts[404].Load() + counts[503].Load(); sum != int64(total) {
		t.Errorf("%d of %d were answered 404 or 503", sum, total)
	}
	if counts[404].Load() < int64(total/4) {
		t.Errorf("%d were answered 404: versions that the Theme's record rules out need no question", counts[404].Load())
	}
	// The burst, and then one for each interval: of Themes and of one Theme's Variants.
	if questions, most := asked()-before, 700+int(took/(8*time.Millisecond)); questions > most {
		t.Errorf("upstream was asked %d times in %v, want %d at most", questions, took, most)
	}
	if held := r.counted("livery_edge_cache_bytes"); held > budget*5/4 { // what is over goes in the background
		t.Errorf("%v bytes are held, the budget is %d", held, budget)
	}
	f.publish("thm_00000000000000000000000077", smallTheme)
	within(t, seen, "a Theme made after the flood", func() bool {
		return r.get(strings.Replace(latest, thm, "thm_00000000000000000000000077", 1)).status == 200
	})
}
