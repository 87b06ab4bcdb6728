package api

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
)

// rendered is the current document of a Theme with the current overrides of the Variant that the
// path names, if any, resolved natively.
func (h inspections) rendered(r storage.Reader, t target) (*renderer.Set, error) {
	state, err := h.themeState(r, t.theme)
	if err != nil {
		return nil, err
	}
	document, err := state.Document()
	if err != nil {
		return nil, err
	}
	var overrides *jsontree.Node
	if t.variant.ID != "" {
		variant, err := h.variantState(r, t.theme, t.variant)
		if err != nil {
			return nil, err
		}
		if overrides, err = variant.Overrides(); err != nil {
			return nil, err
		}
	}
	return renderer.LoadTree(document, overrides, nextPrefix(t.theme)), nil
}

// diagnosticBody is one thing that the served files leave out.
type diagnosticBody struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// showDiagnostics lists what the files of the current document leave out, and why.
func (h inspections) showDiagnostics(r storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	set, err := h.rendered(r, t)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list := []diagnosticBody{}
	for _, d := range set.Diagnostics() {
		list = append(list, diagnosticBody{d.Path, d.Kind, d.Message})
	}
	return bare(fasthttp.StatusOK, struct {
		Diagnostics []diagnosticBody `json:"diagnostics"`
	}{list})
}

// showPreview renders one served file of the current document, whatever the integrations are.
func (h inspections) showPreview(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	file, ok := renderer.FileByName(q.file)
	if !ok {
		return httpserver.Answer{}, errNotFound
	}
	set, err := h.rendered(r, t)
	if err != nil {
		return httpserver.Answer{}, err
	}
	a := httpserver.Answer{Status: fasthttp.StatusOK, Body: set.Append(nil, file)}
	switch file {
	case renderer.TokensCSS:
		a.ContentType = "text/css; charset=utf-8"
	case renderer.TokensDTCGJSON:
		a.ContentType = "application/design-tokens+json"
	}
	return a, nil
}
