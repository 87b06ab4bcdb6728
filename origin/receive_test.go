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

// uploads is an origin with little memory for requests, and who sends bodies by halves.
type uploads struct {
	*testOrigin
	registry *prometheus.Registry
}

// newUploads returns an origin whose bodies have 1 MiB at most, and which has memory for so many of them.
func newUploads(t *testing.T, bodies int64) uploads {
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.RequestMemory, c.Limits.ReadTimeout = registry, 1<<20, bodies<<20, time.Minute
	})
	return uploads{h, registry}
}

// begin sends all but the last byte of a body of 1 MiB and waits until the origin has it; the returned function sends the
// rest and returns the answer's status.
func (u uploads) begin(subject, environment string) (finish func() int) {
	u.t.Helper()
	before := gauge(u.t, u.registry, "livery_origin_request_memory_bytes")
	c := u.dial()
	body := filled(fmt.Sprintf(`{"slug":"s%d","displayName":"D"}`, time.Now().UnixNano()), 1<<20)
	_, _ = fmt.Fprintf(c, "POST %s/environments/%s/themes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		apiPath, environment, u.token(subject), len(body), body[:len(body)-1])
	eventually(u.t, "a body that is almost there", func() bool {
		return gauge(u.t, u.registry, "livery_origin_request_memory_bytes") > before+1<<20-1<<17
	})
	return func() int {
		u.t.Helper()
		_, _ = io.WriteString(c, body[len(body)-1:])
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			u.t.Fatal(err)
		}
		return answer.StatusCode
	}
}

// refused sends a body of 1 MiB that is beyond its sender's share.
func (u uploads) refused(t *testing.T, form string) {
	t.Helper()
	before := gauge(t, u.registry, "livery_origin_share_refused_total")
	answers, closed := u.raw(u.head("POST", "/environments/"+u.sandbox+"/themes")+form, 2)
	if len(answers) != 1 || !closed {
		t.Fatalf("a body beyond the share = %v, closed %t, want one answer and a closed connection", answers, closed)
	}
	noMessages(t, answers[0].refuses(t, 503, "internal"))
	if answers[0].header.Get("Retry-After") == "" {
		t.Errorf("headers = %v, want Retry-After", answers[0].header)
	}
	if n := gauge(t, u.registry, "livery_origin_share_refused_total"); n != before+1 {
		t.Errorf("%v refused requests are counted, want one more than %v", n, before)
	}
}

// Decision 1.7: bodies take memory as they arrive, and a caller can take a quarter of it. What is beyond is told to come
// again; small bodies are always read.
func TestBodiesShareMemory(t *testing.T) {
	t.Parallel()
	for name, form := range bodiesOf(filled(`{"slug":"x","displayName":"D"}`, 1<<20)) {
		if name == "expect" {
			continue // begins as the first does
		}
		t.Run(name, func(t *testing.T) {
			u := newUploads(t, 8)
			first, second := u.begin(owner, u.sandbox), u.begin(owner, u.sandbox)
			u.refused(t, form)
			u.want(201, "POST", "/environments/"+u.sandbox+"/themes", filled(`{"slug":"small","displayName":"D"}`, 64<<10))
			if status := u.begin(designer, u.sandbox)(); status != http.StatusCreated {
				t.Errorf("a body of another caller = %d, want 201", status)
			}
			if status := u.begin(stranger, u.foreign)(); status != http.StatusCreated {
				t.Errorf("a body of another Team = %d, want 201", status)
			}
			for _, finish := range []func() int{first, second} {
				if status := finish(); status != http.StatusCreated {
					t.Errorf("a body within the share = %d, want 201", status)
				}
			}
			u.empty(t)
			if answers, _ := u.raw(u.head("POST", "/environments/"+u.sandbox+"/themes")+form, 1); len(answers) != 1 || answers[0].status != http.StatusCreated {
				t.Errorf("the body once there is room = %v, want 201", answers)
			}
		})
	}
}

// Bodies that are announced take no memory before they come.
func TestAnnouncedBodiesTakeNoMemory(t *testing.T) {
	t.Parallel()
	u := newUploads(t, 4)
	for range 20 {
		c := u.dial()
		_, _ = io.WriteString(c, u.head("POST", "/environments/"+u.sandbox+"/themes")+"Expect: 100-continue\r\nContent-Length: 1048576\r\n\r\n")
		if answer, err := bufio.NewReader(c).ReadString('\n'); err != nil || answer != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("an announced body = %q, %v, want 100", answer, err)
		}
	}
	if n := gauge(t, u.registry, "livery_origin_request_memory_bytes"); n != 0 {
		t.Errorf("announced bodies take %v bytes, want none", n)
	}
}

// empty waits until no body takes memory.
func (u uploads) empty(t *testing.T) {
	t.Helper()
	eventually(t, "free memory", func() bool { return gauge(t, u.registry, "livery_origin_request_memory_bytes") == 0 })
}

// A62: the budget comes back whatever becomes of a body: too slow, given up by its client, broken or wrong.
func TestTheBudgetComesBack(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	u := uploads{newTestOrigin(t, func(c *origin.Config) {
		c.Registry, c.Limits.BodyBytes, c.Limits.ReadTimeout = registry, 200_000, 2*time.Second
	}), registry}
	themes := u.head("POST", "/environments/"+u.sandbox+"/themes")
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"too slow":         {themes + "Content-Length: 200000\r\n\r\n{" + strings.Repeat(" ", 150_000), 408},
		"a slow chunk":     {themes + "Transfer-Encoding: chunked\r\n\r\n5\r\n{", 408},
		"a broken chunk":   {themes + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400},
		"a chunk too many": {themes + "Transfer-Encoding: chunked\r\n\r\n30d41\r\n" + strings.Repeat(" ", 200_001) + "\r\n0\r\n\r\n", 413},
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
	_, _ = io.WriteString(c, themes+"Content-Length: 200000\r\n\r\n{"+strings.Repeat(" ", 150_000))
	_ = c.Close()
	u.empty(t)
	u.want(201, "POST", "/environments/"+u.sandbox+"/themes", `{"slug":"a","displayName":"A"}`)
}

// A26 A31: a body of short values takes fifty times its length when it is parsed. Such bodies are answered one after
// the other, and each leaves room for the next.
func TestDenseBodiesAreParsedInTurn(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.BodyBytes, c.Limits.RequestMemory = 1<<20, 4<<20 })
	dense := filled(`{"slug":"a","displayName":"A","metadata":[`+strings.Repeat("0,", 500_000)+`0]}`, 1<<20)
	for i := range 3 {
		if r := h.do(owner, "POST", "/environments/"+h.sandbox+"/themes", dense); r.status != http.StatusBadRequest {
			t.Fatalf("body %d = %d %s, want 400", i, r.status, short(r.body))
		}
	}
}
