// Package page draws the tokens of a Theme as one HTML page that a person looks at: swatches, type
// specimens, spacing, corners, shadows, motion, and what the served files leave out. The page holds all it
// needs, asks nobody for anything, and shows the very values that tokens.css would have. It is pure, and no
// token can put anything of its own into the page.
package page

import (
	"html"
	"strconv"
	"strings"

	"example.com/livery/renderer"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Input is what a page shows.
type Input struct {
	Title     string         // of the page, any text
	Theme     *jsontree.Node // the document
	Overrides *jsontree.Node // a Variant's flat map; nil means none
	Prefix    string         // of the custom properties; empty means none
	Live      bool           // the page asks its own server at "changes" when to draw itself anew
}

// Append appends the page for an input. It is total: any document gives a page.
func Append(dst []byte, in Input) []byte {
	p := drawing{Input: in, document: dtcg.Read(in.Theme)}
	if in.Overrides != nil {
		list := make([]dtcg.Override, len(in.Overrides.Members))
		for i, m := range in.Overrides.Members {
			list[i] = dtcg.Override{Path: m.Name, Value: m.Value}
		}
		p.document = dtcg.Overlay(p.document, list)
	}
	p.set = renderer.LoadDocument(p.document, in.Prefix)
	p.declared = declarations(string(p.set.Append(nil, renderer.TokensCSS)))
	return append(dst, p.page()...)
}

// drawing is a page on its way.
type drawing struct {
	Input
	strings.Builder
	document *dtcg.Document
	set      *renderer.Set
	declared map[string]string // custom property -> its value in tokens.css
}

// declarations reads the custom properties of a tokens.css.
func declarations(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && strings.HasPrefix(name, "--") {
			found[name] = strings.TrimSuffix(value, ";")
		}
	}
	return found
}

// entry is one token as the page shows it.
type entry struct {
	token    *dtcg.Token
	property string // its custom property
	value    string // what tokens.css says
}

// section is a part of the page for tokens that are drawn alike.
type section struct {
	title, class string
	draw         func(*drawing, entry)
	entries      []entry
}

// Some of the sections by their place in the page.
const (
	colors = iota
	typography
	families
	spacing
	corners
	shadows
	borders
	gradients
	motion
	others
	sectionCount
)

func (p *drawing) sections() [sectionCount]section {
	list := [sectionCount]section{
		colors:     {title: "Colours", class: "grid", draw: (*drawing).color},
		typography: {title: "Typography", class: "rows", draw: (*drawing).typography},
		families:   {title: "Fonts", class: "rows", draw: (*drawing).font},
		spacing:    {title: "Sizes and spacing", class: "rows", draw: (*drawing).size},
		corners:    {title: "Corners", class: "grid", draw: (*drawing).corner},
		shadows:    {title: "Shadows", class: "grid", draw: (*drawing).shadow},
		borders:    {title: "Borders", class: "grid", draw: (*drawing).border},
		gradients:  {title: "Gradients", class: "grid", draw: (*drawing).gradient},
		motion:     {title: "Motion", class: "rows", draw: (*drawing).motion},
		others:     {title: "Others", class: "rows", draw: (*drawing).other},
	}
	for i := range p.document.Tokens {
		t := &p.document.Tokens[i]
		property := string(css.AppendName(nil, p.Prefix, t.Segments))
		value, ok := p.declared[property]
		if !ok && t.Resolved != "typography" {
			continue // it is left out; the page lists it with the faults
		}
		s := &list[sectionOf(t)]
		s.entries = append(s.entries, entry{t, property, value})
	}
	return list
}

// sectionOf says where a token is drawn: by what its type is rendered as, and a length by its name.
func sectionOf(t *dtcg.Token) int {
	kind, _ := dtcg.KindOf(t.Resolved)
	switch kind {
	case css.Color:
		return colors
	case css.Typography:
		return typography
	case css.FontFamily, css.FontWeight:
		return families
	case css.Dimension:
		if strings.Contains(strings.ToLower(t.Resolved+"."+t.Path), "radius") {
			return corners
		}
		return spacing
	case css.Shadow:
		return shadows
	case css.Border, css.StrokeStyle:
		return borders
	case css.Gradient:
		return gradients
	case css.Duration, css.CubicBezier, css.Transition:
		return motion
	}
	return others
}

func (p *drawing) page() string {
	p.head()
	list := p.sections()
	p.faults()
	for _, s := range list {
		if len(s.entries) == 0 {
			continue
		}
		p.WriteString(`<section><h2>` + s.title + ` <small>` + strconv.Itoa(len(s.entries)) + `</small></h2><div class="` + s.class + `">` + "\n")
		for _, e := range s.entries {
			s.draw(p, e)
		}
		p.WriteString("</div></section>\n")
	}
	p.WriteString("</main></body></html>\n")
	return p.String()
}

func (p *drawing) head() {
	scripts := ""
	if p.Live {
		scripts = " script-src 'self'; connect-src 'self';"
	}
	p.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
	p.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	p.WriteString(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';` + scripts + `">` + "\n")
	p.WriteString("<title>" + html.EscapeString(p.Title) + "</title>\n<style>\n")
	p.WriteString(inStyle(string(p.set.Append(nil, renderer.TokensCSS))))
	p.WriteString(ownStyle + "</style>\n")
	if p.Live {
		p.WriteString(`<script src="` + ScriptName + `" defer></script>` + "\n")
	}
	p.WriteString("</head><body><main><header><h1>" + html.EscapeString(p.Title) + "</h1><p>" + count(len(p.document.Tokens), "token"))
	if p.Overrides != nil {
		p.WriteString(", " + count(len(p.Overrides.Members), "override"))
	}
	p.WriteString("</p></header>\n")
}

// inStyle keeps a stylesheet from ending its element: a backslash before the slash says the same in CSS.
func inStyle(text string) string { return strings.ReplaceAll(text, "</", `<\/`) }

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// faults lists what the served files leave out.
func (p *drawing) faults() {
	list := p.set.Diagnostics()
	if len(list) == 0 {
		return
	}
	p.WriteString(`<section class="faults"><h2>Left out <small>` + strconv.Itoa(len(list)) + "</small></h2><ul>\n")
	for _, d := range list {
		p.WriteString("<li><code>" + html.EscapeString(d.Path) + "</code> " + html.EscapeString(d.Kind+": "+d.Message) + "</li>\n")
	}
	p.WriteString("</ul></section>\n")
}
