package maintenance

import (
	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/storage"
)

// lossReporter is a Store that notices if it lost a commit.
type lossReporter interface {
	// Lost returns the place of a durable commit that is gone, and whether there is one.
	Lost() (storage.Cursor, bool)
}

// Lost returns the place of a commit that was acknowledged once and that the store has lost,
// and whether there is one. A store that does not know has lost nothing.
func (s *Service) Lost() (storage.Cursor, bool) {
	if store, ok := s.config.Store.(lossReporter); ok {
		return store.Lost()
	}
	return storage.Cursor{}, false
}

// registerHistory registers a metric that says whether history was lost.
func (s *Service) registerHistory(registry *prometheus.Registry) {
	if registry == nil {
		return
	}
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "livery_origin_lost_history", Help: "1 if the store lost what it acknowledged once, until the next start; else 0.",
	}, func() float64 {
		if _, lost := s.Lost(); lost {
			return 1
		}
		return 0
	}))
}
