package origin_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage/pebble"
)

// A71: nothing that a caller sends stands in a header of an answer, whatever line breaks it holds.
func TestAnswersCannotBeSplit(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	auth := "Authorization: Bearer " + h.token(owner) + "\r\n"
	for name, text := range map[string]string{
		"in a path":      "GET /public/v1/environments%0d%0aX-Evil:%201 HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n",
		"in a query":     "GET /public/v1/environments?slug=a%0d%0aX-Evil:%201&evil%0d%0aX-Evil:=1 HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n",
		"in an If-Match": "POST /public/v1" + theme + "/tokens/publish HTTP/1.1\r\nHost: a\r\nIf-Match: \"a%0d%0aX-Evil: 1\"\r\nContent-Length: 0\r\n" + auth + "\r\n",
		"in a trace":     "GET /public/v1/environments HTTP/1.1\r\nHost: a\r\nTraceparent: 00-evil\r\nX-Request-Id: evil\r\n" + auth + "\r\n",
		"in a key":       "POST /public/v1" + theme + "/tokens/publish HTTP/1.1\r\nHost: a\r\nIdempotency-Key: evil%0d%0aX-Evil: 1\r\nContent-Length: 0\r\n" + auth + "\r\n",
		"in a file":      "GET /public/v1" + theme + "/tokens/preview/evil%0d%0aX-Evil:%201 HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n",
	} {
		answers, _ := h.raw(text, 1)
		if len(answers) != 1 {
			t.Errorf("%s: %d answers, want one", name, len(answers))
			continue
		}
		if shown := strings.ToLower(fmt.Sprint(answers[0].header)); strings.Contains(shown, "evil") {
			t.Errorf("%s: the head holds what was sent: %v", name, answers[0].header)
		}
	}
	h.want(201, "POST", "/environments/"+h.sandbox+"/themes", `{"slug":"b","displayName":"a<b>"}`)
	h.want(400, "POST", "/environments/"+h.sandbox+"/themes", `{"slug":"c\r\nX-Evil: 1","displayName":"a"}`)
}

// A103: what is refused for who asks, what is missing or what is so says nothing beside its cause.
func TestRefusalsExplainNothingTheCallerMayNotKnow(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for i := range 10 {
		h.variant(theme, fmt.Sprint("v", i))
	}
	for name, r := range map[string]reply{
		"402": h.do(owner, "POST", theme+"/variants", `{"slug":"one-more","displayName":"D"}`),
		"403": h.do(reader, "DELETE", theme, ""),
		"404": h.do(stranger, "GET", theme, ""),
		"409": h.do(owner, "POST", "/environments/"+h.sandbox+"/themes", `{"slug":"brand","displayName":"D"}`),
	} {
		if fmt.Sprint(r.status) != name || !strings.HasSuffix(r.body, `"messages":[]}`) {
			t.Errorf("%s = %d %s, want no message", name, r.status, r.body)
		}
	}
}

// A104: ids made one after the other share nothing but the time; one does not let a client guess the next.
func TestIDsCannotBeGuessed(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	const timeDigits = len("thm_") + 10
	seen := map[string]bool{}
	for i := range 50 {
		id := idOf(h.theme(fmt.Sprint("t", i)))
		random := id[timeDigits:]
		if len(random) != 16 || seen[random] || seen[random[:8]] || seen[random[8:]] {
			t.Fatalf("%s repeats what is random of another id", id)
		}
		seen[random], seen[random[:8]], seen[random[8:]] = true, true, true
	}
}

// A106: no answer names the program or its version, whatever is asked.
func TestAnswersNameNoProgram(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	auth := "Authorization: Bearer " + h.token(owner) + "\r\n"
	for _, text := range []string{
		"GET /public/v1/environments HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n", "GET /public/v1/environments HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /public/v1/nothing HTTP/1.1\r\nHost: a\r\n" + auth + "\r\n", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "PATCH /public/v1/environments HTTP/1.1\r\nHost: a\r\n" + auth + "Content-Length: 0\r\n\r\n",
		"hello\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX-A: " + strings.Repeat("a", 200<<10) + "\r\n\r\n",
	} {
		answers, _ := h.raw(text, 1)
		if len(answers) != 1 {
			t.Fatalf("%.60q: %d answers, want one", text, len(answers))
		}
		for name := range answers[0].header {
			if slices.Contains([]string{"Server", "X-Powered-By", "Via", "X-Version"}, name) {
				t.Errorf("%.60q: the answer has a %s", text, name)
			}
		}
		for _, word := range []string{"fasthttp", "go1.", "livery/", "pebble", ".go:"} {
			if strings.Contains(strings.ToLower(answers[0].body), word) {
				t.Errorf("%.60q: the answer says %s", text, answers[0].body)
			}
		}
	}
}

// A115: a token of livery dev, or of any other origin, is worth nothing to this one: another issuer and another key,
// also if its issuer and audience say that they are this one's.
func TestTokensOfOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for name, config := range map[string]auth.Config{
		"of a dev":                 {Issuer: "http://127.0.0.1:8080", Audience: "http://127.0.0.1:8080" + apiPath},
		"of a dev for this origin": {Issuer: "http://127.0.0.1:8080", Audience: testPublicURL + apiPath},
		"of one that says to be":   {Issuer: testPublicURL, Audience: testPublicURL + apiPath},
	} {
		store, err := pebble.Open("", pebble.Options{})
		if err != nil {
			t.Fatal(err)
		}
		config.Now = h.clock.Now
		keys, err := auth.Open(context.Background(), store, config)
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{owner, "dev"} {
			token, _, err := keys.Issue(auth.Order{Subject: subject, TTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if r := h.do("", "GET", "/environments", "", "Authorization", "Bearer "+token); r.status != http.StatusUnauthorized || r.body != "" {
				t.Errorf("a token %s = %d %s, want 401 and nothing", name, r.status, r.body)
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A120: no address in a document, an override, a label or a token makes the origin open a connection.
func TestNothingInADocumentIsFetched(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	at := "http://" + l.Addr().String() + "/x.json"
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, fmt.Sprintf(`[
		{"operation":"add","path":"/ref","value":{"$ref":%[1]q}},
		{"operation":"add","path":"/group","value":{"$extends":%[1]q,"a":{"$type":"color","$value":"#fff"}}},
		{"operation":"add","path":"/schema","value":{"$extensions":{"x":{"$schema":%[1]q}}}},
		{"operation":"add","path":"/image","value":{"$type":"string","$value":"url(%[1]s)"}},
		{"operation":"add","path":"/alias","value":{"$type":"color","$value":"{%[2]s}"}},
		{"operation":"add","path":"/font","value":{"$type":"fontFamily","$value":[%[1]q]}}]`, at, "a"))
	h.patch(variant, fmt.Sprintf(`[{"operation":"set","path":"image","value":"url(%s)"}]`, at))
	h.publish(theme)
	h.publish(variant)
	for _, path := range []string{theme + "/tokens/diagnostics", variant + "/tokens/diagnostics", theme + "/tokens/preview/tokens.css", variant + "/tokens/preview/tokens.json"} {
		h.want(200, "GET", path, "")
	}
	h.want(200, "PUT", theme, fmt.Sprintf(`{"slug":"brand","displayName":"B","metadata":{"link":%q}}`, at))
	own, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	if c, err := l.Accept(); err != nil {
		t.Error(err)
	} else if _ = c.Close(); c.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("the origin opened a connection to an address of a document")
	}
}
