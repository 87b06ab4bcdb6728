package operator_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) storage.Store {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// acme is a file with one Team and one Environment.
func acme() operator.TeamsFile {
	return operator.TeamsFile{Teams: []operator.TeamEntry{{
		Slug: "acme", Plan: record.Free, Members: []string{"owner", "guest", "owner"},
		Environments: []operator.EnvironmentEntry{{
			Slug: "sandbox", DisplayName: "Sandbox", Kind: "sandbox", CacheLifetime: 2, Grants: map[string]record.Role{"owner": record.Admin},
		}},
	}}}
}

func apply(t *testing.T, store storage.Store, file operator.TeamsFile, dryRun bool) []string {
	t.Helper()
	changes, err := operator.Apply(context.Background(), store, file, dryRun, noon)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// Decision 8.4: a file is made true, once; what it does not name is left alone.
func TestApplyMakesTheFileTrue(t *testing.T) {
	store := open(t)
	first := []string{
		"team acme is created on plan free with members guest, owner",
		"environment acme/sandbox is created as sandbox with cacheLifetime 2",
		"environment acme/sandbox: owner becomes admin",
	}
	if got := apply(t, store, acme(), true); !reflect.DeepEqual(got, first) {
		t.Errorf("dry run = %q, want %q", got, first)
	}
	if file, err := operator.Teams(context.Background(), store); err != nil || len(file.Teams) != 0 {
		t.Errorf("after a dry run there are %v, %v", file, err)
	}
	if got := apply(t, store, acme(), false); !reflect.DeepEqual(got, first) {
		t.Errorf("Apply() = %q, want %q", got, first)
	}
	if got := apply(t, store, acme(), false); len(got) != 0 {
		t.Errorf("second Apply() = %q, want none", got)
	}
	shown, err := operator.Teams(context.Background(), store)
	if err != nil || !strings.HasPrefix(shown.Teams[0].ID, "team_") || !strings.HasPrefix(shown.Teams[0].Environments[0].ID, "env_") {
		t.Fatalf("Teams() = %+v, %v", shown, err)
	}
	if got := apply(t, store, shown, false); len(got) != 0 {
		t.Errorf("Apply(Teams()) = %q, want none", got)
	}

	changed := acme()
	changed.Teams[0].Plan, changed.Teams[0].Members = record.Pro, []string{"owner", "designer"}
	e := &changed.Teams[0].Environments[0]
	text := "for trying"
	e.DisplayName, e.Kind, e.CacheLifetime, e.Description = "Box", "staging", 60, &text
	e.Metadata, e.Grants = map[string]string{"a": "b"}, map[string]record.Role{"designer": record.Editor}
	want := []string{
		"team acme: plan free becomes pro", "team acme: designer becomes a member", "team acme: guest is not a member any more",
		`environment acme/sandbox: displayName "Sandbox" becomes "Box"`, "environment acme/sandbox: kind sandbox becomes staging",
		"environment acme/sandbox: cacheLifetime 2 becomes 60", `environment acme/sandbox: description none becomes "for trying"`,
		"environment acme/sandbox: metadata is replaced", "environment acme/sandbox: designer becomes editor", "environment acme/sandbox: owner has no grant any more",
	}
	if got := apply(t, store, changed, true); !reflect.DeepEqual(got, want) {
		t.Errorf("dry run = %q\nwant %q", got, want)
	}
	if got := apply(t, store, changed, false); !reflect.DeepEqual(got, want) {
		t.Errorf("Apply() = %q\nwant %q", got, want)
	}
	apply(t, store, operator.TeamsFile{Teams: []operator.TeamEntry{{Slug: "other", Plan: record.Free}}}, false)
	if file, err := operator.Teams(context.Background(), store); err != nil || len(file.Teams) != 2 {
		t.Errorf("Teams() = %v, %v, want both", file, err)
	}
}

// S41 S242 S243: members and grants are effective for the next look.
func TestMembersAndGrantsAreEffectiveAtOnce(t *testing.T) {
	store := open(t)
	apply(t, store, acme(), false)
	file, err := operator.Teams(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	id := file.Teams[0].Environments[0].ID
	look := func(subject string) string {
		var what string
		_ = store.View(context.Background(), func(r storage.Reader) error {
			granted, err := auth.Caller{Subject: subject}.Environment(r, id)
			switch {
			case errors.Is(err, storage.ErrNotFound):
				what = "not found"
			case errors.Is(err, auth.ErrForbidden):
				what = "forbidden"
			default:
				what = string(granted.Role)
			}
			return nil
		})
		return what
	}
	got := []string{look("owner"), look("guest"), look("stranger")}
	file.Teams[0].Members = []string{"guest", "stranger"}
	file.Teams[0].Environments[0].Grants = map[string]record.Role{"stranger": record.Viewer}
	apply(t, store, file, false)
	got = append(got, look("owner"), look("guest"), look("stranger"))
	if want := "[admin forbidden not found not found forbidden viewer]"; fmt.Sprint(got) != want {
		t.Errorf("looks = %v, want %s", got, want)
	}
}

// environment changes the one Environment of a file.
func environment(change func(*operator.EnvironmentEntry)) func(*operator.TeamsFile) {
	return func(f *operator.TeamsFile) { change(&f.Teams[0].Environments[0]) }
}

// S2 S32: a file that breaks rules is refused whole, with every fault.
func TestApplyListsEveryFault(t *testing.T) {
	store := open(t)
	for name, c := range map[string]struct {
		change   func(*operator.TeamsFile)
		messages int
	}{
		"team slug":                {func(f *operator.TeamsFile) { f.Teams[0].Slug = "-a" }, 1},
		"team twice":               {func(f *operator.TeamsFile) { f.Teams = append(f.Teams, f.Teams[0]) }, 1},
		"plan":                     {func(f *operator.TeamsFile) { f.Teams[0].Plan = "gold" }, 1},
		"member":                   {func(f *operator.TeamsFile) { f.Teams[0].Members = append(f.Teams[0].Members, "a\x00b") }, 1},
		"environment slug":         {environment(func(e *operator.EnvironmentEntry) { e.Slug = strings.Repeat("a", 65) }), 1},
		"display name":             {environment(func(e *operator.EnvironmentEntry) { e.DisplayName = " " }), 1},
		"kind":                     {environment(func(e *operator.EnvironmentEntry) { e.Kind = "test" }), 1},
		"identities":               {environment(func(e *operator.EnvironmentEntry) { e.Identities = "some" }), 1},
		"cacheLifetime":            {environment(func(e *operator.EnvironmentEntry) { e.CacheLifetime = 1 << 31 }), 1},
		"grant to a non-member":    {environment(func(e *operator.EnvironmentEntry) { e.Grants["nobody"] = record.Viewer }), 1},
		"role":                     {environment(func(e *operator.EnvironmentEntry) { e.Grants["owner"] = "king" }), 1},
		"labels":                   {environment(func(e *operator.EnvironmentEntry) { e.Metadata = map[string]string{"-a": strings.Repeat("x", 257)} }), 2},
		"everything at once":       {environment(func(e *operator.EnvironmentEntry) { e.Slug, e.DisplayName, e.Kind = "", "", "" }), 3},
		"an id that is another's":  {environment(func(e *operator.EnvironmentEntry) { e.ID = "env_x" }), 1},
		"a Team's id that is none": {func(f *operator.TeamsFile) { f.Teams[0].ID = "team_x" }, 1},
	} {
		file := acme()
		c.change(&file)
		changes, err := operator.Apply(context.Background(), store, file, true, noon)
		var refusal *theming.Error
		if !errors.As(err, &refusal) || refusal.Cause != theming.Validation || len(refusal.Messages) != c.messages || len(changes) != 0 {
			t.Errorf("%s: Apply() = %q, %v, want %d messages", name, changes, err, c.messages)
		}
	}
}

// NewID gives ids of one form, in the order of time, and none twice.
func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := operator.NewID("thm_", noon)
		if len(id) != 30 || id != strings.ToLower(id) || seen[id] {
			t.Fatalf("NewID() = %q", id)
		}
		seen[id] = true
	}
	if a, b := operator.NewID("thm_", noon), operator.NewID("thm_", noon.Add(time.Millisecond)); a >= b {
		t.Errorf("NewID() = %q, later %q, want them in order", a, b)
	}
}

// A Theme has a bounded number of signing keys, and a key that is removed is gone.
func TestSigningKeysAreBounded(t *testing.T) {
	store := open(t)
	apply(t, store, acme(), false)
	file, err := operator.Teams(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	theme, err := theming.NewTheme("thm_1", file.Teams[0].Environments[0].ID, theming.ThemeInput{Slug: ptr("a"), DisplayName: ptr("A")}, noon)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Update(context.Background(), theme.EnvironmentID, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: noon}, storage.Themes.Write(tx, theme, theme.EnvironmentID, theme.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
	const maxKeys = 10
	ids := map[string]bool{}
	for range maxKeys {
		key, err := operator.AddSigningKey(context.Background(), store, testMaster(t), "thm_1", noon)
		if err != nil {
			t.Fatal(err)
		}
		ids[key.ID] = true
	}
	if _, err := operator.AddSigningKey(context.Background(), store, testMaster(t), "thm_1", noon); err == nil || len(ids) != maxKeys {
		t.Errorf("AddSigningKey() beyond %d = %v, want a refusal", maxKeys, err)
	}
	for id := range ids {
		if err := operator.RemoveSigningKey(context.Background(), store, "thm_1", id, noon); err != nil {
			t.Fatal(err)
		}
		if err := operator.RemoveSigningKey(context.Background(), store, "thm_1", id, noon); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("RemoveSigningKey() twice = %v, want ErrNotFound", err)
		}
	}
	for _, id := range []string{"thm_2", "a\x00b", ""} {
		if _, err := operator.ShowServing(context.Background(), store, id); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("ShowServing(%q) = %v, want ErrNotFound", id, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// testMaster is a master key of the test.
func testMaster(t *testing.T) *auth.Master {
	t.Helper()
	m, err := auth.ParseMaster("a master key of the tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return m
}
