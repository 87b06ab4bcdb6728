package maintenance

import (
	"context"
	"errors"
	"time"

	"example.com/livery/storage"
)

// sharedStore is a Store that several origins use at once.
type sharedStore interface {
	// TryAlone runs fn while no other process runs its own under the name, and reports whether it did.
	TryAlone(ctx context.Context, name string, fn func(context.Context) error) (ran bool, err error)
}

// Shares reports whether other origins may use the store at the same time.
func (s *Service) Shares() bool {
	_, ok := s.config.Store.(sharedStore)
	return ok
}

// Alone returns what runs a function while no other origin runs its own under the name; nil if no other origin may use the store.
func (s *Service) Alone(name string) func(ctx context.Context, fn func(context.Context) error) (ran bool, err error) {
	store, ok := s.config.Store.(sharedStore)
	if !ok {
		return nil
	}
	return func(ctx context.Context, fn func(context.Context) error) (bool, error) {
		return store.TryAlone(ctx, name, fn)
	}
}

// retryAfter is how long to wait before the store is asked again after a failure.
const retryAfter = time.Second

// watchPeers reads the token keys and issuers again whenever something above Environments has changed,
// until ctx ends: another origin on the same store may have changed them.
func (s *Service) watchPeers(ctx context.Context) {
	at, err := s.reload(ctx)
	for ctx.Err() == nil {
		if err == nil {
			at, err = s.pollPeers(ctx, at)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		s.config.Logger.Warn("origin: what other origins change cannot be read; it is tried again", "error", err)
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
		}
		at, err = s.reload(ctx)
	}
}

// reload reads the keys and issuers, and returns a place in the change log from which on changes to them
// are not in what was read.
func (s *Service) reload(ctx context.Context) (at storage.Cursor, err error) {
	if at, err = storage.LogEnd(ctx, s.config.Store); err == nil {
		err = s.config.Keys.Reload(ctx, s.config.Store)
	}
	return at, err
}

// pollPeers waits for the next changes, reads the keys and issuers again if one is above Environments, and
// returns the place after them.
func (s *Service) pollPeers(ctx context.Context, after storage.Cursor) (storage.Cursor, error) {
	err := s.config.Store.Wait(ctx, after)
	var entries []storage.LoggedChange
	if err == nil {
		entries, err = s.config.Store.Changes(ctx, after, 1000)
	}
	if errors.Is(err, storage.ErrTrimmed) || errors.Is(err, storage.ErrDiverged) {
		return s.reload(ctx)
	}
	if err != nil {
		return after, err
	}
	changed := false
	for _, e := range entries {
		after = e.Cursor
		changed = changed || e.Change.EnvironmentID == "" && !e.Change.Internal
	}
	if changed {
		err = s.config.Keys.Reload(ctx, s.config.Store)
	}
	return after, err
}
