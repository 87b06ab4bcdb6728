// Package page draws the tokens of a Theme as one HTML page that a person looks at: swatches, type
// specimens, spacing, corners, shadows, motion, Variants beside the Theme, and what the served files leave
// out. The page is one file that holds all it needs and sends no request, but those of a live page to its own
// server. It shows the very values that tokens.css would have. It is pure, and no token can put anything of
// its own into the page.
package page

import (
	"strconv"
	"strings"

	"example.com/livery/cli/tokens/export"
	"example.com/livery/renderer"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Input is what a page shows.
type Input struct {
	Title    string         // of the page, any text
	Theme    *jsontree.Node // the document
	Variants []Variant      // shown beside the Theme, in this order
	Prefix   string         // of the custom properties; empty means none
	Live     bool           // the page asks its own server at "changes" when to load itself again
}

// Variant is what a page shows beside the Theme.
type Variant struct {
	Name      string         // any text
	Overrides *jsontree.Node // a flat map
}

// Append appends the page for an input. It is total: any document gives a page.
func Append(dst []byte, in Input) []byte {
	theme := dtcg.Read(in.Theme)
	p := drawing{Input: in, columns: []column{newColumn("Theme", theme, in.Prefix)}}
	for _, v := range in.Variants {
		p.columns = append(p.columns, newColumn(v.Name, dtcg.Overlay(theme, dtcg.Overrides(v.Overrides)), in.Prefix))
	}
	p.page()
	return append(dst, p.String()...)
}

// drawing is a page that is being written.
type drawing struct {
	Input
	strings.Builder
	columns []column // the Theme, then its Variants
}

// column is the Theme or a Variant. The tokens of all columns are the same, in the same order.
type column struct {
	name     string
	document *dtcg.Document
	set      *renderer.Set
	css      string            // its tokens.css
	declared map[string]string // custom property -> its value in tokens.css
}

func newColumn(name string, document *dtcg.Document, prefix string) column {
	set := renderer.LoadDocument(document, prefix)
	text := string(set.Append(nil, renderer.TokensCSS))
	return column{name, document, set, text, export.Declarations(text)}
}

// entry is one token as the page shows it.
type entry struct {
	index    int         // of the token in each column
	token    *dtcg.Token // of the first column that declares it
	property string      // its custom property
}

// value returns what tokens.css says of the token, or "" if it leaves the token out.
func (c *column) value(e entry) string {
	if value := c.declared[e.property]; value != "" || e.token.Resolved != "typography" {
		return value
	}
	return c.parts(e.property)
}

// section is a part of the page for tokens that are drawn alike.
type section struct {
	id, title, class string
	sample           string  // class of a sample; empty: the value alone is shown
	property         string  // of CSS that a sample shows, with its colon
	groups           []group // in the order of their first tokens
	count            int     // of tokens
}

// group are the tokens of a section whose paths begin alike.
type group struct {
	id, name string
	entries  []entry
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

func emptySections() [sectionCount]section {
	return [sectionCount]section{
		colors:     {id: "colours", title: "Colours", class: "grid", sample: "swatch", property: "--livery-page-sample:"},
		typography: {id: "typography", title: "Typography", class: "rows", sample: "specimen"},
		families:   {id: "fonts", title: "Fonts", class: "rows", sample: "specimen", property: "font-family:"},
		spacing:    {id: "sizes", title: "Sizes and spacing", class: "rows", sample: "bar", property: "width:"},
		corners:    {id: "corners", title: "Corners", class: "grid", sample: "box", property: "border-radius:"},
		shadows:    {id: "shadows", title: "Shadows", class: "grid", sample: "box raised", property: "box-shadow:"},
		borders:    {id: "borders", title: "Borders", class: "grid", sample: "box plain", property: "border:"},
		gradients:  {id: "gradients", title: "Gradients", class: "grid", sample: "box", property: "background:"},
		motion:     {id: "motion", title: "Motion", class: "rows", sample: "track", property: "animation-duration:"},
		others:     {id: "others", title: "Others", class: "rows"},
	}
}

// sections sorts the tokens that at least one column declares; the others are listed with what is left out.
func (p *drawing) sections() [sectionCount]section {
	list := emptySections()
	places := map[[2]string]int{} // section and name of a group -> its place in the section
	for i, first := range p.columns[0].document.Tokens {
		e := entry{index: i, property: string(css.AppendName(nil, p.Prefix, first.Segments()))}
		if !p.declares(&e) {
			continue
		}
		s := &list[sectionOf(e.token)]
		key := [2]string{s.id, groupOf(e.token.Segments())}
		at, known := places[key]
		if !known {
			at = len(s.groups)
			places[key] = at
			s.groups = append(s.groups, group{id: s.id + "-" + strconv.Itoa(at+1), name: key[1]})
		}
		s.groups[at].entries = append(s.groups[at].entries, e)
		s.count++
	}
	return list
}

// declares reports whether a column declares the token of e, and sets that column's token.
func (p *drawing) declares(e *entry) bool {
	for i := range p.columns {
		c := &p.columns[i]
		e.token = &c.document.Tokens[e.index]
		if c.value(*e) != "" {
			return true
		}
	}
	return false
}

// groupOf names the group that a token is shown in: at most the first two names of its parents.
func groupOf(segments []string) string {
	return strings.Join(segments[:min(2, max(0, len(segments)-1))], ".")
}

// sectionOf returns the section that a token is drawn in: by what its type is rendered as, and a length by its name.
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
