package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// ErrUnreachable means that no upstream gave a right answer: the edge serves what it holds.
var ErrUnreachable = errors.New("upstream cannot be reached")

// How long upstream may take.
const (
	recordTimeout = 5 * time.Second
	blobTimeout   = 30 * time.Second
	dialTimeout   = 2 * time.Second

	// RetryAfter is how long a record is not asked for after a question for it alone failed.
	RetryAfter = time.Second
)

// ResponseMeta is how an answer of upstream came about.
type ResponseMeta struct {
	Age         time.Duration // since when upstream knew it to be current
	NotFollowed bool          // changes of it are not heard on the feed that is followed
}

// parseMeta reads what the answer says of itself. An origin says nothing: it knows.
func parseMeta(h http.Header) ResponseMeta {
	return ResponseMeta{feedproto.ParseAge(h.Get(feedproto.AgeHeader)), h.Get(feedproto.CoverHeader) == feedproto.NotFollowed}
}

// Client asks the feed of an origin, or of an edge before it. It may be used concurrently.
type Client struct {
	base       string // URL without a slash at its end
	token      string
	client     *http.Client
	now        func() time.Time
	onRecovery func() // called when it answers again
	outage     outage // it gives no answer
	cutOff     outage // it answers, but follows no feed itself: what it says is no newer than before
	endpoints  [endpointCount]endpointHealth

	healthy    atomic.Bool  // its feed can be followed, as far as is known
	probing    atomic.Bool  // a look at whether it can be followed again is under way
	retryAt    atomic.Int64 // Unix nanoseconds: it is not followed before
	backoff    atomic.Int64 // nanoseconds: the newest pause
	hastenedAt atomic.Int64 // Unix nanoseconds: when a pause was last cut short
}

func newClient(base string, c Config, now func() time.Time) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("edge: upstream %q is not an http or https URL", base)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 32
	transport.MaxConnsPerHost = 64
	transport.ResponseHeaderTimeout = recordTimeout + PollSeconds*time.Second
	dialer := &net.Dialer{Timeout: dialTimeout}
	transport.DialContext = dialer.DialContext
	if c.TLS != nil {
		transport.DialTLSContext = dialTLS(dialer, c.TLS)
	}
	up := &Client{
		base:  strings.TrimSuffix(base, "/"),
		token: c.Token,
		now:   now,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	up.healthy.Store(true)
	return up, nil
}

// down reports whether the newest question, the feed's polls included, got no answer.
func (u *Client) down() bool { return u.outage.since() != 0 }

// endpointDown reports whether the newest questions, or those to an endpoint, got no right answer that is current.
func (u *Client) endpointDown(at Endpoint) bool {
	return u.down() || u.cutOff.since() != 0 || u.endpoints[at].since() != 0
}

// next returns from when on a question to an endpoint is let through, in Unix nanoseconds; 0: any is. held is as in Backoff.
func (u *Client) next(at Endpoint, held bool) int64 {
	next := max(u.outage.next(), u.endpoints[at].next())
	if held {
		next = max(next, u.cutOff.next())
	}
	return next
}

// admits reports whether the caller may ask an endpoint now, and then must.
func (u *Client) admits(at Endpoint) bool {
	now := u.now().UnixNano()
	if now < u.endpoints[at].next() || !u.outage.admits(now) || !u.endpoints[at].admits(now) {
		return false
	}
	u.cutOff.admits(now) // its answer says whether the upstream is still cut off
	return true
}

// succeeded counts an answer to a question that was asked at a time. One of an upstream that follows no feed is no recovery:
// an upstream that is back with it is cut off.
func (u *Client) succeeded(m ResponseMeta, askedAt time.Time) {
	now := u.now().UnixNano()
	recovered := u.outage.recover(now)
	switch {
	case !m.NotFollowed:
		recovered = u.cutOff.recover(now) || recovered
	case recovered:
		u.cutOff.fail(askedAt.UnixNano(), now)
	}
	if recovered {
		u.onRecovery()
	}
}

// failed counts a question that was asked at a time and got no answer.
func (u *Client) failed(askedAt time.Time) { u.outage.fail(askedAt.UnixNano(), u.now().UnixNano()) }

// failedUnlessCancelled is failed, save for a question whose answer is not needed any more.
func (u *Client) failedUnlessCancelled(ctx context.Context, askedAt time.Time) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		u.failed(askedAt)
	}
}

// theme returns a Theme's record; missing is not empty if it does not exist. The error is
// ErrUnreachable.
func (u *Client) theme(ctx context.Context, key string) (fed feedproto.Theme, missing string, m ResponseMeta, err error) {
	missing, m, err = u.record(ctx, feedproto.ThemesPath+key, &fed)
	if err == nil && missing == "" && fed.EnvironmentID+"/"+fed.ThemeID != key {
		err = fmt.Errorf("%w: it answered with another Theme", ErrUnreachable)
	}
	return fed, missing, m, err
}

// manifest returns the manifest of a Theme; missing says what is missing if there is none. The error is ErrUnreachable.
func (u *Client) manifest(ctx context.Context, key string) (fed feedproto.Manifest, missing string, m ResponseMeta, err error) {
	missing, m, err = u.record(ctx, feedproto.ManifestsPath+key, &fed)
	if err == nil && missing == "" && (fed.EnvironmentID+"/"+fed.ThemeID != key || len(fed.Content) == 0) {
		err = fmt.Errorf("%w: it answered with the manifest of another Theme, or with none", ErrUnreachable)
	}
	return fed, missing, m, err
}

// pair returns the record of a pair; missing says what is missing if there is none: "theme",
// "variant", "version" or "modes". The error is ErrUnreachable.
func (u *Client) pair(ctx context.Context, key, inputs string) (fed feedproto.PairInputs, missing string, m ResponseMeta, err error) {
	missing, m, err = u.record(ctx, feedproto.PairsPath+key+"?"+feedproto.InputsParameter+"="+inputs, &fed)
	if err == nil && missing == "" && !ValidPair(fed.Pair, key) {
		err = fmt.Errorf("%w: it answered with a pair of another version or without inputs", ErrUnreachable)
	}
	return fed, missing, m, err
}

// ValidPair reports whether a pair names its inputs and is of the version asked for.
func ValidPair(p feedproto.Pair, key string) bool {
	_, asked, _ := feedproto.SplitPair(key)
	return p.Plan.Valid() && p.Module.Valid() && (p.Overlay == "" || p.Overlay.Valid()) &&
		p.Version > 0 && (asked == "latest" || asked == strconv.FormatUint(uint64(p.Version), 10))
}

// modules lists the renderer modules that upstream has.
func (u *Client) modules(ctx context.Context) (fed feedproto.Modules, err error) {
	_, _, err = u.record(ctx, feedproto.ModulesPath, &fed)
	if err == nil && fed.Modules == nil {
		err = fmt.Errorf("%w: it answered without a list of modules", ErrUnreachable)
	}
	return fed, err
}

// refresh returns a changed Theme with pairs of it; fed is nil if upstream has no such answer. The error is ErrUnreachable.
func (u *Client) refresh(ctx context.Context, key, question string) (fed *feedproto.Refresh, m ResponseMeta, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	a, err := u.get(ctx, question, feedproto.MaxRefreshBytes)
	if err != nil || a.status != http.StatusOK {
		return nil, a.meta, err
	}
	parsed, err := feedproto.ParseRefresh(a.body)
	if err != nil || parsed.Theme.EnvironmentID+"/"+parsed.Theme.ThemeID != key {
		return nil, a.meta, fmt.Errorf("%w: its answer for a changed Theme cannot be read", ErrUnreachable)
	}
	return &parsed, a.meta, nil
}

// blob returns the bytes of that name, checked against it.
func (u *Client) blob(ctx context.Context, name record.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	a, err := u.get(ctx, feedproto.BlobsPath+string(name), feedproto.MaxBlobBytes)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK || record.HashOf(a.body) != name {
		return nil, fmt.Errorf("%w: blob %s: status %d or other content", ErrUnreachable, name, a.status)
	}
	return a.body, nil
}

// record reads one JSON record into v, or says what is missing.
func (u *Client) record(ctx context.Context, path string, v any) (missing string, m ResponseMeta, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	a, err := u.get(ctx, path, feedproto.MaxRecordBytes)
	if err != nil {
		return "", m, err
	}
	switch a.status {
	case http.StatusOK:
		if err := json.Unmarshal(a.body, v); err != nil {
			return "", m, fmt.Errorf("%w: %s is not JSON: %w", ErrUnreachable, path, err)
		}
		return "", a.meta, nil
	case http.StatusNotFound:
		if part := missingPart(a.body); part != "" {
			return part, a.meta, nil
		}
	}
	return "", m, fmt.Errorf("%w: status %d of %s", ErrUnreachable, a.status, path)
}

// missingPart returns what an answer of status 404 says is missing; nothing if it does not say.
func missingPart(body []byte) string {
	var fed feedproto.NotFound
	if err := json.Unmarshal(body, &fed); err != nil {
		return ""
	}
	return fed.Missing
}

// response is what came back for one question.
type response struct {
	status int
	body   []byte
	meta   ResponseMeta
}

// get asks once. Every failure is ErrUnreachable; those that concern more than this one question
// hold others back for a moment.
func (u *Client) get(ctx context.Context, path string, limit int64) (response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.base+path, nil)
	if err != nil {
		return response{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	req.Header.Set("Authorization", feedproto.Authorization(u.token))
	if parent := traceOf(ctx); parent != "" {
		req.Header.Set(TraceHeader, parent)
	}
	askedAt := u.now()
	res, err := u.client.Do(req)
	if err != nil {
		u.failedUnlessCancelled(ctx, askedAt)
		return response{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer res.Body.Close()
	var body []byte
	if res.ContentLength <= limit {
		body, err = io.ReadAll(io.LimitReader(res.Body, limit+1))
	}
	a := response{res.StatusCode, body, parseMeta(res.Header)}
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", ErrUnreachable, err)
	case max(int64(len(body)), res.ContentLength) > limit:
		err = fmt.Errorf("%w: its answer is longer than %d bytes", ErrUnreachable, limit)
	case a.status > http.StatusInternalServerError && !a.meta.NotFollowed: // else it lives, and is cut off itself
		err = fmt.Errorf("%w: status %d", ErrUnreachable, res.StatusCode)
	}
	if err != nil {
		u.failedUnlessCancelled(ctx, askedAt)
		return response{}, err
	}
	u.succeeded(a.meta, askedAt)
	return a, nil
}
