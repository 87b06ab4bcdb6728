package edge_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/livery/edge"
	"example.com/livery/feedproto"
	"example.com/livery/internal/test/race"
)

// faulty is a feed that answers wrong at one endpoint while it is told to.
type faulty struct {
	*feed
	endpoint string // as its path begins
	wrong    http.HandlerFunc
	on       atomic.Bool
	asked    atomic.Int64 // how often it answered wrong
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.on.Load() || !strings.HasPrefix(r.URL.Path, "/feed/v1/"+f.endpoint) {
		f.feed.ServeHTTP(w, r)
		return
	}
	f.asked.Add(1)
	f.wrong(w, r)
}

// says answers with a status and a body.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// changing answers polls with what the function makes of a number that grows.
func changing(answers func(n int) feedproto.Changes) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, answers(1000+int(n.Add(1)))) }
}

func aChange(cursor string) []feedproto.Change {
	return []feedproto.Change{{Cursor: cursor, EnvironmentID: env, ThemeID: "thm_00000000000000000000000777"}}
}

// wrongAnswers are those that any endpoint may give, and those of one alone.
func wrongAnswers(endpoint string) map[string]http.HandlerFunc {
	all := map[string]http.HandlerFunc{
		"nothing": says(200, "application/json", ""),
		"HTML":    says(200, "text/html", "<!doctype html><title>Sign in</title>"),
		"404":     says(404, "text/html", "not found"),
		"500":     says(500, "application/json", "{}"),
		"a body cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"changes":[`)
		},
		"a body that is too long": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(100<<20))
			io.WriteString(w, `{"changes":[`)
		},
		"a body that never ends": func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := untilFaultEnds(r)
			defer cancel()
			for ctx.Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) {
			ctx, cancel := untilFaultEnds(r)
			defer cancel()
			<-ctx.Done()
			panic(http.ErrAbortHandler)
		},
		"a connection that is reset": func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		},
	}
	if endpoint == "changes" || endpoint == "themes/" { // the others have the same reader
		maps.Copy(all, map[string]http.HandlerFunc{
			"an empty object": says(200, "application/json", "{}"),
			"null":            says(200, "application/json", "null"),
			"plain text":      says(200, "text/plain", "{}"),
			"204":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
			"302":             func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
			"304":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) },
			"400":             says(400, "application/json", "{}"),
			"401":             says(401, "application/json", ""),
			"429":             says(429, "application/json", "{}"),
			"503":             says(503, "application/json", "{}"),
		})
	}
	switch endpoint {
	case "changes":
		all["changes, but no place after them"] = func(w http.ResponseWriter, r *http.Request) {
			after := r.URL.Query().Get("after")
			answer(w, feedproto.Changes{Changes: aChange(after), Cursor: after})
		}
		all["nothing new, at once"] = func(w http.ResponseWriter, r *http.Request) {
			answer(w, feedproto.Changes{Changes: []feedproto.Change{}, Cursor: r.URL.Query().Get("after")})
		}
		all["a place before"] = func(w http.ResponseWriter, _ *http.Request) {
			answer(w, feedproto.Changes{Changes: []feedproto.Change{}, Cursor: "1.cccccccccccccccc"})
		}
		all["another log each time"] = changing(func(n int) feedproto.Changes {
			return feedproto.Changes{Changes: []feedproto.Change{}, Cursor: fmt.Sprintf("%d.%016d", n, n), Reset: true}
		})
		all["another place each time, without a change"] = changing(func(n int) feedproto.Changes {
			return feedproto.Changes{Changes: []feedproto.Change{}, Cursor: fmt.Sprintf("%d.%016d", n, n)}
		})
		all["changes that never end"] = changing(func(n int) feedproto.Changes {
			cursor := fmt.Sprintf("%d.aaaaaaaaaaaaaaaa", n)
			return feedproto.Changes{Changes: aChange(cursor), Cursor: cursor, More: true}
		})
	case "blobs/":
		all["other content"] = says(200, "application/octet-stream", "other content")
	}
	return all
}

// waiting bounds how long requests wait for upstreams.
func waiting(d time.Duration) option {
	return func(c *edge.Config) { c.UpstreamWait = d }
}

// full has the full server answer everything: each fast path has threads of its own, too many for a crowd of edges.
func full(c *edge.Config) { c.NoReady = true }

// untilFaultEnds returns a context of a request that ends soon after the faults of a test at the latest.
func untilFaultEnds(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), faultLasts)
}

// faultLasts is how long an upstream answers wrong, and mostAsked how often it may be asked in that time.
const (
	faultLasts = 3 * time.Second
	mostAsked  = 40
)

// An upstream that answers wrong, however and whatever it is asked, is asked rarely; what is held is served
// meanwhile, and what is new when it answers right again.
func TestWrongAnswersAreNotAskedForAgainAtOnce(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for _, endpoint := range []string{"changes", "themes/", "pairs/", "blobs/", "modules", "refresh/"} {
		t.Run(strings.Trim(endpoint, "/"), func(t *testing.T) {
			t.Parallel()
			var working errgroup.Group
			working.SetLimit(8) // edges at a time
			for kind, wrong := range wrongAnswers(endpoint) {
				f := &faulty{feed: publishedFeed(t), endpoint: endpoint, wrong: wrong}
				f.server.Handler = f
				f.whole = endpoint == "refresh/"
				working.Go(func() error {
					options := []option{full, waiting(300 * time.Millisecond)}
					if endpoint == "blobs/" || endpoint == "modules" {
						options = append(options, ownRuntime(t))
					}
					r := run(t, f.feed, options...)
					f.withstand(t, kind, r)
					return nil
				})
			}
			_ = working.Wait()
		})
	}
}

// ask returns the answer to a request, of any goroutine.
func (r *running) ask(path string) (status int, body, cacheStatus string) {
	res, err := r.client.Get(r.url + path)
	if err != nil {
		return 0, err.Error(), ""
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Error(err)
	}
	return res.StatusCode, string(content), res.Header.Get("Cache-Status")
}

// until polls until ok, like eventually, of any goroutine.
func until(t *testing.T, what string, ok func() bool) bool {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	t.Errorf("%s did not come about", what)
	return false
}

// withstand has clients ask an edge for files that it holds, and for others, while its upstream answers wrong.
func (f *faulty) withstand(t *testing.T, kind string, r *running) {
	latest := path("-", "latest", "tokens.css")
	if !until(t, kind+": the first answer", func() bool {
		status, _, _ := r.ask(latest)
		return status == 200 && r.counted("livery_edge_feed_connected") == 1
	}) {
		return
	}
	unheld := f.variants(10)
	for i := range 5 {
		other := fmt.Sprintf("thm_%026d", i+100)
		f.publish(other, smallTheme)
		unheld = append(unheld, strings.Replace(latest, thm, other, 1))
	}
	f.on.Store(true)
	began := time.Now()
	if f.endpoint == "modules" {
		r.stop()
		r = run(t, f.feed, ownRuntime(t), full, at(r.dir), waiting(300*time.Millisecond)) // which asks once, at its start
	}
	if f.endpoint != "refresh/" {
		r.clock.add(2 * time.Hour)
	}
	for range 3 {
		f.publish(thm, biggerTheme)
	}
	var clients sync.WaitGroup
	clients.Go(func() { f.askHeld(t, kind, r, latest, began) })
	for i := range 3 {
		clients.Go(func() {
			for n := i; time.Since(began) < faultLasts; n++ {
				r.ask(unheld[n%len(unheld)])
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	clients.Wait()
	until(t, kind+": a question", func() bool { // on a busy machine those before it may have taken all the time
		for _, address := range unheld {
			if f.asked.Load() > 0 {
				return true
			}
			r.ask(address)
		}
		return f.asked.Load() > 0
	})
	lasted := time.Since(began)
	asked := f.asked.Load()
	f.on.Store(false)
	t.Logf("%s: %d questions in %v", kind, asked, lasted.Round(time.Millisecond))
	if most := mostAsked * max(1, float64(lasted)/float64(faultLasts)); float64(asked) > most {
		t.Errorf("%s: %d questions in %v, want %v at most", kind, asked, lasted, most)
	}
	until(t, kind+": what is new", func() bool {
		_, body, how := r.ask(latest)
		return strings.Contains(body, "5px") && !strings.Contains(how, "stale") && r.counted("livery_edge_feed_connected") == 1
	})
	for _, address := range unheld {
		until(t, kind+": "+address, func() bool {
			status, _, _ := r.ask(address)
			return status == 200
		})
	}
}

// askHeld asks for a file that is held until the fault has lasted. It is always served, and where nobody could tell
// that it is current it says so.
func (f *faulty) askHeld(t *testing.T, kind string, r *running, held string, began time.Time) {
	stale := false
	for time.Since(began) < faultLasts || !stale && (f.endpoint == "themes/" || f.endpoint == "pairs/") && time.Since(began) < time.Minute {
		status, _, how := r.ask(held)
		if status != 200 {
			t.Errorf("%s: what is held = %d", kind, status)
			return
		}
		stale = stale || strings.Contains(how, "stale")
		time.Sleep(20 * time.Millisecond)
	}
	switch f.endpoint {
	case "themes/", "pairs/":
		if !stale {
			t.Errorf("%s: what is held is never said to be stale", kind)
		}
	}
}
