package webhooks

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage/record"
)

// Metrics counts what is sent. The labels are Environments, which operators make, and words of this program. The nil pointer
// counts nothing.
type Metrics struct {
	attempts     *prometheus.CounterVec
	seconds      prometheus.Histogram
	late, behind *prometheus.GaugeVec

	mu    sync.Mutex         // guards known
	known map[string]backlog // by Environment
}

// backlog is what an Environment's webhooks have still to send.
type backlog struct {
	lateThemes int // with an event that a webhook did not take yet
	behind     int // events since the oldest that a webhook did not take yet
}

// with returns the backlog with that of a webhook, which has read the events up to read of those up to end.
func (b backlog) with(w record.Webhook, read, end uint32) backlog {
	for _, l := range w.Late {
		read = min(read, l.Event-1)
	}
	if w.EndedAt.IsZero() {
		b.behind = max(b.behind, int(end)-int(read))
	}
	b.lateThemes += len(w.Late)
	return b
}

// NewMetrics registers the metrics; nil if registry is nil.
func NewMetrics(registry *prometheus.Registry) *Metrics {
	if registry == nil {
		return nil
	}
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_webhook_attempts_total", Help: "Attempts to send a message to a webhook, by result: delivered, refused (an answer but 2xx) or failed (none).",
		}, []string{"environment", "result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "livery_webhook_attempt_seconds", Help: "Time of an attempt to send a message to a webhook.", Buckets: prometheus.ExponentialBuckets(0.005, 3, 7),
		}),
		late: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "livery_webhook_late_themes", Help: "Themes with an event that a webhook did not take yet, on the origin that delivers.",
		}, []string{"environment"}),
		behind: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "livery_webhook_behind_events", Help: "Events since the oldest that a webhook did not take yet, on the origin that delivers.",
		}, []string{"environment"}),
	}
	registry.MustRegister(m.attempts, m.seconds, m.late, m.behind)
	return m
}

func (m *Metrics) count(environment string, o outcome) {
	if m == nil {
		return
	}
	result := "failed"
	switch {
	case o.delivered:
		result = "delivered"
	case o.status != 0:
		result = "refused"
	}
	m.attempts.WithLabelValues(environment, result).Inc()
	m.seconds.Observe(o.took.Seconds())
}

// setBacklogs shows the backlogs of all Environments that have webhooks.
func (m *Metrics) setBacklogs(all map[string]backlog) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for environment := range m.known {
		if _, there := all[environment]; !there {
			m.late.DeleteLabelValues(environment)
			m.behind.DeleteLabelValues(environment)
		}
	}
	for environment, b := range all {
		m.late.WithLabelValues(environment).Set(float64(b.lateThemes))
		m.behind.WithLabelValues(environment).Set(float64(b.behind))
	}
	m.known = all
}
