package origin

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage"
)

// diskStore is a Store that knows the disk it is on.
type diskStore interface {
	// Writable returns nil if there is room for a commit.
	Writable() error
	// Disk returns the free bytes of the disk, those of the whole disk, and those that the store takes.
	Disk() (free, all, used uint64, err error)
}

// registerGauges registers the metrics that are looked up when they are read.
func (o *Origin) registerGauges(registry *prometheus.Registry) {
	if registry == nil {
		return
	}
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	gauge("livery_origin_request_memory_bytes", "Memory that request bodies, and answers until they are written, take now.", func() float64 { return float64(o.api.RequestMemory()) })
	gauge("livery_origin_turns_running", "Heavy work that runs now.", func() float64 { return float64(o.turns.Running()) })
	gauge("livery_origin_turns_waiting", "Requests whose heavy work waits for its turn.", func() float64 { return float64(o.turns.Waiting()) })
	gauge("livery_origin_feed_sequence", "Number of the newest change. An edge that follows it has seen all.", func() float64 { return float64(o.sequence()) })
	gauge("livery_origin_feed_clients", "Edges that wait for changes now.", func() float64 { n, _ := o.followers.State(0); return float64(n) })
	gauge("livery_origin_feed_lag", "Changes since the last question of the edge that has been away from the feed longest; 0 while all wait.", func() float64 {
		_, lag := o.followers.State(o.sequence())
		return float64(lag)
	})
	gauge("livery_origin_derived_waiting", "Themes that wait for overlays that are compiled ahead.", func() float64 { return float64(o.derive.Waiting()) })
	disk, ok := o.config.Store.(diskStore)
	if !ok {
		return
	}
	gauge("livery_origin_backup_timestamp_seconds", "When the newest backup was taken, in seconds since 1970; 0: none is known.", func() float64 {
		return float64(o.maintenance.NewestBackup())
	})
	if _, _, _, err := disk.Disk(); err != nil {
		return // a store in memory
	}
	each := func(pick func(free, all, used uint64) uint64) func() float64 {
		return func() float64 {
			free, all, used, _ := disk.Disk() // zeros if the disk does not say, which is worth an alarm
			return float64(pick(free, all, used))
		}
	}
	gauge("livery_origin_disk_free_bytes", "Free space of the disk that the store is on.", each(func(free, _, _ uint64) uint64 { return free }))
	gauge("livery_origin_disk_size_bytes", "Size of the disk that the store is on.", each(func(_, all, _ uint64) uint64 { return all }))
	gauge("livery_origin_store_bytes", "Disk that the store takes.", each(func(_, _, used uint64) uint64 { return used }))
}

// sequence is the number of the newest change, 0 if the store does not say.
func (o *Origin) sequence() uint64 {
	ctx, cancel := context.WithTimeout(o.ctx, time.Second) // the metrics are read while the store is away, too
	defer cancel()
	end, _ := storage.LogEnd(ctx, o.store)
	return end.Seq
}
