package intake

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
)

// modeNames is the name of a Theme mode that is derived from a declared mode or from a file name.
type modeNames struct {
	dimension, mode string // both empty if the Variant is not a mode
	when            string // media condition, if it differs from the default for the mode
	slug            string
	guess           string // the reason for a guess; empty if the file declares the mode
}

// nameOf derives the name of a Theme mode from a declared mode.
func nameOf(c model.Condition) modeNames {
	if c.Kind == model.CSS {
		return nameOfCSS(c.Name)
	}
	return declaredMode(c.Name, c.Mode)
}

func declaredMode(dimension, mode string) modeNames {
	n := modeNames{slug: slugOf(mode)}
	if d, m := apiName(dimension), apiName(mode); d != "" && m != "" {
		n.dimension, n.mode = d, m
	}
	return n
}

// attribute matches a selector that consists of one attribute with a value.
var attribute = regexp.MustCompile(`^\[(?:data-)?([\w-]+)[~|^$*]?="?([^"\]]+)"?\]$`)

// nameOfCSS derives the name of a Theme mode from a selector or media condition. The dimension is the name of the attribute, or the media
// feature if the API allows it as the condition of a mode. For any other selector nameOfCSS guesses.
func nameOfCSS(text string) modeNames {
	media, isMedia := strings.CutPrefix(text, "@media ")
	for _, condition := range conditions {
		if isMedia && condition == strings.ToLower(media) {
			feature, value, hasValue := strings.Cut(strings.Trim(condition, "()"), ": ")
			if !hasValue {
				feature, value = "media", feature
			}
			n := declaredMode(strings.TrimPrefix(strings.TrimPrefix(feature, "prefers-"), "color-"), value)
			if usualConditions[n.dimension+"."+n.mode] == "" {
				n.when = condition
			}
			return n
		}
	}
	if m := attribute.FindStringSubmatch(text); m != nil {
		return declaredMode(m[1], m[2])
	}
	if strings.HasPrefix(text, "@") {
		return modeNames{slug: slugOf(strings.TrimPrefix(text, "@"))}
	}
	return guessedMode(strings.TrimRight(text, `")] *`))
}

var (
	lastWord = regexp.MustCompile(`(?:^|[^A-Za-z])((?i:light|dark|hc|high-contrast))$|[a-z0-9](Light|Dark|HC|HighContrast)$`)
	guesses  = map[string][2]string{
		"light": {"scheme", "light"}, "dark": {"scheme", "dark"},
		"hc": {"contrast", "more"}, "high-contrast": {"contrast", "more"}, "highcontrast": {"contrast", "more"},
	}
)

// guessedMode guesses a mode from the last word of a name. If a name ends in two such words, as in dark-hc, it is not a single mode.
func guessedMode(name string) modeNames {
	word, before := cutLastWord(name)
	if word == "" {
		return modeNames{slug: slugOf(name)}
	}
	if other, _ := cutLastWord(before); other != "" && guesses[other][0] != guesses[word][0] && other != "light" {
		return modeNames{slug: slugOf(other + "-" + word), guess: fmt.Sprintf("its name ends in %q", other+"-"+word)}
	}
	return modeNames{guesses[word][0], guesses[word][1], "", slugOf(word), fmt.Sprintf("its name ends in %q", word)}
}

// guessOf guesses the mode of a file from its name.
func guessOf(file string) modeNames {
	return guessedMode(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// cutLastWord splits a name before its last word if this word is the name of a mode, such as dark. It returns the word in lower case.
func cutLastWord(name string) (word, before string) {
	m := lastWord.FindStringSubmatchIndex(name)
	if m == nil {
		return "", name
	}
	at := max(m[2], m[4])
	return strings.ToLower(name[at:]), strings.TrimRight(name[:at], "-_. ")
}

var (
	notInName = regexp.MustCompile(`[^a-z0-9]+`)
	notInSlug = regexp.MustCompile(`[^a-z0-9._-]+`)
)

// apiName converts a text to a valid name of a dimension or mode. It returns "" if this is not possible.
func apiName(text string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if name = strings.TrimRight(name[:min(len(name), 32)], "-"); !modeName.MatchString(name) {
		return ""
	}
	return name
}

// slugOf converts a text to a valid slug.
func slugOf(text string) string {
	slug := strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(text), "-"), "-._")
	if slug = strings.TrimRight(slug[:min(len(slug), 64)], "-._"); slug == "" {
		return "mode"
	}
	return slug
}

// entry is a proposed Variant.
type entry struct {
	Variant
	names      modeNames
	conditions []model.Condition // the modes in Select
}

// entries is a list of proposed Variants. It has one entry for each mode of the Theme.
type entries []*entry

// add returns the entry for a mode, or for the slug of a guess without a mode. It appends an entry if there is none.
func (all *entries) add(n modeNames) *entry {
	for _, e := range *all {
		if e.names.dimension == n.dimension && e.names.mode == n.mode && (n.mode != "" || n.guess != "" && e.names.slug == n.slug) {
			if n.guess == "" {
				e.names.guess = ""
			}
			return e
		}
	}
	*all = append(*all, &entry{names: n})
	return (*all)[len(*all)-1]
}

// entriesOf proposes a Variant for each declared mode.
func entriesOf(list []model.Condition) (all entries) {
	for _, c := range list {
		n := nameOf(c)
		e := all.add(n)
		if slices.ContainsFunc(e.conditions, func(other model.Condition) bool { return c.Kind != model.CSS && other.Axis == c.Axis }) {
			e = all.add(modeNames{slug: n.slug}) // the names of two modes differ only in case
		}
		e.conditions = append(e.conditions, c)
		e.Select.add(c)
	}
	return all
}

// finish assigns modes within the limits of the API, and slugs that are unique in the entries and the mapping.
func (all entries) finish(beside *Mapping) {
	modes, dimensions, slugs := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, v := range beside.Variants {
		if dimension, _ := v.DimensionMode(); dimension != "" {
			modes[v.Mode], dimensions[dimension] = true, true
		}
		slugs[v.Slug]++
	}
	for _, e := range all {
		slugs[e.names.slug]++
		if e.names.guess != "" {
			e.Comment = "guess: " + e.names.guess
		}
		if e.names.mode == "" {
			continue
		}
		mode := e.names.dimension + "." + e.names.mode
		switch {
		case modes[mode]:
			e.Comment = "another Variant is " + mode
		case len(modes) == maxModes || !dimensions[e.names.dimension] && len(dimensions) == maxDimensions:
			e.Comment = fmt.Sprintf("no mode: a Theme has at most %d dimensions and %d modes", maxDimensions, maxModes)
		default:
			modes[mode], dimensions[e.names.dimension] = true, true
			e.Mode, e.When = mode, e.names.when
		}
	}
	taken := beside.slugs()
	for _, e := range all {
		slug := e.names.slug
		if slugs[slug] > 1 && e.names.dimension != "" {
			slug = slugOf(e.names.dimension + "-" + slug)
		}
		e.Slug = slug
		for n := 2; slices.Contains(taken, e.Slug); n++ {
			e.Slug = slug[:min(len(slug), 60)] + "-" + strconv.Itoa(n)
		}
		taken = append(taken, e.Slug)
	}
}

// Propose returns a mapping for a list of files, folders and patterns. Read does not return a *Conflict for this mapping.
func (r *Reader) Propose(files []string) (*Mapping, error) {
	s, err := r.source(files, nil)
	if err != nil {
		return nil, err
	}
	m := &Mapping{}
	all := dimensionsOf(s.documents)
	var declared []model.Condition
	for _, c := range all.conditions() {
		if c.Kind == model.CSS || all.defaults()[c.Axis] != c.Mode {
			declared = append(declared, c)
		}
	}
	proposed := entriesOf(declared)
	if len(proposed) > 0 && !s.holds(all.defaults()) {
		m.Select, proposed = proposed[0].Select, proposed[1:] // else the Theme would have no token
	}
	s.guess(&proposed)
	proposed.finish(m)
	m.Files = s.themeFiles(files, proposed)
	for _, e := range proposed {
		m.Variants = append(m.Variants, e.Variant)
	}
	return m, r.order(m, s)
}

// holds reports whether a declaration of a token holds in a choice of modes.
func (s *source) holds(c model.Choice) bool {
	return slices.ContainsFunc(s.documents, func(document *model.Document) bool {
		return slices.ContainsFunc(document.Decls, func(d model.Decl) bool { return !d.Group && d.HoldsIn(c) })
	})
}

// guess adds the files with the name of a mode to the entries. Light files are part of the Theme if there are dark files. If no file
// would be left for the Theme, guess adds none.
func (s *source) guess(all *entries) {
	names := map[*model.Document]modeNames{}
	hasDark := false
	for _, d := range s.documents {
		if n := guessOf(d.Files[0].Name); len(d.Files) == 1 && n.guess != "" {
			names[d] = n
			hasDark = hasDark || n.mode == "dark"
		}
	}
	for d, n := range names {
		if n.mode == "light" && (hasDark || len(names) == len(s.documents)) {
			delete(names, d)
		}
	}
	if len(names) == len(s.documents) {
		return
	}
	for _, d := range s.documents {
		if n, ok := names[d]; ok {
			e := all.add(n)
			e.Files = append(e.Files, d.Files[0].Name)
		}
	}
}

// themeFiles returns the list without the files of the proposed Variants. It puts light files after the folder that contains them.
func (s *source) themeFiles(list []string, proposed entries) (files []string) {
	isVariants := func(name string) bool {
		return slices.ContainsFunc(proposed, func(e *entry) bool { return slices.Contains(e.Files, name) })
	}
	for _, text := range list {
		if !isVariants(path.Clean(text)) {
			files = append(files, text)
		}
	}
	var excluded, light []string
	rest := 0
	for _, d := range s.documents {
		switch name := d.Files[0].Name; {
		case s.isNamed[d]:
		case isVariants(name):
			excluded = append(excluded, "!"+name)
		case guessOf(name).mode == "light":
			light = append(light, name)
		default:
			rest++
		}
	}
	if rest > 0 {
		files = append(files, light...)
	}
	return append(files, excluded...)
}

// order lists the files of a proposed mapping by name if they conflict. It adds comments about the tokens for which the order matters.
func (r *Reader) order(m *Mapping, s *source) error {
	quiet := *r // it shares the parsed files
	quiet.Progress = nil
	plan, err := quiet.Read(m)
	if _, isConflict := errors.AsType[*Conflict](err); isConflict {
		groups, _ := r.expand(m.Files) // it has succeeded in Read
		m.Files = nil
		for _, g := range groups {
			m.Files = append(m.Files, slices.DeleteFunc(g.names, func(name string) bool { return slices.Contains(s.skipped, name) })...)
		}
		plan, err = quiet.Read(m)
	}
	if err != nil {
		return err
	}
	isOrdered := func(name string) bool {
		return guessOf(name).mode == "light" || slices.ContainsFunc(s.documents, func(d *model.Document) bool { return s.isNamed[d] && d.Files[0].Name == name })
	}
	for _, pair := range plan.Replaced {
		if isOrdered(pair.By) {
			continue
		}
		comment := pair.String() + ": the later one in this list counts"
		i := slices.IndexFunc(m.Variants, func(v Variant) bool { return slices.Contains(v.Files, pair.By) })
		if i < 0 {
			m.Comments = append(m.Comments, comment)
		} else {
			m.Variants[i].Comment = strings.TrimPrefix(m.Variants[i].Comment+"; "+comment, "; ")
		}
	}
	return nil
}
