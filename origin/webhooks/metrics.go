package webhooks

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what is sent. Labels are words of this program. The nil pointer counts nothing.
type Metrics struct {
	attempts *prometheus.CounterVec
	seconds  prometheus.Histogram
	late     prometheus.Gauge
}

// NewMetrics registers the metrics; nil if registry is nil.
func NewMetrics(registry *prometheus.Registry) *Metrics {
	if registry == nil {
		return nil
	}
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_webhook_attempts_total", Help: "Attempts to send a message to a webhook, by result: delivered, refused (an answer but 2xx) or failed (none).",
		}, []string{"result"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "livery_webhook_attempt_seconds", Help: "Time of an attempt to send a message to a webhook.", Buckets: prometheus.ExponentialBuckets(0.005, 3, 7),
		}),
		late: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "livery_webhook_late_themes", Help: "Themes with an event that a webhook did not take yet, of all webhooks, on the origin that delivers; else 0.",
		}),
	}
	registry.MustRegister(m.attempts, m.seconds, m.late)
	return m
}

func (m *Metrics) count(o outcome) {
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
	m.attempts.WithLabelValues(result).Inc()
	m.seconds.Observe(o.took.Seconds())
}

func (m *Metrics) setLate(n int) {
	if m != nil {
		m.late.Set(float64(n))
	}
}
