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

// While the feed is followed nobody who asks for what is hot ever waits for a publish: the files are
// made before latest moves over. Every answer under load is a hit, of the Theme and of its Variants,
// in every coding that is asked for, and every publish is seen within a second.
func TestLatestIsNeverAMissAfterAPublish(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 1, `{"space.s7":"77px"}`, true)
	r := run(t, f)
	r.settle()
	addresses := []string{path("-", "latest", "tokens.css"), path(brand, "latest", "tokens.css"), path("-", "latest", "tokens.json"), path("-", "1", "tokens.css")}
	codings := []string{"identity", "br", "gzip"}
	for _, address := range addresses {
		for _, coding := range codings {
			want(t, r.get(address, "Accept-Encoding: "+coding), 200, "")
		}
	}
	done := make(chan struct{})
	var load sync.WaitGroup
	var answers atomic.Int64
	var misses missed
	for i := range 4 {
		load.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				status, source := ask(r, addresses[n%len(addresses)], codings[n/len(addresses)%len(codings)])
				answers.Add(1)
				if status != 200 || source != "livery; hit" {
					misses.add(fmt.Sprintf("answer %d: %d %s", n, status, source))
				}
			}
		})
	}
	for version := 2; version <= 6; version++ {
		value, started, before := fmt.Sprintf("%dpx", 1000+version), time.Now(), answers.Load()
		f.publish(thm, strings.Replace(bigTheme(), "199px", value, 1))
		f.override(thm, brand, uint32(version), fmt.Sprintf(`{"space.s7":"%dpx"}`, 2000+version), true)
		within(t, seen, "publish "+value, func() bool {
			return strings.Contains(r.get(addresses[0]).body, value) && strings.Contains(r.get(addresses[1]).body, fmt.Sprintf("%dpx", 2000+version))
		})
		eventually(t, "load around the publish", func() bool { return answers.Load() >= before+20 })
		if found := misses.take(); time.Since(started) < busy && len(found) > 0 {
			t.Errorf("publish %s: %q", value, found)
		}
	}
	close(done)
	load.Wait()
}

// busy is how long a publish and what it makes ready take on a machine that has no time for this test:
// answers of before are let through for less.
const busy = 500 * time.Millisecond

// missed collects answers that were no hits.
type missed struct {
	mu   sync.Mutex // guards list
	list []string
}

func (m *missed) add(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, what)
}

func (m *missed) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// ask returns the status and the Cache-Status of one answer.
func ask(r *running, address, coding string) (int, string) {
	req, err := http.NewRequest(http.MethodGet, r.url+address, nil)
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Accept-Encoding", coding)
	res, err := r.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, res.Header.Get("Cache-Status")
}

// What a change makes ready is bounded in time: if it takes too long the
// first who asks waits, and sees what is new.
func TestGraceEnds(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	r := run(t, f, func(c *edge.Config) { c.UpstreamWait = time.Minute })
	r.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	asked, release := f.count(""), sync.OnceFunc(f.held())
	defer release()
	f.publish(thm, biggerTheme)
	eventually(t, "a refresh", func() bool { return f.count("") > asked })
	r.clock.add(time.Second)
	c, err := net.Dial("tcp", r.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, plainGet(latest)); err != nil {
		t.Fatal(err)
	}
	for range 20 { // others are answered, and it waits
		want(t, r.get("/"), 404, "")
	}
	release()
	got, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); err != nil || !strings.Contains(string(body), "5px") {
		t.Errorf("when the time is over the answer is %q, %v, want what is new", body, err)
	}
}
