package device

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The bounds of one request.
const (
	fetchTimeout   = 15 * time.Second
	maxAnswerBytes = 256 << 10
)

// refusal is an error that an issuer answered (RFC 6749 section 5.2).
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// Error says what the issuer says.
func (r *refusal) Error() string {
	if r.Description != "" {
		return fmt.Sprintf("the issuer refuses: %s (%s)", r.Description, r.Code)
	}
	return "the issuer refuses: " + r.Code
}

// newFetcher returns a client that follows no redirect and keeps no connection.
func newFetcher() *http.Client {
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    fetchTimeout,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") },
	}
}

func get(ctx context.Context, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("device: %w", err)
	}
	return fetch(req, v)
}

func post(ctx context.Context, address string, form url.Values, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("device: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return fetch(req, v)
}

// fetch sends req and reads the JSON of its answer into v. An answer that is an error of OAuth is a *refusal.
func fetch(req *http.Request, v any) error {
	req.Header.Set("Accept", "application/json")
	res, err := newFetcher().Do(req)
	if err != nil {
		return fmt.Errorf("device: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	if err == nil && len(body) > maxAnswerBytes {
		err = fmt.Errorf("the answer is larger than %d bytes", maxAnswerBytes)
	}
	if err != nil {
		return fmt.Errorf("device: %s: %w", req.URL, err)
	}
	if res.StatusCode != http.StatusOK {
		said := &refusal{}
		if res.StatusCode < http.StatusInternalServerError && json.Unmarshal(body, said) == nil && said.Code != "" {
			return said
		}
		return fmt.Errorf("device: %s answers %s", req.URL, res.Status)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("device: %s does not answer with JSON: %w", req.URL, err)
	}
	return nil
}
