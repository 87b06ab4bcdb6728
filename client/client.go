// Package client is a typed client of the public API of Livery: one method for each of its
// routes, on net/http. It repeats only what is safe to repeat, answers refusals as *Error, and
// keeps token values as the JSON they are. It decides nothing and caches nothing.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	apiPath        = "/public/v1"
	defaultTimeout = 60 * time.Second
	defaultTries   = 4
	firstPause     = 100 * time.Millisecond
	longestPause   = 5 * time.Second
	maxAnswer      = 256 << 20 // bytes; a runaway answer must not fill the memory
)

// Client calls one origin with one access token. Its methods may be called concurrently; its
// fields must not be changed once a method was called. The zero value has no address: use New.
type Client struct {
	// HTTP sends the requests. New sets a client that gives up after 60 s and follows no redirect: the access token is for
	// one origin, and net/http sends it to another port or subdomain too.
	HTTP *http.Client
	// Tries is how often a request that is safe to repeat is sent at most; 1 never repeats.
	Tries int
	// FirstPause is the wait before the first repetition; each further wait is twice as long, up to
	// 5 s, unless the answer's Retry-After asks for longer.
	FirstPause time.Duration
	// UserAgent is sent with every request; empty sends Go's own.
	UserAgent string

	base  string // without the API's path and without a slash at its end
	token string
}

// New returns a Client of the origin at baseURL, for example "https://api.example.com", with or
// without "/public/v1" at its end. token is the access token, without the word "Bearer"; empty sends none,
// which is enough for Logins alone.
func New(baseURL, token string) *Client {
	base := strings.TrimSuffix(strings.TrimRight(baseURL, "/"), apiPath)
	return &Client{
		HTTP:       &http.Client{Timeout: defaultTimeout, CheckRedirect: refuseRedirect},
		Tries:      defaultTries,
		FirstPause: firstPause,
		base:       strings.TrimRight(base, "/"),
		token:      token,
	}
}

// errRedirect is the cause of the error of a request that was answered by a redirect.
var errRedirect = errors.New("redirects are not followed")

func refuseRedirect(to *http.Request, _ []*http.Request) error {
	return fmt.Errorf("redirected to %s://%s: %w", to.URL.Scheme, to.URL.Host, errRedirect)
}

// BaseURL returns the address of the origin, without "/public/v1".
func (c *Client) BaseURL() string { return c.base }

type idempotencyKey struct{}

// WithIdempotencyKey returns a context whose POST, PATCH or DELETE carries key, so that the same call made again
// within 24 hours, by another process too, is answered as the first was. It serves one call. Without it
// every POST, DELETE and minimal edit gets a random key of its own, which covers the repetitions of that one call.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

type ifMatch struct{}

// WithIfMatch returns a context whose update, deletion or change of integrations of a Theme or a Variant takes place only if
// that is the one of the ETag, as Theme.ETag and Variant.ETag have it, else ErrIfMatchFailed; "*" means whichever there is.
// Edits, discards and publishes of tokens have an option of their own.
func WithIfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatch{}, etag)
}

// request is one call of the API before it is sent.
type request struct {
	method string
	path   []string // segments after the API's path, unescaped
	query  url.Values
	match  string // If-Match, unquoted; empty sends none
	body   any    // nil sends none

	guarded bool // If-Match is that of WithIfMatch
	minimal bool // the answer may leave out what an edit made
}

// call sends r and decodes the answer's body into out, unless out is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = encode(r.body); err != nil {
			return fmt.Errorf("client: encode the body of %s %s: %w", r.method, c.address(r), err)
		}
	}
	answer, err := c.send(ctx, r, body)
	if err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.body, out); err != nil {
		return fmt.Errorf("client: read the answer of %s %s: %w", r.method, c.address(r), err)
	}
	if resource, ok := out.(interface{ setETag(string) }); ok {
		resource.setETag(strings.Trim(answer.etag, `"`))
	}
	return nil
}

// fetch sends r and returns what the answer's body holds.
func fetch[T any](ctx context.Context, c *Client, r request) (out T, err error) {
	err = c.call(ctx, r, &out)
	return out, err
}

// resource is the wrapper of create answers and token reads.
type resource[T any] struct {
	Resource T `json:"resource"`
}

func (r *resource[T]) setETag(etag string) {
	if inner, ok := any(&r.Resource).(interface{ setETag(string) }); ok {
		inner.setETag(etag)
	}
}

// get is fetch of a read.
func get[T any](ctx context.Context, c *Client, path []string, query url.Values) (T, error) {
	return fetch[T](ctx, c, request{method: http.MethodGet, path: path, query: query})
}

// unwrap is fetch of a resource in its wrapper.
func unwrap[T any](ctx context.Context, c *Client, r request) (T, error) {
	answer, err := fetch[resource[T]](ctx, c, r)
	return answer.Resource, err
}

// file returns the body of an answer as it is.
func (c *Client) file(ctx context.Context, path []string, query url.Values) ([]byte, error) {
	a, err := c.send(ctx, request{method: http.MethodGet, path: path, query: query}, nil)
	return a.body, err
}

// queryOf makes the parameters of a request from pairs of a name and a value. Zero values are left out.
func queryOf(pairs ...any) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		text := ""
		switch v := pairs[i+1].(type) {
		case string:
			text = v
		case int:
			if v != 0 {
				text = strconv.Itoa(v)
			}
		case bool:
			if v {
				text = "true"
			}
		}
		if text != "" {
			q.Set(pairs[i].(string), text)
		}
	}
	return q
}

// answer is the body of a 2xx, and the ETag that came with it, in quotes.
type answer struct {
	body []byte
	etag string
}

// encode is json.Marshal without its rewriting of "<", ">" and "&".
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return buf.Bytes(), err
}

func (c *Client) address(r request) string {
	var b strings.Builder
	b.WriteString(c.base)
	b.WriteString(apiPath)
	for _, segment := range r.path {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	if len(r.query) > 0 {
		b.WriteByte('?')
		b.WriteString(r.query.Encode())
	}
	return b.String()
}

// send sends r until an answer stands, as often as that is safe, and returns a 2xx.
func (c *Client) send(ctx context.Context, r request, body []byte) (answer, error) {
	key := ""
	if r.method != http.MethodGet && r.method != http.MethodPut {
		key, _ = ctx.Value(idempotencyKey{}).(string)
	}
	if key == "" && (r.method == http.MethodPost || r.method == http.MethodDelete || r.minimal) {
		key = rand.Text() // the server stores the answer for a day, so that one of a large edit is stored on request alone
	}
	safe := key != "" || r.method == http.MethodGet || r.method == http.MethodHead
	pause := c.FirstPause
	for try := 1; ; try++ {
		a, wait, err := c.once(ctx, r, body, key)
		if err == nil || wait < 0 || !safe || try >= c.Tries {
			return a, err
		}
		if !sleep(ctx, max(wait, pause)) {
			return answer{}, err
		}
		pause = min(2*pause, longestPause)
	}
}

// once sends r once. wait is negative if the answer stands, else the least wait before another
// try makes sense.
func (c *Client) once(ctx context.Context, r request, body []byte, key string) (a answer, wait time.Duration, err error) {
	req, err := c.httpRequest(ctx, r, body, key)
	if err != nil {
		return a, -1, err
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		if errors.Is(err, errRedirect) {
			return a, -1, fmt.Errorf("client: %w", err)
		}
		return a, unlessDone(ctx), fmt.Errorf("client: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return a, unlessDone(ctx), fmt.Errorf("client: read the answer of %s %s: %w", r.method, req.URL, err)
	}
	if res.StatusCode/100 == 2 {
		return answer{text, res.Header.Get("ETag")}, -1, nil
	}
	return a, waitFor(res), readError(r.method, req.URL.String(), res, text)
}

func (c *Client) httpRequest(ctx context.Context, r request, body []byte, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.address(r), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.minimal {
		req.Header.Set("Prefer", "return=minimal")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	match := r.match
	if r.guarded {
		match, _ = ctx.Value(ifMatch{}).(string)
	}
	if match != "" {
		req.Header.Set("If-Match", quoteETag(match))
	}
	if c.UserAgent != "" {
		req.Header.Set("User-Agent", c.UserAgent)
	}
	return req, nil
}

// quoteETag puts an etag of a token read into quotes, as headers want it; "*" stays.
func quoteETag(etag string) string {
	if etag == "*" {
		return etag
	}
	return `"` + etag + `"`
}

func unlessDone(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return -1
	}
	return 0
}

// waitFor returns how long an answer asks to wait before the request is sent again, or a negative
// duration if sending it again cannot help.
func waitFor(res *http.Response) time.Duration {
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return -1
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// sleep waits for d and reports whether ctx lasted as long.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
