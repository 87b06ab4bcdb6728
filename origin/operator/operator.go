// Package operator is what only the operator may do: Teams, Environments, grants and plans from a
// declarative file, access tokens, and how a Theme is served. It is reached through a socket that
// only the operator's user can open, never through a public route. Every change is effective for
// the next request, and reaches edges through the change log.
package operator

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// NewID returns an id that was never given out before: the prefix and 26 characters that order ids
// by time. Ids of one millisecond differ by 80 random bits, so that no id can be guessed from others.
func NewID(prefix string, now time.Time) string {
	return prefix + strings.ToLower(ulid.MustNew(ulid.Timestamp(now), rand.Reader).String())
}

// stamp returns a time as records and answers have it: in UTC, to the millisecond.
func stamp(now time.Time) time.Time { return now.UTC().Truncate(time.Millisecond) }

// invalid refuses a request for all that is wrong with it, and is nil if nothing is.
func invalid(messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	return &theming.Error{Cause: theming.Validation, Messages: messages}
}

// errDryRun ends a transaction whose result is only shown.
var errDryRun = errors.New("operator: dry run")

// findTheme returns the Theme called name: an id, a slug, or either behind the id or slug of its Environment and a slash. It
// returns storage.ErrNotFound, or a *theming.Error if several Themes have the slug.
func findTheme(r storage.Reader, name string) (record.Theme, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return record.Theme{}, storage.ErrNotFound
	}
	environment, slug, qualified := strings.Cut(name, "/")
	if qualified {
		name = slug
	}
	environments, err := storage.Environments.All(r)
	if err != nil {
		return record.Theme{}, err
	}
	var found []record.Theme
	var where []string
	for _, e := range environments {
		if qualified && environment != e.ID && environment != e.Slug {
			continue
		}
		id, err := storage.Optional(storage.ThemeSlugs.Read(r, name, e.ID))
		var theme record.Theme
		if err == nil {
			theme, err = storage.Optional(storage.Themes.Read(r, e.ID, cmp.Or(id, name)))
		}
		if err != nil {
			return record.Theme{}, err
		}
		if theme.ID != "" {
			found, where = append(found, theme), append(where, e.Slug+" ("+e.ID+")")
		}
	}
	switch len(found) {
	case 0:
		return record.Theme{}, fmt.Errorf("operator: theme %q: %w", name, storage.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return record.Theme{}, invalid([]string{fmt.Sprintf("several Environments have a Theme %s: name one of %s with --env", name, strings.Join(where, ", "))})
}

// themeChange is what changeTheme is to do.
type themeChange struct {
	action   string
	make     func(*record.Theme) error                 // changes the Theme
	describe func(before, after record.Theme) []string // what changed, in sentences without secrets
}

// changeTheme commits what the change makes of the Theme, writes it into the audit log and the change log. A
// change that makes nothing different is not a commit.
func changeTheme(ctx context.Context, store storage.Store, name string, now time.Time, change themeChange) (record.Theme, error) {
	target, err := storage.Snapshot(ctx, store, func(r storage.Reader) (record.Theme, error) { return findTheme(r, name) })
	if err != nil {
		return record.Theme{}, err
	}
	var theme record.Theme
	err = Commit(ctx, store, target.EnvironmentID, now, func(tx storage.Tx, logAudit func(record.Audit)) (record.Change, error) {
		before, err := storage.Themes.Read(tx, target.EnvironmentID, target.ID)
		if err != nil {
			return record.Change{}, err
		}
		if before.PreviewOf != "" {
			return record.Change{}, invalid([]string{fmt.Sprintf("theme %s is a preview: it is served as Theme %s; change that", target.ID, before.PreviewOf)})
		}
		theme = before
		if err := change.make(&theme); err != nil {
			return record.Change{}, err
		}
		changes := change.describe(before, theme)
		if len(changes) == 0 {
			return record.Change{}, nil
		}
		logAudit(record.Audit{
			Action: change.action, Target: "theme " + theme.Slug, EnvironmentID: theme.EnvironmentID, ThemeID: theme.ID, ThemeSlug: theme.Slug, Changes: changes,
		})
		theme.UpdatedAt = stamp(now)
		return record.Change{EnvironmentID: theme.EnvironmentID, ThemeID: theme.ID, At: theme.UpdatedAt},
			storage.Themes.Write(tx, theme, theme.EnvironmentID, theme.ID)
	})
	if err == nil {
		err = announcePreviews(ctx, store, target.EnvironmentID, now)
	}
	return theme, err
}

// announcePreviews has edges ask again for all Themes of the Environments whose Themes are previews of those in source: they
// are served as these. It does so also if nothing changed, because the process may have ended in between the last time.
func announcePreviews(ctx context.Context, store storage.Store, source string, now time.Time) error {
	environments, err := storage.Snapshot(ctx, store, func(r storage.Reader) ([]record.Environment, error) { return storage.Environments.All(r) })
	for _, preview := range environments {
		if err != nil {
			break
		}
		if preview.PreviewOf != source {
			continue
		}
		_, err = store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
			e, err := storage.Environments.Read(tx, preview.ID)
			if err != nil {
				return record.Change{}, err
			}
			return record.Change{EnvironmentID: e.ID, At: stamp(now)}, storage.Environments.Write(tx, e, e.ID)
		})
	}
	return err
}
