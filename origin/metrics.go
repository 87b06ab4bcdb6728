package origin

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// metrics counts what the API is asked and how long it takes. Labels are words of this program, never
// ids or anything that a caller sent. The nil pointer counts nothing.
type metrics struct {
	requests     *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	commits      *prometheus.HistogramVec
	limited      prometheus.Counter
	bodies       prometheus.Counter
	unauthorized *prometheus.CounterVec
	keySets      *prometheus.CounterVec
	audits       *prometheus.CounterVec
	derived      prometheus.Counter
}

func newMetrics(registry *prometheus.Registry) *metrics {
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
	m := &metrics{
		requests:     counters("livery_origin_requests_total", "Requests of the public API by method, route and status.", "method", "route", "status"),
		seconds:      seconds("livery_origin_request_seconds", "Time from the end of a request's reading to its answer, by method and route.", "method", "route"),
		commits:      seconds("livery_origin_commit_seconds", "Time of a commit of the store, with the wait for its turn, by result: done, refused or failed.", "result"),
		limited:      counter("livery_origin_rate_limited_total", "Requests refused because their caller made too many."),
		bodies:       counter("livery_origin_bodies_refused_total", "Requests refused with 503 because request bodies took all the memory that they may take."),
		unauthorized: counters("livery_origin_unauthorized_total", "Requests refused with 401, by what was wrong with their token.", "reason"),
		keySets:      counters("livery_origin_key_set_reads_total", "Attempts to read the key set of an issuer, by result: ok or error.", "result"),
		audits:       counters("livery_origin_audit_entries_total", "Entries of the audit log that were written, by kind of actor and action.", "kind", "action"),
		derived:      counter("livery_origin_derived_blobs_total", "Plans and overlays that were compiled and stored."),
	}
	registry.MustRegister(m.requests, m.seconds, m.commits, m.limited, m.bodies, m.unauthorized, m.keySets, m.audits, m.derived)
	return m
}

// observe counts one request. method and route are those of the route table, or empty for a request
// that found none, and "unread" for one that was never read whole; a zero started is not timed.
func (m *metrics) observe(method, route string, status int, started time.Time) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	if !started.IsZero() {
		m.seconds.WithLabelValues(method, route).Observe(time.Since(started).Seconds())
	}
}

func (m *metrics) rateLimited() {
	if m != nil {
		m.limited.Inc()
	}
}

func (m *metrics) bodyRefused() {
	if m != nil {
		m.bodies.Inc()
	}
}

func (m *metrics) refusedToken(reason string) {
	if m != nil {
		m.unauthorized.WithLabelValues(reason).Inc()
	}
}

// keySetRead counts an attempt to read the key set of an issuer.
func (m *metrics) keySetRead(err error) {
	if m == nil {
		return
	}
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.keySets.WithLabelValues(result).Inc()
}

func (m *metrics) audited(a record.Audit) {
	if m != nil {
		m.audits.WithLabelValues(a.Actor.Kind, a.Action).Inc()
	}
}

// meteredStore times the commits of a Store.
type meteredStore struct {
	storage.Store
	metrics *metrics
}

// Update is that of the Store.
func (s meteredStore) Update(ctx context.Context, scope string, fn func(storage.Tx) (record.Change, error)) (storage.Cursor, error) {
	refused := false
	started := time.Now()
	cursor, err := s.Store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		change, err := fn(tx)
		refused = err != nil
		return change, err
	})
	if s.metrics != nil {
		result := "done"
		switch {
		case refused || errors.Is(err, context.Canceled):
			result = "refused"
		case err != nil:
			result = "failed"
		}
		s.metrics.commits.WithLabelValues(result).Observe(time.Since(started).Seconds())
	}
	return cursor, err
}

// derivedStore counts the blobs that are put: those of a Deriver are all derived.
type derivedStore struct {
	storage.Store
	metrics *metrics
}

// PutBlob is that of the Store.
func (s derivedStore) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	name, err := s.Store.PutBlob(ctx, blob)
	if err == nil && s.metrics != nil {
		s.metrics.derived.Inc()
	}
	return name, err
}

// roomy is a Store that knows the disk it is on.
type roomy interface {
	// Writable returns nil where there is room for a commit.
	Writable() error
	// Disk returns the free bytes of the disk, those of the whole disk, and those that the store takes.
	Disk() (free, all, used uint64, err error)
}

// watch registers what is looked up when somebody asks.
func (o *Origin) watch(registry *prometheus.Registry) {
	if registry == nil {
		return
	}
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("livery_origin_body_bytes", "Memory that request bodies take now.", func() float64 { return float64(o.bodies.Bytes()) })
	gauge("livery_origin_feed_sequence", "Number of the newest change. An edge that follows it has seen all.", func() float64 { return float64(o.sequence()) })
	gauge("livery_origin_feed_clients", "Edges that wait for changes now.", func() float64 { n, _ := o.followers.state(0); return float64(n) })
	gauge("livery_origin_feed_lag", "Changes since the last question of the edge that has been away from the feed longest; 0 while all wait.", func() float64 {
		_, lag := o.followers.state(o.sequence())
		return float64(lag)
	})
	gauge("livery_origin_derived_waiting", "Themes that wait for overlays that are compiled ahead.", func() float64 { return float64(o.derive.Waiting()) })
	gauge("livery_origin_backup_timestamp_seconds", "When the newest backup was taken, in seconds since 1970; 0: none is known.", func() float64 {
		return float64(o.backedUp.Load())
	})
	disk, ok := o.config.Store.(roomy)
	if !ok {
		return
	}
	if _, _, _, err := disk.Disk(); err != nil {
		return // a store in memory
	}
	each := func(pick func(free, all, used uint64) uint64) func() float64 {
		return func() float64 {
			free, all, used, _ := disk.Disk() // zeros where the disk does not say, which is worth an alarm
			return float64(pick(free, all, used))
		}
	}
	gauge("livery_origin_disk_free_bytes", "Free space of the disk that the store is on.", each(func(free, _, _ uint64) uint64 { return free }))
	gauge("livery_origin_disk_size_bytes", "Size of the disk that the store is on.", each(func(_, all, _ uint64) uint64 { return all }))
	gauge("livery_origin_store_bytes", "Disk that the store takes.", each(func(_, _, used uint64) uint64 { return used }))
}

// sequence is the number of the newest change, 0 where the store does not say.
func (o *Origin) sequence() (seq uint64) {
	ctx, cancel := context.WithTimeout(o.ctx, time.Second) // the metrics are asked for when the store is away, too
	defer cancel()
	_ = o.store.View(ctx, func(r storage.Reader) error {
		seq = r.Cursor().Seq
		return nil
	})
	return seq
}
