package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The bounds of one attempt.
const (
	maxAnswer = 4 << 10 // bytes of an answer's body that are read
	maxHead   = 200     // bytes of it that the log shows
)

// keepFor is how long a connection without a message is kept: a name that leads elsewhere now is followed after it.
const keepFor = 30 * time.Second

// SenderConfig says how receivers are reached.
type SenderConfig struct {
	Networks []netip.Prefix // that webhooks may reach beside the public internet, over http too
	Roots    *x509.CertPool // certificate authorities of receivers; nil means the system's
	Resolver *net.Resolver  // of names; nil means the system's
	Timeout  time.Duration  // of an attempt; 0 means 5 s
}

// Sender sends messages to receivers. Its methods may be called concurrently.
type Sender struct {
	config  SenderConfig
	clients map[string]*http.Client // by scheme
}

// NewSender returns a Sender.
func NewSender(c SenderConfig) *Sender {
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	s := &Sender{config: c, clients: map[string]*http.Client{}}
	for _, scheme := range []string{"https", "http"} {
		s.clients[scheme] = &http.Client{
			Transport: &http.Transport{ // without a proxy, whose address would be checked in place of the receiver's
				DialContext:            s.dialer(scheme),
				TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
				MaxResponseHeaderBytes: 16 << 10,
				MaxIdleConns:           mostRounds * mostAtOnce,
				MaxIdleConnsPerHost:    mostAtOnce,
				IdleConnTimeout:        keepFor,
				DisableCompression:     true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return s
}

// message is what is sent to a receiver.
type message struct {
	url     string
	id      string
	body    []byte
	secrets [][]byte // each signs
}

// outcome is what came of one attempt.
type outcome struct {
	delivered bool
	status    int    // of the answer; 0 if there was none
	text      string // what happened, in words
	took      time.Duration
	wait      time.Duration // that the receiver asks for before the next message; 0 if it does not
}

// gone reports whether the receiver is gone for ever.
func (o outcome) gone() bool { return o.status == http.StatusGone }

// send makes one attempt.
func (s *Sender) send(ctx context.Context, m message, now time.Time) (o outcome) {
	started := time.Now()
	defer func() { o.took = time.Since(started) }()
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return outcome{text: "the address cannot be read"}
	}
	sign(request.Header, m, now)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Livery-Webhooks")
	request.Header["Idempotency-Key"] = []string{} // not sent: it lets the client try again if a kept connection was closed
	answer, err := s.clients[request.URL.Scheme].Do(request)
	if err != nil {
		return outcome{text: reason(err)}
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	o = outcome{delivered: answer.StatusCode/100 == 2, status: answer.StatusCode, text: head(body)}
	if !o.delivered && !o.gone() {
		o.wait = waitOf(answer.Header.Get("Retry-After"), now)
	}
	switch {
	case answer.StatusCode/100 == 3:
		o.text = "redirects are not followed"
	case err != nil && !o.delivered:
		o.text = reason(err)
	}
	return o
}

// waitOf returns how long a receiver asks to wait in its Retry-After, in seconds or as a date: mostBackoff at most, and 0 for a
// text that is neither.
func waitOf(retryAfter string, now time.Time) time.Duration {
	if retryAfter != "" && strings.Trim(retryAfter, "0123456789") == "" {
		seconds, err := strconv.ParseInt(retryAfter, 10, 32)
		if err != nil { // more than there are
			return mostBackoff
		}
		return min(time.Duration(seconds)*time.Second, mostBackoff)
	}
	at, err := http.ParseTime(retryAfter)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), mostBackoff)
}

// sign sets the headers of the Standard Webhooks convention.
func sign(h http.Header, m message, now time.Time) {
	at := strconv.FormatInt(now.Unix(), 10)
	var signatures []string
	for _, secret := range m.secrets {
		mac := hmac.New(sha256.New, secret)
		_, _ = mac.Write([]byte(m.id + "." + at + ".")) // a hash takes everything
		_, _ = mac.Write(m.body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	h.Set("webhook-id", m.id)
	h.Set("webhook-timestamp", at)
	h.Set("webhook-signature", strings.Join(signatures, " "))
}

// reason says why there was no answer, without the address, which may hold a secret.
func reason(err error) string {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	var lookup *net.DNSError
	switch {
	case errors.Is(err, ErrAddress): // which address it is, is a matter of the operator's network
		return "the host " + ErrAddress.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no whole answer in time"
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return "the name of the host is not known"
	}
	return head([]byte(err.Error()))
}

// head returns the beginning of a text that a receiver may have made, in one line without control characters.
func head(text []byte) string {
	cut := text[:min(len(text), maxHead)]
	quoted := strconv.QuoteToASCII(strings.ToValidUTF8(strings.TrimSpace(string(cut)), ""))
	if len(text) > maxHead {
		return quoted[1:len(quoted)-1] + " …"
	}
	return quoted[1 : len(quoted)-1]
}
