// Package feed answers what edges ask: which Themes changed, how a Theme is served, which blobs an
// address is rendered from, and the blobs themselves by their digest. Every answer is one consistent
// snapshot that names its place in the change log. A missing overlay is compiled before the answer is
// sent.
package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/feedproto"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
)

// missing says which part of an address does not exist.
type missing string

const (
	missingTheme   missing = feedproto.MissingTheme
	missingVariant missing = feedproto.MissingVariant
	missingVersion missing = feedproto.MissingVersion
	missingModes   missing = feedproto.MissingModes
	missingBlob    missing = feedproto.MissingBlob
)

func (m missing) Error() string { return "feed: no such " + string(m) }

// orMissing turns "not found" into the part that is missing.
func orMissing(err error, part missing) error {
	if errors.Is(err, storage.ErrNotFound) {
		return part
	}
	return err
}

// readTheme returns what an edge must know of the Theme, or missing. The signing keys in it are sealed for the Theme of the
// id keysOf.
func readTheme(r storage.Reader, environmentID, themeID string) (answer feedproto.Theme, keysOf string, err error) {
	environment, err := storage.Environments.Read(r, environmentID)
	if err != nil {
		return answer, "", orMissing(err, missingTheme)
	}
	theme, err := storage.Themes.Read(r, environmentID, themeID)
	if err != nil {
		return answer, "", orMissing(err, missingTheme)
	}
	served, err := storage.ServedAs(r, environment, theme)
	if err != nil {
		return answer, "", orMissing(err, missingTheme)
	}
	files := theming.Files(theme.Integrations)
	slices.Sort(files)
	return feedproto.Theme{
		EnvironmentID: environmentID, ThemeID: themeID, CacheLifetime: environment.CacheLifetime,
		LatestVersion: theme.LatestVersion, Files: files, Serving: served.Serving, Cursor: r.Cursor().String(),
	}, served.ID, nil
}

// poll is a request for changes.
type poll struct {
	after storage.Cursor
	first bool // the follower has no cursor yet
	limit int
}

// pollAnswer answers a poll, encoded once for all edges that wait for the same.
type pollAnswer struct {
	news    bool           // it says more than how far the log has come
	through storage.Cursor // the newest entry that was looked at
	text    []byte
}

// changes answers polls. Those that wait at one place of the log, which is most of them at most times,
// share one reading of what follows.
type changes struct {
	store storage.Store
	cache *responseCache[pollAnswer]
}

// The bounds of answers that are shared: only a poll that waited already while one was made may have it.
const (
	keepPoll      = 100 * time.Millisecond
	keepPollBytes = 1 << 20
)

func newChanges(store storage.Store) *changes {
	return &changes{store, newResponseCache(keepPollBytes, keepPoll, func(a pollAnswer) int { return weight(a.text) })}
}

// answer returns what changed after the cursor, as soon as there is something or ctx ends. A cursor that
// cannot be continued, and a first poll, is answered with Reset and the newest cursor.
func (c *changes) answer(ctx context.Context, p poll) (pollAnswer, error) {
	begun := time.Now()
	if p.first {
		return c.reset(ctx)
	}
	for {
		if idle, err := c.idle(ctx, p.after); err != nil || idle {
			if err != nil {
				return pollAnswer{}, err
			}
			return newPollAnswer(feedproto.Changes{Changes: []feedproto.Change{}, Cursor: p.after.String()}, p.after)
		}
		next, _, err := c.cache.get(p.after.String()+" "+strconv.Itoa(p.limit), begun, func() (pollAnswer, error) { return c.read(ctx, p) })
		if err != nil || next.news || ctx.Err() != nil {
			return next, err
		}
		p.after = next.through
	}
}

// idle waits for an entry after the cursor, and reports whether the log still ends there when ctx
// does. A cursor that the log does not know is not idle: reading shows why.
func (c *changes) idle(ctx context.Context, after storage.Cursor) (bool, error) {
	err := c.store.Wait(ctx, after)
	switch {
	case err == nil, errors.Is(err, storage.ErrDiverged):
		return false, nil
	case ctx.Err() == nil:
		return false, fmt.Errorf("feed: wait for changes: %w", err)
	}
	end, err := c.end(ctx)
	return err == nil && end == after, err
}

// read reads the log once. Entries that edges cache nothing of only move the cursor.
func (c *changes) read(ctx context.Context, p poll) (pollAnswer, error) {
	logged, err := c.store.Changes(context.WithoutCancel(ctx), p.after, p.limit)
	if errors.Is(err, storage.ErrTrimmed) || errors.Is(err, storage.ErrDiverged) {
		return c.reset(ctx)
	}
	if err != nil {
		return pollAnswer{}, fmt.Errorf("feed: read changes: %w", err)
	}
	answer, through := feedproto.Changes{Changes: []feedproto.Change{}}, p.after
	for _, entry := range logged {
		through = entry.Cursor
		if entry.Change.EnvironmentID != "" {
			answer.Changes = append(answer.Changes, feedproto.Change{
				Cursor: entry.Cursor.String(), EnvironmentID: entry.Change.EnvironmentID, ThemeID: entry.Change.ThemeID,
			})
		}
	}
	answer.Cursor, answer.More = through.String(), len(logged) == p.limit
	return newPollAnswer(answer, through)
}

func (c *changes) reset(ctx context.Context) (pollAnswer, error) {
	end, err := c.end(ctx)
	if err != nil {
		return pollAnswer{}, err
	}
	return newPollAnswer(feedproto.Changes{Changes: []feedproto.Change{}, Cursor: end.String(), Reset: true}, end)
}

// end returns the end of the change log, also if ctx has ended.
func (c *changes) end(ctx context.Context) (storage.Cursor, error) {
	return storage.LogEnd(context.WithoutCancel(ctx), c.store)
}

// newPollAnswer encodes an answer.
func newPollAnswer(answer feedproto.Changes, through storage.Cursor) (pollAnswer, error) {
	text, err := json.Marshal(answer)
	return pollAnswer{answer.Reset || len(answer.Changes) > 0, through, text}, err
}

// safe reports whether every part can stand in a key of the store.
func safe(parts ...string) bool {
	return !slices.ContainsFunc(parts, func(s string) bool { return s == "" || strings.IndexByte(s, 0) >= 0 })
}
