// Package site makes the documentation that people read in a browser out of the project's Markdown: pages with a
// navigation, a search and a contents list, which load nothing from another server. The origin serves them, and make site
// writes them as files.
package site

import (
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"path"
	"strings"
)

//go:embed site.css site.js
var own embed.FS

//go:embed page.html
var layout string

// Policy is the Content-Security-Policy of the pages: they load their own style, script, pictures and search index, and
// stand in no frame.
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Source is what a site is made of.
type Source struct {
	Files    fs.FS  // the project's Markdown and pictures, by their paths in the repository
	Commands string // Markdown of every command of the program; empty: the page is left out
	OpenAPI  []byte // the OpenAPI document of the API, as JSON; empty: its reference is left out
	Console  bool   // the site is served beside a console, to whose forms the reference leads
	Version  string // of the program, which each page names
}

// File is one file of a site.
type File struct {
	ContentType string
	Body        []byte
}

// chapter is a page of the site: its address, and the Markdown it is made of.
type chapter struct {
	section string // of the navigation; empty: that of the chapter before
	name    string // of the page's address, without .html
	title   string // in the navigation
	source  string // in the repository
}

// What stands for Markdown that does not lie in a file: that of the commands, and that of the API's reference.
const (
	commandsSource  = "commands"
	referenceSource = "reference"
)

// documentFile is the OpenAPI document as a file of the site.
const documentFile = "openapi.json"

// decisionsSource is the folder whose Markdown becomes one page, a section for each file.
const decisionsSource = "docs/decisions"

// chapters are the pages in the order in which a newcomer reads them.
var chapters = []chapter{
	{"Start", "index", "Livery", "docs/index.md"},
	{"", "tutorial", "A quarter of an hour", "docs/tutorial.md"},
	{"", "concepts", "Concepts", "docs/concepts.md"},
	{"Work with tokens", "tokens", "Token files", "docs/tokens.md"},
	{"", "designers", "For designers", "docs/designers.md"},
	{"", "console", "The console", "docs/console.md"},
	{"", "ci", "Tokens in a pull request", "deploy/action/README.md"},
	{"", "scan", "Names in source files", "docs/scan.md"},
	{"Build with Livery", "applications", "For application developers", "docs/examples/README.md"},
	{"", "page", "A Theme in a page", "client/js/README.md"},
	{"", "api", "The API", "docs/api.md"},
	{"", "clients", "Typed clients", "docs/examples/clients/README.md"},
	{"Operate", "operating", "Operating Livery", "docs/operating.md"},
	{"", "proxies", "Proxies and CDNs", "deploy/proxies.md"},
	{"", "security", "Security", "docs/security.md"},
	{"", "attacks", "Attacks", "docs/attacks.md"},
	{"", "report", "Report a vulnerability", "SECURITY.md"},
	{"", "speed", "How fast it is", "docs/speed.md"},
	{"Reference", "reference", "Every request", referenceSource},
	{"", "commands", "Every command", commandsSource},
	{"", "rendering", "Rendering", "docs/rendering.md"},
	{"", "statements", "Statements", "docs/statements.md"},
	{"", "compatibility", "Compatibility", "docs/compatibility.md"},
	{"", "changes", "Changes", "CHANGELOG.md"},
	{"Contribute", "architecture", "Architecture", "ARCHITECTURE.md"},
	{"", "decisions", "Decisions", decisionsSource},
	{"", "releasing", "Releasing", "docs/releasing.md"},
}

// link is one line of the navigation.
type link struct {
	Section, Address, Title string // Section: not empty at the first line of one
	Here                    bool
}

// page is what page.html shows.
type page struct {
	Title, Version string
	Navigation     []link
	Contents       []heading
	Body           string // HTML
	Previous, Next *link
}

// Build returns the files of a site by their paths below its address. A page whose Markdown is not in the source is left
// out; an error says what cannot be read, or which link leads nowhere.
func Build(s Source) (map[string]File, error) {
	b := builder{source: s, files: map[string]File{}, pages: map[string]string{}}
	if err := b.choose(); err != nil {
		return nil, err
	}
	for i, c := range b.chapters {
		p, err := b.page(i, c)
		if err != nil {
			return nil, fmt.Errorf("site: %s: %w", c.source, err)
		}
		b.files[c.name+".html"] = File{"text/html; charset=utf-8", p.html()}
	}
	return b.files, b.finish()
}

// html returns the page. html/template would have the linker keep every method of the whole program.
func (p page) html() []byte {
	var navigation, around, contents strings.Builder
	for _, l := range p.Navigation {
		if l.Section != "" {
			fmt.Fprintf(&navigation, "\n<li class=\"section\">%s</li>", html.EscapeString(l.Section))
		}
		here := ""
		if l.Here {
			here = ` aria-current="page"`
		}
		fmt.Fprintf(&navigation, "\n<li><a href=\"%s\"%s>%s</a></li>", l.Address, here, html.EscapeString(l.Title))
	}
	if p.Previous != nil {
		fmt.Fprintf(&around, "<a rel=\"prev\" href=\"%s\"><span class=\"quiet\">Before</span> %s</a>\n", p.Previous.Address, html.EscapeString(p.Previous.Title))
	}
	if p.Next != nil {
		fmt.Fprintf(&around, "<a rel=\"next\" href=\"%s\"><span class=\"quiet\">Next</span> %s</a>", p.Next.Address, html.EscapeString(p.Next.Title))
	}
	if len(p.Contents) > 0 {
		contents.WriteString("<nav id=\"contents\" aria-label=\"On this page\">\n<p class=\"section\">On this page</p>\n<ul>")
		for _, h := range p.Contents {
			fmt.Fprintf(&contents, "\n<li class=\"level%d\"><a href=\"#%s\">%s</a></li>", h.Level, url.PathEscape(h.ID), html.EscapeString(h.Text))
		}
		contents.WriteString("\n</ul>\n</nav>")
	}
	return []byte(strings.NewReplacer("{{title}}", html.EscapeString(p.Title), "{{version}}", html.EscapeString(p.Version), "{{body}}", p.Body,
		"{{navigation}}", navigation.String(), "{{around}}", around.String(), "{{contents}}", contents.String()).Replace(layout))
}

// builder makes one site.
type builder struct {
	source   Source
	chapters []chapter
	text     map[string][]byte // the Markdown by its path
	pages    map[string]string // addresses by the paths of their Markdown
	entries  []entry
	files    map[string]File
}

// choose takes the chapters whose Markdown there is.
func (b *builder) choose() error {
	b.text = map[string][]byte{}
	if b.source.Commands != "" {
		b.text[commandsSource] = []byte(b.source.Commands)
	}
	if len(b.source.OpenAPI) > 0 {
		var err error
		if b.text[referenceSource], err = referenceText(b.source.OpenAPI); err != nil {
			return err
		}
		b.files[documentFile] = File{"application/json", b.source.OpenAPI}
	}
	if text := b.decisions(); text != nil {
		b.text[decisionsSource] = text
	}
	section := ""
	for _, c := range chapters {
		if c.section != "" {
			section = c.section
		}
		if text, err := fs.ReadFile(b.source.Files, c.source); err == nil {
			b.text[c.source] = text
		}
		if b.text[c.source] == nil {
			continue
		}
		c.section, section = section, ""
		b.chapters = append(b.chapters, c)
		b.pages[c.source] = c.name + ".html"
	}
	if len(b.chapters) == 0 {
		return fmt.Errorf("site: the source has none of the pages, such as %s", chapters[0].source)
	}
	return nil
}

// decisions returns the files of decisionsSource as one page, or nil without any. The address of a file is that of its section:
// its title without spaces is its name.
func (b *builder) decisions() (page []byte) {
	names, _ := fs.Glob(b.source.Files, decisionsSource+"/*.md") // the pattern is valid
	for _, name := range names {
		text, err := fs.ReadFile(b.source.Files, name)
		if err != nil {
			continue
		}
		if page == nil {
			page = []byte("# Decisions\n\nEach says what was chosen, what was refused, and what was measured.\n")
		}
		page = append(append(page, "\n#"...), text...)
		b.pages[name] = "decisions.html#" + strings.TrimSuffix(path.Base(name), ".md")
	}
	return page
}

// page renders a chapter.
func (b *builder) page(at int, c chapter) (page, error) {
	p := page{Title: c.title, Version: b.source.Version}
	for i, other := range b.chapters {
		l := link{other.section, other.name + ".html", other.title, i == at}
		p.Navigation = append(p.Navigation, l)
		switch i {
		case at - 1:
			p.Previous = &l
		case at + 1:
			p.Next = &l
		}
	}
	r := renderer{builder: b, source: c.source, address: c.name + ".html", title: c.title}
	body, err := r.render(b.text[c.source])
	p.Body, p.Contents = body, r.headings
	return p, err
}

// finish adds the files that all pages share.
func (b *builder) finish() error {
	index, err := json.Marshal(b.entries)
	if err != nil {
		return fmt.Errorf("site: %w", err)
	}
	b.files["search.json"] = File{"application/json", index}
	for name, kind := range map[string]string{"site.css": "text/css; charset=utf-8", "site.js": "text/javascript; charset=utf-8"} {
		body, err := own.ReadFile(name)
		if err != nil {
			return fmt.Errorf("site: %w", err)
		}
		b.files[name] = File{kind, body}
	}
	return nil
}

// pictureTypes are the types of the pictures, by the ends of their names.
var pictureTypes = map[string]string{".png": "image/png", ".svg": "image/svg+xml"}

// picture adds a picture of the repository, and returns its address.
func (b *builder) picture(name string) (string, error) {
	body, err := fs.ReadFile(b.source.Files, name)
	if err != nil {
		return "", err
	}
	kind := pictureTypes[path.Ext(name)]
	if kind == "" {
		return "", fmt.Errorf("%s is not a picture of a known type", name)
	}
	address := "pictures/" + strings.ReplaceAll(strings.TrimPrefix(name, "docs/"), "/", "-")
	b.files[address] = File{kind, body}
	return address, nil
}
