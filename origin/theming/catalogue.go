package theming

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/livery/storage/record"
)

// library is one row of the catalogue: what a library reads.
type library struct {
	name  string
	files []string
}

// framework is one row of the catalogue: what a framework accepts beside the universal libraries.
type framework struct {
	name string
	own  []string
}

// The names of the served files, in the order in which Files returns them.
const (
	fileCSS    = "tokens.css"
	fileValues = "tokens.values.json"
	fileDTCG   = "tokens.dtcg.json"
	fileJSON   = "tokens.json"
	fileFlat   = "tokens.flat.json"
)

var fileOrder = []string{fileCSS, fileValues, fileDTCG, fileJSON, fileFlat}

var (
	universal = []string{"plainCSS", "tailwindCSS", "buildTimeTokens"}
	libraries = []library{
		{"plainCSS", []string{fileCSS}},
		{"tailwindCSS", []string{fileCSS}},
		{"chakraUI", []string{fileCSS}},
		{"shadcnUI", []string{fileCSS}},
		{"material", []string{fileCSS}},
		{"skeleton", []string{fileCSS}},
		{"mui", []string{fileValues}},
		{"vuetify", []string{fileValues}},
		{"primeVue", []string{fileValues}},
		{"primeNg", []string{fileValues}},
		{"buildTimeTokens", []string{fileDTCG, fileJSON, fileFlat}},
	}
	frameworks = []framework{
		{"react", []string{"chakraUI", "mui", "shadcnUI"}},
		{"nextJS", []string{"chakraUI", "mui", "shadcnUI"}},
		{"vue", []string{"vuetify", "primeVue"}},
		{"nuxt", []string{"vuetify", "primeVue"}},
		{"angular", []string{"material", "primeNg"}},
		{"svelte", []string{"skeleton"}},
		{"solid", nil},
		{"qwik", nil},
		{"astro", nil},
		{"alpine", nil},
	}
)

// Catalogue returns every pair that the service offers, by framework, the universal libraries first.
func Catalogue() []record.Integration {
	var pairs []record.Integration
	for _, f := range frameworks {
		for _, name := range accepted(f) {
			pairs = append(pairs, record.Integration{Framework: f.name, Library: name})
		}
	}
	return pairs
}

// AcceptsPair reports whether the catalogue offers the pair.
func AcceptsPair(pair record.Integration) bool {
	return checkPair(pair) == ""
}

// Files returns the names of the files that the integrations need, in a fixed order and each once.
func Files(integrations []record.Integration) []string {
	needed := map[string]bool{}
	for _, pair := range integrations {
		i := slices.IndexFunc(libraries, func(l library) bool { return l.name == pair.Library })
		if i < 0 {
			continue
		}
		for _, name := range libraries[i].files {
			needed[name] = true
		}
	}
	files := make([]string, 0, len(needed))
	for _, name := range fileOrder {
		if needed[name] {
			files = append(files, name)
		}
	}
	return files
}

// SetIntegrations returns t with list as its complete list of integrations: a validation refusal
// that names every fault if the list is empty, has a pair twice or one that is not offered.
func SetIntegrations(t record.Theme, list []record.Integration, now time.Time) (record.Theme, error) {
	var messages []string
	if len(list) == 0 {
		messages = append(messages, "integrations: the list is empty; name at least one pair of framework and library")
	}
	first := map[record.Integration]int{}
	for i, pair := range list {
		at := "integrations[" + strconv.Itoa(i) + "]: "
		if what := checkPair(pair); what != "" {
			messages = append(messages, at+what)
		}
		if j, twice := first[pair]; twice {
			messages = append(messages, at+"the pair "+spellPair(pair)+" already stands at integrations["+strconv.Itoa(j)+"]; name it once")
			continue
		}
		first[pair] = i
	}
	if err := invalid(messages); err != nil {
		return record.Theme{}, err
	}
	after := t
	after.Integrations = slices.Clone(list)
	return changedTheme(t, after, now), nil
}

// checkPair says what is wrong with a pair, or "" if the catalogue offers it.
func checkPair(pair record.Integration) string {
	i := slices.IndexFunc(frameworks, func(f framework) bool { return f.name == pair.Framework })
	if i < 0 {
		return "framework " + quote(pair.Framework) + " is not offered; use one of " + strings.Join(frameworkNames(), ", ")
	}
	names := accepted(frameworks[i])
	if !slices.Contains(names, pair.Library) {
		return "library " + quote(pair.Library) + " is not offered for " + pair.Framework + "; use one of " + strings.Join(names, ", ")
	}
	return ""
}

func accepted(f framework) []string { return slices.Concat(universal, f.own) }

func frameworkNames() []string {
	names := make([]string, len(frameworks))
	for i, f := range frameworks {
		names[i] = f.name
	}
	return names
}

func spellPair(pair record.Integration) string {
	return quote(pair.Framework) + " and " + quote(pair.Library)
}
