package origin_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/livery/internal/test/race"
)

// contract is the OpenAPI document, by which requests and answers are checked.
type contract struct {
	document   *openapi3.T
	router     routers.Router
	components any
	minimal    any                 // the components as return=minimal has them
	mistake    *openapi3.SchemaRef // the body of every error
	schemas    *sync.Map           // judged to *jsonschema.Schema, each compiled once
}

// judged is a schema, as every answer has it or a minimal one.
type judged struct {
	schema  *openapi3.Schema
	minimal bool
}

// theContract is read once: to read it takes longer than most tests.
var theContract = sync.OnceValues(func() (contract, error) {
	document, err := openapi3.NewLoader().LoadFromFile("api/openapi.yaml")
	if err != nil {
		return contract{}, err
	}
	document.Servers = nil // a test's origin is on another port each time
	router, err := legacy.NewRouter(document)
	if err != nil {
		return contract{}, err
	}
	components, err := plainJSON(document.Components)
	if err != nil {
		return contract{}, err
	}
	enforceRules(components)
	minimal, err := plainJSON(components)
	leaveOut(minimal)
	return contract{document, router, components, minimal, document.Components.Schemas["Error"], &sync.Map{}}, err
})

// leaveOut makes each schema in a part of the document the one of a minimal answer: without the members that
// x-livery-minimal lists.
func leaveOut(part any) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			leaveOut(item)
		}
	case map[string]any:
		for _, member := range part {
			leaveOut(member)
		}
		omitted, _ := part["x-livery-minimal"].([]any)
		for _, name := range omitted {
			delete(part["properties"].(map[string]any), name.(string))
			part["required"] = slices.DeleteFunc(part["required"].([]any), func(required any) bool { return required == name })
		}
	}
}

// plainJSON returns v as it is read from its JSON.
func plainJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// enforceRules makes each x-livery-rule in a part of the document a constraint of the schema that it stands in.
func enforceRules(part any) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			enforceRules(item)
		}
	case map[string]any:
		for _, member := range part {
			enforceRules(member)
		}
		if rule, ok := part["x-livery-rule"]; ok {
			constraints, _ := part["allOf"].([]any)
			part["allOf"] = append(constraints, rule)
		}
	}
}

// compiled returns a schema of the document, compiled with the components that it refers to.
func (c contract) compiled(ref *openapi3.SchemaRef, minimal bool) (*jsonschema.Schema, error) {
	if known, ok := c.schemas.Load(judged{ref.Value, minimal}); ok {
		return known.(*jsonschema.Schema), nil
	}
	schema, err := plainJSON(ref.Value)
	if err != nil {
		return nil, err
	}
	enforceRules(schema)
	components := c.components
	if minimal {
		leaveOut(schema)
		components = c.minimal
	}
	compiled, err := compileSchema(components, schema)
	if err == nil {
		c.schemas.Store(judged{ref.Value, minimal}, compiled)
	}
	return compiled, err
}

// compileSchema returns a schema that may refer to the components of the document.
func compileSchema(components, schema any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("document", map[string]any{"components": components, "allOf": []any{schema}}); err != nil {
		return nil, err
	}
	return compiler.Compile("document")
}

// checkBody says in what a body departs from what the document describes for its type.
func (c contract) checkBody(described openapi3.Content, kind string, body []byte, minimal bool) error {
	if len(described) == 0 {
		return nil
	}
	media := described.Get(kind)
	if media == nil {
		return fmt.Errorf("the document does not describe a body of type %q", kind)
	}
	value := any(string(body))
	if strings.Contains(kind, "json") {
		var err error
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return fmt.Errorf("body %q: %w", body, err)
		}
	}
	schema, err := c.compiled(media.Schema, minimal)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func readContract(t testing.TB) contract {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exchange is one request with its answer, both read whole.
type exchange struct {
	request *http.Request
	sent    []byte
	status  int
	header  http.Header
	body    []byte
}

// general are the headers that any answer may have without being described.
var general = []string{
	"Cache-Control", "Connection", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options", "X-Request-Id",
	"Transfer-Encoding", "Vary", "Content-Encoding", "Ratelimit", "Ratelimit-Policy", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Allow", "Retry-After", "Strict-Transport-Security", "Www-Authenticate",
}

// check says in what an exchange departs from the document.
func (c contract) check(e exchange) error {
	if err := c.checkAlways(e); err != nil || e.request == nil || e.request.Method == http.MethodOptions { // a preflight
		return err
	}
	method := e.request.Method
	if method == http.MethodHead { // answers as GET does, without the body; the document does not list it
		method = http.MethodGet
	}
	request := e.again(method)
	route, params, err := c.router.FindRoute(request)
	if err != nil || spelled(route.Path, params) != request.URL.EscapedPath() {
		if e.status < 400 && strings.HasPrefix(request.URL.Path, apiPath+"/environments") {
			return fmt.Errorf("the document has no such operation: %v", err)
		}
		return nil
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true, MultiError: true,
		ExcludeRequestBody: true, ExcludeResponseBody: true,
	}
	in := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route, Options: options}
	if e.status < 400 {
		err := openapi3filter.ValidateRequest(context.Background(), in)
		if body := route.Operation.RequestBody; err == nil && body != nil && (len(e.sent) > 0 || body.Value.Required) {
			err = c.checkBody(body.Value.Content, "application/json", e.sent, false)
		}
		if err != nil {
			return fmt.Errorf("a request that was accepted is none of the document's: %w", err)
		}
	}
	if err := describes(route.Operation, e); err != nil {
		return err
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: e.status, Header: e.header, Options: options}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil || e.request.Method == http.MethodHead {
		return err
	}
	kind, _, _ := mime.ParseMediaType(e.header.Get("Content-Type"))
	return c.checkBody(route.Operation.Responses.Status(e.status).Value.Content, kind, e.body, e.header.Get("Preference-Applied") == "return=minimal")
}

// spelled is the one spelling of a path: the router forgives escapes and a trailing slash.
func spelled(path string, params map[string]string) string {
	for name, value := range params {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path
}

// again returns the request as it was before it was sent. A body counts as JSON whatever its type.
func (e exchange) again(method string) *http.Request {
	request := e.request.Clone(context.Background())
	request.Method, request.Body = method, io.NopCloser(bytes.NewReader(e.sent))
	request.ContentLength = int64(len(e.sent))
	if len(e.sent) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// checkAlways checks what holds for every answer, also for one of an unknown path.
func (c contract) checkAlways(e exchange) error {
	if len(e.header.Values("X-Request-Id")) != 1 || e.header.Get("Server") != "" {
		return fmt.Errorf("headers = %v, want one X-Request-Id and no Server", e.header)
	}
	head := e.request != nil && e.request.Method == http.MethodHead
	switch {
	case e.status == http.StatusUnauthorized && (len(e.body) > 0 || e.header.Get("Www-Authenticate") != "Bearer"):
		return fmt.Errorf("401 = %q %v, want no body and the scheme", e.body, e.header)
	case e.status < 400, e.status == http.StatusUnauthorized, head:
		return nil
	}
	return c.checkBody(openapi3.Content{"application/json": {Schema: c.mistake}}, "application/json", e.body, false)
}

// describes wants every header of an answer to be one of the document's.
func describes(operation *openapi3.Operation, e exchange) error {
	described := operation.Responses.Status(e.status)
	if described == nil {
		return nil // the status is refused elsewhere
	}
	for name := range e.header {
		known := slices.Contains(general, name)
		for stated := range described.Value.Headers {
			known = known || http.CanonicalHeaderKey(stated) == name
		}
		if !known {
			return fmt.Errorf("answer %d has the header %s, which the document does not describe", e.status, name)
		}
	}
	return nil
}

// contractChecker is a transport that checks every exchange against the document. Of an operation with one
// status it checks the first 40 exchanges and then every sixteenth, so that the tests which send
// the same request a thousand times (parallel edits, racing creates, 1,001 Themes, 1,000 kept
// requests) take no longer for it. Under the race detector it checks request ids alone: the document
// has seen the same exchanges without the detector.
type contractChecker struct {
	t        testing.TB
	contract contract
	next     http.RoundTripper

	mu   sync.Mutex // guards seen and ids
	seen map[string]int
	ids  map[string]bool // request ids
}

func newContractChecker(t testing.TB, next http.RoundTripper) *contractChecker {
	t.Helper()
	return &contractChecker{t: t, contract: readContract(t), next: next, seen: map[string]int{}, ids: map[string]bool{}}
}

// RoundTrip sends the request and checks what comes back.
func (w *contractChecker) RoundTrip(request *http.Request) (*http.Response, error) {
	e := exchange{request: request}
	if request.Body != nil {
		sent, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		e.sent = sent
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(sent))
	}
	answer, err := w.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if e.body, err = io.ReadAll(answer.Body); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(e.body))
	e.status, e.header = answer.StatusCode, answer.Header
	if len(e.body) > 0 {
		e.body = []byte(reply{header: e.header, body: string(e.body)}.decoded(w.t))
	}
	w.check(e)
	return answer, nil
}

func (w *contractChecker) check(e exchange) {
	if id := e.header.Get("X-Request-Id"); id != "" && !w.isNew(id) {
		w.t.Errorf("%s: the request id %s is not 32 hexadecimal digits of its own", e, id)
	}
	if race.Enabled || e.request != nil && strings.HasPrefix(e.request.URL.Path, "/feed/") || !w.takes(e) {
		return
	}
	if err := w.contract.check(e); err != nil {
		w.t.Errorf("%s: %v", e, err)
	}
	if (e.status == 409 || e.status == 412) && !bytes.Contains(e.body, []byte(`"messages":[]`)) {
		w.t.Errorf("%s: want an empty list of messages", e)
	}
}

// isNew reports whether a request id has its form and was not seen before.
func (w *contractChecker) isNew(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.ids[id]
	w.ids[id] = true
	_, err := hex.DecodeString(id)
	return !known && len(id) == 32 && err == nil
}

// takes counts the exchange, and reports whether it is one to check.
func (w *contractChecker) takes(e exchange) bool {
	kind := fmt.Sprint(e.status)
	if e.request != nil {
		path := strings.Split(e.request.URL.Path, "/")
		for i := 4; i < len(path); i += 2 { // the ids of the path
			path[i] = ""
		}
		kind += " " + e.request.Method + strings.Join(path, "/")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[kind]++
	return w.seen[kind] <= 40 || w.seen[kind]%16 == 0
}

// String spells an exchange for a failure.
func (e exchange) String() string {
	if e.request == nil {
		return fmt.Sprintf("%d %s", e.status, short(string(e.body)))
	}
	return fmt.Sprintf("%s %s %s = %d %s", e.request.Method, e.request.URL, short(string(e.sent)), e.status, short(string(e.body)))
}

// checkRaw checks the answers of a raw connection against the document. Of a request that cannot be
// read it checks the answer alone.
func (w *contractChecker) checkRaw(text string, answers []reply) {
	rest := bufio.NewReader(strings.NewReader(text))
	for _, a := range answers {
		if a.status < 200 {
			continue
		}
		e := exchange{status: a.status, header: a.header, body: []byte(a.body)}
		e.request, e.sent = readRequest(rest)
		w.check(e)
	}
}

func readRequest(from *bufio.Reader) (*http.Request, []byte) {
	request, err := http.ReadRequest(from)
	if err != nil {
		return nil, nil
	}
	sent, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, nil
	}
	return request, sent
}

// A check that accepts everything proves nothing: what departs from the document is reported.
func TestTheDocumentJudges(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	good := exchange{
		request: &http.Request{Method: "GET", URL: mustURL(t, "http://a/public/v1/environments"), Header: http.Header{}}, status: 200,
		header: http.Header{"X-Request-Id": {"x"}, "Etag": {`W/"x"`}, "Content-Type": {"application/json"}},
		body:   []byte(`{"items":[],"pageNumber":1,"pageSize":100,"pageCount":0}`),
	}
	if err := c.check(good); err != nil {
		t.Fatalf("check(good) = %v, want nil", err)
	}
	for name, change := range map[string]func(e *exchange){
		"a member more": func(e *exchange) { e.body = []byte(`{"items":[],"pageNumber":1,"pageSize":100,"pageCount":0,"x":1}`) },
		"a member less": func(e *exchange) { e.body = []byte(`{"items":[],"pageNumber":1,"pageSize":100}`) },
		"totals that are not paired": func(e *exchange) {
			e.body = []byte(`{"items":[],"pageNumber":1,"pageSize":100,"pageCount":0,"totalCount":0}`)
		},
		"another type":              func(e *exchange) { e.header.Set("Content-Type", "text/plain") },
		"no request id":             func(e *exchange) { e.header.Del("X-Request-Id") },
		"a header more":             func(e *exchange) { e.header.Set("Location", "/") },
		"a status more":             func(e *exchange) { e.status = 202 },
		"a parameter out of bounds": func(e *exchange) { e.request.URL.RawQuery = "pageSize=1001" },
		"a path that is none":       func(e *exchange) { e.request.URL.Path += "/x/y" },
		"401 with a body":           func(e *exchange) { e.status = 401 },
		"an error without messages": func(e *exchange) { e.status, e.body = 404, []byte(`{"status":"error","cause":"notFound"}`) },
		"404 with a message": func(e *exchange) {
			e.request.URL.Path += "/x"
			e.status, e.body = 404, []byte(`{"status":"error","cause":"notFound","messages":["x"]}`)
		},
	} {
		e := good
		e.request, e.header = good.request.Clone(context.Background()), good.header.Clone()
		change(&e)
		var none *openapi3filter.RequestError
		if err := c.check(e); err == nil || errors.As(err, &none) && name != "a parameter out of bounds" {
			t.Errorf("%s: check() = %v, want what is wrong", name, err)
		}
	}
}
