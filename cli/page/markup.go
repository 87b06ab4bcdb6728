package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
)

//go:embed page.css
var ownStyle string

//go:embed page.js
var ownScript string

// attribute makes any text safe within a quoted attribute.
func attribute(text string) string { return html.EscapeString(text) }

// visible makes any text safe as the text of an element: it ends no element, and nothing in it hides text or turns it
// around. Everything that is not the page's own goes through it or through attribute.
func visible(text string) string { return html.EscapeString(escape.Line(text)) }

// breakable is visible for a name, which a line may break after its dots and dashes.
func breakable(name string) string {
	return strings.NewReplacer(".", ".<wbr>", "-", "-<wbr>").Replace(visible(name))
}

// inStyle keeps a stylesheet from ending its element: a backslash before the slash says the same in CSS.
func inStyle(text string) string { return strings.ReplaceAll(text, "</", `<\/`) }

// policy lets the page run its own script alone, and a live page ask its own server.
func (p *drawing) policy() string {
	sum := sha256.Sum256([]byte(ownScript))
	text := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if p.Live {
		text += "; connect-src 'self'"
	}
	return text
}

func (p *drawing) page() {
	p.head()
	list := p.sections()
	p.contents(list[:])
	p.WriteString("<main>\n")
	p.faults()
	for _, s := range list {
		if s.count > 0 {
			p.section(s)
		}
	}
	p.WriteString("</main></div>\n<output id=\"copied\"></output>\n<script>" + ownScript + "</script></body></html>\n")
}

func (p *drawing) head() {
	live := ""
	if p.Live {
		live = " data-live"
	}
	p.WriteString("<!doctype html>\n<html lang=\"en\"" + live + "><head><meta charset=\"utf-8\">\n")
	p.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	p.WriteString(`<meta http-equiv="Content-Security-Policy" content="` + p.policy() + `">` + "\n")
	p.WriteString("<title>" + visible(p.Title) + "</title>\n<style>\n")
	for i, c := range p.columns {
		p.WriteString(inStyle(strings.Replace(c.css, ":root {", scope(i)+" {", 1)))
	}
	p.WriteString(ownStyle + "</style>\n</head><body>\n<header><h1>" + visible(p.Title) + "</h1>")
	p.WriteString("<p>" + count(len(p.columns[0].document.Tokens), "token"))
	for _, v := range p.Variants {
		p.WriteString(", " + count(len(v.Overrides.Members), "override") + " of " + visible(v.Name))
	}
	p.WriteString("</p><p>A click on a name, a reference or a value copies it.</p></header>\n" + tools)
}

// scope selects what has the custom properties of a column: the page those of the Theme.
func scope(column int) string {
	if column == 0 {
		return ":root"
	}
	return ".variant-" + strconv.Itoa(column)
}

const tools = `<search class="tools">
<label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<output id="matches" for="search"></output>
<label>Contrast on <select id="background">
<option value="#fff">White</option><option value="#000">Black</option></select></label>
</search>
<div class="layout">
`

// contents links every section and group.
func (p *drawing) contents(list []section) {
	p.WriteString("<nav class=\"contents\" aria-label=\"Contents\"><details open><summary>Contents</summary><ul>\n")
	for _, s := range list {
		if s.count == 0 {
			continue
		}
		p.WriteString(`<li><a href="#` + s.id + `">` + s.title + " <small>" + strconv.Itoa(s.count) + "</small></a><ul>\n")
		for _, g := range s.groups {
			p.WriteString(`<li><a href="#` + g.id + `">` + g.heading() + "</a></li>\n")
		}
		p.WriteString("</ul></li>\n")
	}
	p.WriteString("</ul></details></nav>\n")
}

// heading names a group.
func (g group) heading() string {
	if g.name == "" {
		return "Without a group"
	}
	return breakable(g.name)
}

func (p *drawing) section(s section) {
	class := s.class
	if len(p.columns) > 1 {
		class += " many"
	}
	p.WriteString(`<section id="` + s.id + `"><h2>` + s.title + ` <small>` + strconv.Itoa(s.count) + "</small></h2>\n")
	for _, g := range s.groups {
		p.WriteString(`<section class="group" id="` + g.id + `"><h3>` + g.heading() + `</h3><div class="` + class + `">` + "\n")
		for _, e := range g.entries {
			p.figure(s, e)
		}
		p.WriteString("</div></section>\n")
	}
	p.WriteString("</section>\n")
}

// figure writes one token: a sample and a value for each column, its name, and its custom property. The text
// of each button is what the button copies.
func (p *drawing) figure(s section, e entry) {
	p.WriteString(`<figure id="` + attribute(e.property) + `"><div class="samples">`)
	for i := range p.columns {
		p.sample(s, e, i)
	}
	p.WriteString(`</div><figcaption><button title="Copy the name">` + breakable(e.token.Path) + `</button>`)
	p.WriteString(`<button title="Copy the reference"><code>` + breakable(e.use()) + `</code></button>`)
	if d := e.token.Node.Find("$description"); d.IsString() {
		p.WriteString("<p>" + visible(d.Text) + "</p>")
	}
	p.WriteString("</figcaption></figure>\n")
}

// sample writes how a token looks in one column, what it is an alias of, and its value.
func (p *drawing) sample(s section, e entry, i int) {
	c := &p.columns[i]
	p.WriteString("<div>")
	value := c.value(e)
	if len(p.columns) > 1 {
		class := "of"
		if value != p.columns[0].value(e) {
			class = "of differs"
		}
		p.WriteString(`<span class="` + class + `">` + visible(c.name) + "</span>")
	}
	if drawn := s.draw(c, e); drawn.class != "" {
		class := drawn.class
		if i > 0 {
			class += " " + scope(i)[1:]
		}
		p.WriteString(`<div class="sample"><div class="` + class + `" style="` + attribute(drawn.style) + `">`)
		p.WriteString(visible(drawn.text) + "</div></div>")
	}
	if v := c.document.Tokens[e.index].Value; v.IsString() && strings.HasPrefix(v.Text, "{") {
		p.WriteString("<small>" + breakable(v.Text) + " = </small>")
	}
	if value == "" {
		p.WriteString("<small>left out</small>")
	} else {
		p.WriteString(`<button data-value title="Copy the value"><code>` + visible(value) + "</code></button>")
	}
	if s.id == "colours" {
		p.WriteString("<output></output>")
	}
	p.WriteString("</div>")
}

// faults lists what the served files leave out: of the Theme, and what else of each Variant.
func (p *drawing) faults() {
	var items []string
	seen := map[string]bool{}
	for i, c := range p.columns {
		for _, d := range c.set.Diagnostics() {
			item := "<code>" + breakable(d.Path) + "</code> " + visible(d.Kind+": "+d.Message)
			if seen[item] {
				continue
			}
			seen[item] = true
			if i > 0 {
				item += " (" + visible(c.name) + ")"
			}
			items = append(items, "<li>"+item+"</li>\n")
		}
	}
	if len(items) == 0 {
		return
	}
	open := ""
	if len(items) <= 5 {
		open = " open"
	}
	p.WriteString(`<details class="faults"` + open + "><summary>Left out <small>" + strconv.Itoa(len(items)))
	p.WriteString("</small></summary><ul>\n" + strings.Join(items, "") + "</ul></details>\n")
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
