// Package feed answers what edges ask: which Themes changed, how a Theme is served, which blobs an
// address is rendered from, and the blobs themselves by their digest. Every answer is one consistent
// snapshot that names its place in the change log; an overlay that is not compiled yet is before
// the pair is answered.
package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// themeSegment stands in an address where a Variant's id would: the Theme's own files.
const themeSegment = "-"

// latestSegment stands in an address where a version number would.
const latestSegment = "latest"

// missing says which part of an address does not exist.
type missing string

const (
	missingTheme   missing = "theme"
	missingVariant missing = "variant"
	missingVersion missing = "version"
	missingBlob    missing = "blob"
)

func (m missing) Error() string { return "feed: no such " + string(m) }

// orMissing turns "not found" into the part that is missing.
func orMissing(err error, part missing) error {
	if errors.Is(err, storage.ErrNotFound) {
		return part
	}
	return err
}

// themeFed returns what an edge must know of the Theme, or missing.
func themeFed(ctx context.Context, store storage.Store, environmentID, themeID string) (record.ThemeFed, error) {
	var fed record.ThemeFed
	err := store.View(ctx, func(r storage.Reader) error {
		environment, err := storage.Environments.Read(r, environmentID)
		if err != nil {
			return orMissing(err, missingTheme)
		}
		theme, err := storage.Themes.Read(r, environmentID, themeID)
		if err != nil {
			return orMissing(err, missingTheme)
		}
		files := theming.Files(theme.Integrations)
		slices.Sort(files)
		fed = record.ThemeFed{
			EnvironmentID: environmentID, ThemeID: themeID, CacheLifetime: environment.CacheLifetime,
			LatestVersion: theme.LatestVersion, Files: files, Serving: theme.Serving, Cursor: r.Cursor().String(),
		}
		return nil
	})
	return fed, err
}

// address names what an edge wants to render.
type address struct {
	environment, theme, variant, version string // as they stand in the served address
}

// pairFed returns what an address is rendered from, with the pair that its overlay is to be had of,
// or missing.
func pairFed(ctx context.Context, store storage.Store, a address) (fed record.PairFed, of derive.Pair, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		theme, err := storage.Themes.Read(r, a.environment, a.theme)
		if err != nil {
			return orMissing(err, missingTheme)
		}
		if a.variant != themeSegment {
			if _, err := storage.Variants.Read(r, a.environment, a.theme, a.variant); err != nil {
				return orMissing(err, missingVariant)
			}
		}
		number, err := a.number(theme)
		if err != nil {
			return err
		}
		version, err := storage.ThemeVersions.Read(r, a.environment, a.theme, storage.Number(number))
		if err != nil {
			return orMissing(err, missingVersion)
		}
		pair, err := a.pair(r, number)
		if err != nil {
			return err
		}
		of = derive.Pair{EnvironmentID: a.environment, ThemeID: a.theme, VariantID: a.variant, Version: version, Record: pair}
		fed = record.PairFed{
			Version: number, Plan: version.Plan, Module: version.Module,
			Sealed: pair.Published || theme.LatestVersion > number, Cursor: r.Cursor().String(),
		}
		return nil
	})
	return fed, of, err
}

// number reads the version segment: "latest", or a number in its one spelling.
func (a address) number(theme record.Theme) (uint32, error) {
	if a.version == latestSegment {
		if theme.LatestVersion == 0 {
			return 0, missingVersion
		}
		return theme.LatestVersion, nil
	}
	n, err := strconv.ParseUint(a.version, 10, 32)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != a.version {
		return 0, missingVersion
	}
	return uint32(n), nil
}

// pair returns what the Variant serves at the version: the Theme's own values where nothing is
// recorded. A Theme's own pair is sealed by its publish.
func (a address) pair(r storage.Reader, number uint32) (record.Pair, error) {
	if a.variant == themeSegment {
		return record.Pair{Published: true}, nil
	}
	pair, err := storage.Pairs.Read(r, a.environment, a.theme, a.variant, storage.Number(number))
	if errors.Is(err, storage.ErrNotFound) {
		return record.Pair{}, nil
	}
	return pair, err
}

// modules lists the registered renderer modules.
func modules(ctx context.Context, store storage.Store) ([]record.Module, error) {
	all := []record.Module{}
	err := store.View(ctx, func(r storage.Reader) error {
		all = all[:0]
		return storage.Modules.Scan(r, storage.Ascending, func(_ []byte, m record.Module) bool {
			all = append(all, m)
			return true
		})
	})
	return all, err
}

// poll is a request for changes.
type poll struct {
	after storage.Cursor
	first bool // there is no cursor yet
	limit int
}

// changesFed returns what changed after the cursor, as soon as there is something or ctx ends. A
// cursor that cannot be continued, and a first poll, is answered with Reset and the newest cursor.
func changesFed(ctx context.Context, store storage.Store, p poll) (record.ChangesFed, error) {
	if p.first {
		return reset(ctx, store)
	}
	for {
		fed, seen, err := p.once(ctx, store)
		if err != nil || fed.Reset || len(fed.Changes) > 0 {
			return fed, err
		}
		p.after = seen
		if waitErr := store.Wait(ctx, p.after); waitErr != nil {
			if ctx.Err() != nil {
				return fed, nil // the wait is over: nothing changed that an edge holds
			}
			return fed, fmt.Errorf("feed: wait for changes: %w", waitErr)
		}
	}
}

// once reads the log once. Entries that no edge holds anything of only move the cursor.
func (p poll) once(ctx context.Context, store storage.Store) (record.ChangesFed, storage.Cursor, error) {
	logged, err := store.Changes(context.WithoutCancel(ctx), p.after, p.limit)
	if errors.Is(err, storage.ErrTrimmed) || errors.Is(err, storage.ErrDiverged) {
		fed, err := reset(ctx, store)
		return fed, p.after, err
	}
	if err != nil {
		return record.ChangesFed{}, p.after, fmt.Errorf("feed: read changes: %w", err)
	}
	fed, seen := record.ChangesFed{Changes: []record.ChangeFed{}}, p.after
	for _, entry := range logged {
		seen = entry.Cursor
		if entry.Change.EnvironmentID != "" {
			fed.Changes = append(fed.Changes, record.ChangeFed{
				Cursor: entry.Cursor.String(), EnvironmentID: entry.Change.EnvironmentID, ThemeID: entry.Change.ThemeID,
			})
		}
	}
	fed.Cursor, fed.More = seen.String(), len(logged) == p.limit
	return fed, seen, nil
}

func reset(ctx context.Context, store storage.Store) (record.ChangesFed, error) {
	fed := record.ChangesFed{Changes: []record.ChangeFed{}, Reset: true}
	err := store.View(context.WithoutCancel(ctx), func(r storage.Reader) error {
		fed.Cursor = r.Cursor().String()
		return nil
	})
	return fed, err
}

// safe reports whether every part can stand in a key of the store.
func safe(parts ...string) bool {
	return !slices.ContainsFunc(parts, func(s string) bool { return s == "" || strings.IndexByte(s, 0) >= 0 })
}
