// Package Metrics counts what an origin is asked, how long that takes, and what its store commits.
package metrics

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Metrics counts what the API is asked and how long it takes. Labels are words of this program, never
// ids or anything that a caller sent. The nil pointer counts nothing.
type Metrics struct {
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	commits      *prometheus.HistogramVec
	limited      prometheus.Counter
	shares       prometheus.Counter
	unauthorized *prometheus.CounterVec
	keySets      *prometheus.CounterVec
	audits       *prometheus.CounterVec
	derived      prometheus.Counter
}

// New registers the metrics; nil if registry is nil.
func New(registry *prometheus.Registry) *Metrics {
	if registry == nil {
		return nil
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	seconds := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 10)}, labels)
	}
	m := &Metrics{
		requests:     counters("livery_origin_requests_total", "Requests of the public API by method, route and status.", "method", "route", "status"),
		seconds:      seconds("livery_origin_request_seconds", "Time from the end of a request's reading to its answer, by method and route.", "method", "route"),
		commits:      seconds("livery_origin_commit_seconds", "Time of a commit of the store, with the wait for its turn, by result: done, refused or failed.", "result"),
		limited:      counter("livery_origin_rate_limited_total", "Requests refused because their caller made too many."),
		shares:       counter("livery_origin_share_refused_total", "Requests refused with 503 because their caller or Team used up its share of the origin."),
		unauthorized: counters("livery_origin_unauthorized_total", "Requests refused with 401, by what was wrong with their token.", "reason"),
		keySets:      counters("livery_origin_key_set_reads_total", "Attempts to read the key set of an issuer, by result: ok or error.", "result"),
		audits:       counters("livery_origin_audit_entries_total", "Entries of the audit log that were written, by kind of actor and action.", "kind", "action"),
		derived:      counter("livery_origin_derived_blobs_total", "Plans and overlays that were compiled and stored."),
	}
	registry.MustRegister(m.requests, m.seconds, m.commits, m.limited, m.shares, m.unauthorized, m.keySets, m.audits, m.derived)
	return m
}

// Observe counts one request. method and route are those of the route table, or empty for a request
// that found none, and "unread" for one that was never read whole; a zero started is not timed.
func (m *Metrics) Observe(method, route string, status int, started time.Time) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	if !started.IsZero() {
		m.seconds.WithLabelValues(method, route).Observe(time.Since(started).Seconds())
	}
}

// RateLimited counts a request that was refused because its caller made too many.
func (m *Metrics) RateLimited() {
	if m != nil {
		m.limited.Inc()
	}
}

// ShareRefused counts a request that was refused because its caller or Team used up its share of the origin.
func (m *Metrics) ShareRefused() {
	if m != nil {
		m.shares.Inc()
	}
}

// RefusedToken counts a request that was refused with 401, by what was wrong with its token.
func (m *Metrics) RefusedToken(reason string) {
	if m != nil {
		m.unauthorized.WithLabelValues(reason).Inc()
	}
}

// KeySetRead counts an attempt to read the key set of an issuer.
func (m *Metrics) KeySetRead(err error) {
	if m == nil {
		return
	}
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.keySets.WithLabelValues(result).Inc()
}

// AuditLogged counts an entry of the audit log.
func (m *Metrics) AuditLogged(a record.Audit) {
	if m != nil {
		m.audits.WithLabelValues(a.Actor.Kind, a.Action).Inc()
	}
}

// MeteredStore times the commits of a Store.
type MeteredStore struct {
	storage.Store
	Metrics *Metrics
}

// Update is that of the Store.
func (s MeteredStore) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	refused := false
	started := time.Now()
	cursor, err := s.Store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		change, err := fn(tx)
		refused = err != nil
		return change, err
	})
	if s.Metrics != nil {
		result := "done"
		switch {
		case refused || errors.Is(err, context.Canceled):
			result = "refused"
		case err != nil:
			result = "failed"
		}
		s.Metrics.commits.WithLabelValues(result).Observe(time.Since(started).Seconds())
	}
	return cursor, err
}

// DerivedStore counts the blobs that are put: those of a Deriver are all derived.
type DerivedStore struct {
	storage.Store
	Metrics *Metrics
}

// PutBlob is that of the Store.
func (s DerivedStore) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	name, err := s.Store.PutBlob(ctx, blob)
	if err == nil && s.Metrics != nil {
		s.Metrics.derived.Inc()
	}
	return name, err
}
