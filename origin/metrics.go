package origin

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what the API is asked and how long it takes. Labels are routes, never ids. The
// zero pointer counts nothing.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	if registry == nil {
		return nil
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_origin_requests_total", Help: "Requests of the public API by method, route and status.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "livery_origin_request_seconds", Help: "Time from the end of a request's reading to its answer, by method and route.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 10),
		}, []string{"method", "route"}),
	}
	registry.MustRegister(m.requests, m.seconds)
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
