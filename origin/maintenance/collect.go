package maintenance

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage"
)

// ErrCollecting is returned if another origin collects at this moment.
var ErrCollecting = errors.New("another origin on this store collects at this moment")

// collectName is what origins agree on by which one collects.
const collectName = "collect"

// Collect drops the blobs that nothing names, as storage.Collect does; ErrCollecting if another origin
// does just now.
func (s *Service) Collect(ctx context.Context, c storage.Collection) (done storage.CollectResult, err error) {
	collect := func(ctx context.Context) (err error) {
		done, err = storage.Collect(ctx, s.config.Store, c)
		return err
	}
	ran := true
	if store, ok := s.config.Store.(sharedStore); ok && !c.DryRun {
		ran, err = store.TryAlone(ctx, collectName, collect)
	} else {
		err = collect(ctx)
	}
	if err == nil && !ran {
		err = ErrCollecting
	}
	if !c.DryRun && ctx.Err() == nil {
		s.collections.count(done, err, s.now())
	}
	return done, err
}

// collect collects, and logs what came of it.
func (s *Service) collect(ctx context.Context) {
	started := time.Now()
	done, err := s.Collect(ctx, storage.Collection{Now: s.now()})
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, ErrCollecting):
		s.config.Logger.Info("origin: another origin collects")
	case err != nil:
		s.config.Logger.Warn("origin: unreferenced blobs cannot be collected; the next collection tries again", "error", err)
	default:
		s.config.Logger.Info("origin: unreferenced blobs are collected", "blobs", done.Blobs, "bytes", done.Bytes, "dropped", done.Dropped,
			"droppedBytes", done.DroppedBytes, "waiting", done.Waiting, "missing", len(done.Missing), "took", time.Since(started))
	}
	if len(done.Missing) > 0 {
		s.config.Logger.Error("origin: records name blobs that are not there; livery store check says which", "blobs", len(done.Missing))
	}
}

// collections counts what collections did. The nil pointer counts nothing.
type collections struct {
	ended          *prometheus.CounterVec
	dropped, freed prometheus.Counter
	blobs, bytes   prometheus.Gauge
	missing, last  prometheus.Gauge
}

func newCollections(registry *prometheus.Registry) *collections {
	if registry == nil {
		return nil
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	c := &collections{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "livery_origin_collections_total", Help: "Collections of blobs that nothing names, by result: done, busy (another origin collected) or failed.",
		}, []string{"result"}),
		dropped: counter("livery_origin_collected_blobs_total", "Blobs that collections dropped."),
		freed:   counter("livery_origin_collected_bytes_total", "Bytes of the blobs that collections dropped, as stored."),
		blobs:   gauge("livery_origin_blobs", "Blobs of the store when it was last collected."),
		bytes:   gauge("livery_origin_blob_bytes", "Bytes of the blobs of the store, as stored, when it was last collected."),
		missing: gauge("livery_origin_missing_blobs", "Blobs that records name and that are not there, when the store was last collected. Anything but 0 is a fault."),
		last:    gauge("livery_origin_collection_timestamp_seconds", "When this origin collected last, in seconds since 1970; 0: not since its start."),
	}
	registry.MustRegister(c.ended, c.dropped, c.freed, c.blobs, c.bytes, c.missing, c.last)
	return c
}

// count counts one collection that ended.
func (c *collections) count(done storage.CollectResult, err error, now time.Time) {
	if c == nil {
		return
	}
	switch {
	case errors.Is(err, ErrCollecting):
		c.ended.WithLabelValues("busy").Inc()
		return
	case err != nil:
		c.ended.WithLabelValues("failed").Inc()
		return
	}
	c.ended.WithLabelValues("done").Inc()
	c.dropped.Add(float64(done.Dropped))
	c.freed.Add(float64(done.DroppedBytes))
	c.blobs.Set(float64(done.Blobs - done.Dropped))
	c.bytes.Set(float64(done.Bytes - done.DroppedBytes))
	c.missing.Set(float64(len(done.Missing)))
	c.last.Set(float64(now.Unix()))
}
