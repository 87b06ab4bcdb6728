// Package maintenance does what an origin does beside answering requests: it collects blobs that nothing names, trims the
// change log and the audit log, rebuilds the counts of lists, reloads keys that another origin changed, and knows which
// edges follow the feed, when the last backup was taken and whether history was lost.
package maintenance

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
)

// Config is what a Service needs.
type Config struct {
	Store    storage.Store // of this origin
	Metered  storage.Store // Store, with its commits measured
	Keys     *auth.Keys
	Logger   *slog.Logger
	Now      func() time.Time // in UTC, to the millisecond
	Registry *prometheus.Registry

	CollectEvery time.Duration // how often blobs that nothing names are collected; 0 means never
	ChangesKeep  uint64        // how many entries of the change log stay at least; 0 means all
	AuditKeep    time.Duration // how long entries of the audit log stay; 0 means for ever
}

// Service maintains the store of one origin. Its methods may be called concurrently.
type Service struct {
	config      Config
	now         func() time.Time
	collections *collections // what they did

	backedUp atomic.Int64 // seconds since 1970 of the newest backup that the audit log knows; 0: none
}

// New returns a Service that does nothing by itself yet, and registers its metrics.
func New(c Config) *Service {
	s := &Service{config: c, now: c.Now, collections: newCollections(c.Registry)}
	s.registerHistory(c.Registry)
	return s
}

// Start reads when the last backup was taken, and starts the work in the background. The work ends with ctx; background
// counts what of it still runs.
func (s *Service) Start(ctx context.Context, background *sync.WaitGroup) {
	s.readNewestBackup(ctx)
	background.Go(func() {
		repeat(ctx, trimEvery, s.dropping(ctx, "old events", func() error { return s.TrimEvents(ctx) }))
	})
	if every := s.config.CollectEvery; every > 0 {
		background.Go(func() { repeat(ctx, every, func() { s.collect(ctx) }) })
	}
	if s.Shares() {
		background.Go(func() { s.watchPeers(ctx) })
	}
	if keep := s.config.ChangesKeep; keep > 0 {
		background.Go(func() {
			repeat(ctx, trimEvery, s.dropping(ctx, "old changes", func() error { return s.TrimChanges(ctx, keep) }))
		})
	}
	if keep := s.config.AuditKeep; keep > 0 {
		trim := s.dropping(ctx, "old entries of the audit log", func() error {
			dropped, err := s.TrimAudit(ctx, keep)
			if dropped > 0 {
				s.config.Logger.Info("origin: old entries of the audit log are dropped", "entries", dropped, "olderThan", keep)
			}
			return err
		})
		background.Go(func() {
			trim()
			repeat(ctx, trimEvery, trim)
		})
	}
}
