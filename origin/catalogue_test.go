package origin_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
)

// The two tables of the contract: what a library is served, and what a framework accepts beside
// the libraries that every framework accepts.
const (
	filesTable = `
		S104 plainCSS        tokens.css
		S105 tailwindCSS     tokens.css
		S106 chakraUI        tokens.css
		S107 shadcnUI        tokens.css
		S108 material        tokens.css
		S109 skeleton        tokens.css
		S110 mui             tokens.values.json
		S111 vuetify         tokens.values.json
		S112 primeVue        tokens.values.json
		S113 primeNg         tokens.values.json
		S114 buildTimeTokens tokens.dtcg.json tokens.json tokens.flat.json`
	frameworksTable = `
		S115 react   chakraUI mui shadcnUI
		S116 nextJS  chakraUI mui shadcnUI
		S117 vue     vuetify primeVue
		S118 nuxt    vuetify primeVue
		S119 angular material primeNg
		S120 svelte  skeleton
		S121 solid
		S122 qwik
		S123 astro
		S124 alpine`
	universalLibraries = "plainCSS tailwindCSS buildTimeTokens"
)

// row is one line of a table: the statement, the name, and what belongs to it.
type row struct {
	statement, name string
	of              []string
}

func rows(table string) []row {
	var all []row
	for line := range strings.Lines(strings.TrimSpace(table)) {
		words := strings.Fields(line)
		all = append(all, row{words[0], words[1], words[2:]})
	}
	return all
}

// accepts says which libraries a framework's row stands for.
func (r row) accepts() []string { return slices.Concat(strings.Fields(universalLibraries), r.of) }

// pairsBody spells a list of integrations: framework, library, framework, library.
func pairsBody(list ...string) string {
	var all []string
	for i := 0; i < len(list); i += 2 {
		all = append(all, fmt.Sprintf(`{"framework":%q,"library":%q}`, list[i], list[i+1]))
	}
	return `{"integrations":[` + strings.Join(all, ",") + `]}`
}

// addressesOf returns the addresses of a list of servingUrls, or nil if it is null.
func addressesOf(t testing.TB, r reply, list string) []string {
	t.Helper()
	var urls []string
	entries, _ := r.object(t)["servingUrls"].(map[string]any)[list].([]any)
	for _, entry := range entries {
		e := entry.(map[string]any)
		url := e["url"].(string)
		if !strings.HasSuffix(url, "/"+e["file"].(string)) {
			t.Errorf("address %s is not of file %v", url, e["file"])
		}
		urls = append(urls, url)
	}
	return urls
}

// S56 S74 S75 S92 S104 S105 S106 S107 S108 S109 S110 S111 S112 S113 S114 S126 S194: every library is served exactly
// the files of its row, under latest and pinned, for the Theme and for its Variant, in the answer to the change.
func TestEachLibraryIsServedItsFiles(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	variant := e.variant(theme, "dark")
	e.patch(theme, red)
	e.publish(theme)
	for _, library := range rows(filesTable) {
		t.Run(library.statement+" "+library.name, func(t *testing.T) {
			h := e.of(t)
			framework := frameworkOf(library.name)
			changed := h.want(200, "PUT", theme+"/integrations", pairsBody(framework, library.name))
			if got, want := changed.object(t)["integrations"], []any{map[string]any{"framework": framework, "library": library.name}}; !reflect.DeepEqual(got, want) {
				t.Errorf("integrations = %v, want %v", got, want)
			}
			for path, answer := range map[string]reply{theme: changed, variant: h.want(200, "GET", variant, "")} {
				segment := "-"
				if path == variant {
					segment = variant[strings.LastIndex(variant, "/")+1:]
				}
				base := testCDNURL + "/" + address(theme) + "/" + segment
				for list, version := range map[string]string{"latest": "latest", "pinned": "1"} {
					var want []string
					for _, file := range library.of {
						want = append(want, base+"/"+version+"/"+file)
					}
					if got := addressesOf(t, answer, list); !sameSet(got, want) {
						t.Errorf("%s of %s = %v, want %v", list, path, got, want)
					}
				}
			}
			if fed := fed[struct{ Files []string }](edge{h, e.feed}, "/themes/"+address(theme)); !sameSet(fed.Files, library.of) {
				t.Errorf("the feed tells %v, want %v", fed.Files, library.of)
			}
			for _, segment := range []string{"-", variant[strings.LastIndex(variant, "/")+1:]} {
				if p := (edge{h, e.feed}).pair(theme, segment, "latest"); p.Version != 1 { // the addresses are served
					t.Errorf("pair %s = %+v, want version 1", segment, p)
				}
			}
		})
	}
}

// frameworkOf returns a framework that accepts the library.
func frameworkOf(library string) string {
	for _, framework := range rows(frameworksTable) {
		if slices.Contains(framework.accepts(), library) {
			return framework.name
		}
	}
	return ""
}

// sameSet reports whether both hold the same texts, each once.
func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b) && len(slices.Compact(slices.Clone(a))) == len(a)
}

// S85 S95 S96 S115 S116 S117 S118 S119 S120 S121 S122 S123 S124 S125: of the 110 pairs of the two tables, 43 are
// accepted and 67 refused, by a create and by a replacement alike, and a refused one leaves the list as it was.
func TestEachFrameworkAcceptsItsLibraries(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	themes := "/environments/" + h.sandbox + "/themes"
	accepted, refused := 0, 0
	for _, framework := range rows(frameworksTable) {
		t.Run(framework.statement+" "+framework.name, func(t *testing.T) {
			h := h.of(t)
			for _, library := range rows(filesTable) {
				before := h.want(200, "GET", theme, "").object(t)["integrations"]
				create := fmt.Sprintf(`{"slug":"%s-%s","displayName":"T","integration":{"framework":%[1]q,"library":%[2]q}}`, framework.name, library.name)
				put, post := h.do(owner, "PUT", theme+"/integrations", pairsBody(framework.name, library.name)), h.do(owner, "POST", themes, create)
				if slices.Contains(framework.accepts(), library.name) {
					accepted++
					if put.status != 200 || post.status != 201 || !sameSet(filesOf(t, post), library.of) {
						t.Errorf("%s with %s: PUT %d, POST %d %s, want 200 and 201", framework.name, library.name, put.status, post.status, short(post.body))
					}
					continue
				}
				refused++
				for _, r := range []reply{put, post} {
					if messages := r.refuses(t, 400, "validation").Messages; len(messages) != 1 || !strings.Contains(messages[0], library.name) {
						t.Errorf("messages = %q, want one that names %s", messages, library.name)
					}
				}
				if after := h.want(200, "GET", theme, "").object(t)["integrations"]; !reflect.DeepEqual(after, before) {
					t.Errorf("a refused list left %v, want %v", after, before)
				}
			}
		})
	}
	if accepted != 43 || refused != 67 {
		t.Errorf("%d pairs accepted and %d refused, want 43 and 67", accepted, refused)
	}
	if n := h.want(200, "GET", themes+"?includeTotals=true", "").object(t)["totalCount"]; n != 44.0 {
		t.Errorf("%v Themes, want one for each accepted pair and the first", n)
	}
}

// S74 S129: files that several pairs need are listed once, and stay as long as one of them is left.
func TestSharedFilesStay(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for _, c := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"two pairs need one file", []string{"react", "plainCSS", "vue", "tailwindCSS", "angular", "primeNg"}, "tokens.css tokens.values.json"},
		{"one of them goes", []string{"vue", "tailwindCSS", "angular", "primeNg"}, "tokens.css tokens.values.json"},
		{"the other is replaced by a third", []string{"svelte", "skeleton", "angular", "primeNg"}, "tokens.css tokens.values.json"},
		{"the last one goes", []string{"angular", "primeNg", "angular", "buildTimeTokens"}, "tokens.values.json tokens.dtcg.json tokens.json tokens.flat.json"},
	} {
		if got := filesOf(t, h.want(200, "PUT", theme+"/integrations", pairsBody(c.pairs...))); !sameSet(got, strings.Fields(c.want)) {
			t.Errorf("%s: files = %v, want %s", c.name, got, c.want)
		}
	}
}

// S81: a Theme without integrations serves nothing, before and after its publish, until it has some.
func TestThemeWithoutIntegrationsServesNothing(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := "/environments/" + e.sandbox + "/themes/" + e.themeIn(e.sandbox)
	e.patch(theme, red)
	for _, r := range []reply{e.want(200, "GET", theme, ""), e.publish(theme)} {
		if got := r.object(t); len(filesOf(t, r)) != 0 || len(addressesOf(t, r, "pinned")) != 0 || len(got["integrations"].([]any)) != 0 {
			t.Errorf("Theme = %v, want no files", got)
		}
	}
	if files := fed[struct{ Files []string }](e, "/themes/"+address(theme)).Files; len(files) != 0 {
		t.Errorf("the feed tells %v, want no files", files)
	}
	r := e.want(200, "PUT", theme+"/integrations", pairsBody("qwik", "plainCSS"))
	if got, want := addressesOf(t, r, "pinned"), []string{testCDNURL + "/" + address(theme) + "/-/1/tokens.css"}; !slices.Equal(got, want) {
		t.Errorf("pinned = %v, want %v", got, want)
	}
}
