package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// edition is one side of a comparison: a published version, or the current document. The zero
// edition is what is before the first version: nothing.
type edition struct {
	number  int64 // as the query has it; 0 if given is false and nothing is published
	given   bool  // the caller named the number, so that it must be a version
	current bool
}

// json returns the edition as an answer names it: a number, or null for the current document.
func (e edition) json() *int64 {
	if e.current {
		return nil
	}
	return &e.number
}

// version returns the number of the version, 0 for nothing, or errNotFound if none can have it.
func (e edition) version() (uint32, error) {
	if !e.given && e.number == 0 {
		return 0, nil
	}
	return tokenQuery{version: &e.number}.number()
}

// edition reads "draft" or a version number.
func (p *params) edition(name string, fallback edition) edition {
	value, given := p.text(name)
	if !given {
		return fallback
	}
	if value == "draft" {
		return edition{current: true}
	}
	if !isDecimal(value) {
		p.fault(name, "must be a version number or draft")
	}
	n, _ := strconv.ParseInt(value, 10, 64) // out of range is the nearest int64, which is not a version
	return edition{number: n, given: true}
}

// diffBody is what changed from one edition to another, by dotted path.
type diffBody struct {
	From     *int64       `json:"from"` // null means the current document, 0 what is before the first version
	To       *int64       `json:"to"`   // as for from
	Added    []string     `json:"added"`
	Removed  []string     `json:"removed"`
	Renamed  []renameBody `json:"renamed"`
	Retyped  []retypeBody `json:"retyped"`
	Changed  []string     `json:"changed"`
	Breaking bool         `json:"breaking"` // a consumer of a custom property can break

	Described  []string       `json:"described"`
	Properties propertiesBody `json:"properties"`
}

// propertiesBody lists the custom properties of tokens.css that change, by name.
type propertiesBody struct {
	Count   int      `json:"count"` // of the three lists below
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
	Taken   []string `json:"taken"` // another token declares them now
}

type renameBody struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Inferred bool   `json:"inferred,omitzero"` // a publish pairs the two by their content, without a move
}

type retypeBody struct {
	Path string  `json:"path"`
	From *string `json:"from"` // null means unknown
	To   *string `json:"to"`   // null means unknown
}

func newRenameBodies(list []theming.Rename) (bodies []renameBody) {
	for _, r := range list {
		bodies = append(bodies, renameBody(r))
	}
	return bodies
}

func newDiffBody(from, to edition, c theming.Comparison) diffBody {
	b := diffBody{From: from.json(), To: to.json(), Added: c.Added, Removed: c.Removed, Changed: c.Changed, Breaking: c.Breaking}
	p := c.Properties
	b.Described, b.Properties = c.Described, propertiesBody{p.Count(), p.Added, p.Removed, p.Changed, p.Taken}
	b.Renamed = newRenameBodies(c.Renamed)
	for _, r := range c.Retyped {
		b.Retyped = append(b.Retyped, retypeBody{r.Path, r.From, r.To})
	}
	return b
}

// editions reads both sides of a comparison: left out, they are the newest version and the current
// document.
func (q *request) editions(latest uint32) (from, to edition, err error) {
	params := q.params()
	from = params.edition("from", edition{number: int64(latest)})
	to = params.edition("to", edition{current: true})
	return from, to, params.err()
}

// inspections answers about documents: diagnostics, comparisons and previews.
type inspections struct{ documents documents }

// showDiff compares two editions of a Theme's document, with the renames of every publish between
// them.
func (h inspections) showDiff(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	from, to, err := q.editions(t.theme.LatestVersion)
	if err != nil {
		return httpserver.Answer{}, err
	}
	versions := history{documents: h.documents, reader: r, theme: t.theme}
	before, err := versions.edition(from)
	if err != nil {
		return httpserver.Answer{}, err
	}
	after, err := versions.edition(to)
	if err != nil {
		return httpserver.Answer{}, err
	}
	moves, err := versions.renames(versions.number(from), versions.number(to))
	if err != nil {
		return httpserver.Answer{}, err
	}
	return bare(fasthttp.StatusOK, newDiffBody(from, to, theming.CompareThemes(before, after, moves)))
}

// showVariantDiff compares two editions of a Variant's overrides, laid over the Theme's newest version.
func (h inspections) showVariantDiff(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	from, to, err := q.editions(t.variant.LatestVersion)
	if err != nil {
		return httpserver.Answer{}, err
	}
	before, err := h.variantEdition(r, t, from)
	if err != nil {
		return httpserver.Answer{}, err
	}
	after, err := h.variantEdition(r, t, to)
	if err != nil {
		return httpserver.Answer{}, err
	}
	versions := history{documents: h.documents, reader: r, theme: t.theme}
	newest, err := versions.edition(edition{number: int64(t.theme.LatestVersion), current: t.theme.LatestVersion == 0})
	if err != nil {
		return httpserver.Answer{}, err
	}
	return bare(fasthttp.StatusOK, newDiffBody(from, to, theming.CompareVariantsOver(newest, before, after)))
}

func (h inspections) variantEdition(r storage.Reader, t target, e edition) (*jsontree.Node, error) {
	if e.current {
		state, err := h.documents.variantState(r, t.theme, t.variant)
		if err != nil {
			return nil, err
		}
		return state.Overrides()
	}
	number, err := e.version()
	if err != nil {
		return nil, err
	}
	if number == 0 {
		return jsontree.NewObject(), nil
	}
	version, err := variantVersion(r, t.variant, number)
	if err != nil {
		return nil, err
	}
	return h.documents.tree(version.Overrides)
}

// edited is an edition of a Theme's document, and what is laid over it.
type edited struct {
	document theming.Edition
	own      *jsontree.Node // of the Variant that the path names, and of single modes that the query names

	dimensions []modesheet.Dimension     // of a conditional stylesheet; nil: none is wanted
	modes      map[string]*jsontree.Node // overrides of their modes by Variant
}

// edited reads an edition of a Theme's document with what the Variant that the path names has in it, if any, and what the
// modes have that the query names.
func (h inspections) edited(r storage.Reader, t target, e edition, chosen string) (d edited, err error) {
	versions := history{documents: h.documents, reader: r, theme: t.theme}
	if d.document, err = versions.edition(e); err != nil {
		return d, err
	}
	own, err := h.overrides(r, t.theme, t.variant.ID, e)
	if err != nil {
		return d, err
	}
	d.own = modes.Merge(own)
	if chosen == "" {
		return d, nil
	}
	list := t.theme.Modes
	if !e.current {
		version, err := themeVersion(r, t.theme, versions.number(e))
		if err != nil {
			return d, err
		}
		list = version.Modes
	}
	return d, h.addModes(r, t, e, &d, list, chosen)
}

// addModes adds the modes that the query names.
func (h inspections) addModes(r storage.Reader, t target, e edition, d *edited, list []record.Mode, chosen string) error {
	dimensions, conditional, ok := modes.Select(modes.Of(list, t.variant.ID), chosen)
	if !ok {
		return errNotFound
	}
	if conditional {
		d.dimensions, d.modes = dimensions, map[string]*jsontree.Node{}
	}
	for _, of := range dimensions {
		for _, m := range of.Modes {
			overrides, err := h.overrides(r, t.theme, m.Variant, e)
			if err != nil {
				return err
			}
			if conditional {
				d.modes[m.Variant] = overrides
			} else {
				d.own = modes.Merge(d.own, overrides)
			}
		}
	}
	return nil
}

// file renders one served file.
func (d edited) file(f renderer.File) ([]byte, error) {
	switch {
	case d.dimensions == nil:
		return renderer.LoadTree(d.document.Document, d.own, d.document.Prefix).Append(nil, f), nil
	case f != renderer.TokensCSS:
		return nil, errNotFound
	}
	text, err := derive.PreviewSheet(context.Background(), d.document.Document, d.document.Prefix, d.own, d.dimensions, d.modes)
	if errors.Is(err, derive.ErrTooLarge) {
		return nil, errNotFound
	}
	return text, err
}

// overrides is what a Variant serves at a published version, or has now, its draft included; nil if it has nothing.
func (h inspections) overrides(r storage.Reader, theme record.Theme, id string, e edition) (*jsontree.Node, error) {
	if id == "" {
		return nil, nil
	}
	if !e.current {
		pair, err := storage.Optional(storage.Pairs.Read(r, theme.EnvironmentID, theme.ID, id, storage.Number(uint32(e.number))))
		if err != nil {
			return nil, err
		}
		return h.documents.tree(pair.Overrides)
	}
	variant, err := storage.Variants.Read(r, theme.EnvironmentID, theme.ID, id)
	if err != nil {
		return nil, orNotFound(err)
	}
	state, err := h.documents.variantState(r, theme, variant)
	if err != nil {
		return nil, err
	}
	return state.Overrides()
}

// diagnosticBody is one thing that the served files leave out.
type diagnosticBody struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// showDiagnostics lists what the files of the current document leave out, and why.
func (h inspections) showDiagnostics(r storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	d, err := h.edited(r, t, edition{current: true}, "")
	if err != nil {
		return httpserver.Answer{}, err
	}
	set := renderer.LoadTree(d.document.Document, d.own, d.document.Prefix)
	list := []diagnosticBody{}
	for _, d := range set.Diagnostics() {
		list = append(list, diagnosticBody{d.Path, d.Kind, d.Message})
	}
	ignored, err := h.ignoredModes(r, t, d.document.Document)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list = append(list, ignored...)
	return bare(fasthttp.StatusOK, struct {
		Diagnostics []diagnosticBody `json:"diagnostics"`
	}{list})
}

// ignoredModes lists the modes that are the same as none: their Variant overrides nothing that the Theme has. Those for one
// brand are listed of that brand's Variant.
func (h inspections) ignoredModes(r storage.Reader, t target, document *jsontree.Node) (list []diagnosticBody, err error) {
	for _, m := range t.theme.Modes {
		if m.Variant == "" || m.For != t.variant.ID {
			continue
		}
		overrides, err := h.overrides(r, t.theme, m.Variant, edition{current: true})
		if err != nil {
			return nil, err
		}
		if overrides != nil && slices.ContainsFunc(overrides.Members, func(o jsontree.Member) bool { return isToken(document, o.Name) }) {
			continue
		}
		v, err := storage.Variants.Read(r, t.theme.EnvironmentID, t.theme.ID, m.Variant)
		if err != nil {
			return nil, orNotFound(err)
		}
		list = append(list, diagnosticBody{m.Dimension + "." + m.Mode, "modeIgnored", "the Variant " + v.Slug + " of this mode overrides nothing that the Theme has"})
	}
	return list, nil
}

// isToken reports whether a document has a token of a dotted path.
func isToken(document *jsontree.Node, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		document = document.Find(name)
	}
	return document.Find("$value") != nil
}

// showPreview renders one served file of the current document or of a version, whatever the integrations are.
func (h inspections) showPreview(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	file, ok := renderer.FileByName(q.file)
	if !ok {
		return httpserver.Answer{}, errNotFound
	}
	params := q.params()
	at := params.edition("version", edition{current: true})
	chosen, _ := params.text("modes")
	if err := params.err(); err != nil {
		return httpserver.Answer{}, err
	}
	d, err := h.edited(r, t, at, chosen)
	if err != nil {
		return httpserver.Answer{}, err
	}
	a := httpserver.Answer{Status: fasthttp.StatusOK}
	if a.Body, err = d.file(file); err != nil {
		return httpserver.Answer{}, err
	}
	switch file {
	case renderer.TokensCSS:
		a.ContentType = "text/css; charset=utf-8"
	case renderer.TokensDTCGJSON:
		a.ContentType = "application/design-tokens+json"
	}
	return a, nil
}
