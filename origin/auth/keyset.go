package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of what issuers are asked.
const (
	maxFetchedBytes = 256 << 10
	fetchTimeout    = 5 * time.Second
	fetchEvery      = 30 * time.Second // at most one attempt in this time, whatever clients send
	keySetLife      = 10 * time.Minute // a key set of this age is read again when it is used
)

// keySet is the key set of an issuer as it was last read. Its methods may be called concurrently.
type keySet struct {
	source  string
	now     func() time.Time
	fetcher *http.Client
	log     *slog.Logger
	onRead  func(error) // called after each attempt

	last atomic.Pointer[keySetRead] // nil before the first that could be read

	mu    sync.Mutex // locked during an attempt, so that there is one at a time; guards tried
	tried time.Time  // when the last attempt began
}

// keySetRead is a key set and when it was read.
type keySetRead struct {
	keys map[keyName]any
	at   time.Time
}

// keyName tells keys apart: one id may name a key for each algorithm.
type keyName struct{ id, algorithm string }

// find returns the key of that name. The set is read again for an unknown name, and if it
// is old; the last set that could be read stays in use while its issuer is away.
func (s *keySet) find(name keyName) (any, bool) {
	last := s.last.Load()
	if key, ok := last.find(name); ok {
		if s.now().Sub(last.at) < keySetLife || !s.mu.TryLock() {
			return key, true
		}
		// One caller pays for the attempt; all others go on with the last set.
		s.attempt()
		s.mu.Unlock()
		return s.last.Load().find(name)
	}
	s.mu.Lock()
	s.attempt()
	s.mu.Unlock()
	return s.last.Load().find(name)
}

func (k *keySetRead) find(name keyName) (any, bool) {
	if k == nil {
		return nil, false
	}
	key, ok := k.keys[name]
	return key, ok
}

// attempt reads the set unless an attempt was made just now. s.mu must be locked.
func (s *keySet) attempt() {
	now := s.now()
	if since := now.Sub(s.tried); since >= 0 && since < fetchEvery {
		return
	}
	s.tried = now
	body, err := s.read()
	var keys map[keyName]any
	if err == nil {
		keys, err = parseKeySet(body)
	}
	s.onRead(err)
	if err != nil {
		s.log.Warn("auth: the key set of an issuer cannot be read; the last one stays in use", "source", s.source, "error", err)
		return
	}
	if old := s.last.Swap(&keySetRead{keys, now}); old == nil || len(old.keys) != len(keys) {
		s.log.Info("auth: the key set of an issuer is read", "source", s.source, "keys", len(keys))
	}
}

func (s *keySet) read() ([]byte, error) {
	if !strings.HasPrefix(s.source, "https://") {
		f, err := os.Open(s.source)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return readBounded(f)
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.source, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	_, body, err := fetch(s.fetcher, req)
	return body, err
}

// Fetch asks an issuer, and returns the status and the body of its answer. An answer that is not 200, or has more than
// 256 KiB, is an error.
func (k *Keys) Fetch(req *http.Request) (status int, body []byte, err error) {
	return fetch(k.fetcher, req)
}

func fetch(client *http.Client, req *http.Request) (status int, body []byte, err error) {
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, nil, fmt.Errorf("auth: the answer of %s is %s", req.URL.Host, res.Status)
	}
	body, err = readBounded(res.Body)
	return res.StatusCode, body, err
}

func readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxFetchedBytes+1))
	if err == nil && len(body) > maxFetchedBytes {
		err = fmt.Errorf("auth: it is larger than %d bytes", maxFetchedBytes)
	}
	return body, err
}

// newFetcher returns the client that asks issuers: it follows no redirect, keeps no connection and
// trusts roots, or those of the system if roots is nil.
func newFetcher(roots *x509.CertPool) *http.Client {
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    fetchTimeout,
			MaxResponseHeaderBytes: 16 << 10,
			DisableKeepAlives:      true,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("auth: redirects are not followed")
		},
	}
}
