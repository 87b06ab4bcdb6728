package edge

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/edge/upstream"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what the edge does. No label holds an id. The counters of requests are looked up
// once, so that counting a request costs an atomic addition.
type metrics struct {
	requestsVec *prometheus.CounterVec
	requests    [statusClasses][records.OutcomeCount]prometheus.Counter
	renders     *prometheus.HistogramVec
	asks        *prometheus.CounterVec
	ahead       prometheus.Counter
	improved    prometheus.Counter
	deltas      prometheus.Counter
	saved       prometheus.Counter
	shed        prometheus.Counter
	sent        prometheus.Counter
	working     prometheus.Gauge
	feed        prometheus.Gauge
}

const (
	statusClasses = 6 // by the first digit of the status
)

var outcomeNames = [records.OutcomeCount]string{"hit", "revalidated", "recoded", "miss", "stale"}

func newMetrics() *metrics {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "livery_edge_requests_total", Help: "Requests answered, by the status's class and how the answer came about.",
	}, []string{"class", "outcome"})
	m := &metrics{
		requestsVec: requests,
		renders: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "livery_edge_render_seconds", Help: "Time of a render, waiting for an instance included.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 8),
		}, []string{"result"}),
		asks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_edge_upstream_requests_total", Help: "Questions to upstream, by what was asked for.",
		}, []string{"kind", "result"}),
		ahead: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_refreshes_total", Help: "Changed Themes whose hot files were made before a client asked.",
		}),
		improved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_improved_total", Help: "Bodies encoded smaller after they had been sent once.",
		}),
		deltas: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_deltas_total", Help: "Files sent as the difference to what the client has.",
		}),
		saved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_delta_saved_bytes_total", Help: "Bytes that these were shorter than the encodings sent otherwise.",
		}),
		shed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_shed_total", Help: "Requests told to come again because too many were under way.",
		}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livery_edge_sent_bytes_total", Help: "Bytes of files sent, heads not counted.",
		}),
		working: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "livery_edge_renders_active", Help: "Renders under way, those that wait for an instance included.",
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
	return m
}

// register has the counters, and the gauges of e, gathered from its registry, if there is one.
func (m *metrics) register(e *Edge) error {
	if e.config.Registry == nil {
		return nil
	}
	own := []prometheus.Collector{m.requestsVec, m.renders, m.asks, m.ahead, m.improved, m.deltas, m.saved, m.shed, m.feed, m.sent, m.working}
	for _, collector := range slices.Concat(own, e.gauges(), e.evictions()) {
		if err := e.config.Registry.Register(collector); err != nil {
			return fmt.Errorf("edge: metrics: %w", err)
		}
	}
	return nil
}

// gauges are read at each scrape.
func (e *Edge) gauges() (all []prometheus.Collector) {
	all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "livery_edge_events_total", Help: "Events sent to open pages, over all event streams.",
	}, func() float64 { return float64(e.live.Events()) }))
	for _, g := range []struct {
		name, help string
		value      func() float64
	}{
		{"event_streams", "Open pages that follow changes by an event stream.", func() float64 { return float64(e.live.Open()) }},
		{"cache_bytes", "Memory held for files, records and plans.", func() float64 { return float64(e.records.Bytes() + e.content.Bytes()) }},
		{"cache_budget_bytes", "Most that may be held.", func() float64 { return float64(orDefault(e.config.CacheBytes, standardCache)) }},
		{"memory_budget_bytes", "Memory that the process takes at most, connections and further renderer modules apart.", e.memoryBudget},
		{"disk_bytes", "Disk held for records, plans and modules.", func() float64 { return float64(e.disk.Bytes()) }},
		{"disk_budget_bytes", "Most that may be held on disk, compiled modules apart.", func() float64 { return float64(e.disk.MaxBytes()) }},
		{"disk_file_bytes", "Disk held for files as they are served.", func() float64 { return float64(e.bodies.Bytes()) }},
		{"disk_file_budget_bytes", "Most that may be held of these.", func() float64 { return float64(e.config.DiskFileBytes) }},
		{"compiled_bytes", "Disk held for compiled modules, by every process that shares their directory.", func() float64 { return float64(e.config.Runtime.Stats().CodeBytes) }},
		{"guest_memory_bytes", "Linear memory of renderer instances.", func() float64 { return float64(e.config.Runtime.Stats().MemoryBytes) }},
		{"guest_instances", "Renderer instances, idle ones included.", func() float64 { return float64(e.config.Runtime.Stats().Instances) }},
		{"guest_modules", "Renderer modules that are loaded.", func() float64 { return float64(e.config.Runtime.Stats().Modules) }},
		{"waiting_bytes", "Memory of connections that wait for their clients.", func() float64 { return float64(e.server.WaitingBytes()) }},
		{"connections", "Open connections of clients.", func() float64 { return float64(e.server.Connections()) }},
		{"current_seconds", "Since when what is held is known to be current; grows while the edge is cut off.", e.confirmedAge},
		{"feed_sequence", "Number of the newest change that is applied; livery_origin_feed_sequence less this is how far behind the edge is.", func() float64 { return float64(e.follower.applied.Load()) }},
	} {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "livery_edge_" + g.name, Help: g.help}, g.value))
	}
	return all
}

func (e *Edge) memoryBudget() float64 {
	return float64(MemoryFor(e.config.CacheBytes, runtime.GOMAXPROCS(0)).Total())
}

// evictions count what had to make place in memory, by what it was.
func (e *Edge) evictions() (all []prometheus.Collector) {
	counters := e.content.Evicted()
	maps.Copy(counters, e.records.Evicted())
	for name, evicted := range counters {
		all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "livery_edge_cache_evictions_total", Help: "What had to make place in memory for other things, by kind.",
			ConstLabels: prometheus.Labels{"kind": name},
		}, func() float64 { return float64(evicted()) }))
	}
	return all
}

// confirmedAge returns the seconds since what is held was confirmed last; 0 before the first time.
func (e *Edge) confirmedAge() float64 {
	confirmed := e.records.ConfirmedAt()
	if confirmed == 0 {
		return 0
	}
	return max(0, e.now().Sub(time.Unix(0, confirmed)).Seconds())
}

// answered counts an answer of so many bytes.
func (m *metrics) answered(status int, o records.Outcome, bytes int) {
	m.requests[min(status/100, statusClasses-1)][o].Inc()
	if bytes > 0 && status < 300 {
		m.sent.Add(float64(bytes))
	}
}

// sentDelta counts a delta that was sent in the place of an ordinary body.
func (m *metrics) sentDelta(delta, ordinary *content.Body) {
	m.deltas.Inc()
	m.saved.Add(float64(max(0, len(ordinary.Bytes)-len(delta.Bytes))))
}

// rendering counts a render, which ends with the result.
func (m *metrics) rendering() (done func(error)) {
	started := time.Now()
	m.working.Inc()
	return func(err error) {
		m.working.Dec()
		m.renders.WithLabelValues(result(err)).Observe(time.Since(started).Seconds())
	}
}

// Asked counts a question to upstream, if it was asked at all.
func (m *metrics) Asked(kind string, err error) {
	if !errors.Is(err, upstream.ErrBackoff) {
		m.asks.WithLabelValues(kind, result(err)).Inc()
	}
}

// Shed counts a request that was refused because too many were under way.
func (m *metrics) Shed() { m.shed.Inc() }

// Refreshed counts a changed Theme that is ready again.
func (m *metrics) Refreshed() { m.ahead.Inc() }

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
