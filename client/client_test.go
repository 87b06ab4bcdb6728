package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/livery/client"
)

// fixture is an origin with one published Theme of one token.
type fixture struct {
	*testOrigin
	c     *client.Client
	theme client.Theme
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	r, c := startFor(t)
	theme, err := c.CreateTheme(t.Context(), r.environment, client.NewTheme{
		Slug: "acme", DisplayName: "Acme", Integration: &client.Integration{Framework: "react", Library: "mui"},
	})
	if err == nil {
		_, err = c.EditThemeTokens(t.Context(), r.environment, theme.ID, client.EditOptions{}, []client.Operation{
			{Operation: "add", Path: "/color", Value: json.RawMessage(`{"$type":"color","brand":{"$value":"#0055aa","$extensions":{"a":0.10}}}`)},
		})
	}
	if err == nil {
		theme, err = c.PublishTheme(t.Context(), r.environment, theme.ID, client.PublishOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return fixture{r, c, theme}
}

// must ends the test on a call that failed.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestThemeRoutes(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	if environment := must(c.Environment(ctx, e))(t); environment.Slug != "sandbox" || environment.Role != "admin" || environment.Description != nil {
		t.Errorf("Environment() = %+v", environment)
	}
	if fresh := must(c.CreateTheme(ctx, e, client.NewTheme{Slug: "new", DisplayName: "New"}))(t); fresh.LatestVersion != nil || fresh.PublishedAt != nil || fresh.ServingURLs.Pinned != nil || len(fresh.ServingURLs.Latest) != 0 {
		t.Errorf("CreateTheme() = %+v, want an unpublished Theme that serves nothing (S81, S82)", fresh)
	}
	labels := map[string]string{"team": "web & app"}
	fresh := must(c.UpdateTheme(client.WithIfMatch(ctx, f.theme.ETag), e, id, client.Details{Slug: "acme", DisplayName: "A"}))(t)
	if _, err := c.SetIntegrations(client.WithIfMatch(ctx, f.theme.ETag), e, id, f.theme.Integrations); !errors.Is(err, client.ErrIfMatchFailed) || fresh.ETag == f.theme.ETag {
		t.Errorf("SetIntegrations(the ETag %q of before %q) = %v, want ErrIfMatchFailed", f.theme.ETag, fresh.ETag, err)
	}
	if updated := must(c.UpdateTheme(ctx, e, id, client.Details{Slug: "acme", DisplayName: "Acme & Sons", Metadata: &labels}))(t); updated.DisplayName != "Acme & Sons" || !reflect.DeepEqual(updated.Metadata, labels) {
		t.Errorf("UpdateTheme() = %q, %v", updated.DisplayName, updated.Metadata)
	}
	if kept := must(c.UpdateTheme(ctx, e, id, client.Details{Slug: "acme", DisplayName: "Acme"}))(t); !reflect.DeepEqual(kept.Metadata, labels) {
		t.Errorf("UpdateTheme(no labels) = %v, want the stored ones (S87)", kept.Metadata)
	}
	if cleared := must(c.UpdateTheme(ctx, e, id, client.Details{Slug: "acme", DisplayName: "Acme", Metadata: &map[string]string{}}))(t); len(cleared.Metadata) != 0 {
		t.Errorf("UpdateTheme(empty labels) = %v, want none (S88)", cleared.Metadata)
	}
	list := []client.Integration{{Framework: "react", Library: "plainCSS"}, {Framework: "vue", Library: "buildTimeTokens"}}
	if set := must(c.SetIntegrations(ctx, e, id, list))(t); !slices.Equal(set.Integrations, list) || len(set.ServingURLs.Latest) != 4 {
		t.Errorf("SetIntegrations() = %v with %d files, want 4", set.Integrations, len(set.ServingURLs.Latest))
	}
	scope, modes := c.Scope(e, id), []client.Mode{{Dimension: "scheme", Mode: "light", When: "print"}}
	set := must(scope.SetModes(ctx, modes))(t)
	if read := must(scope.Modes(ctx))(t); !reflect.DeepEqual(read.Modes, modes) || read.ETag != set.ETag || read.ETag == "" {
		t.Errorf("Modes() = %+v after SetModes() = %+v", read, set)
	}
	if _, err := scope.SetModes(client.WithIfMatch(ctx, f.theme.ETag), nil); !errors.Is(err, client.ErrIfMatchFailed) {
		t.Errorf("SetModes(another ETag) = %v, want ErrIfMatchFailed", err)
	}
	if m := must(scope.Manifest(ctx))(t); m.Version != *f.theme.LatestVersion || m.Files["tokens.css"].Bytes == 0 || len(m.Files) != 4 || len(m.Modes) != 1 || !strings.HasSuffix(m.URL, id+"/manifest.json") {
		t.Errorf("Manifest() = %+v", m)
	}
	if parent := must(c.DeleteTheme(ctx, e, id))(t); parent.ID != e {
		t.Errorf("DeleteTheme() = %+v, want the parent Environment (S97)", parent)
	}
	if _, err := c.Theme(ctx, e, id); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("Theme() after its end = %v, want ErrNotFound (S98)", err)
	}
}

// Every call about webhooks, at a receiver that does not exist: its log says so.
func TestWebhookRoutes(t *testing.T) {
	f := newFixture(t)
	ctx, hooks := t.Context(), client.WebhooksOf(f.c, f.environment)
	made := must(hooks.Create(ctx, client.NewWebhook{URL: "https://hook.invalid/x", Kinds: []string{"theme.created"}, Description: "d"}))(t)
	if !strings.HasPrefix(made.Secret, "whsec_") || made.Format != "event" || made.RotatedAt != nil {
		t.Errorf("Create() = %+v, want a webhook with a secret", made)
	}
	if rotated := must(hooks.Rotate(ctx, made.ID))(t); rotated.Secret == made.Secret || rotated.RotatedAt == nil {
		t.Errorf("Rotate() = %+v, want another secret", rotated)
	}
	if list := must(hooks.List(ctx))(t); len(list) != 1 || list[0].ID != made.ID || list[0].Secret != "" || !slices.Equal(list[0].Kinds, made.Kinds) {
		t.Errorf("List() = %+v, want it without a secret", list)
	}
	ping := must(hooks.Test(ctx, made.ID))(t)
	if ping.State != "waiting" || ping.Event == nil || ping.Event.Kind != "webhook.ping" || ping.Event.Theme != "" {
		t.Errorf("Test() = %+v, want a ping that waits", ping)
	}
	var dead []client.Delivery
	for len(dead) == 0 {
		dead = must(hooks.Deliveries(ctx, made.ID, client.DeliveryOptions{State: "dead", PageSize: 10}))(t).Items
	}
	if dead[0].ID != ping.ID || dead[0].Result == nil || dead[0].Status != nil || dead[0].Attempts != 1 {
		t.Errorf("Deliveries() = %+v, want the ping, refused", dead)
	}
	if again := must(hooks.Redeliver(ctx, made.ID, ping.ID))(t); again.State != "waiting" || again.ID != ping.ID {
		t.Errorf("Redeliver() = %+v", again)
	}
	must(hooks.Test(ctx, made.ID))(t)
	newest := must(hooks.Deliveries(ctx, made.ID, client.DeliveryOptions{PageSize: 1}))(t)
	if older := must(hooks.Deliveries(ctx, made.ID, client.DeliveryOptions{After: newest.Next}))(t); len(older.Items) != 1 || older.Items[0].ID != ping.ID || older.Next != "" {
		t.Errorf("Deliveries(after the newest) = %+v, want the first alone", older)
	}
	if err := hooks.Delete(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := hooks.Test(ctx, made.ID); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("Test() of a deleted webhook = %v, want ErrNotFound", err)
	}
}

func TestThemeTokenRoutes(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	set := must(c.Scope(e, id).Tokens(ctx, "", client.ReadOptions{}))(t)
	want := client.Token{Path: "color.brand", ResolvedType: new("color"), Value: json.RawMessage(`"#0055aa"`), Extensions: json.RawMessage(`{"a":0.10}`)}
	if len(set.Tokens) != 1 || !reflect.DeepEqual(set.Tokens[0], want) {
		t.Errorf("ThemeTokens() = %+v, want %+v", set.Tokens, want)
	}
	if group := (client.Group{Path: "color", Type: new("color")}); len(set.Groups) != 1 || !reflect.DeepEqual(set.Groups[0], group) {
		t.Errorf("ThemeTokens() groups = %+v, want %+v", set.Groups, group)
	}
	set = must(c.EditThemeTokens(ctx, e, id, client.EditOptions{Strict: true, Minimal: true}, []client.Operation{{Operation: "remove", Path: "/color"}}))(t)
	if set.Tokens != nil || set.DraftETag() == "" {
		t.Errorf("EditThemeTokens(minimal) = %+v, want the etag alone", set)
	}
	if discarded := must(c.DiscardThemeTokens(ctx, e, id, client.EditOptions{ETag: set.DraftETag()}))(t); discarded.TokenCount != 1 || discarded.HasUnpublishedChanges {
		t.Errorf("DiscardThemeTokens() = %+v", discarded)
	}
	if again := must(c.PublishTheme(ctx, e, id, client.PublishOptions{Unchanged: true}))(t); *again.LatestVersion != 2 || again.ServingURLs.Pinned == nil {
		t.Errorf("PublishTheme(unchanged) = %+v", again)
	}
	if one := must(c.Scope(e, id).Tokens(ctx, "", client.ReadOptions{Paths: []string{"color.brand", "x"}}))(t); len(one.Tokens) != 1 {
		t.Errorf("ThemeTokens(paths) = %+v, want one token", one.Tokens)
	}
	if none := must(c.Scope(e, id).Tokens(ctx, "", client.ReadOptions{Paths: []string{"x"}}))(t); len(none.Tokens) != 0 {
		t.Errorf("ThemeTokens(paths) = %+v, want none", none.Tokens)
	}
	set = must(c.Scope(e, id).Tokens(ctx, "", client.ReadOptions{Version: 1, IncludeVersions: true}))(t)
	if *set.Version != 1 || !slices.Equal(set.Versions, []int{2, 1}) || set.DraftETag() != "" {
		t.Errorf("ThemeTokens(version 1) = %+v", set)
	}
}

func TestVariantRoutes(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	v := must(c.CreateVariant(ctx, e, id, client.NewVariant{Slug: "dark", DisplayName: "Dark"}))(t)
	must(c.UpdateVariant(ctx, e, id, v.ID, client.Details{Slug: "night", DisplayName: "Night"}))(t)
	if v = must(c.Variant(ctx, e, id, v.ID))(t); v.Slug != "night" || v.ThemeID != id {
		t.Errorf("Variant() = %+v", v)
	}
	if _, err := c.DeleteVariant(client.WithIfMatch(ctx, "other"), e, id, v.ID); !errors.Is(err, client.ErrIfMatchFailed) {
		t.Errorf("DeleteVariant(another ETag) = %v, want ErrIfMatchFailed", err)
	}
	must(c.DeleteVariant(client.WithIfMatch(ctx, v.ETag), e, id, v.ID))(t)
	if _, err := c.Variant(ctx, e, id, v.ID); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("Variant() after its end = %v, want ErrNotFound (S208)", err)
	}
}

// Many Variants are made, changed, reviewed and published by three calls, and a batch with one stale etag changes none.
func TestManyVariantsTakeThreeCalls(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	old := must(c.CreateVariant(ctx, e, id, client.NewVariant{Slug: "old", DisplayName: "Old", Metadata: map[string]string{"k": "v"}}))(t)
	scope := c.Scope(e, id)
	set := func(value string) []client.VariantOperation {
		return []client.VariantOperation{{Operation: "set", Path: "color.brand", Value: json.RawMessage(value)}}
	}
	made := must(scope.BatchVariants(ctx, client.VariantBatch{
		Create: []client.BatchCreate{{NewVariant: client.NewVariant{Slug: "new", DisplayName: "New"}, Operations: set("null")}},
		Change: []client.BatchChange{{ID: old.ID, DisplayName: "Older", ETag: new(string), Operations: set(`"#111111"`)}},
	}))(t)
	if len(made.Created) != 1 || len(made.Changed) != 1 || made.Created[0].Variant.Slug != "new" || !slices.Equal(made.Created[0].Added, []string{"color.brand"}) ||
		made.Changed[0].Variant.DisplayName != "Older" || made.Changed[0].Variant.Metadata["k"] != "v" || made.Changed[0].ETag == "" {
		t.Fatalf("BatchVariants() = %+v", made)
	}
	overridden := map[string]string{}
	for v, err := range scope.EveryOverrides(ctx) {
		if err != nil || v.ETag == nil || v.LatestVersion != nil {
			t.Fatalf("EveryOverrides() = %+v, %v, want drafts", v, err)
		}
		overridden[v.Slug] = string(v.Overrides["color.brand"])
	}
	if len(overridden) != 2 || overridden["new"] != "null" || overridden["old"] != `"#111111"` {
		t.Errorf("EveryOverrides() = %v", overridden)
	}
	stale := client.VariantBatch{Minimal: true, Change: []client.BatchChange{
		{ID: old.ID, Slug: "gone"}, {ID: made.Created[0].ID, Operations: set("1"), ETag: new("stale")},
	}}
	var refusal *client.Error
	if _, err := scope.BatchVariants(ctx, stale); !errors.Is(err, client.ErrStaleETag) || !errors.As(err, &refusal) || refusal.Variant != made.Created[0].ID || len(refusal.Messages) > 0 {
		t.Errorf("BatchVariants(stale) = %v, want ErrStaleETag and the Variant", err)
	}
	reviewed := must(scope.PublishVariants(ctx, client.ManyVariants{DryRun: true, Values: true}))(t)
	var picks []client.VariantPick
	for _, v := range reviewed.Done {
		picks = append(picks, client.VariantPick{ID: v.ID, ETag: v.ETag})
	}
	if v := reviewed.Done[0]; v.Slug != "new" || len(v.Values) != 1 || string(v.Values[0].To) != "null" || v.Values[0].From != nil {
		t.Errorf("PublishVariants(values) = %+v, want null for color.brand", v)
	}
	if done := must(scope.PublishVariants(ctx, client.ManyVariants{Picks: picks}))(t); len(done.Done) != 2 || done.Done[1].Slug != "old" {
		t.Errorf("PublishVariants() = %+v, want both", done)
	}
	minimal := must(scope.BatchVariants(ctx, client.VariantBatch{Minimal: true, Change: []client.BatchChange{{ID: old.ID, Metadata: map[string]string{}}}}))(t)
	if v := must(c.Variant(ctx, e, id, old.ID))(t); minimal.Changed[0].Variant.ID != "" || len(v.Metadata) != 0 || v.Slug != "old" {
		t.Errorf("BatchVariants(minimal) = %+v, and the Variant %+v", minimal, v)
	}
}

func TestVariantTokenRoutes(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	v := must(c.CreateVariant(ctx, e, id, client.NewVariant{Slug: "dark", DisplayName: "Dark"}))(t).ID
	set := must(c.EditVariantTokens(ctx, e, id, v, client.EditOptions{}, []client.VariantOperation{
		{Operation: "set", Path: "color.brand", Value: json.RawMessage(`"#112233"`)},
		{Operation: "set", Path: "color.gone", Value: json.RawMessage(`null`)},
		{Operation: "unset", Path: "color.gone"},
	}))(t)
	if len(set.Tokens) != 1 || string(set.Tokens[0].Value) != `"#112233"` {
		t.Errorf("EditVariantTokens() = %+v", set.Tokens)
	}
	if published := must(c.PublishVariant(ctx, e, id, v, client.PublishOptions{IfMatch: set.DraftETag()}))(t); *published.LatestVersion != 1 {
		t.Errorf("PublishVariant() at %d, want the Theme's version 1 (S192)", *published.LatestVersion)
	}
	unset := []client.VariantOperation{{Operation: "unset", Path: "color.brand"}}
	set = must(c.EditVariantTokens(ctx, e, id, v, client.EditOptions{}, unset))(t)
	if _, err := c.DiscardVariantTokens(ctx, e, id, v, client.EditOptions{ETag: set.DraftETag(), IfMatch: "other"}); !errors.Is(err, client.ErrPayload) {
		t.Errorf("an etag and another If-Match = %v, want ErrPayload (3.2)", err)
	}
	must(c.DiscardVariantTokens(ctx, e, id, v, client.EditOptions{ETag: set.DraftETag()}))(t)
	if set = must(c.Scope(e, id).Tokens(ctx, v, client.ReadOptions{Version: 1}))(t); len(set.Tokens) != 1 {
		t.Errorf("VariantTokens(version 1) = %+v", set.Tokens)
	}
}

func TestListsGoThroughEveryPage(t *testing.T) {
	r, c := startFor(t)
	for _, slug := range []string{"c", "a", "b"} {
		if _, err := c.CreateTheme(t.Context(), r.environment, client.NewTheme{Slug: slug, DisplayName: slug}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := c.Themes(t.Context(), r.environment, client.ListOptions{Descending: true, PageNumber: 2, PageSize: 2, IncludeTotals: true})
	if err != nil || len(page.Items) != 1 || page.Items[0].Slug != "a" || *page.TotalCount != 3 || *page.TotalPages != 2 || page.PageCount != 1 {
		t.Errorf("Themes(page 2 of 2, descending) = %+v, %v", page, err)
	}
	var slugs []string
	for theme, err := range c.EveryTheme(t.Context(), r.environment) {
		if err != nil {
			t.Fatal(err)
		}
		slugs = append(slugs, theme.Slug)
	}
	if !slices.Equal(slugs, []string{"a", "b", "c"}) {
		t.Errorf("EveryTheme() = %v", slugs)
	}
	for range c.EveryEnvironment(t.Context()) {
		break // a loop may end early
	}
	for _, err := range c.EveryVariant(t.Context(), r.environment, "thm_none") {
		if !errors.Is(err, client.ErrNotFound) {
			t.Errorf("EveryVariant(no Theme) = %v, want ErrNotFound", err)
		}
	}
}

func TestRefusalsHaveTheirKind(t *testing.T) {
	r, c := startFor(t)
	ctx := t.Context()
	theme, err := c.CreateTheme(ctx, r.environment, client.NewTheme{Slug: "acme", DisplayName: "Acme"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		slug := string(rune('a' + i))
		if _, err := c.CreateVariant(ctx, r.environment, theme.ID, client.NewVariant{Slug: slug, DisplayName: slug}); err != nil {
			t.Fatal(err)
		}
	}
	reader, stranger, nobody := client.New(r.url, r.tokenOf("reader")), client.New(r.url, r.tokenOf("stranger")), client.New(r.url, "none")
	cases := []struct {
		name   string
		err    error
		want   error
		status int
	}{
		{"a broken rule is ErrValidation with every message", second(c.CreateTheme(ctx, r.environment, client.NewTheme{})), client.ErrValidation, 400},
		{"a taken slug is ErrConflict", second(c.CreateTheme(ctx, r.environment, client.NewTheme{Slug: "acme", DisplayName: "x"})), client.ErrConflict, 409},
		{"a publish without a draft is ErrConflict", second(c.PublishTheme(ctx, r.environment, theme.ID, client.PublishOptions{})), client.ErrConflict, 409},
		{"a failed precondition is ErrConflict", second(c.DiscardThemeTokens(ctx, r.environment, theme.ID, client.EditOptions{IfMatch: "other"})), client.ErrConflict, 412},
		{"a taken slug is ErrSlugTaken", second(c.CreateTheme(ctx, r.environment, client.NewTheme{Slug: "acme", DisplayName: "x"})), client.ErrSlugTaken, 409},
		{"a publish without a draft is ErrNoDraft", second(c.PublishTheme(ctx, r.environment, theme.ID, client.PublishOptions{})), client.ErrNoDraft, 409},
		{"a failed precondition is ErrIfMatchFailed", second(c.DiscardThemeTokens(ctx, r.environment, theme.ID, client.EditOptions{IfMatch: "other"})), client.ErrIfMatchFailed, 412},
		{"a stale etag is ErrStaleETag", second(c.DiscardThemeTokens(ctx, r.environment, theme.ID, client.EditOptions{ETag: "other"})), client.ErrStaleETag, 409},
		{"a page beyond the bound is ErrValidation", second(c.Themes(ctx, r.environment, client.ListOptions{PageSize: 1001})), client.ErrValidation, 400},
		{"the plan's allowance is ErrPlanLimit", second(c.CreateVariant(ctx, r.environment, theme.ID, client.NewVariant{Slug: "z", DisplayName: "z"})), client.ErrPlanLimit, 402},
		{"too low a role is ErrForbidden", second(reader.DeleteTheme(ctx, r.environment, theme.ID)), client.ErrForbidden, 403},
		{"another Team's is ErrNotFound", second(stranger.Theme(ctx, r.environment, theme.ID)), client.ErrNotFound, 404},
		{"no token is ErrUnauthorized", second(nobody.Environment(ctx, r.environment)), client.ErrUnauthorized, 401},
	}
	for _, c := range cases {
		var e *client.Error
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &e) || e.Status != c.status {
			t.Errorf("%s: got %v, want %v with status %d", c.name, c.err, c.want, c.status)
			continue
		}
		if (c.want == client.ErrValidation) != (len(e.Messages) > 0) {
			t.Errorf("%s: messages are %q", c.name, e.Messages)
		}
		if c.status != http.StatusUnauthorized && e.RequestID == "" {
			t.Errorf("%s: no request id", c.name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestIdsAreEscaped: an id is one segment of the address whatever it holds.
func TestIdsAreEscaped(t *testing.T) {
	r, c := startFor(t)
	if _, err := c.Theme(t.Context(), r.environment, "../../environments"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("Theme(../../environments) = %v, want ErrNotFound", err)
	}
}

// TestInspecting covers what looks at a draft without changing it (8.1, 8.1b, 8.2).
func TestInspecting(t *testing.T) {
	f := newFixture(t)
	ctx, c, e, id := t.Context(), f.c, f.environment, f.theme.ID
	v := must(c.CreateVariant(ctx, e, id, client.NewVariant{Slug: "dark", DisplayName: "Dark"}))(t).ID
	must(c.EditVariantTokens(ctx, e, id, v, client.EditOptions{}, []client.VariantOperation{{Operation: "set", Path: "color.brand", Value: json.RawMessage(`"#112233"`)}}))(t)
	must(c.EditThemeTokens(ctx, e, id, client.EditOptions{}, []client.Operation{
		{Operation: "move", From: "/color/brand", Path: "/color/main"},
		{Operation: "add", Path: "/color/broken", Value: json.RawMessage(`{"$value":"{color.nowhere}"}`)},
	}))(t)
	for name, list := range map[string][]client.Diagnostic{
		"Theme": must(c.Scope(e, id).Diagnostics(ctx, ""))(t), "Variant": must(c.Scope(e, id).Diagnostics(ctx, v))(t),
	} {
		if len(list) == 0 || list[0].Path != "color.broken" || list[0].Kind != "aliasMissing" || list[0].Message == "" {
			t.Errorf("diagnostics of the %s = %+v", name, list)
		}
	}
	compared := must(c.Scope(e, id).Compare(ctx, "", client.CompareOptions{}))(t)
	want := client.Comparison{
		From: new(1), Added: []string{"color.broken"}, Removed: []string{}, Renamed: []client.Rename{{From: "color.brand", To: "color.main"}},
		Retyped: []client.Retype{}, Changed: []string{}, Breaking: true, Described: []string{},
		Properties: client.PropertyChanges{Count: 2, Added: []string{"--color-main"}, Removed: []string{"--color-brand"}, Changed: []string{}, Taken: []string{}},
	}
	if !reflect.DeepEqual(compared, want) {
		t.Errorf("Compare() = %+v, want %+v", compared, want)
	}
	if compared = must(c.Scope(e, id).Compare(ctx, "", client.CompareOptions{From: 1, To: 1}))(t); compared.Breaking || *compared.To != 1 {
		t.Errorf("Compare(1, 1) = %+v", compared)
	}
	if compared = must(c.Scope(e, id).Compare(ctx, v, client.CompareOptions{}))(t); !slices.Equal(compared.Added, []string{"color.brand"}) {
		t.Errorf("Compare() = %+v", compared)
	}
	if css := must(c.Scope(e, id).Preview(ctx, "", "tokens.flat.json", client.PreviewOptions{}))(t); string(css) != "{\"color.main\":\"#0055aa\"}\n" {
		t.Errorf("Preview() = %s", css)
	}
	if css := must(c.Scope(e, id).Preview(ctx, v, "tokens.flat.json", client.PreviewOptions{}))(t); string(css) != "{\"color.main\":\"#0055aa\"}\n" {
		t.Errorf("Preview() = %s", css)
	}
	must(c.Scope(e, id).SetModes(ctx, []client.Mode{{Dimension: "scheme", Mode: "dark", Variant: &v}}))(t)
	for _, o := range []client.PreviewOptions{{}, {Modes: "scheme.dark"}} {
		if text := must(c.Scope(e, id).Preview(ctx, "", "tokens.flat.json", o))(t); string(text) != "{\"color.main\":\"#0055aa\"}\n" {
			t.Errorf("Preview(%+v) = %s", o, text)
		}
	}
	for _, o := range []client.PreviewOptions{{Modes: "scheme.blue"}, {Version: 9}} {
		if _, err := c.Scope(e, id).Preview(ctx, v, "tokens.css", o); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("Preview(%+v) = %v, want ErrNotFound", o, err)
		}
	}
	if _, err := c.Scope(e, id).Preview(ctx, "", "tokens.scss", client.PreviewOptions{}); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("Preview(tokens.scss) = %v, want ErrNotFound", err)
	}
}

func TestLoginsNeedNoToken(t *testing.T) {
	r, _ := startFor(t)
	got, err := client.New(r.url, "").Logins(t.Context())
	want := []client.Login{{Name: "people", Issuer: "https://login.example", ClientID: "cli", Scopes: []string{"openid"}, Parameters: map[string]string{}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Logins() = %+v, %v, want %+v", got, err, want)
	}
}

// A publish tells which renames it inferred, a difference too, and RenamesMoves infers none.
func TestInferredRenames(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := newFixture(t)
	c, e, id := r.c, r.environment, r.theme.ID
	rename := func(from, to string) {
		t.Helper()
		set := must(c.Scope(e, id).Tokens(ctx, "", client.ReadOptions{}))(t)
		must(c.EditThemeTokens(ctx, e, id, client.EditOptions{ETag: set.DraftETag()}, []client.Operation{
			{Operation: "remove", Path: "/" + from}, {Operation: "add", Path: "/" + to, Value: json.RawMessage(`{"$value":"9px"}`)},
		}))(t)
	}
	must(c.EditThemeTokens(ctx, e, id, client.EditOptions{}, []client.Operation{{Operation: "add", Path: "/a", Value: json.RawMessage(`{"$value":"9px"}`)}}))(t)
	must(c.PublishTheme(ctx, e, id, client.PublishOptions{}))(t)
	rename("a", "b")
	want := []client.Rename{{From: "a", To: "b", Inferred: true}}
	diff := must(c.Scope(e, id).Compare(ctx, "", client.CompareOptions{}))(t)
	if p := diff.Properties; !slices.Equal(diff.Renamed, want) || p.Count != 2 || !slices.Equal(p.Added, []string{"--b"}) || !slices.Equal(p.Removed, []string{"--a"}) {
		t.Errorf("Compare() = %+v, want %+v and the custom properties", diff, want)
	}
	if published := must(c.PublishTheme(ctx, e, id, client.PublishOptions{}))(t); !slices.Equal(published.InferredRenames, want) {
		t.Errorf("PublishTheme() infers %+v, want %+v", published.InferredRenames, want)
	}
	rename("b", "c")
	if published := must(c.PublishTheme(ctx, e, id, client.PublishOptions{Renames: client.RenamesMoves}))(t); published.InferredRenames != nil {
		t.Errorf("PublishTheme(moves) infers %+v", published.InferredRenames)
	}
}
