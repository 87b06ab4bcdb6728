package origin_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
)

// raw writes bytes to the public listener and reads answers until it has as many as wanted, or until the origin closes the
// connection before that.
func (h *testOrigin) raw(text string, wanted int) (answers []reply, closed bool) {
	h.t.Helper()
	defer func() { h.checker.checkRaw(text, answers) }()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.base, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	go func() { _, _ = io.WriteString(c, text) }() // the origin may close before it read everything
	r := bufio.NewReader(c)
	for len(answers) < wanted {
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			return answers, !errors.Is(err, os.ErrDeadlineExceeded)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			h.t.Fatalf("body of answer %d: %v", len(answers), err)
		}
		answers = append(answers, reply{answer.StatusCode, answer.Header, string(body)})
	}
	return answers, false
}

// S244 A50-A58 A60 A61 A72: what is ambiguous or malformed is refused in the API's error shape, the
// connection is closed, and what was smuggled behind never reaches a handler.
func TestMalformedRequestsAreRefusedAndTheConnectionCloses(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	auth := "Authorization: Bearer " + h.token(owner) + "\r\n"
	const get = "GET /public/v1/environments HTTP/1.1\r\nHost: a\r\n"
	smuggled := "POST /public/v1/environments/" + h.sandbox + "/themes HTTP/1.1\r\nHost: a\r\n" + auth +
		"Content-Length: 34\r\n\r\n" + `{"slug":"evil","displayName":"E"}` + " "
	post := "POST /public/v1/environments/" + h.sandbox + "/themes HTTP/1.1\r\nHost: a\r\n" + auth
	for _, c := range []struct {
		name, text string
		status     int
	}{
		{"A50 length then chunked", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"A50 chunked then length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
		{"A51 two equal lengths", post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
		{"A51 two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400},
		{"A51 a list of lengths", post + "Content-Length: 2, 2\r\n\r\n{}", 400},
		{"A51 a signed length", post + "Content-Length: +2\r\n\r\n{}", 400},
		{"A51 a negative length", post + "Content-Length: -1\r\n\r\n{}", 400},
		{"A51 a hexadecimal length", post + "Content-Length: 0x2\r\n\r\n{}", 400},
		{"A52 chunked twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"A52 an unknown coding", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
		{"A52 gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400},
		{"A52 a tabulator before chunked", post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400},
		{"A52 a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
		{"A52 HTTP/1.0", strings.Replace(post, "HTTP/1.1", "HTTP/1.0", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"A53 identity with a length", post + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", 400},
		{"A54 a negative chunk", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400},
		{"A54 a hexadecimal chunk", post + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", 400},
		{"A54 a chunk that overflows", post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n", 400},
		{"A54 a chunk without its end", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n", 400},
		{"A54 a length in the trailer", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n", 400},
		{"A55 a folded header", get + auth + "X-A: b\r\n c\r\n\r\n", 400},
		{"A55 a fold on the first line", "GET /public/v1/environments HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n", 400},
		{"A56 a space in a name", get + auth + "X A: b\r\n\r\n", 400},
		{"A57 a zero byte in a value", get + "X-A: b\x00c\r\n\r\n", 400},
		{"A57 a carriage return in a value", get + "X-A: b\rc\r\n\r\n", 400},
		{"A57 a request line that ends with a bare line feed", strings.Replace(get, "\r\n", "\n", 1) + auth + "\r\n", 400},
		{"A57 bare line feeds", strings.ReplaceAll(get+auth+"\r\n", "\r\n", "\n"), 400},
		{"A57 a header line that ends with a bare line feed", get + "X-A: b\n" + auth + "\r\n", 400},
		{"A57 a bare line feed for the blank line", get + auth + "\n", 400},
		{"A57 a header line that ends with a bare carriage return", get + "X-A: b\r" + auth + "\r\n", 400},
		{"A57 two carriage returns", get + "X-A: b\r\r\n\r\n", 400},
		{"A57 no Host", "GET /public/v1/environments HTTP/1.1\r\n\r\n", 400},
		{"A57 two Hosts", get + "Host: b\r\n\r\n", 400},
		{"A58 HTTP/2.0", "GET /public/v1/environments HTTP/2.0\r\nHost: a\r\n" + auth + "\r\n", 400},
		{"A58 HTTP/1.9", "GET /public/v1/environments HTTP/1.9\r\nHost: a\r\n" + auth + "\r\n", 400},
		{"A60 no request at all", "hello\r\n\r\n", 400},
		{"A61 a header of 200 KB", get + "X-A: " + strings.Repeat("a", 200<<10) + "\r\n\r\n", 431},
		{"A72 a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, closed := h.of(t).raw(c.text+smuggled, 2)
			if len(answers) != 1 || !closed {
				t.Fatalf("got %d answers, closed %v: %v; want one and a closed connection", len(answers), closed, answers)
			}
			answers[0].refuses(t, c.status, "payload")
			if answers[0].header.Get("X-Request-Id") == "" || answers[0].header.Get("Server") != "" {
				t.Errorf("headers = %v, want a request id and no Server", answers[0].header)
			}
		})
	}
	if n := h.countKeys('h'); n != 0 {
		t.Errorf("%d smuggled requests were run", n)
	}
}

// The four legal forms still pass: a length, chunks, HTTP/1.0, and two requests in one go.
func TestLegalFramingPasses(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	auth := "Authorization: Bearer " + h.token(owner) + "\r\n"
	themes := "POST /public/v1/environments/" + h.sandbox + "/themes HTTP/1.1\r\nHost: a\r\n" + auth
	body := func(slug string) string { return fmt.Sprintf(`{"slug":%q,"displayName":"D"}`, slug) }
	text := themes + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body("a")), body("a")) +
		themes + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body("b")), body("b")) +
		"GET /public/v1/environments HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n" +
		"GET /public/v1/environments HTTP/1.0\r\n" + auth + "\r\n"
	answers, _ := h.raw(text, 4)
	var statuses []int
	for _, a := range answers {
		statuses = append(statuses, a.status)
	}
	if fmt.Sprint(statuses) != "[201 201 200 200]" {
		t.Errorf("statuses = %v, want 201 201 200 200", statuses)
	}
}

// S1 S16 S17 A59 A63 A64 A65 A66 A67 A68: one path, one spelling, the methods of the table.
func TestPathsAndMethodsAreExact(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	auth := "Authorization: Bearer " + h.token(owner) + "\r\n"
	e := "/public/v1/environments/" + h.sandbox
	for _, c := range []struct {
		method, target string
		status         int
		allow          string
	}{
		{"GET", "/public/v1/environments", 200, ""},
		{"GET", "http://evil.example/public/v1/environments", 200, ""},
		{"GET", "/public/v1/environments/", 404, ""},
		{"GET", "//public/v1/environments", 404, ""},
		{"GET", "//evil.example/public/v1/environments?x=http://b", 404, ""},
		{"GET", "/public//v1/environments", 404, ""},
		{"GET", "/PUBLIC/v1/environments", 404, ""},
		{"GET", "/public/v1/Environments", 404, ""},
		{"GET", "/%70ublic/v1/environments", 404, ""},
		{"GET", "/public/v1/x/../environments", 404, ""},
		{"GET", e + "/themes/%2e%2e", 404, ""},
		{"GET", e + "/themes/..%2f", 404, ""},
		{"GET", e + "/themes/%zz", 404, ""},
		{"GET", e + "/themes/%252e", 404, ""},
		{"GET", e + "/themes/a;x=1", 404, ""},
		{"GET", e + "/themes/\xc3\xa9", 404, ""},
		{"GET", e + "/members", 404, ""},
		{"GET", "/public/v1/users", 404, ""},
		{"GET", "/public/v1", 404, ""},
		{"GET", "/", 404, ""},
		{"GET", "/metrics", 404, ""},
		{"POST", "/public/v1/environments", 405, "GET, HEAD"},
		{"PATCH", e, 405, "GET, HEAD"},
		{"DELETE", e, 405, "GET, HEAD"},
		{"TRACE", e + "/themes", 405, "GET, HEAD, POST"},
		{"get", e + "/themes", 405, "GET, HEAD, POST"},
		{"OPTIONS", e + "/themes/" + "thm_00000000000000000000000000", 405, "DELETE, GET, HEAD, PUT"},
		{"PUT", e + "/themes/thm_00000000000000000000000000/tokens", 405, "DELETE, GET, HEAD, PATCH"},
	} {
		answers, _ := h.raw(c.method+" "+c.target+" HTTP/1.1\r\nHost: evil.example\r\nX-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n"+auth+"\r\n", 1)
		if len(answers) != 1 || answers[0].status != c.status {
			t.Errorf("%s %s = %v, want %d", c.method, c.target, answers, c.status)
			continue
		}
		a := answers[0]
		switch c.status {
		case 404:
			noMessages(t, a.refuses(t, 404, "notFound"))
		case 405:
			a.refuses(t, 405, "payload")
		}
		if a.header.Get("Allow") != c.allow || strings.Contains(a.body, "evil") || a.header.Get("X-Request-Id") == "" {
			t.Errorf("%s %s = %v %s, want Allow %q", c.method, c.target, a.header, a.body, c.allow)
		}
	}
	answers, _ := h.raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 1)
	if len(answers) != 1 || answers[0].status != 200 || answers[0].body != "" {
		t.Errorf("OPTIONS * = %v, want 200 without a body", answers)
	}
}

// S235 and decision 1.6: without a token every path under the API is 401, whether it exists or not.
func TestUnknownPathsUnderTheAPINeedAToken(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for _, path := range []string{"", "/", "/x", "/environments", "/environments/env_1/themes/x/y/z"} {
		checkCell(t, h.do("", "GET", path, ""), 401)
		checkCell(t, h.do("", "DELETE", path, ""), 401)
	}
	answers, _ := h.raw("GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n", 1)
	answers[0].refuses(t, 404, "notFound")
}

// A31: a body beyond the limit is refused before it is read, also in chunks, and a client that
// asks first is not told to go on.
func TestOversizedBodiesAreRefusedUnread(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.BodyBytes = 1 << 20 })
	head := "POST /public/v1/environments/" + h.sandbox + "/themes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + h.token(owner) + "\r\n"
	large := strings.Repeat("a", 1<<20+1)
	for name, text := range map[string]string{
		"announced":           head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(large)) + large,
		"announced, not sent": head + "Content-Length: 1099511627776\r\n\r\n",
		"asked for first":     head + fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(large)),
		"in chunks":           head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(large), large),
	} {
		answers, closed := h.raw(text, 2)
		if len(answers) != 1 || !closed {
			t.Errorf("%s: got %d answers, closed %v; want one and a closed connection", name, len(answers), closed)
			continue
		}
		answers[0].refuses(t, 413, "payload")
	}
	whole := strings.Repeat(" ", 1<<20-len(`{"slug":"a","displayName":"b"}`)) + `{"slug":"a","displayName":"b"}`
	if r := h.do(owner, "POST", "/environments/"+h.sandbox+"/themes", whole); r.status != 201 {
		t.Errorf("a body of exactly the limit = %d %s, want 201", r.status, short(r.body))
	}
	if answers, _ := h.raw(head+"Content-Length: 30\r\nExpect: 100-continue\r\n\r\n"+`{"slug":"c","displayName":"d"}`, 2); len(answers) == 0 || answers[0].status != 100 {
		t.Errorf("a small body that is asked for = %v, want 100 first", answers)
	}
	// The length of a chunked body is not known before (RFC 9110 section 10.1.1 leaves the server only 100 or a final
	// status): the client is told to go on, and refused when the bound is passed.
	answers, closed := h.raw(head+fmt.Sprintf("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(large), large), 3)
	if len(answers) != 2 || answers[0].status != 100 || !closed {
		t.Fatalf("a chunked body that is asked for = %v, closed %v; want 100, then a refusal and a closed connection", answers, closed)
	}
	answers[1].refuses(t, 413, "payload")
}

// A62: a client that sends too slowly is told so and loses its connection.
func TestSlowRequestsEndInTime(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.ReadTimeout = 50 * time.Millisecond })
	for name, text := range map[string]string{
		"headers": "GET /public/v1/environments HTTP/1.1\r\nHost: a\r\n",
		"body":    h.head("POST", "/environments/"+h.sandbox+"/themes") + "Content-Length: 10\r\n\r\n{",
		"chunk":   h.head("POST", "/environments/"+h.sandbox+"/themes") + "Transfer-Encoding: chunked\r\n\r\na\r\n{",
	} {
		answers, closed := h.raw(text, 2)
		if len(answers) != 1 || !closed {
			t.Fatalf("%s: got %v, closed %v; want one answer and a closed connection", name, answers, closed)
		}
		answers[0].refuses(t, 408, "payload")
	}
}

// Decision 1.7: connections beyond the bounds are turned away in the API's error shape, and one that ends
// makes room.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits origin.Limits
		status int
		cause  string
	}{
		"from one address": {origin.Limits{ConnectionsPerIP: 2}, 429, "rateLimit"},
		"in all":           {origin.Limits{Connections: 2}, 503, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestOrigin(t, func(config *origin.Config) { config.Limits = c.limits })
			var open []net.Conn
			for range 2 {
				conn, err := net.Dial("tcp", strings.TrimPrefix(h.base, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, conn)
			}
			const request = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
			answers, closed := h.raw(request, 2)
			if len(answers) != 1 || !closed {
				t.Fatalf("third connection got %v, closed %v", answers, closed)
			}
			answers[0].refuses(t, c.status, c.cause)
			if answers[0].header.Get("Retry-After") == "" || answers[0].header.Get("X-Request-Id") == "" {
				t.Errorf("headers = %v, want Retry-After and X-Request-Id", answers[0].header)
			}
			for _, conn := range open {
				_ = conn.Close()
			}
			eventually(t, "room for a new connection", func() bool {
				answers, _ := h.raw(request, 1)
				return len(answers) == 1 && answers[0].status == 404
			})
		})
	}
}

// eventually polls until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come about", what)
		}
	}
}

// S249 A102: a failing store is answered with nothing of the inside; the log has it under the id of the request.
func TestFailuresTellNothing(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	r := h.do(owner, "GET", "/environments", "")
	noMessages(t, r.refuses(t, 503, "internal"))
	if id := r.header.Get("X-Request-Id"); len(id) != 32 || !strings.Contains(h.logs.String(), id) {
		t.Errorf("request id %q is not in the log", id)
	}
	if h.origin.Ready() == nil {
		t.Error("Ready() = nil over a closed store")
	}
}

// S244, decision 1.7: with a limit set, a caller beyond it is told when to come back; others are not concerned.
func TestRateLimitIsPerCaller(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.RequestsPerSecond = 2 })
	statuses := map[int]int{}
	var last reply
	for range 20 {
		last = h.do(owner, "GET", "/environments", "")
		statuses[last.status]++
	}
	if statuses[200] < 2 || statuses[429] == 0 {
		t.Fatalf("statuses = %v, want some 429", statuses)
	}
	for last.status != 429 {
		last = h.do(owner, "GET", "/environments", "")
	}
	noMessages(t, last.refuses(t, 429, "rateLimit"))
	if last.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q, want 1", last.header.Get("Retry-After"))
	}
	if r := h.do(reader, "GET", "/environments", ""); r.status != 200 {
		t.Errorf("another caller = %d, want 200", r.status)
	}
	h.clock.move(time.Second)
	if r := h.do(owner, "GET", "/environments", ""); r.status != 200 {
		t.Errorf("after a second = %d, want 200", r.status)
	}
}

// After Shutdown nothing listens, also no server that starts afterwards.
func TestShutdownEndsEveryServer(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	h.want(200, "GET", "/environments", "")
	if err := h.origin.Ready(); err != nil {
		t.Errorf("Ready() = %v, want nil", err)
	}
	if err := h.origin.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.origin.ServePublic(l); err != nil {
		t.Errorf("ServePublic() = %v after Shutdown, want nil at once", err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("a server that starts after Shutdown listens")
	}
	if h.origin.Ready() == nil {
		t.Error("Ready() = nil after Shutdown")
	}
}
