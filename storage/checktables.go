package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"example.com/livery/storage/record"
)

func (c *checker) teams() error {
	return each(c, Teams, 1, func(at string, p []string, t record.Team) {
		c.same(at, "id", p[0], t.ID)
		c.indexed(at, TeamSlugs, t.ID, t.Slug)
		for _, subject := range t.Members {
			if _, err := Memberships.Read(c.r, t.ID, subject); err != nil {
				c.report(Finding{at, fmt.Sprintf("the index of memberships lacks %q", subject), "apply the teams file again"})
			}
		}
	})
}

func (c *checker) environments() error {
	return each(c, Environments, 1, func(at string, p []string, e record.Environment) {
		c.same(at, "id", p[0], e.ID)
		if exists(c, Teams, at, e.TeamID) {
			c.indexed(at, EnvironmentSlugs, e.ID, e.Slug, e.TeamID)
		}
	})
}

func (c *checker) themes() error {
	return each(c, Themes.Table, 2, func(at string, p []string, t record.Theme) {
		c.same(at, "id", p[1], t.ID)
		c.same(at, "environment", p[0], t.EnvironmentID)
		exists(c, Environments, at, p[0])
		c.indexed(at, ThemeSlugs, t.ID, t.Slug, p[0])
		c.listed(at, ThemeEntries, t.Listed(), p[0])
		c.signed(at, t)
		c.draft(at, t.DraftETag, 'D', p)
		c.versions(at, t.LatestVersion, p)
	})
}

// listed reports an item of a list whose entry differs from its record, or has no revision.
func (c *checker) listed(at string, x Entries, i record.Listed, parts ...string) {
	const repair = "edit it, which writes the entry again"
	keys := [][]byte{x.prefix(revisionLetter, parts)}
	if x.stored {
		keys = append(keys, x.bucketKey(revisionLetter, i.ID, parts))
		if got, err := c.r.Get(x.Key(i.ID, parts...)); err != nil || !bytes.Equal(got, record.AppendEntry(nil, i)) {
			c.report(Finding{at, "its entry in the list differs from its record", repair})
		}
	}
	for _, key := range keys {
		if n, err := readRevision(c.r, key); err != nil || n == 0 {
			c.report(Finding{at, "its entry in the list has no revision", repair})
		}
	}
}

// listEntries reports entries that lead nowhere.
func (c *checker) listEntries() error {
	err := c.r.Scan(Key(entryLetter), Ascending, func(key, _ []byte) bool {
		p, right := parts(key), false
		if len(p) == 4 {
			_, err := c.r.Get(Themes.Key(p[1], p[3]))
			right = err == nil && bytes.Equal(key, ThemeEntries.Key(p[3], p[1]))
		}
		if !right {
			c.report(Finding{where("list entry", key), "it leads to no record", RepairDelete})
		}
		return c.ctx.Err() == nil
	})
	return errors.Join(err, c.ctx.Err())
}

// draft reports a draft that its owner does not know, or knows and does not have.
func (c *checker) draft(at, etag string, table byte, p []string) {
	_, err := c.r.Get(Key(table, p...))
	switch {
	case err == nil && etag == "":
		c.report(Finding{at, "it has a draft and its record says that it has none", "discard the draft"})
	case errors.Is(err, ErrNotFound) && etag != "":
		c.report(Finding{at, "its record says that it has a draft and there is none", RepairRestore})
	}
}

// versions reports gaps in the numbers of a Theme's versions, and an end that is not the newest.
func (c *checker) versions(at string, latest uint32, p []string) {
	next := uint32(1)
	_ = c.r.Scan(Key(ThemeVersions.letter, p...), Ascending, func(key, _ []byte) bool {
		n, err := strconv.ParseUint(LastPart(key), 10, 32)
		if err != nil || uint32(n) != next {
			c.report(Finding{at, fmt.Sprintf("its versions go on with %s where %d comes next", LastPart(key), next), RepairRestore})
		}
		next = uint32(n) + 1
		return true
	})
	if next-1 != latest {
		c.report(Finding{at, fmt.Sprintf("its newest version is %d and its record says %d", next-1, latest), RepairRestore})
	}
}

func (c *checker) themeVersions() error {
	return each(c, ThemeVersions, 3, func(at string, p []string, v record.ThemeVersion) {
		c.same(at, "number", p[2], Number(v.Number))
		exists(c, Themes.Table, at, p[0], p[1])
		if v.Module != "" {
			exists(c, Modules, at, string(v.Module))
		}
		c.named(at, themeVersionBlobs(v))
	})
}

func (c *checker) themeDrafts() error {
	return each(c, ThemeDrafts, 2, func(at string, p []string, d record.ThemeDraft) {
		exists(c, Themes.Table, at, p[0], p[1])
		if d.Base != 0 {
			exists(c, ThemeVersions, at, p[0], p[1], Number(d.Base))
		}
	})
}

func (c *checker) variants() error {
	return each(c, Variants.Table, 3, func(at string, p []string, v record.Variant) {
		c.same(at, "id", p[2], v.ID)
		c.same(at, "theme", p[1], v.ThemeID)
		exists(c, Themes.Table, at, p[0], p[1])
		c.indexed(at, VariantSlugs, v.ID, v.Slug, p[0], p[1])
		c.listed(at, VariantEntries, v.Listed(), p[0], p[1])
		c.draft(at, v.DraftETag, 'd', p)
		if v.LatestVersion != 0 {
			exists(c, VariantVersions, at, p[0], p[1], p[2], Number(v.LatestVersion))
		}
	})
}

func (c *checker) variantVersions() error {
	return each(c, VariantVersions, 4, func(at string, p []string, v record.VariantVersion) {
		c.same(at, "number", p[3], Number(v.Number))
		exists(c, Variants.Table, at, p[0], p[1], p[2])
		exists(c, ThemeVersions, at, p[0], p[1], p[3])
		c.named(at, variantVersionBlobs(v))
	})
}

func (c *checker) variantDrafts() error {
	return each(c, VariantDrafts, 3, func(at string, p []string, _ record.VariantDraft) {
		exists(c, Variants.Table, at, p[0], p[1], p[2])
	})
}

func (c *checker) pairs() error {
	return each(c, Pairs, 4, func(at string, p []string, v record.Pair) {
		if !c.keptByModes(p) {
			exists(c, Variants.Table, at, p[0], p[1], p[2])
		}
		exists(c, ThemeVersions, at, p[0], p[1], p[3])
		c.named(at, pairBlobs(v))
	})
}

// keptByModes reports whether the Variant of a pair is deleted and the modes of its version serve the pair.
func (c *checker) keptByModes(p []string) bool {
	if _, err := c.r.Get(Variants.Key(p[:3]...)); err == nil {
		return false
	}
	version, err := ThemeVersions.Read(c.r, p[0], p[1], p[3])
	return err == nil && ModesServe(version, p[2])
}

func (c *checker) modules() error {
	return each(c, Modules, 1, func(at string, p []string, m record.Module) {
		c.same(at, "digest", p[0], string(m.Digest))
		c.named(at, moduleBlobs(m))
	})
}

// loose reads the records that nothing else hangs on.
func (c *checker) loose() error {
	return errors.Join(
		each(c, TokenKeys, 1, func(at string, p []string, k record.TokenKey) { c.same(at, "id", p[0], k.ID) }),
		each(c, LoginCodes, 1, func(string, []string, record.LoginCode) {}),
		each(c, Replays, 2, func(string, []string, record.Replay) {}))
}

// indexes reports entries that lead nowhere, or to a record that has another slug.
func (c *checker) indexes() error {
	return errors.Join(
		c.entries("slug of a team", TeamSlugs, 1, func(_ []string, id string) string {
			return slugOf(c, Teams, func(t record.Team) string { return t.Slug }, id)
		}),
		c.entries("slug of an environment", EnvironmentSlugs, 2, func(_ []string, id string) string {
			return slugOf(c, Environments, func(e record.Environment) string { return e.Slug }, id)
		}),
		c.entries("slug of a theme", ThemeSlugs, 2, func(p []string, id string) string {
			return slugOf(c, Themes.Table, func(t record.Theme) string { return t.Slug }, p[0], id)
		}),
		c.listEntries(),
		c.signedEntries(),
		c.entries("slug of a variant", VariantSlugs, 3, func(p []string, id string) string {
			return slugOf(c, Variants.Table, func(v record.Variant) string { return v.Slug }, p[0], p[1], id)
		}))
}

// counts reports sparse indexes that count something else than there is.
func (c *checker) counts() error {
	return each(c, blocks, 2, func(at string, p []string, _ record.Blocks) {
		right := p[0] == string(ThemeSlugs.letter)
		if right {
			var err error
			if right, err = ThemeSlugs.Counted(c.r, p[1]); err != nil {
				right = false
			}
		}
		if !right {
			c.report(Finding{at, "it does not count what is there, so that pages of the list are wrong", RepairRestore})
		}
	})
}

// entries compares each entry of an index, whose keys have n parts, with the slug of the record that it leads to.
func (c *checker) entries(name string, x Index, n int, slug func(parts []string, id string) string) error {
	err := c.r.Scan(Key(x.letter), Ascending, func(key, value []byte) bool {
		p := parts(key)
		if id := string(value); len(p) != n || slug(p, id) != p[n-1] {
			c.report(Finding{where(name, key), fmt.Sprintf("it leads to %s, which does not have this slug", id), RepairDelete})
		}
		return c.ctx.Err() == nil
	})
	return errors.Join(err, c.ctx.Err())
}

// slugOf returns the slug of the record at parts, "" if there is none.
func slugOf[T any](c *checker, t Table[T], slug func(T) string, parts ...string) string {
	v, err := t.Read(c.r, parts...)
	if err != nil {
		return ""
	}
	return slug(v)
}

// confirmMissing asks for each blob that was not in the list.
func (c *checker) confirmMissing(store Store) error {
	for _, a := range c.absent {
		_, err := store.Blob(c.ctx, a.name)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if !errors.Is(err, ErrNotFound) {
			continue // it came later, or the engine reports it
		}
		repair := RepairPublish
		if a.derived {
			repair = RepairDerived
		}
		c.report(Finding{a.where, fmt.Sprintf("its blob %s is not there", a.name), repair})
	}
	return nil
}
