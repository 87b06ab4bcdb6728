package theming_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/origin/theming"
	"example.com/livery/storage/record"
)

// A new Theme is empty, public and unpublished (S58, S61, S82).
func TestNewTheme(t *testing.T) {
	t.Parallel()
	got, err := theming.NewTheme("thm_1", "env_1", theming.ThemeInput{Slug: ptr("brand.1"), DisplayName: ptr("  Brand ")}, at(1))
	if err != nil {
		t.Fatal(err)
	}
	want := record.Theme{
		ID: "thm_1", EnvironmentID: "env_1", Slug: "brand.1", DisplayName: "Brand",
		Metadata: map[string]string{}, Integrations: []record.Integration{},
		Serving: record.Serving{
			Mode: "public", SigningKeys: []record.SigningKey{}, AllowedOrigins: []string{},
			MissingOrigin: "allowNonBrowsers", AllowedIPRanges: []string{},
		},
		CreatedAt: at(1), UpdatedAt: at(1),
	}
	wantEqual(t, "NewTheme", got, want)
}

// Every fault of a body stands in one answer (S85, S100, S101, S103, S250 to S253, decisions 2.1 to 2.3).
func TestNewThemeListsEveryFault(t *testing.T) {
	t.Parallel()
	labels := map[string]any{"-a": "", "ok": strings.Repeat("ü", 257), "n": 1.0, strings.Repeat("k", 65): "x"}
	_, err := theming.NewTheme("thm_1", "env_1", theming.ThemeInput{
		Slug: ptr(strings.Repeat("x", 65)), DisplayName: ptr(" \t"), Metadata: &labels,
		Integration: &record.Integration{Framework: "svelte", Library: "mui"},
	}, at(1))
	wantRefusal(t, err, theming.Validation, "slug: 65 characters", "displayName: empty", `the key "-a"`,
		"kkk", `the value of "n" must be a string`, `the value of "ok" is 257 characters`, `integration: library "mui" is not offered for svelte`)
	_, err = theming.NewTheme("thm_1", "env_1", theming.ThemeInput{}, at(1))
	wantRefusal(t, err, theming.Validation, "slug: required", "displayName: required")
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	for slug, valid := range map[string]bool{
		"a": true, "A.b-c_9": true, "9": true, strings.Repeat("x", 64): true,
		"": false, "-a": false, ".a": false, "_a": false, "a b": false, "a/b": false, "ä": false,
		"a\x00": false, "a\u202e": false, strings.Repeat("x", 65): false,
	} {
		_, err := theming.UpdateVariant(record.Variant{}, theming.VariantInput{Slug: &slug, DisplayName: ptr("x")}, at(1))
		if (err == nil) != valid {
			t.Errorf("slug %q: %v, want valid %v", slug, err, valid)
		}
	}
}

func TestDisplayNames(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"x": true, "<b>": true, "ü b": true, strings.Repeat("ü", 256): true, " " + strings.Repeat("x", 256) + " ": true,
		"": false, "  ": false, "a\tb": false, "a\u0000": false, "a\u0085b": false, strings.Repeat("x", 257): false,
	} {
		_, err := theming.UpdateTheme(record.Theme{}, theming.ThemeInput{Slug: ptr("x"), DisplayName: &name}, at(1))
		if (err == nil) != valid {
			t.Errorf("displayName %q: %v, want valid %v", name, err, valid)
		}
	}
}

// Labels: 50 keys, 64 and 256 characters, an alphabet, empty values allowed (S250 to S254).
func TestLabels(t *testing.T) {
	t.Parallel()
	many := func(count int) map[string]any {
		labels := map[string]any{}
		for i := range count {
			labels["k"+strconv.Itoa(i)] = ""
		}
		return labels
	}
	for _, c := range []struct {
		name   string
		labels map[string]any
		valid  bool
	}{
		{"50 keys", many(50), true},
		{"51 keys", many(51), false},
		{"a key of 64", map[string]any{strings.Repeat("k", 64): "v"}, true},
		{"a key of 65", map[string]any{strings.Repeat("k", 65): "v"}, false},
		{"a value of 256", map[string]any{"k": strings.Repeat("ü", 256)}, true},
		{"a value of 257", map[string]any{"k": strings.Repeat("v", 257)}, false},
		{"an empty value", map[string]any{"k": ""}, true},
		{"the whole alphabet", map[string]any{"9a.B_c:d/e-f": "v"}, true},
		{"-a", map[string]any{"-a": "v"}, false},
		{".a", map[string]any{".a": "v"}, false},
		{"a b", map[string]any{"a b": "v"}, false},
		{"a@b", map[string]any{"a@b": "v"}, false},
		{"an empty key", map[string]any{"": "v"}, false},
		{"null", map[string]any{"k": nil}, false},
	} {
		_, err := theming.UpdateTheme(record.Theme{}, theming.ThemeInput{Slug: ptr("x"), DisplayName: ptr("x"), Metadata: &c.labels}, at(1))
		if (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid %v", c.name, err, c.valid)
		}
	}
}

// An update replaces names, and keeps, clears or replaces labels; nothing else moves (S86 to S90, S204 to S206).
func TestUpdates(t *testing.T) {
	t.Parallel()
	theme := record.Theme{Slug: "a", DisplayName: "A", Metadata: map[string]string{"k": "v"}, TokenCount: 3, DraftETag: "e", LatestVersion: 2}
	variant := record.Variant{Slug: "a", DisplayName: "A", Metadata: map[string]string{"k": "v"}, TokenCount: 3, DraftETag: "e", LatestVersion: 2}
	for _, c := range []struct {
		name string
		in   *map[string]any
		want map[string]string
	}{
		{"omitted keeps", nil, map[string]string{"k": "v"}},
		{"empty clears", &map[string]any{}, map[string]string{}},
		{"any other replaces", &map[string]any{"n": "w"}, map[string]string{"n": "w"}},
	} {
		wantTheme, wantVariant := theme, variant
		wantTheme.Slug, wantTheme.DisplayName, wantTheme.Metadata, wantTheme.UpdatedAt = "b", "B", c.want, at(2)
		wantVariant.Slug, wantVariant.DisplayName, wantVariant.Metadata, wantVariant.UpdatedAt = "b", "B", c.want, at(2)
		gotTheme, err := theming.UpdateTheme(theme, theming.ThemeInput{Slug: ptr("b"), DisplayName: ptr("B"), Metadata: c.in}, at(2))
		if err != nil {
			t.Fatal(err)
		}
		gotVariant, err := theming.UpdateVariant(variant, theming.VariantInput{Slug: ptr("b"), DisplayName: ptr("B"), Metadata: c.in}, at(2))
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, c.name, gotTheme, wantTheme)
		wantEqual(t, c.name, gotVariant, wantVariant)
	}
}

// The allowance of a plan is 10 and 100 Variants; the refusal has no messages (S199 to S201).
func TestPlanAllowance(t *testing.T) {
	t.Parallel()
	in := theming.VariantInput{Slug: ptr("v"), DisplayName: ptr("V")}
	for _, c := range []struct {
		plan     record.Plan
		existing int
		refused  bool
	}{{record.Free, 9, false}, {record.Free, 10, true}, {record.Pro, 99, false}, {record.Pro, 100, true}} {
		_, err := theming.NewVariant("var_1", record.Theme{}, in, c.existing, c.plan, at(1))
		if !c.refused && err != nil {
			t.Errorf("%s, %d Variants: %v", c.plan, c.existing, err)
		}
		if c.refused {
			wantRefusal(t, err, theming.PlanLimit)
		}
	}
	_, err := theming.NewVariant("var_1", record.Theme{}, theming.VariantInput{}, 10, record.Free, at(1))
	wantRefusal(t, err, theming.Validation, "slug", "displayName") // rules of the request come before the plan (decision 1.4)
}

// The catalogue of the contract, spelled anew (S104 to S125).
var (
	filesOf = map[string][]string{
		"plainCSS": {"tokens.css"}, "tailwindCSS": {"tokens.css"}, "chakraUI": {"tokens.css"}, "shadcnUI": {"tokens.css"},
		"material": {"tokens.css"}, "skeleton": {"tokens.css"},
		"mui": {"tokens.values.json"}, "vuetify": {"tokens.values.json"}, "primeVue": {"tokens.values.json"}, "primeNg": {"tokens.values.json"},
		"buildTimeTokens": {"tokens.dtcg.json", "tokens.json", "tokens.flat.json"},
	}
	librariesOf = map[string]string{
		"react": "chakraUI mui shadcnUI", "nextJS": "chakraUI mui shadcnUI", "vue": "vuetify primeVue", "nuxt": "vuetify primeVue",
		"angular": "material primeNg", "svelte": "skeleton", "solid": "", "qwik": "", "astro": "", "alpine": "",
	}
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	accepted, refused := 0, 0
	for framework, own := range librariesOf {
		libraries := append(strings.Fields(own), "plainCSS", "tailwindCSS", "buildTimeTokens")
		for library, files := range filesOf {
			pair := record.Integration{Framework: framework, Library: library}
			wants := slices.Contains(libraries, library)
			if theming.AcceptsPair(pair) != wants {
				t.Errorf("AcceptsPair(%v) = %v", pair, !wants)
			}
			if slices.Contains(theming.Catalogue(), pair) != wants {
				t.Errorf("Catalogue has %v: %v", pair, !wants)
			}
			if wants {
				accepted++
			} else {
				refused++
			}
			wantEqual(t, library, theming.Files([]record.Integration{pair}), files)
		}
	}
	wantEqual(t, "accepted pairs", accepted, 43)
	wantEqual(t, "refused pairs", refused, 67)
	wantEqual(t, "len(Catalogue())", len(theming.Catalogue()), 43)
	for _, pair := range []record.Integration{{}, {Framework: "react"}, {Library: "mui"}, {Framework: "React", Library: "mui"}} {
		if theming.AcceptsPair(pair) {
			t.Errorf("AcceptsPair(%v) = true", pair)
		}
	}
}

// Files are listed once and in a fixed order (S74); a Theme without integrations serves none (S81).
func TestFiles(t *testing.T) {
	t.Parallel()
	got := theming.Files([]record.Integration{{Framework: "vue", Library: "buildTimeTokens"}, {Framework: "vue", Library: "vuetify"}, {Framework: "vue", Library: "plainCSS"}, {Framework: "astro", Library: "tailwindCSS"}})
	wantEqual(t, "Files", got, []string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"})
	wantEqual(t, "Files(nil)", theming.Files(nil), []string{})
}

// A list of integrations is complete, not empty, without duplicates, and from the catalogue (S92 to S96).
func TestSetIntegrations(t *testing.T) {
	t.Parallel()
	old := record.Theme{Integrations: []record.Integration{{Framework: "vue", Library: "vuetify"}}}
	list := []record.Integration{{Framework: "react", Library: "mui"}, {Framework: "astro", Library: "plainCSS"}}
	got, err := theming.SetIntegrations(old, list, at(3))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "SetIntegrations", got, record.Theme{Integrations: list, UpdatedAt: at(3)})
	_, err = theming.SetIntegrations(old, nil, at(3))
	wantRefusal(t, err, theming.Validation, "the list is empty")
	_, err = theming.SetIntegrations(old, []record.Integration{list[0], {Framework: "ember", Library: "x"}, list[0], {Framework: "solid", Library: "mui"}}, at(3))
	wantRefusal(t, err, theming.Validation, `integrations[1]: framework "ember"`, "integrations[2]: the pair", `integrations[3]: library "mui"`)
	wantEqual(t, "the stored list", old.Integrations, []record.Integration{{Framework: "vue", Library: "vuetify"}})
}

// No draft is spelled by an empty etag; 409 for the query, 412 for If-Match (S170, S171, S174,
// decisions 3.1 and 3.2).
func TestClaims(t *testing.T) {
	t.Parallel()
	conflict, precondition, payload := "conflict", "precondition", "payload"
	cases := map[string]struct {
		claim   theming.Claim
		current string
		want    string
	}{
		"no draft, none claimed":             {theming.Claim{}, "", ""},
		"a draft, none claimed":              {theming.Claim{}, "e1", conflict},
		"no draft, one claimed":              {theming.Claim{ETag: "e1"}, "", conflict},
		"the draft that was seen":            {theming.Claim{ETag: "e1"}, "e1", ""},
		"a stale etag":                       {theming.Claim{ETag: "e1"}, "e2", conflict},
		"If-Match alone, right":              {theming.Claim{IfMatch: theming.IfMatch{"e1"}}, "e1", ""},
		"If-Match alone, stale":              {theming.Claim{IfMatch: theming.IfMatch{"e1"}}, "e2", precondition},
		"If-Match without a draft":           {theming.Claim{IfMatch: theming.IfMatch{"e1"}}, "", precondition},
		"If-Match * with a draft":            {theming.Claim{IfMatch: theming.IfMatch{"*"}}, "e1", ""},
		"If-Match * without a draft":         {theming.Claim{IfMatch: theming.IfMatch{"*"}}, "", precondition},
		"both, the same":                     {theming.Claim{ETag: "e1", IfMatch: theming.IfMatch{"e1"}}, "e1", ""},
		"both, the same and stale":           {theming.Claim{ETag: "e1", IfMatch: theming.IfMatch{"e1"}}, "e2", precondition},
		"both, different":                    {theming.Claim{ETag: "e1", IfMatch: theming.IfMatch{"e2"}}, "e1", payload},
		"* and a stale etag":                 {theming.Claim{ETag: "e1", IfMatch: theming.IfMatch{"*"}}, "e2", conflict},
		"an empty If-Match names no draft":   {theming.Claim{IfMatch: theming.IfMatch{""}}, "", precondition},
		"an empty If-Match is never a match": {theming.Claim{IfMatch: theming.IfMatch{""}}, "e1", precondition},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		err := c.claim.Check(c.current)
		got := ""
		if refusal, ok := err.(*theming.Error); ok {
			switch {
			case refusal.Reason == theming.IfMatchFailed:
				got = precondition
			default:
				got = string(refusal.Cause)
			}
		}
		wantEqual(t, name, got, c.want)
	}
}

// A preview is of a Theme of the Environment that its own names, with what that is built with, and serves no client by itself.
func TestPreview(t *testing.T) {
	t.Parallel()
	of := record.Theme{
		ID: "thm_1", EnvironmentID: "env_1", Integrations: []record.Integration{{Framework: "react", Library: "plainCSS"}},
		AssetSettings: record.AssetSettings{Prefix: "acme", IsLive: true},
	}
	e := record.Environment{ID: "env_2", PreviewOf: "env_1"}
	fresh, err := theming.NewTheme("thm_2", "env_2", theming.ThemeInput{Slug: ptr("x"), DisplayName: ptr("x")}, at(1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := theming.Preview(fresh, e, of, theming.MaxPreviews-1)
	if err != nil {
		t.Fatal(err)
	}
	want := fresh
	want.PreviewOf, want.Integrations, want.DraftPrefix = "thm_1", of.Integrations, ptr("acme")
	wantEqual(t, "Preview", got, want)
	fresh.Integrations, of.AssetSettings = []record.Integration{{Framework: "vue", Library: "plainCSS"}}, record.AssetSettings{}
	if got, err = theming.Preview(fresh, e, of, 0); err != nil || got.Integrations[0].Framework != "vue" || got.DraftPrefix != nil {
		t.Errorf("Preview() = %+v, %v, want its own integration and no prefix", got, err)
	}
	elsewhere, nested := of, of
	elsewhere.EnvironmentID, nested.PreviewOf = "env_3", "thm_0"
	for name, c := range map[string]struct {
		e        record.Environment
		of       record.Theme
		existing int
	}{
		"an Environment of no previews": {record.Environment{ID: "env_2"}, of, 0}, "of nothing": {e, record.Theme{}, 0}, "of a Theme elsewhere": {e, elsewhere, 0},
		"of a preview": {e, nested, 0}, "too many": {e, of, theming.MaxPreviews},
	} {
		if _, err := theming.Preview(fresh, c.e, c.of, c.existing); err == nil {
			t.Errorf("%s: Preview() is taken", name)
		}
	}
}
