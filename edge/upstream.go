package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
)

// errUnreachable means that upstream gave no answer to go by: the edge serves what it holds.
var errUnreachable = errors.New("upstream cannot be reached")

// The bounds of what upstream is trusted to send, in bytes, and of how long it may take.
const (
	maxRecordBytes = 4 << 20
	maxBlobBytes   = 64 << 20
	recordTimeout  = 5 * time.Second
	blobTimeout    = 30 * time.Second
	retryAfter     = time.Second // how long nothing is asked after upstream gave no answer
)

// upstream asks the feed of an origin. It may be used concurrently.
type upstream struct {
	base   string // URL without a slash at its end
	token  string
	client *http.Client
	now    func() time.Time
	lostAt atomic.Int64 // Unix nanoseconds: when the newest question found nobody; 0: it found somebody
}

func newUpstream(base, token string, now func() time.Time) (*upstream, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("edge: upstream %q is not an http or https URL", base)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 32
	transport.MaxConnsPerHost = 64
	transport.ResponseHeaderTimeout = 70 * time.Second
	return &upstream{
		base:  strings.TrimSuffix(base, "/"),
		token: token,
		now:   now,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// failing reports whether the newest question, the feed's polls included, found nobody.
func (u *upstream) failing() bool { return u.lostAt.Load() != 0 }

// down reports whether that was only a moment ago, so that asking now is in vain.
func (u *upstream) down() bool {
	lostAt := u.lostAt.Load()
	return lostAt != 0 && u.now().UnixNano()-lostAt < int64(retryAfter)
}

// reached and lost keep what the newest question found.
func (u *upstream) reached() { u.lostAt.Store(0) }
func (u *upstream) lost()    { u.lostAt.Store(u.now().UnixNano()) }

// theme returns a Theme's record; missing is true where there is no such Theme. The error is
// errUnreachable.
func (u *upstream) theme(ctx context.Context, key string) (fed record.ThemeFed, missing bool, err error) {
	what, err := u.record(ctx, "/feed/v1/themes/"+key, &fed)
	if err == nil && what == "" && fed.EnvironmentID+"/"+fed.ThemeID != key {
		err = fmt.Errorf("%w: it answered with another Theme", errUnreachable)
	}
	return fed, what != "", err
}

// pair returns the record of a pair; missing says what is missing where there is none: "theme",
// "variant" or "version". The error is errUnreachable.
func (u *upstream) pair(ctx context.Context, key string) (fed record.PairFed, missing string, err error) {
	missing, err = u.record(ctx, "/feed/v1/pairs/"+key, &fed)
	if err == nil && missing == "" && !sound(fed, key) {
		err = fmt.Errorf("%w: it answered with a pair of another version or without inputs", errUnreachable)
	}
	return fed, missing, err
}

// sound reports whether a pair names its inputs and is of the version asked for.
func sound(p record.PairFed, key string) bool {
	asked := key[strings.LastIndexByte(key, '/')+1:]
	return p.Document.Valid() && p.Module.Valid() && (p.Overrides == "" || p.Overrides.Valid()) &&
		p.Version > 0 && (asked == "latest" || asked == strconv.FormatUint(uint64(p.Version), 10))
}

// changes polls the change log for up to wait seconds.
func (u *upstream) changes(ctx context.Context, after string, wait, limit int) (fed record.ChangesFed, err error) {
	query := url.Values{"after": {after}, "wait": {strconv.Itoa(wait)}, "limit": {strconv.Itoa(limit)}}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout+time.Duration(wait)*time.Second)
	defer cancel()
	body, status, err := u.get(ctx, "/feed/v1/changes?"+query.Encode(), maxRecordBytes)
	if err != nil {
		return fed, err
	}
	if status != http.StatusOK {
		return fed, fmt.Errorf("%w: status %d of the feed", errUnreachable, status)
	}
	if err := json.Unmarshal(body, &fed); err != nil {
		return fed, fmt.Errorf("%w: the feed's answer is no JSON: %w", errUnreachable, err)
	}
	return fed, nil
}

// modules lists the renderer modules that upstream has.
func (u *upstream) modules(ctx context.Context) ([]record.Module, error) {
	var fed struct {
		Modules []record.Module `json:"modules"`
	}
	_, err := u.record(ctx, "/feed/v1/modules", &fed)
	return fed.Modules, err
}

// blob returns the bytes of that name, checked against it.
func (u *upstream) blob(ctx context.Context, name record.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	body, status, err := u.get(ctx, "/feed/v1/blobs/"+string(name), maxBlobBytes)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK || record.HashOf(body) != name {
		return nil, fmt.Errorf("%w: blob %s: status %d or other content", errUnreachable, name, status)
	}
	return body, nil
}

// record reads one JSON record into v, or says what is missing.
func (u *upstream) record(ctx context.Context, path string, v any) (missing string, err error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	body, status, err := u.get(ctx, path, maxRecordBytes)
	if err != nil {
		return "", err
	}
	switch status {
	case http.StatusOK:
		if err := json.Unmarshal(body, v); err != nil {
			return "", fmt.Errorf("%w: %s is no JSON: %w", errUnreachable, path, err)
		}
		return "", nil
	case http.StatusNotFound:
		var answer struct {
			Missing string `json:"missing"`
		}
		if err := json.Unmarshal(body, &answer); err == nil && answer.Missing != "" {
			return answer.Missing, nil
		}
	}
	return "", fmt.Errorf("%w: status %d of %s", errUnreachable, status, path)
}

// get asks once. Every failure is errUnreachable; those that concern more than this one question
// hold others back for a moment.
func (u *upstream) get(ctx context.Context, path string, limit int64) (body []byte, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.base+path, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	req.Header.Set("Authorization", "Bearer "+u.token)
	res, err := u.client.Do(req)
	if err != nil {
		u.lost()
		return nil, 0, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", errUnreachable, err)
	case int64(len(body)) > limit:
		err = fmt.Errorf("%w: its answer is longer than %d bytes", errUnreachable, limit)
	case res.StatusCode > http.StatusInternalServerError:
		err = fmt.Errorf("%w: status %d", errUnreachable, res.StatusCode)
	}
	if err != nil {
		u.lost()
		return nil, res.StatusCode, err
	}
	u.reached()
	return body, res.StatusCode, nil
}
