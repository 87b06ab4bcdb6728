package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// verify checks each Theme: all versions in a row, each with its value, none acknowledged missing,
// and at most the one in flight more.
func (c *crash) verify(ctx context.Context, s *world.Dev, whole bool) error {
	for _, t := range c.themes {
		if t.denied != nil {
			return t.denied
		}
		if err := c.verifyTheme(ctx, s, t, whole); err != nil {
			return fmt.Errorf("theme %s: %w", t.id, err)
		}
	}
	return nil
}

func (c *crash) verifyTheme(ctx context.Context, s *world.Dev, t *theme, whole bool) error {
	now, err := s.API.Scope(t.environment, t.id).Tokens(ctx, "", client.ReadOptions{IncludeVersions: true})
	if err != nil {
		return err
	}
	latest := len(now.Versions)
	for i, n := range now.Versions {
		if n != latest-i {
			return fmt.Errorf("version %d stands where %d belongs: %v", n, latest-i, now.Versions)
		}
	}
	if latest < t.newest || latest > t.newest+1 {
		return fmt.Errorf("the newest version is %d, and %d was acknowledged", latest, t.newest)
	}
	t.newest = latest // one in flight may have been committed unheard
	from := 1
	if !whole { // the newest and some at random; all of them every now and then
		from = max(1, latest-3)
		if latest > 4 {
			if err := t.holds(ctx, s, 1+c.random.IntN(latest)); err != nil {
				return err
			}
		}
	}
	for n := from; n <= latest; n++ {
		if err := t.holds(ctx, s, n); err != nil {
			return err
		}
	}
	return nil
}

// holds checks one version and, one in four, that its file is what it was at the last look.
func (t *theme) holds(ctx context.Context, s *world.Dev, version int) error {
	set, err := s.API.Scope(t.environment, t.id).Tokens(ctx, "", client.ReadOptions{Version: version})
	if err != nil {
		return fmt.Errorf("version %d: %w", version, err)
	}
	var value int
	if len(set.Tokens) != 1 || json.Unmarshal(set.Tokens[0].Value, &value) != nil || value != version {
		return fmt.Errorf("version %d holds %+v", version, set.Tokens)
	}
	if version%4 != 0 {
		return nil
	}
	got, err := t.file(ctx, s, version)
	for tries := 0; err != nil && tries < 100; tries++ { // an edge that just started may not answer at once
		time.Sleep(100 * time.Millisecond)
		got, err = t.file(ctx, s, version)
	}
	if want, looked := t.pinned[version]; err == nil && looked && got != want {
		return fmt.Errorf("the file of version %d is other bytes than it was", version)
	}
	t.pinned[version] = got
	return err
}

// walkStore checks every record, reference, blob and change of the store that a dead process left.
func (c *crash) walkStore(ctx context.Context) (err error) {
	store, err := pebble.Open(filepath.Join(c.data, "store"), pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if at, lost := store.Lost(); lost {
		return fmt.Errorf("the change log once reached %s", at)
	}
	var wrong []error
	done, err := storage.CheckStore(ctx, store, nil, func(f storage.Finding) { wrong = append(wrong, errors.New(f.String())) })
	if err == nil && done.Records == 0 {
		err = errors.New("the store is empty")
	}
	return errors.Join(append(wrong, err)...)
}
