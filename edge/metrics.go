package edge

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what the edge does. No label holds an id. The counters of requests are looked up
// once, so that counting a request costs an atomic addition.
type metrics struct {
	requests [statusClasses][outcomeCount]prometheus.Counter
	renders  *prometheus.HistogramVec
	asks     *prometheus.CounterVec
	ahead    prometheus.Counter
	feed     prometheus.Gauge
}

const (
	statusClasses = 6 // by the first digit of the status
	outcomeCount  = 4
)

var outcomeNames = [outcomeCount]string{"hit", "revalidated", "miss", "stale"}

func newMetrics(registry *prometheus.Registry, c *cache) (*metrics, error) {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "livery_edge_requests_total", Help: "Requests answered, by the status's class and how the answer came about.",
	}, []string{"class", "outcome"})
	m := &metrics{
		renders: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "livery_edge_render_seconds", Help: "Time of a render, waiting for an instance included.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 8),
		}, []string{"result"}),
		asks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_edge_upstream_requests_total", Help: "Questions to upstream, by what was asked for.",
		}, []string{"kind", "result"}),
		ahead: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_refreshes_total", Help: "Changed Themes whose hot files were made before somebody asked.",
		}),
		feed: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "livery_edge_feed_connected", Help: "1 while the feed is followed.",
		}),
	}
	for class := range m.requests {
		for o := range outcomeNames {
			m.requests[class][o] = requests.WithLabelValues(fmt.Sprintf("%dxx", class), outcomeNames[o])
		}
	}
	if registry == nil {
		return m, nil
	}
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "livery_edge_cache_bytes", Help: "Memory held for files and records, roughly.",
	}, func() float64 { return float64(c.bytes()) })
	for _, collector := range []prometheus.Collector{requests, m.renders, m.asks, m.ahead, m.feed, held} {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("edge: metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) answered(status int, o outcome) {
	m.requests[min(status/100, statusClasses-1)][o].Inc()
}

func (m *metrics) rendered(took time.Duration, err error) {
	m.renders.WithLabelValues(result(err)).Observe(took.Seconds())
}

func (m *metrics) asked(kind string, err error) { m.asks.WithLabelValues(kind, result(err)).Inc() }

func (m *metrics) following(on bool) {
	if on {
		m.feed.Set(1)
	} else {
		m.feed.Set(0)
	}
}

func result(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
