// Package manifest describes what a Theme serves in one document: its files and those of its published Variants by their slugs,
// with addresses, versions and digests. So an application carries one address and no ids. Whoever may load the files may read
// the document, so it holds no display names and nothing of a Variant that was never published.
package manifest

import (
	"cmp"
	"context"
	"encoding/base64"
	"strconv"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Manifest is the document, at the newest version of a Theme.
type Manifest struct {
	EnvironmentID string             `json:"environment"`
	ThemeID       string             `json:"theme"`
	Slug          string             `json:"slug"`
	Version       uint32             `json:"version"`
	CacheLifetime uint32             `json:"cacheLifetime"` // seconds, the Environment's
	Files         map[string]File    `json:"files"`         // the Theme's own, by their names
	Variants      map[string]Variant `json:"variants"`      // the published ones, by slug
	Modes         []record.Mode      `json:"modes"`         // the Theme's list, with slugs in place of ids
}

// Variant is what a Variant serves at the version.
type Variant struct {
	ID      string          `json:"id"`
	Version uint32          `json:"version"` // newest that the Variant has published
	Sealed  bool            `json:"sealed"`  // what path names never changes
	Files   map[string]File `json:"files"`
}

// File is a served file. Its addresses are relative to the folder of the Theme, "{environment}/{theme}/".
type File struct {
	Path   string `json:"path"`   // at the version
	Latest string `json:"latest"` // at latest
	SHA256 string `json:"sha256"` // of the file at the version, without a coding, in base64 as integrity attributes have it
	Bytes  int    `json:"bytes"`
}

// Source is what a Manifest is made from, as one snapshot showed it.
type Source struct {
	environment record.Environment
	theme       record.Theme
	version     record.ThemeVersion
	variants    []record.Variant // that are published
	pairs       []record.Pair    // of variants, at the version
}

// Read reads a Source. It returns storage.ErrNotFound if the Theme has no version.
func Read(r storage.Reader, environment record.Environment, theme record.Theme) (s Source, err error) {
	s = Source{environment: environment, theme: theme}
	number := storage.Number(theme.LatestVersion)
	if s.version, err = storage.ThemeVersions.Read(r, environment.ID, theme.ID, number); err != nil {
		return s, err
	}
	var ids []string
	var keys [][]byte
	err = storage.VariantSlugs.Scan(r, storage.Ascending, func(_, id string) bool {
		ids = append(ids, id)
		keys = append(keys, storage.Variants.Key(environment.ID, theme.ID, id), storage.Pairs.Key(environment.ID, theme.ID, id, number))
		return true
	}, environment.ID, theme.ID)
	if err = cmp.Or(err, storage.Prefetch(r, keys...)); err != nil {
		return s, err
	}
	for _, id := range ids {
		v, err := storage.Variants.Read(r, environment.ID, theme.ID, id)
		if err != nil {
			return s, err
		}
		if v.LatestVersion == 0 {
			continue
		}
		pair, err := storage.Optional(storage.Pairs.Read(r, environment.ID, theme.ID, id, number)) // without a record it serves the Theme's own values
		if err != nil {
			return s, err
		}
		s.variants, s.pairs = append(s.variants, v), append(s.pairs, pair)
	}
	return s, nil
}

// Make makes the Manifest. Files that were not asked for before are rendered for their digests.
func (s Source) Make(ctx context.Context, d *derive.Deriver) (m Manifest, err error) {
	m = Manifest{
		EnvironmentID: s.environment.ID, ThemeID: s.theme.ID, Slug: s.theme.Slug,
		Version: s.version.Number, CacheLifetime: s.environment.CacheLifetime, Variants: map[string]Variant{}, Modes: s.modes(),
	}
	if m.Files, err = s.files(ctx, d, "-", record.Pair{}); err != nil {
		return m, err
	}
	for i, v := range s.variants {
		shown := Variant{ID: v.ID, Version: v.LatestVersion, Sealed: s.pairs[i].Published}
		if shown.Files, err = s.files(ctx, d, v.ID, s.pairs[i]); err != nil {
			return m, err
		}
		m.Variants[v.Slug] = shown
	}
	return m, nil
}

// files returns the files of the Theme, or of a Variant.
func (s Source) files(ctx context.Context, d *derive.Deriver, variant string, pair record.Pair) (map[string]File, error) {
	digests, err := d.Digests(ctx, derive.Pair{EnvironmentID: s.environment.ID, ThemeID: s.theme.ID, VariantID: variant, Version: s.version, Record: pair})
	if err != nil {
		return nil, err
	}
	files := map[string]File{}
	for _, name := range theming.Files(s.theme.Integrations) {
		f, _ := renderer.FileByName(name)
		files[name] = File{
			Path: variant + "/" + strconv.FormatUint(uint64(s.version.Number), 10) + "/" + name, Latest: variant + "/latest/" + name,
			SHA256: base64.StdEncoding.EncodeToString(digests[f].SHA256[:]), Bytes: digests[f].Bytes,
		}
	}
	return files, nil
}

// modes returns the Theme's list with the slugs of Variants in place of their ids. A mode of a Variant that is not published
// has none, and modes for brands that are not published are left out.
func (s Source) modes() []record.Mode {
	slugs := map[string]string{}
	for _, v := range s.variants {
		slugs[v.ID] = v.Slug
	}
	list := []record.Mode{}
	for _, m := range s.theme.Modes {
		if m.For == "" || slugs[m.For] != "" {
			m.Variant, m.For = slugs[m.Variant], slugs[m.For]
			list = append(list, m)
		}
	}
	return list
}
