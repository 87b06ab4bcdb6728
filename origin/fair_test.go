package origin_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
	"example.com/livery/origin/api"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// greedy is a Team that takes what it can get of an origin.
type greedy struct {
	*testOrigin
	registry *prometheus.Registry
	subjects []string
	theme    string // path of a large published Theme
	variant  string
	themes   string        // path of the list
	clients  int           // that repeat a request
	number   *atomic.Int64 // of requests that take something
}

// newGreedy returns an origin with little memory, and a Team beside that of owner which will take it. Nothing that it
// takes is given back by a timeout while the test runs.
func newGreedy(t *testing.T) *greedy {
	g := &greedy{registry: prometheus.NewRegistry(), subjects: []string{"g1", "g2", "g3", "g4"}, clients: 8, number: new(atomic.Int64)}
	g.testOrigin = newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.RequestMemory = g.registry, 1<<20, 4<<20
		c.Limits.ReadTimeout, c.Limits.WriteTimeout, c.Limits.TurnTimeout = time.Hour, time.Hour, time.Hour
	})
	g.client.Timeout = time.Minute
	grants := map[string]record.Role{}
	for _, s := range g.subjects {
		grants[s] = record.Admin
	}
	file := operator.TeamsFile{Teams: []operator.TeamEntry{{Slug: "greedy", Plan: record.Pro, Members: g.subjects, Environments: []operator.EnvironmentEntry{
		{Slug: "e", DisplayName: "E", Kind: "sandbox", CacheLifetime: 2, Grants: grants},
	}}}}
	if _, err := operator.Apply(t.Context(), g.store, file, false, g.clock.Now()); err != nil {
		t.Fatal(err)
	}
	environment := g.must("GET", "/environments", "", 200)["items"].([]any)[0].(map[string]any)["id"].(string)
	g.themes = "/environments/" + environment + "/themes"
	g.theme = g.themes + "/" + g.must("POST", g.themes, `{"slug":"large","displayName":"L"}`, 201)["id"].(string)
	g.must("PATCH", g.theme+"/tokens", ops(manyTokens(5000)), 200)
	g.must("POST", g.theme+"/tokens/publish", "", 200)
	g.variant = g.theme + "/variants/" + g.must("POST", g.theme+"/variants", `{"slug":"v","displayName":"V"}`, 201)["id"].(string)
	return g
}

// of returns g for a subtest, with which all ends that is taken.
func (g *greedy) of(t *testing.T) *greedy {
	sub := *g
	sub.testOrigin = g.testOrigin.of(t)
	return &sub
}

// must sends a request of the Team's first subject.
func (g *greedy) must(method, path, body string, status int) map[string]any {
	g.t.Helper()
	r := g.do(g.subjects[0], method, path, body)
	if r.status != status {
		g.t.Fatalf("%s %s = %d %s, want %d", method, path, r.status, short(r.body), status)
	}
	return r.object(g.t)
}

// holds opens so many connections for each subject, sends text on each of them and takes no answer. It returns once the
// Team has been refused something, or waits for something.
func (g *greedy) holds(count int, text func(i int) string) {
	g.t.Helper()
	before := gauge(g.t, g.registry, "livery_origin_share_refused_total")
	for i := range count {
		for _, s := range g.subjects {
			c := g.dial()
			_ = c.SetDeadline(time.Time{})
			method, rest, _ := strings.Cut(text(i), " ")
			path, rest, _ := strings.Cut(rest, "\n")
			go func() {
				_, _ = fmt.Fprintf(c, "%s %s%s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n%s", method, apiPath, path, g.token(s), rest)
			}()
		}
	}
	eventually(g.t, "a share that is used up", func() bool {
		return gauge(g.t, g.registry, "livery_origin_share_refused_total") > before || gauge(g.t, g.registry, "livery_origin_turns_waiting") > 0
	})
}

// repeats has clients of all subjects send a request again and again.
func (g *greedy) repeats(method string, path, body func(i int) string, header ...string) {
	g.t.Helper()
	end, stop := context.WithCancel(context.Background())
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	var clients sync.WaitGroup
	g.t.Cleanup(func() {
		stop()
		clients.Wait()
		transport.CloseIdleConnections()
	})
	first := g.number.Load()
	for i := range g.clients {
		token := g.token(g.subjects[i%len(g.subjects)])
		clients.Go(func() {
			for end.Err() == nil {
				n := int(g.number.Add(1))
				request, _ := http.NewRequestWithContext(end, method, g.base+apiPath+path(n), strings.NewReader(body(n)))
				request.Header.Set("Authorization", "Bearer "+token)
				for i := 0; i < len(header); i += 2 {
					request.Header.Set(header[i], header[i+1]+fmt.Sprint(n))
				}
				if answer, err := transport.RoundTrip(request); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
				}
			}
		})
	}
	eventually(g.t, "requests of all clients", func() bool { return g.number.Load() >= first+int64(g.clients) })
}

func one(text string) func(int) string { return func(int) string { return text } }

// resources is what callers of an origin share, and how a Team takes all of it that it can get.
var resources = map[string]func(g *greedy){
	"memory of bodies": func(g *greedy) {
		g.holds(4, one("POST "+g.themes+"\nContent-Length: 1048576\r\n\r\n"+strings.Repeat(" ", 1<<20-1)))
	},
	"memory of chunked bodies": func(g *greedy) {
		g.holds(4, one("POST "+g.themes+"\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n"+strings.Repeat(" ", 1<<20-2)))
	},
	"memory of answers":  func(g *greedy) { g.holds(8, one("GET "+g.theme+"/tokens\n\r\n")) },
	"memory of previews": func(g *greedy) { g.holds(8, one("GET "+g.theme+"/tokens/preview/tokens.json\n\r\n")) },
	"turns of reads":     func(g *greedy) { g.repeats("GET", one(g.theme+"/tokens"), one("")) },
	"turns of previews":  func(g *greedy) { g.repeats("GET", one(g.variant+"/tokens/preview/tokens.css"), one("")) },
	"turns of comparisons": func(g *greedy) {
		g.repeats("GET", one(g.theme+"/tokens/diff?from=0"), one(""))
	},
	"turns of diagnostics": func(g *greedy) { g.repeats("GET", one(g.theme+"/tokens/diagnostics"), one("")) },
	"searches":             func(g *greedy) { g.repeats("GET", one(g.themes+"?q=x&orderBy=updatedAt"), one("")) },
	"turns of dense bodies": func(g *greedy) {
		g.repeats("PATCH", one(g.theme+"/tokens"), one(`{"operations":[`+strings.Repeat("0,", 50_000)+`0]}`))
	},
	"turns of edits": func(g *greedy) { // all but one are conflicts
		g.repeats("PATCH", one(g.theme+"/tokens"), one(ops(red)))
	},
	"turns of batches": func(g *greedy) {
		g.repeats("POST", one(g.theme+"/variants/batch"), func(n int) string {
			return fmt.Sprintf(`{"create":[{"slug":"b%d","displayName":"B"}]}`, n)
		})
	},
	"idempotency keys": func(g *greedy) {
		g.repeats("POST", one(g.themes), func(n int) string { return fmt.Sprintf(`{"slug":"k%d","displayName":"K"}`, n) }, "Idempotency-Key", "k")
	},
	"manifests": func(g *greedy) { g.repeats("GET", one(g.theme+"/manifest"), one("")) },
	"event streams": func(g *greedy) { // the ninth of a caller ends its first
		g.t.Helper()
		for _, s := range g.subjects {
			for range 50 {
				c := g.dial()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				_, _ = fmt.Fprintf(c, "GET %s%s HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer %s\r\n\r\n", apiPath, strings.TrimSuffix(g.themes, "/themes")+"/events", g.token(s))
				if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
					g.t.Fatal(err)
				}
			}
		}
	},
	"webhooks": func(g *greedy) {
		path := strings.TrimSuffix(g.themes, "/themes") + "/webhooks"
		for range 30 {
			g.do(g.subjects[0], "POST", path, `{"url":"https://localhost/"}`)
		}
		g.repeats("GET", one(path), one(""))
	},
}

// A160 A161 A162 A164: whatever one Team takes of an origin, another's requests get through: each resource by itself, and all of them while
// every route is asked.
func TestNoTeamTakesWhatOthersNeed(t *testing.T) {
	g := newGreedy(t)
	theme := g.testOrigin.theme("brand")
	g.patch(theme, manyTokens(1000)) // so much that it needs a turn, and memory for its answers
	for name, take := range resources {
		t.Run(name, func(t *testing.T) {
			g := g.of(t)
			take(g)
			for range 3 {
				n := g.number.Add(1)
				g.want(200, "GET", theme+"/tokens", "")
				g.patch(theme, fmt.Sprintf(`[{"operation":"add","path":"/t%d","value":{"$value":%d}}]`, n, n))
				g.publish(theme)
				g.want(201, "POST", "/environments/"+g.sandbox+"/themes", filled(fmt.Sprintf(`{"slug":"s%d","displayName":"D"}`, n), 500<<10))
			}
		})
	}
	t.Run("all, on every route", func(t *testing.T) {
		g := g.of(t)
		g.clients = 1 // the test must end on a slow machine, too
		routes := slices.Concat(api.Routes(), api.Extras())
		subjects := make([]subject, len(routes))
		for i := range routes {
			subjects[i] = g.ready()
		}
		for _, take := range resources {
			take(g)
		}
		for i, route := range routes {
			name := route.Method + " " + route.Path
			path := g.etagOf(route, subjects[i].spell(route.Path))
			body := strings.Replace(bodies[name], "%d", fmt.Sprint(g.countKeys('h')), 1)
			if r := g.do(owner, route.Method, path, body); r.status >= 300 {
				t.Errorf("%s = %d %s, want 2xx", name, r.status, short(r.body))
			}
		}
	})
}

// watchedStore notes when a large blob is read while no heavy work has its turn.
type watchedStore struct {
	storage.Store
	running func() float64
	unruled atomic.Int64 // bytes
}

func (s *watchedStore) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	blob, err := s.Store.Blob(ctx, name)
	if len(blob) >= 64<<10 && s.running() == 0 {
		s.unruled.Add(int64(len(blob)))
	}
	return blob, err
}

// Every request that reads a large document waits for its turn, whatever its route.
func TestLargeDocumentsAreReadInTurn(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	watched := &watchedStore{running: func() float64 { return gauge(t, registry, "livery_origin_turns_running") }}
	store, err := pebble.Open("", pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	watched.Store = store
	h := openTestOrigin(t, watched, func(c *origin.Config) { c.Registry = registry })
	t.Cleanup(h.end)
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		name := route.Method + " " + route.Path
		s := h.ready()
		theme, _ := s.paths()
		h.patch(theme, manyTokens(3000))
		h.publish(theme)
		path := h.etagOf(route, s.spell(route.Path))
		eventually(t, "idle", func() bool {
			return gauge(t, registry, "livery_origin_turns_running") == 0 && gauge(t, registry, "livery_origin_derived_waiting") == 0
		})
		watched.unruled.Store(0)
		h.do(owner, route.Method, path, strings.Replace(bodies[name], "%d", fmt.Sprint(h.countKeys('h')), 1))
		if n := watched.unruled.Load(); n > 0 {
			t.Errorf("%s read %d bytes of documents without a turn", name, n)
		}
	}
}

// A161: an answer counts until the client has taken it, whatever it was made from.
func TestAnswersCountUntilTheyAreTaken(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.RequestMemory = registry, 1<<20, 12<<20
	})
	used := func() int { return int(gauge(t, registry, "livery_origin_request_memory_bytes")) }
	labels := map[string]string{}
	for i := range 50 {
		labels[fmt.Sprint("label-", i)] = strings.Repeat("é", 256)
	}
	themes := "/environments/" + h.sandbox + "/themes"
	for i := range 100 {
		h.want(201, "POST", themes, fmt.Sprintf(`{"slug":"t%d","displayName":"T","metadata":%s}`, i, spell(labels)))
	}
	answer := h.want(200, "GET", themes, "").body
	eventually(t, "no answers", func() bool { return used() == 0 })
	c := h.dial()
	_, _ = io.WriteString(c, h.head("GET", themes)+"\r\n")
	eventually(t, "an answer that counts", func() bool { return used() == len(answer)-64<<10 })
	h.do(owner, "GET", themes, "").refuses(t, 503, "internal")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "an answer that does not count any more", func() bool { return used() == 0 })
	_, _ = io.WriteString(c, h.head("GET", themes)+"\r\n")
	eventually(t, "another answer", func() bool { return used() > 0 })
	_ = c.Close()
	eventually(t, "the end of the connection", func() bool { return used() == 0 })
}

// heapPeak returns by how much the heap grew at most while fn ran.
func heapPeak(fn func()) int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	before, peak := stats.HeapAlloc, stats.HeapAlloc
	defer debug.SetGCPercent(debug.SetGCPercent(30)) // so that the heap has hardly any garbage
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	for {
		select {
		case <-done:
			return int64(peak - before)
		case <-time.After(2 * time.Millisecond):
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
	}
}

// A163: previews of a large Theme at once, and answers that nobody takes, stay within Limits.RequestMemory, and what is being
// worked with within twice as much.
func TestAnswersStayWithinTheirMemory(t *testing.T) {
	race.Skip(t)
	const memory = 32 << 20
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.RequestMemory, c.Limits.WriteTimeout = registry, memory, time.Hour
	})
	theme := h.theme("large")
	h.want(200, "PATCH", theme+"/tokens", ops(manyTokens(30_000)))
	h.publish(theme)
	get := func(path string) string { return h.head("GET", path) + "\r\n" }
	answer := len(h.want(200, "GET", theme+"/tokens", "").body)

	var done, refused atomic.Int64
	grown := heapPeak(func() {
		var clients sync.WaitGroup
		for range 60 {
			c, text := h.dial(), get(theme+"/tokens/preview/tokens.json")
			clients.Go(func() {
				_, _ = io.WriteString(c, text)
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err == nil {
					_, err = io.Copy(io.Discard, answer.Body)
				}
				if err != nil {
					t.Error(err)
					return
				}
				switch answer.StatusCode {
				case http.StatusOK:
					done.Add(1)
				case http.StatusServiceUnavailable:
					refused.Add(1)
				default:
					t.Errorf("a preview = %d, want 200 or 503", answer.StatusCode)
				}
			})
		}
		clients.Wait()
	})
	t.Logf("60 previews at once: %d done, %d refused, the heap grew by %d MiB", done.Load(), refused.Load(), grown>>20)
	if done.Load() == 0 || grown > 3*memory {
		t.Errorf("%d previews were answered, and the heap grew by %d MiB, want some, and %d MiB at most", done.Load(), grown>>20, 3*memory>>20)
	}

	grown = heapPeak(func() {
		for range 120 {
			_, _ = io.WriteString(h.dial(), get(theme+"/tokens"))
		}
		eventually(t, "answers that are refused", func() bool { return gauge(t, registry, "livery_origin_share_refused_total") > 20 })
		eventually(t, "the end of the work", func() bool {
			return gauge(t, registry, "livery_origin_turns_running")+gauge(t, registry, "livery_origin_turns_waiting") == 0
		})
	})
	t.Logf("120 answers of %d MiB that nobody takes: the heap grew by %d MiB", answer>>20, grown>>20)
	if grown > 3*memory {
		t.Errorf("the heap grew by %d MiB, want %d MiB at most", grown>>20, 3*memory>>20)
	}
	if n := gauge(t, registry, "livery_origin_request_memory_bytes"); n == 0 || n > memory/2 {
		t.Errorf("answers that nobody takes count as %v bytes, want some, and half of %d at most", n, memory)
	}
}

// A163: what a request was made of goes before its answer is written: a body of a mebibyte that becomes fifty in memory.
func TestRequestsAreForgottenBeforeTheirAnswers(t *testing.T) {
	race.Skip(t)
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) { c.Registry = registry })
	theme := h.theme("large")
	h.want(200, "PATCH", theme+"/tokens", ops(manyTokens(20_000)))
	body := `{"unknown":[` + strings.Repeat("0,", 500_000) + `0],"operations":` + red + `}`
	grown := heaptest.Taken(func() {
		c := h.dial()
		_, _ = fmt.Fprintf(c, "%sIf-Match: *\r\nContent-Length: %d\r\n\r\n%s", h.head("PATCH", theme+"/tokens"), len(body), body)
		eventually(t, "an answer that nobody takes", func() bool {
			return gauge(t, registry, "livery_origin_request_memory_bytes") > 1<<20 && gauge(t, registry, "livery_origin_turns_running") == 0
		})
	})
	if grown > 24<<20 {
		t.Errorf("a request whose answer is not taken holds %d MiB, want little more than the answer", grown>>20)
	}
}
