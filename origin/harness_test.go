package origin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/livery/origin"
	"example.com/livery/origin/api"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),    // runs as long as the process
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2")) // sleeps up to 10 s before it sees that it is stopped
}

// The callers of every test: one of each kind that the authorisation matrix knows.
const (
	owner    = "owner"    // admin everywhere in Team acme
	designer = "designer" // editor
	reader   = "reader"   // viewer
	guest    = "guest"    // member of acme without a grant
	stranger = "stranger" // admin, in Team globex
)

const apiPath = api.Path

// testOrigin is an origin on a socket with two Teams, as a client sees it.
type testOrigin struct {
	t       testing.TB
	origin  *origin.Origin
	config  origin.Config // of origin
	store   storage.Store
	clock   *clock
	base    string
	logs    *logBuffer
	client  *http.Client
	checker *contractChecker // of everything that client and raw send and receive
	served  []chan error     // what each server returned
	hangUp  func()           // closes the idle connections of client; nil without one

	sandbox, staging string // Environments of acme; plan free
	foreign          string // Environment of globex; plan pro
}

const (
	testPublicURL = "https://api.livery.example"
	testCDNURL    = "https://cdn.livery.example"
	testFeedToken = "feed-token-of-the-test"
	testMasterKey = "a master key of the tests that is long enough"
)

// newTestOrigin starts an origin. change, if given, changes its configuration.
func newTestOrigin(t testing.TB, change ...func(*origin.Config)) *testOrigin {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	h := openTestOrigin(t, store, change...)
	t.Cleanup(h.end)
	return h
}

// openTestOrigin starts an origin over a store, which the test shuts down.
func openTestOrigin(t testing.TB, store storage.Store, change ...func(*origin.Config)) *testOrigin {
	t.Helper()
	h := &testOrigin{t: t, clock: &clock{}, logs: &logBuffer{}, store: store}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log:\n%s", h.logs)
		}
	})
	h.settle()
	config := origin.Config{
		Store: store, PublicURL: testPublicURL, CDNURL: testCDNURL, Guest: []byte(testModule), FeedToken: testFeedToken,
		Logger: slog.New(slog.NewTextHandler(h.logs, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: h.clock.Now, Master: testMasterKey,
	}
	for _, c := range change {
		c(&config)
	}
	h.start(config)
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	h.checker = newContractChecker(t, transport)
	h.client = &http.Client{Transport: h.checker, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	h.hangUp = transport.CloseIdleConnections
	return h
}

// testMaster is the master key of every test's origin.
func testMaster(t testing.TB) *auth.Master {
	t.Helper()
	m, err := auth.ParseMaster(testMasterKey)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// start starts an origin over the store, in place of the one that was shut down.
func (h *testOrigin) start(c origin.Config) {
	h.t.Helper()
	h.config = c
	var err error
	if h.origin, err = origin.New(context.Background(), c); err != nil {
		h.t.Fatal(err)
	}
	h.base = "http://" + h.serve(h.origin.ServePublic)
}

// end shuts the origin down.
func (h *testOrigin) end() {
	h.t.Helper()
	if h.hangUp != nil {
		h.hangUp()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.origin.Shutdown(ctx); err != nil {
		h.t.Errorf("Shutdown() = %v, want nil", err)
	}
	for _, served := range h.served {
		if err := <-served; err != nil {
			h.t.Errorf("serve = %v, want nil after Shutdown", err)
		}
	}
	h.served = nil
}

// testModule stands for the module of this build if nothing runs it: what is published with it is
// compiled natively.
const testModule = "\x00asm of the test"

// serve starts one of the origin's servers on a free port and returns its address.
func (h *testOrigin) serve(serve func(net.Listener) error) string {
	h.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	served := make(chan error, 1)
	h.served = append(h.served, served)
	go func() { served <- serve(l) }()
	return l.Addr().String()
}

// settle writes the Teams of every test.
func (h *testOrigin) settle() {
	h.t.Helper()
	environment := func(slug string, grants map[string]record.Role) operator.EnvironmentEntry {
		return operator.EnvironmentEntry{Slug: slug, DisplayName: slug, Kind: "sandbox", CacheLifetime: 2, Grants: grants}
	}
	file := operator.TeamsFile{Teams: []operator.TeamEntry{
		{Slug: "acme", Plan: record.Free, Members: []string{owner, designer, reader, guest}, Environments: []operator.EnvironmentEntry{
			environment("sandbox", map[string]record.Role{owner: record.Admin, designer: record.Editor, reader: record.Viewer}),
			environment("staging", map[string]record.Role{owner: record.Admin}),
		}},
		{Slug: "globex", Plan: record.Pro, Members: []string{stranger}, Environments: []operator.EnvironmentEntry{
			environment("sandbox", map[string]record.Role{stranger: record.Admin}),
		}},
	}}
	if _, err := operator.Apply(context.Background(), h.store, file, false, h.clock.Now()); err != nil {
		h.t.Fatal(err)
	}
	written, err := operator.Teams(context.Background(), h.store)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, team := range written.Teams {
		for _, e := range team.Environments {
			switch team.Slug + "/" + e.Slug {
			case "acme/sandbox":
				h.sandbox = e.ID
			case "acme/staging":
				h.staging = e.ID
			case "globex/sandbox":
				h.foreign = e.ID
			}
		}
	}
}

// clock is a time that a test can move.
type clock struct {
	mu    sync.Mutex // guards ahead
	ahead time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// token returns an access token of the subject.
func (h *testOrigin) token(subject string) string {
	h.t.Helper()
	token, _, err := h.origin.Keys().Issue(auth.Order{Subject: subject, TTL: time.Hour})
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request as the subject, "" for none; path is below /public/v1. more are header names
// and values.
func (h *testOrigin) do(subject, method, path, body string, more ...string) reply {
	h.t.Helper()
	r, err := h.try(subject, method, path, body, more...)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (h *testOrigin) try(subject, method, path, body string, more ...string) (reply, error) {
	request, err := http.NewRequest(method, h.base+apiPath+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if subject != "" {
		request.Header.Set("Authorization", "Bearer "+h.token(subject))
	}
	for i := 0; i < len(more); i += 2 {
		request.Header.Set(more[i], more[i+1])
	}
	answer, err := h.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, string(text)}, err
}

// want sends a request as the owner and fails the test unless it is answered with the status.
func (h *testOrigin) want(status int, method, path, body string, more ...string) reply {
	h.t.Helper()
	r := h.do(owner, method, path, body, more...)
	if r.status != status {
		h.t.Fatalf("%s %s %s = %d %s, want %d", method, path, short(body), r.status, short(r.body), status)
	}
	return r
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// refusal is an error body.
type refusal struct {
	Status   string   `json:"status"`
	Cause    string   `json:"cause"`
	Messages []string `json:"messages"`
}

// refuses fails the test unless the answer is an error of that status and cause, in the API's shape.
func (r reply) refuses(t testing.TB, status int, cause string) refusal {
	t.Helper()
	var e refusal
	if err := json.Unmarshal([]byte(r.body), &e); err != nil {
		t.Fatalf("answer %d %q is no JSON: %v", r.status, short(r.body), err)
	}
	if r.status != status || e.Status != "error" || e.Cause != cause || e.Messages == nil {
		t.Fatalf("answer = %d %s, want %d with cause %s", r.status, short(r.body), status, cause)
	}
	if kind := r.header.Get("Content-Type"); kind != "application/json" {
		t.Fatalf("Content-Type = %q, want application/json", kind)
	}
	return e
}

// object reads the answer's body, under "resource" if it is wrapped.
func (r reply) object(t testing.TB) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(r.body), &o); err != nil {
		t.Fatalf("answer %q is no object: %v", short(r.body), err)
	}
	if inner, ok := o["resource"].(map[string]any); ok && len(o) == 1 {
		return inner
	}
	return o
}

func (r reply) text(t testing.TB, name string) string {
	t.Helper()
	value, ok := r.object(t)[name].(string)
	if !ok {
		t.Fatalf("%s of %s is no string", name, short(r.body))
	}
	return value
}

// theme creates a Theme in the sandbox and returns the path of it.
func (h *testOrigin) theme(slug string) string {
	h.t.Helper()
	themes := "/environments/" + h.sandbox + "/themes"
	body := fmt.Sprintf(`{"slug":%q,"displayName":"A theme","integration":{"framework":"react","library":"plainCSS"}}`, slug)
	return themes + "/" + h.want(201, "POST", themes, body).text(h.t, "id")
}

// variant creates a Variant and returns the path of it.
func (h *testOrigin) variant(theme, slug string) string {
	h.t.Helper()
	body := fmt.Sprintf(`{"slug":%q,"displayName":"A variant"}`, slug)
	return theme + "/variants/" + h.want(201, "POST", theme+"/variants", body).text(h.t, "id")
}

// patch edits the tokens at path from whatever draft there is, and returns the new etag.
func (h *testOrigin) patch(path, operations string) string {
	h.t.Helper()
	old, _ := h.want(200, "GET", path+"/tokens", "").object(h.t)["etag"].(string)
	etag, _ := h.want(200, "PATCH", path+"/tokens?etag="+old, `{"operations":`+operations+`}`).object(h.t)["etag"].(string)
	return etag
}

// publish publishes the draft at path.
func (h *testOrigin) publish(path string) reply {
	h.t.Helper()
	return h.want(200, "POST", path+"/tokens/publish", "")
}

// red is a batch that adds one token.
const red = `[{"operation":"add","path":"/red","value":{"$type":"color","$value":"#ff0000"}}]`
