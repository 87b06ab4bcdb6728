package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/share"
	"example.com/livery/origin/theming"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// newHandler returns a Handler over an empty store, and its time, which the test may change.
func newHandler(t *testing.T) (*Handler, *time.Time) {
	t.Helper()
	discard := slog.New(slog.DiscardHandler)
	store, err := pebble.Open("", pebble.Options{Logger: discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	keys, err := auth.Open(t.Context(), store, auth.Config{Issuer: "https://api.livery.example", Audience: "https://api.livery.example" + Path, Now: time.Now, Logger: discard})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	h := NewHandler(Config{
		Context: context.Background(), Streams: context.Background(), Store: store, Keys: keys, Turns: share.NewTurns(1, 64<<20), CDNURL: "https://cdn.livery.example", Limits: Limits{}.WithDefaults(),
		Logger: discard, Now: func() time.Time { return now }, Framing: httpserver.FramingFault,
		AuditLogged: func(record.Audit) {},
	})
	return h, &now
}

// serve answers requests with the Handler until the test ends, and returns where.
func serve(t *testing.T, h *Handler) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limits := h.config.Limits
	servers := httpserver.NewServers(httpserver.ServerConfig{
		BodyBytes: limits.BodyBytes, HeaderBytes: limits.HeaderBytes,
		ReadTimeout: limits.ReadTimeout, WriteTimeout: limits.WriteTimeout, Logger: h.config.Logger, Unread: func(int) {},
	})
	ended := make(chan error, 1)
	go func() { ended <- servers.Serve(l, limits.Connections, h.Serve) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := errors.Join(servers.Shutdown(context.Background(), func() {}), <-ended); err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// issue returns an access token of the owner.
func issue(t *testing.T, h *Handler) string {
	t.Helper()
	token, _, err := h.config.Keys.Issue(auth.Order{Subject: "owner", TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// send returns the answer to a request; headers are names and values. The body of the answer is read.
func send(t *testing.T, method, url, body, token string, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	return answer
}

// A70: what a handler keeps of one request is not changed by the next on the same connection.
func TestRequestsAreCopiedFromTheServer(t *testing.T) {
	h, _ := newHandler(t)
	var copies []*request // of requests that come one after the other
	h.router.POST("/public/v1/keep/{themeID}", h.routed(Route{Method: "POST", Path: environmentsPath, change: func(q *request) (change, error) {
		copies = append(copies, q)
		return change{}, theming.Conflicting(theming.SlugTaken)
	}}))
	base, token := serve(t, h), issue(t, h)
	for i := range 1000 {
		mark := fmt.Sprintf("mark-%d", i)
		r := send(t, "POST", base+"/public/v1/keep/"+mark+"?slug="+mark, mark, token, "If-Match", `"`+mark+`"`, "Idempotency-Key", mark)
		if r.StatusCode != http.StatusConflict {
			t.Fatalf("request %d = %d, want 409", i, r.StatusCode)
		}
	}
	for i, q := range copies {
		mark := fmt.Sprintf("mark-%d", i)
		got := []string{q.themeID, q.query["slug"][0], q.rawQuery, q.body, q.ifMatch[0], q.key, q.caller.Subject}
		if want := []string{mark, mark, "slug=" + mark, mark, `"` + mark + `"`, mark, "owner"}; !reflect.DeepEqual(got, want) {
			t.Fatalf("request %d = %q, want %q", i, got, want)
		}
	}
	if len(copies) != 1000 {
		t.Errorf("%d requests came, want 1000", len(copies))
	}
}

// S249 A102: a panic is 500 with a request id, and nothing of the inside; the log has it under the same id.
func TestAPanicTellsNothing(t *testing.T) {
	var log bytes.Buffer
	h, _ := newHandler(t)
	h.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	h.router.GET("/public/v1/panic", h.routed(Route{Method: "GET", Path: environmentsPath})) // a route without a handler
	r := send(t, "GET", serve(t, h)+"/public/v1/panic", "", issue(t, h))
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 500 || string(body) != `{"status":"error","cause":"internal","messages":[]}` {
		t.Errorf("a panic = %d %s, %v", r.StatusCode, body, err)
	}
	if id := r.Header.Get("X-Request-Id"); len(id) != 32 || !strings.Contains(log.String(), id) {
		t.Errorf("request id %q is not in the log", id)
	}
}

// A secret that is made in the millisecond in which its webhook was is one that took the place of another, too.
func TestARotationAtOnceIsShown(t *testing.T) {
	now := time.Now().UTC()
	first := record.WebhookSecret{CreatedAt: now}
	if b := newWebhookBody(record.Webhook{CreatedAt: now, Secrets: []record.WebhookSecret{first}}); b.RotatedAt != nil {
		t.Errorf("rotatedAt of a new webhook = %v, want none", b.RotatedAt)
	}
	if b := newWebhookBody(record.Webhook{CreatedAt: now, Secrets: []record.WebhookSecret{first, first}}); b.RotatedAt == nil {
		t.Error("rotatedAt is missing after a rotation")
	}
}

// The router answers exactly the routes of the table: every registered handler is one of them.
func TestRouterHasNoOtherRoutes(t *testing.T) {
	h, _ := newHandler(t)
	want := map[string][]string{}
	for _, route := range slices.Concat(Routes(), Extras(), Open()) {
		want[route.Path] = append(want[route.Path], route.Method)
		if route.Method == "GET" {
			want[route.Path] = append(want[route.Path], "HEAD")
		}
	}
	registered := h.router.List()
	count := 0
	for method, paths := range registered {
		if method == "*" { // the refusal of every other method
			continue
		}
		for _, path := range paths {
			count++
			if !slices.Contains(want[path], method) {
				t.Errorf("the router has %s %s, which no table names", method, path)
			}
		}
	}
	total := 0
	for _, methods := range want {
		total += len(methods)
	}
	if count != total {
		t.Errorf("the router has %d handlers, want %d", count, total)
	}
}

// A request for many Variants, whose drafts take much memory, waits for its turn among heavy work; a small one does not.
func TestManyVariantsTakeTurns(t *testing.T) {
	h, now := newHandler(t)
	file := operator.TeamsFile{Teams: []operator.TeamEntry{{Slug: "acme", Plan: record.Free, Members: []string{"owner"}, Environments: []operator.EnvironmentEntry{
		{Slug: "e", DisplayName: "E", Kind: "sandbox", Grants: map[string]record.Role{"owner": record.Admin}},
	}}}}
	if _, err := operator.Apply(t.Context(), h.config.Store, file, false, *now); err != nil {
		t.Fatal(err)
	}
	base, token := serve(t, h)+Path, issue(t, h)
	id := func(prefix string, answer *http.Response) string {
		text, _ := io.ReadAll(answer.Body)
		return regexp.MustCompile(prefix + `_[0-9a-z]{26}`).FindString(string(text))
	}
	themes := base + "/environments/" + id("env", send(t, "GET", base+"/environments", "", token)) + "/themes"
	theme := themes + "/" + id("thm", send(t, "POST", themes, `{"slug":"t","displayName":"T"}`, token))
	turn, err := h.config.Turns.Take(t.Context(), share.Caller{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int, 1)
	go func() {
		done <- send(t, "POST", theme+"/variants/batch", `{"create":[{"slug":"v","displayName":"V"}]}`, token).StatusCode
	}()
	for n := range 20 {
		body := fmt.Sprintf(`{"slug":"s%d","displayName":"S"}`, n)
		if status := send(t, "PUT", theme, body, token).StatusCode; status != 200 {
			t.Fatalf("a small request = %d", status)
		}
	}
	select {
	case status := <-done:
		t.Fatalf("a batch was answered %d while others did heavy work", status)
	default:
	}
	turn.End()
	if status := <-done; status != 200 {
		t.Errorf("the batch = %d", status)
	}
}

// A164: a Team that has many members has no more than its share of event streams.
func TestTeamsShareEventStreams(t *testing.T) {
	h, now := newHandler(t)
	h.places = share.NewBudget(8, 0)
	members := []string{"owner", "a", "b", "c", "d"}
	team := func(slug string, members ...string) operator.TeamEntry {
		grants := map[string]record.Role{}
		for _, m := range members {
			grants[m] = record.Viewer
		}
		return operator.TeamEntry{Slug: slug, Plan: record.Free, Members: members, Environments: []operator.EnvironmentEntry{{Slug: "e", DisplayName: "E", Kind: "sandbox", Grants: grants}}}
	}
	file := operator.TeamsFile{Teams: []operator.TeamEntry{team("acme", members...), team("globex", "stranger")}}
	if _, err := operator.Apply(t.Context(), h.config.Store, file, false, *now); err != nil {
		t.Fatal(err)
	}
	streams, end := context.WithCancel(t.Context())
	h.config.Streams = streams
	base := serve(t, h) + Path
	t.Cleanup(end) // before the server ends
	open := func(subject string) int {
		token, _, err := h.config.Keys.Issue(auth.Order{Subject: subject, TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(send(t, "GET", base+"/environments", "", token).Body)
		environment := regexp.MustCompile(`env_[0-9a-z]{26}`).FindString(string(text))
		request, _ := http.NewRequestWithContext(streams, "GET", base+"/environments/"+environment+"/events", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Accept", "text/event-stream")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer.StatusCode
	}
	opened := 0
	for _, subject := range members {
		for open(subject) == http.StatusOK {
			opened++
		}
	}
	if opened == 0 || opened > 4 {
		t.Errorf("a Team has %d of 8 streams, want half at most", opened)
	}
	if status := open("stranger"); status != http.StatusOK {
		t.Errorf("the stream of another Team = %d, want 200", status)
	}
}
