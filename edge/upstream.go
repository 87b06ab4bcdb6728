package edge

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

// errUnreachable means that upstream gave no answer to go by: the edge serves what it holds.
var errUnreachable = errors.New("upstream cannot be reached")

// How long upstream may take.
const (
	recordTimeout = 5 * time.Second
	blobTimeout   = 30 * time.Second
	dialTimeout   = 2 * time.Second
	retryAfter    = time.Second // how long a record is not asked for after a question for it alone failed
)

// manner is how an answer of upstream came about.
type manner struct {
	age   time.Duration // since when upstream knew it to be current
	aside bool          // changes of it are not heard on the feed that is followed
}

// learned returns the answer to a question that was asked at a time, under a number of change.
func (m manner) learned(change uint64, asked time.Time) learned {
	return learned{change: change, at: asked.Add(-m.age), age: m.age, covered: !m.aside}
}

// mannerOf reads what the answer says of itself. An origin says nothing: it knows.
func mannerOf(h http.Header) manner {
	return manner{feedproto.ParseAge(h.Get(feedproto.AgeHeader)), h.Get(feedproto.CoverHeader) == feedproto.NotFollowed}
}

// upstream asks the feed of an origin, or of an edge before it. It may be used concurrently.
type upstream struct {
	base   string // URL without a slash at its end
	token  string
	client *http.Client
	now    func() time.Time
	found  func() // called when it answers again
	loss   loss
	losses [endpointCount]endpointLoss

	well      atomic.Bool // its feed can be followed, as far as is known
	probing   atomic.Bool // a look at whether it can be followed again is under way
	restUntil atomic.Int64
	backoff   atomic.Int64 // nanoseconds: the newest rest
	hurriedAt atomic.Int64 // Unix nanoseconds: when a rest was last cut short
	told      string       // the newest failure that was logged; follow's alone
}

func newUpstream(base string, c Config, now func() time.Time) (*upstream, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("edge: upstream %q is not an http or https URL", base)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 32
	transport.MaxConnsPerHost = 64
	transport.ResponseHeaderTimeout = recordTimeout + pollSeconds*time.Second
	dialer := &net.Dialer{Timeout: dialTimeout}
	transport.DialContext = dialer.DialContext
	if c.UpstreamTLS != nil {
		transport.DialTLSContext = dialTLS(dialer, c.UpstreamTLS)
	}
	up := &upstream{
		base:  strings.TrimSuffix(base, "/"),
		token: c.UpstreamToken,
		now:   now,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	up.well.Store(true)
	return up, nil
}

// failing reports whether the newest question, the feed's polls included, found nobody.
func (u *upstream) failing() bool { return u.loss.since() != 0 }

// fails reports whether the newest questions, or those to an endpoint, were not answered right.
func (u *upstream) fails(at endpoint) bool { return u.failing() || u.losses[at].since() != 0 }

// next returns from when on a question to an endpoint is let through, in Unix nanoseconds; 0: any is.
func (u *upstream) next(at endpoint) int64 { return max(u.loss.next(), u.losses[at].next()) }

// admits reports whether the caller may ask an endpoint now, and then must.
func (u *upstream) admits(at endpoint) bool {
	now := u.now().UnixNano()
	return now >= u.losses[at].next() && u.loss.admits(now) && u.losses[at].admits(now)
}

// reached and lost keep what a question found that was asked at a time.
func (u *upstream) reached() {
	if u.loss.end(u.now().UnixNano()) {
		u.found()
	}
}

func (u *upstream) lost(askedAt time.Time) { u.loss.add(askedAt.UnixNano(), u.now().UnixNano()) }

// lostUnlessCancelled is lost, but for a question that nobody needs an answer to any more.
func (u *upstream) lostUnlessCancelled(ctx context.Context, askedAt time.Time) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		u.lost(askedAt)
	}
}

// theme returns a Theme's record; missing is not empty if there is no such Theme. The error is
// errUnreachable.
func (u *upstream) theme(ctx context.Context, key string) (fed feedproto.Theme, missing string, m manner, err error) {
	missing, m, err = u.record(ctx, feedproto.ThemesPath+key, &fed)
	if err == nil && missing == "" && fed.EnvironmentID+"/"+fed.ThemeID != key {
		err = fmt.Errorf("%w: it answered with another Theme", errUnreachable)
	}
	return fed, missing, m, err
}

// pair returns the record of a pair; missing says what is missing if there is none: "theme",
// "variant" or "version". The error is errUnreachable.
func (u *upstream) pair(ctx context.Context, key string) (fed feedproto.Pair, missing string, m manner, err error) {
	missing, m, err = u.record(ctx, feedproto.PairsPath+key, &fed)
	if err == nil && missing == "" && !sound(fed, key) {
		err = fmt.Errorf("%w: it answered with a pair of another version or without inputs", errUnreachable)
	}
	return fed, missing, m, err
}

// sound reports whether a pair names its inputs and is of the version asked for.
func sound(p feedproto.Pair, key string) bool {
	asked := key[strings.LastIndexByte(key, '/')+1:]
	return p.Plan.Valid() && p.Module.Valid() && (p.Overlay == "" || p.Overlay.Valid()) &&
		p.Version > 0 && (asked == "latest" || asked == strconv.FormatUint(uint64(p.Version), 10))
}

// modules lists the renderer modules that upstream has.
func (u *upstream) modules(ctx context.Context) (fed feedproto.Modules, err error) {
	_, _, err = u.record(ctx, feedproto.ModulesPath, &fed)
	if err == nil && fed.Modules == nil {
		err = fmt.Errorf("%w: it answered without a list of modules", errUnreachable)
	}
	return fed, err
}

// refresh returns a changed Theme with pairs of it; fed is nil if upstream has no such answer, and the status
// says why. The error is errUnreachable.
func (u *upstream) refresh(ctx context.Context, key, question string) (fed *feedproto.Refresh, a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	a, err = u.get(ctx, question, feedproto.MaxRefreshBytes)
	if err != nil || a.status != http.StatusOK {
		return nil, a, err
	}
	parsed, err := feedproto.ParseRefresh(a.body)
	if err != nil || parsed.Theme.EnvironmentID+"/"+parsed.Theme.ThemeID != key {
		return nil, a, fmt.Errorf("%w: its answer for a changed Theme cannot be read", errUnreachable)
	}
	return &parsed, a, nil
}

// blob returns the bytes of that name, checked against it.
func (u *upstream) blob(ctx context.Context, name record.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	a, err := u.get(ctx, feedproto.BlobsPath+string(name), feedproto.MaxBlobBytes)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK || record.HashOf(a.body) != name {
		return nil, fmt.Errorf("%w: blob %s: status %d or other content", errUnreachable, name, a.status)
	}
	return a.body, nil
}

// record reads one JSON record into v, or says what is missing.
func (u *upstream) record(ctx context.Context, path string, v any) (missing string, m manner, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	a, err := u.get(ctx, path, feedproto.MaxRecordBytes)
	if err != nil {
		return "", m, err
	}
	switch a.status {
	case http.StatusOK:
		if err := json.Unmarshal(a.body, v); err != nil {
			return "", m, fmt.Errorf("%w: %s is no JSON: %w", errUnreachable, path, err)
		}
		return "", a.manner, nil
	case http.StatusNotFound:
		if part := missingIn(a.body); part != "" {
			return part, a.manner, nil
		}
	}
	return "", m, fmt.Errorf("%w: status %d of %s", errUnreachable, a.status, path)
}

// missingIn returns what an answer of status 404 says is missing; nothing if it does not say.
func missingIn(body []byte) string {
	var fed feedproto.Missing
	if err := json.Unmarshal(body, &fed); err != nil {
		return ""
	}
	return fed.Missing
}

// answer is what came back for one question.
type answer struct {
	status int
	body   []byte
	manner manner
}

// get asks once. Every failure is errUnreachable; those that concern more than this one question
// hold others back for a moment.
func (u *upstream) get(ctx context.Context, path string, limit int64) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.base+path, nil)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	req.Header.Set("Authorization", feedproto.Authorization(u.token))
	if parent := traceOf(ctx); parent != "" {
		req.Header.Set(traceHeader, parent)
	}
	askedAt := u.now()
	res, err := u.client.Do(req)
	if err != nil {
		u.lostUnlessCancelled(ctx, askedAt)
		return answer{}, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	defer res.Body.Close()
	var body []byte
	if res.ContentLength <= limit {
		body, err = io.ReadAll(io.LimitReader(res.Body, limit+1))
	}
	a := answer{res.StatusCode, body, mannerOf(res.Header)}
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", errUnreachable, err)
	case max(int64(len(body)), res.ContentLength) > limit:
		err = fmt.Errorf("%w: its answer is longer than %d bytes", errUnreachable, limit)
	case a.status > http.StatusInternalServerError && !a.manner.aside: // else it lives, and is cut off itself
		err = fmt.Errorf("%w: status %d", errUnreachable, res.StatusCode)
	}
	if err != nil {
		u.lostUnlessCancelled(ctx, askedAt)
		return answer{}, err
	}
	u.reached()
	return a, nil
}
