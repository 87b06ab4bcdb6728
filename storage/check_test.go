package storage_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// sound returns a store with one of everything, as an origin leaves it.
func sound(t *testing.T) storage.Store {
	t.Helper()
	s := open(t)
	put := func(text string) record.Hash {
		name, err := s.PutBlob(context.Background(), []byte(text))
		if err != nil {
			t.Fatalf("PutBlob() = %v", err)
		}
		return name
	}
	module, one := put("module"), storage.Number(1)
	in(t, s, func(tx storage.Tx) error {
		return errors.Join(
			storage.Teams.Write(tx, record.Team{ID: "team_1", Slug: "team", Members: []string{"ann"}}, "team_1"),
			storage.TeamSlugs.Write(tx, "team_1", "team"),
			storage.Memberships.Write(tx, "", "team_1", "ann"),
			storage.Environments.Write(tx, record.Environment{ID: "env_1", TeamID: "team_1", Slug: "env"}, "env_1"),
			storage.EnvironmentSlugs.Write(tx, "env_1", "env", "team_1"),
			storage.Themes.Write(tx, record.Theme{ID: "thm_1", EnvironmentID: "env_1", Slug: "theme", LatestVersion: 1, DraftETag: "x"}, "env_1", "thm_1"),
			storage.ThemeSlugs.Write(tx, "thm_1", "theme", "env_1"),
			storage.ThemeDrafts.Write(tx, record.ThemeDraft{ETag: "x", Base: 1, Patch: []byte("[]")}, "env_1", "thm_1"),
			storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 1, Document: put("document"), Plan: put("plan"), Module: module}, "env_1", "thm_1", one),
			storage.Variants.Write(tx, record.Variant{ID: "var_1", EnvironmentID: "env_1", ThemeID: "thm_1", Slug: "variant", LatestVersion: 1}, "env_1", "thm_1", "var_1"),
			storage.VariantSlugs.Write(tx, "var_1", "variant", "env_1", "thm_1"),
			storage.VariantVersions.Write(tx, record.VariantVersion{Number: 1, Overrides: put("{}")}, "env_1", "thm_1", "var_1", one),
			storage.Pairs.Write(tx, record.Pair{Overrides: put("{}"), Overlay: put("overlay")}, "env_1", "thm_1", "var_1", one),
			storage.Modules.Write(tx, record.Module{Digest: module}, string(module)),
			storage.TokenKeys.Write(tx, record.TokenKey{ID: "key"}, "key"),
			storage.Replays.Write(tx, record.Replay{}, "env_1", "hash"))
	})
	return s
}

func findings(t *testing.T, s storage.Store) []storage.Finding {
	t.Helper()
	var all []storage.Finding
	done, err := storage.CheckStore(context.Background(), s, nil, func(f storage.Finding) { all = append(all, f) })
	if err != nil || done.Findings != int64(len(all)) {
		t.Errorf("CheckStore() = %+v, %v with %d findings", done, err, len(all))
	}
	return all
}

func TestASoundStoreHasNoFinding(t *testing.T) {
	if got := findings(t, sound(t)); len(got) != 0 {
		t.Errorf("CheckStore() found %v", got)
	}
}

// Each fault is found, at its place, and with a repair.
func TestCheckStoreFindsEachFault(t *testing.T) {
	gone, one := record.HashOf([]byte("gone")), storage.Number(1)
	tests := map[string]struct {
		harm  func(tx storage.Tx) error
		where string
		says  string
	}{
		"a record that cannot be read": {func(tx storage.Tx) error { return tx.Set(storage.Key('H', "env_1", "thm_2"), []byte("x")) }, "theme env_1 thm_2", "not a record"},
		"a key of too few parts":       {func(tx storage.Tx) error { return storage.Pairs.Write(tx, record.Pair{}, "env_1") }, "pair env_1", "has 1 parts and not 4"},
		"a key of no table":            {func(tx storage.Tx) error { return tx.Set([]byte("Zx\x00"), nil) }, `key "Zx\x00"`, "no table"},
		"a slug that leads nowhere":    {func(tx storage.Tx) error { return storage.ThemeSlugs.Write(tx, "thm_9", "lost", "env_1") }, "slug of a theme env_1 lost", "thm_9"},
		"a slug that is not counted": {func(tx storage.Tx) error {
			return errors.Join(storage.ThemeSlugs.Rebuild(tx, "env_1"), tx.Set(storage.ThemeSlugs.Key("more", "env_1"), []byte("thm_1")))
		}, "slug blocks h env_1", "does not count"},
		"a Theme that no slug leads to": {func(tx storage.Tx) error { return storage.ThemeSlugs.Delete(tx, "theme", "env_1") }, "theme env_1 thm_1", "index of slugs"},
		"a Theme whose entry differs": {func(tx storage.Tx) error {
			return storage.Themes.Table.Write(tx, record.Theme{ID: "thm_1", EnvironmentID: "env_1", Slug: "theme", DisplayName: "new", LatestVersion: 1, DraftETag: "x"}, "env_1", "thm_1")
		}, "theme env_1 thm_1", "differs from its record"},
		"an entry without a revision": {func(tx storage.Tx) error { return tx.DeletePrefix([]byte("rH")) }, "theme env_1 thm_1", "no revision"},
		"Variants without a revision": {func(tx storage.Tx) error { return tx.DeletePrefix([]byte("rV")) }, "variant env_1 thm_1 var_1", "no revision"},
		"an entry that leads nowhere": {func(tx storage.Tx) error { return tx.Set(storage.ThemeEntries.Key("thm_9", "env_1"), nil) }, storage.SpellKey(storage.ThemeEntries.Key("thm_9", "env_1")), "leads to no record"},
		"a signed Theme that is not indexed": {func(tx storage.Tx) error {
			t := record.Theme{ID: "thm_1", EnvironmentID: "env_1", Slug: "theme", LatestVersion: 1, DraftETag: "x", Serving: record.Serving{Mode: "signed"}}
			return errors.Join(storage.Themes.Write(tx, t, "env_1", "thm_1"), tx.Delete(storage.Key('s', "none", "env_1", "thm_1")))
		}, "theme env_1 thm_1", "index of signed Themes lacks it"},
		"a signed Theme that is none":        {func(tx storage.Tx) error { return tx.Set(storage.Key('s', "none", "env_1", "thm_1"), nil) }, "signed theme none env_1 thm_1", "no Theme with such"},
		"a Team whose member is not indexed": {func(tx storage.Tx) error { return storage.Memberships.Delete(tx, "team_1", "ann") }, "team team_1", "memberships lacks"},
		"an Environment without its Team":    {func(tx storage.Tx) error { return storage.Teams.Delete(tx, "team_1") }, "environment env_1", "its team team_1 is not there"},
		"a Theme without its Environment":    {func(tx storage.Tx) error { return storage.Environments.Delete(tx, "env_1") }, "theme env_1 thm_1", "its environment env_1"},
		"a draft that is gone":               {func(tx storage.Tx) error { return storage.ThemeDrafts.Delete(tx, "env_1", "thm_1") }, "theme env_1 thm_1", "says that it has a draft"},
		"a draft that is not known": {func(tx storage.Tx) error {
			return storage.VariantDrafts.Write(tx, record.VariantDraft{Overrides: []byte("{}")}, "env_1", "thm_1", "var_1")
		}, "variant env_1 thm_1 var_1", "says that it has none"},
		"a version that is missing": {func(tx storage.Tx) error { return storage.ThemeVersions.Delete(tx, "env_1", "thm_1", one) }, "theme env_1 thm_1", "newest version is 0 and its record says 1"},
		"a number that is skipped": {func(tx storage.Tx) error {
			return storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 3}, "env_1", "thm_1", storage.Number(3))
		}, "theme env_1 thm_1", "where 2 comes next"},
		"a version under another's number": {func(tx storage.Tx) error {
			return storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 2}, "env_1", "thm_1", one)
		}, "theme version env_1 thm_1 " + one, "its content"},
		"a document that is gone": {func(tx storage.Tx) error {
			return storage.ThemeVersions.Write(tx, record.ThemeVersion{Number: 1, Document: gone}, "env_1", "thm_1", one)
		}, "theme version env_1 thm_1 " + one, "its blob " + string(gone)},
		"an overlay that is gone": {func(tx storage.Tx) error {
			return storage.Pairs.Write(tx, record.Pair{Overlay: gone}, "env_1", "thm_1", "var_1", one)
		}, "pair env_1 thm_1 var_1 " + one, string(gone)},
		"a name that is not a hash": {func(tx storage.Tx) error {
			return storage.Pairs.Write(tx, record.Pair{Overlay: "abc"}, "env_1", "thm_1", "var_1", one)
		}, "pair env_1 thm_1 var_1 " + one, `"abc" is not the name`},
		"a module that is not registered": {func(tx storage.Tx) error { return storage.Modules.DeleteAll(tx) }, "theme version env_1 thm_1 " + one, "its module"},
		"a pair without its Variant":      {func(tx storage.Tx) error { return storage.Variants.Delete(tx, "env_1", "thm_1", "var_1") }, "pair env_1 thm_1 var_1 " + one, "its variant"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sound(t)
			in(t, s, tt.harm)
			found := false
			for _, f := range findings(t, s) {
				if f.Where == tt.where && strings.Contains(f.Problem, tt.says) && f.Repair != "" {
					found = true
				}
			}
			if !found {
				t.Errorf("CheckStore() found %v, want %q at %s", findings(t, s), tt.says, tt.where)
			}
		})
	}
}

// A version serves what its modes name for ever: the pair outlives the Variant.
func TestCheckStoreKnowsPairsOfModes(t *testing.T) {
	s, one := sound(t), storage.Number(1)
	in(t, s, func(tx storage.Tx) error {
		version, err := storage.ThemeVersions.Read(tx, "env_1", "thm_1", one)
		version.Modes = []record.Mode{{Dimension: "scheme", Mode: "dark", Variant: "var_1"}}
		return errors.Join(err,
			storage.ThemeVersions.Write(tx, version, "env_1", "thm_1", one),
			storage.VariantSlugs.Delete(tx, "variant", "env_1", "thm_1"),
			storage.Variants.Delete(tx, "env_1", "thm_1", "var_1"),
			storage.VariantVersions.Delete(tx, "env_1", "thm_1", "var_1", one))
	})
	if got := findings(t, s); len(got) != 0 {
		t.Errorf("CheckStore() found %v", got)
	}
}

func TestCheckStoreEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := storage.CheckStore(ctx, sound(t), nil, func(storage.Finding) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("CheckStore() = %v, want %v", err, context.Canceled)
	}
}
