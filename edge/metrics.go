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
	improved prometheus.Counter
	shed     prometheus.Counter
	feed     prometheus.Gauge
}

const (
	statusClasses = 6 // by the first digit of the status
	outcomeCount  = 5
)

var outcomeNames = [outcomeCount]string{"hit", "revalidated", "recoded", "miss", "stale"}

func newMetrics(registry *prometheus.Registry, e *Edge) (*metrics, error) {
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
		improved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_improved_total", Help: "Bodies encoded smaller after they had been sent once.",
		}),
		shed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_shed_total", Help: "Requests told to come again because too many were waiting.",
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
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	for _, collector := range []prometheus.Collector{
		requests, m.renders, m.asks, m.ahead, m.improved, m.shed, m.feed,
		gauge("livery_edge_cache_bytes", "Memory held for files, records and plans, roughly.", func() float64 { return float64(e.cache.bytes()) }),
		gauge("livery_edge_disk_bytes", "Disk held for records, plans and modules.", func() float64 { return float64(e.disk.bytes()) }),
		gauge("livery_edge_connections", "Open connections of clients.", func() float64 { return float64(e.connections()) }),
		gauge("livery_edge_current_seconds", "Since when what is held is known to be current; grows while the edge is cut off.", e.confirmedAge),
	} {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("edge: metrics: %w", err)
		}
	}
	return m, nil
}

// confirmedAge returns the seconds since what is held was confirmed last; 0 before the first time.
func (e *Edge) confirmedAge() float64 {
	confirmed := e.confirmedAt.Load()
	if confirmed == 0 {
		return 0
	}
	return max(0, e.now().Sub(time.Unix(0, confirmed)).Seconds())
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
