// Package reference makes the page by which people read about the API, out of its OpenAPI document. The page needs nothing
// but its style and its script, both of this package.
package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"example.com/livery/renderer/jsontree"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var style []byte

//go:embed page.js
var script []byte

// Policy is the Content-Security-Policy of the page: it loads its own style and script, runs no other, sends nothing and
// stands in no frame.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// File is one file of the reference.
type File struct {
	Path        string // on the origin
	ContentType string
	Body        []byte
}

// Paths are those of the files, in their order.
var Paths = [...]string{"/docs/reference.html", "/docs/reference.css", "/docs/reference.js"}

// Files returns the page of an OpenAPI document, its style and its script. address is that of the document as the page names
// it, console that of a form which sends the operation that is written behind it; empty: there is none. An error says what
// the document lacks.
func Files(document *jsontree.Node, address, console string) ([]File, error) {
	parsed, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	r := reader{document: document}
	p := r.page()
	p.Address, p.Console = address, console
	var page bytes.Buffer
	if err := parsed.Execute(&page, p); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	if r.err != nil {
		return nil, fmt.Errorf("reference: %w", r.err)
	}
	return []File{
		{Paths[0], "text/html; charset=utf-8", page.Bytes()},
		{Paths[1], "text/css; charset=utf-8", style},
		{Paths[2], "text/javascript; charset=utf-8", script},
	}, nil
}
