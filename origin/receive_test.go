package origin_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin"
)

// dial opens a connection to the public listener that ends with the test.
func (h *testOrigin) dial() net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.base, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(60 * time.Second))
	return c
}

// bodiesOf returns what sends a body that holds a request of its own: with its length, in chunks, and after a wait for
// "100 Continue".
func bodiesOf(inner string) map[string]string {
	return map[string]string{
		"length":  fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(inner), inner),
		"chunked": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(inner), inner),
		"expect":  fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", len(inner), inner),
	}
}

// Decisions 1.4 and 1.6: a caller who may not do something is refused by the head alone, whatever body is announced. The
// connection is closed, and a request inside of the body is never run.
func TestRefusedHeadsLeaveTheirBodyUnread(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	themes := "/environments/" + h.sandbox + "/themes"
	head := func(subject, method, path string) string {
		text := method + " " + apiPath + path + " HTTP/1.1\r\nHost: a\r\n"
		if subject != "" {
			text += "Authorization: Bearer " + h.token(subject) + "\r\n"
		}
		return text
	}
	const evil = `{"slug":"evil","displayName":"E"}`
	smuggled := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head(owner, "POST", themes), len(evil), evil)
	before := h.countKeys('h')
	for name, c := range map[string]struct {
		head   string
		status int
	}{
		"no token":               {head("", "PATCH", theme+"/tokens"), 401},
		"no token, no such path": {head("", "PATCH", "/nope"), 401},
		"no such path":           {head(owner, "PATCH", "/nope"), 404},
		"outside of the API":     {"POST /nope HTTP/1.1\r\nHost: a\r\n", 404},
		"another method":         {head(owner, "PATCH", theme), 405},
		"no grant":               {head(guest, "POST", themes), 403},
		"too low a role":         {head(reader, "POST", themes), 403},
		"another Team":           {head(stranger, "POST", themes), 404},
		"no such Theme":          {head(owner, "PATCH", themes+"/thm_00000000000000000000000000/tokens"), 404},
		"a read with a body":     {head(owner, "GET", themes), 200},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.of(t)
			announced := map[string]string{"announced only": "Content-Length: 8388608\r\n\r\n", "chunks announced only": "Transfer-Encoding: chunked\r\n\r\n"}
			for _, bodies := range []map[string]string{bodiesOf(smuggled), announced} {
				for form, body := range bodies {
					answers, closed := h.raw(c.head+body, 2)
					if len(answers) != 1 || answers[0].status != c.status || !closed {
						t.Errorf("%s: %v, closed %t, want %d and a closed connection", form, answers, closed, c.status)
					}
				}
			}
		})
	}
	if n := h.countKeys('h'); n != before {
		t.Errorf("%d smuggled requests were run", n-before)
	}
}

// Nothing but the feed's own listener differs there: a body is never read.
func TestTheFeedReadsNoBody(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	feed := h.serve(h.origin.ServeFeed)
	h.base = "http://" + feed
	for _, text := range []string{
		"POST /feed/v1/changes HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n",
		"GET /feed/v1/modules HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		c := h.dial()
		_, _ = io.WriteString(c, text)
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || answer.StatusCode != http.StatusUnauthorized || !answer.Close {
			t.Errorf("%.30q = %v, %v, want 401 and a closed connection", text, answer, err)
		}
	}
}

// allocated returns how many bytes this process has allocated so far.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// A31: clients without a token have the origin spend no memory on bodies, however many announce and send them.
func TestBodiesOfStrangersTakeNoMemory(t *testing.T) {
	h := newTestOrigin(t)
	const attackers, sent = 100, 512 << 10
	part := make([]byte, sent)
	h.raw("PATCH /public/v1/nope HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n", 1) // what is made once is made
	before := allocated()
	var all sync.WaitGroup
	for range attackers {
		c := h.dial()
		all.Go(func() {
			if _, err := io.WriteString(c, "PATCH /public/v1/nope HTTP/1.1\r\nHost: a\r\nContent-Length: 8388608\r\n\r\n"); err != nil {
				t.Error(err)
			}
			_, _ = c.Write(part) // the origin may have closed
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("an announced body = %v, %v, want 401", answer, err)
			}
		})
	}
	all.Wait()
	if grown := allocated() - before; grown > attackers*sent/2 {
		t.Errorf("%d connections without a token took %d KiB, want far less than the %d KiB that they sent", attackers, grown>>10, attackers*sent>>10)
	}
}

// uploads is an origin with little memory for bodies, and who sends them by halves.
type uploads struct {
	*testOrigin
	registry *prometheus.Registry
}

// begin announces a body of so many bytes and waits until the origin has set them aside; the returned function sends it
// and returns the answer's status.
func (u uploads) begin(subject string, size int) (finish func() int) {
	u.t.Helper()
	before := gauge(u.t, u.registry, "livery_origin_body_bytes")
	c := u.dial()
	body := filled(fmt.Sprintf(`{"slug":"s%d","displayName":"D"}`, time.Now().UnixNano()), size)
	_, _ = fmt.Fprintf(c, "POST %s/environments/%s/themes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		apiPath, u.sandbox, u.token(subject), size, body[:1])
	eventually(u.t, "a body that is set aside", func() bool {
		return gauge(u.t, u.registry, "livery_origin_body_bytes") == before+float64(size)
	})
	return func() int {
		u.t.Helper()
		_, _ = io.WriteString(c, body[1:])
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			u.t.Fatal(err)
		}
		return answer.StatusCode
	}
}

func newUploads(t *testing.T, budget int64) uploads {
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.BodyBudget, c.Limits.ReadTimeout = registry, 1<<20, budget, time.Minute
	})
	return uploads{h, registry}
}

// refused sends a small body that does not fit into the memory for bodies.
func (u uploads) refused(t *testing.T, subject string) {
	t.Helper()
	before := gauge(t, u.registry, "livery_origin_bodies_refused_total")
	r := u.do(subject, "POST", "/environments/"+u.sandbox+"/themes", `{"slug":"refused","displayName":"D"}`)
	noMessages(t, r.refuses(t, 503, "internal"))
	if r.header.Get("Retry-After") == "" {
		t.Errorf("headers = %v, want Retry-After", r.header)
	}
	if n := gauge(t, u.registry, "livery_origin_bodies_refused_total"); n != before+1 {
		t.Errorf("%v refused bodies are counted, want one more than %v", n, before)
	}
}

// Decision 1.7: bodies in memory are bounded. What is beyond is told to come again, and what is within is answered.
func TestBodiesShareOneBudget(t *testing.T) {
	t.Parallel()
	t.Run("all callers", func(t *testing.T) {
		u := newUploads(t, 1<<20)
		finish := u.begin(owner, 1<<20)
		u.refused(t, designer)
		if status := finish(); status != http.StatusCreated {
			t.Errorf("a body within the budget = %d, want 201", status)
		}
		u.empty(t)
		if status := u.begin(designer, 1<<20)(); status != http.StatusCreated {
			t.Errorf("a body once there is room = %d, want 201", status)
		}
	})
	t.Run("one caller", func(t *testing.T) {
		u := newUploads(t, 3<<20) // a quarter is less than one body
		first := u.begin(owner, 1<<20)
		u.refused(t, owner)
		if status := u.begin(designer, 1<<20)(); status != http.StatusCreated {
			t.Errorf("a body of another caller = %d, want 201", status)
		}
		if status := first(); status != http.StatusCreated {
			t.Errorf("the first body = %d, want 201", status)
		}
		u.empty(t)
	})
	t.Run("chunks", func(t *testing.T) { // count as they come
		u := newUploads(t, 1<<20)
		finish := u.begin(owner, 1<<20-100<<10)
		chunk := func(size int) string { return fmt.Sprintf("%x\r\n%s\r\n", size, strings.Repeat(" ", size)) }
		head := u.head("POST", "/environments/"+u.sandbox+"/themes") + "Transfer-Encoding: chunked\r\n\r\n"
		const theme = `{"slug":"chunked","displayName":"C"}`
		answers, _ := u.raw(head+chunk(1000)+fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(theme), theme), 1)
		if len(answers) != 1 || answers[0].status != http.StatusCreated {
			t.Errorf("few chunks beside a large body = %v, want 201", answers)
		}
		answers, closed := u.raw(head+strings.Repeat(chunk(10<<10), 12)+"0\r\n\r\n", 2)
		if len(answers) != 1 || answers[0].status != http.StatusServiceUnavailable || !closed {
			t.Errorf("many chunks beside a large body = %v, closed %t, want 503 and a closed connection", answers, closed)
		}
		if status := finish(); status != http.StatusCreated {
			t.Errorf("the large body = %d, want 201", status)
		}
		u.empty(t)
	})
}

// empty waits until no body takes memory.
func (u uploads) empty(t *testing.T) {
	t.Helper()
	eventually(t, "an empty budget", func() bool { return gauge(t, u.registry, "livery_origin_body_bytes") == 0 })
}

// A62: the budget comes back whatever becomes of a body: too slow, given up by its client, broken or wrong.
func TestTheBudgetComesBack(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	u := uploads{newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.ReadTimeout = registry, 1000, 2*time.Second
	}), registry}
	themes := u.head("POST", "/environments/"+u.sandbox+"/themes")
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"too slow":         {themes + "Content-Length: 1000\r\n\r\n{", 408},
		"a slow chunk":     {themes + "Transfer-Encoding: chunked\r\n\r\n5\r\n{", 408},
		"a broken chunk":   {themes + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400},
		"a chunk too many": {themes + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + strings.Repeat(" ", 1001) + "\r\n0\r\n\r\n", 413},
		"no JSON":          {themes + "Content-Length: 1\r\n\r\n{", 400},
	} {
		answers, _ := u.raw(c.text, 1)
		if len(answers) != 1 {
			t.Errorf("%s: %d answers, want one", name, len(answers))
			continue
		}
		answers[0].refuses(t, c.status, "payload")
		u.empty(t)
	}
	c := u.dial()
	_, _ = io.WriteString(c, themes+"Content-Length: 1000\r\n\r\n{")
	_ = c.Close()
	u.empty(t)
	u.want(201, "POST", "/environments/"+u.sandbox+"/themes", `{"slug":"a","displayName":"A"}`)
}

// A26 A31: a body of short values takes fifty times its length when it is parsed. Such bodies are answered one after
// the other, and each leaves room for the next.
func TestDenseBodiesAreParsedInTurn(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.BodyBytes, c.Limits.BodyBudget = 1<<20, 4<<20 })
	dense := filled(`{"slug":"a","displayName":"A","metadata":[`+strings.Repeat("0,", 500_000)+`0]}`, 1<<20)
	for i := range 3 {
		if r := h.do(owner, "POST", "/environments/"+h.sandbox+"/themes", dense); r.status != http.StatusBadRequest {
			t.Fatalf("body %d = %d %s, want 400", i, r.status, short(r.body))
		}
	}
}
