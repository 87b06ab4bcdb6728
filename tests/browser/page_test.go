//go:build browser

package browser

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// testPage is what one page shows: a stylesheet, linked and inlined, and JSON files, inlined in script
// elements and as the text of an element.
type testPage struct {
	css  string
	json []string
}

// page returns the HTML document of s. What is inlined is inlined as it is: that is the test.
func (s testPage) page() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><meta charset=utf-8><link rel=stylesheet href=tokens.css><style>\n" + s.css + "</style></head><body>\n")
	for _, text := range s.json {
		b.WriteString("<script type=application/json>" + text + "</script><div hidden>" + text + "</div>\n")
	}
	b.WriteString("<hr></body></html>\n")
	return b.String()
}

// elements returns how many elements the page has when nothing broke out of its place: html, head,
// meta, link, style, body and hr, and two for every JSON file.
func (s testPage) elements() int { return 7 + 2*len(s.json) }

// finding is what inspect.js saw of a page.
type finding struct {
	Sheets []struct {
		Rules        int           `json:"rules"`
		Selector     string        `json:"selector"`
		Declarations []declaration `json:"declarations"`
	} `json:"sheets"`
	Elements int      `json:"elements"`
	Scripts  int      `json:"scripts"`
	Foreign  []string `json:"foreign"`
	JSON     []string `json:"json"`
}

// declaration is one custom property as the CSSOM lists it.
type declaration struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Priority string `json:"priority"`
}

//go:embed inspect.js
var inspectScript string

// inspect opens the page of s, uses every custom property of it, and says what broke out of its
// place; want is what the stylesheet declares, in order.
func (c *chromium) inspect(s testPage, want []declaration) []string {
	ctx, cancel := context.WithTimeout(c.tab, patience)
	defer cancel()
	base := c.pages.serve(s)
	if err := c.open(ctx, base+"page.html"); err != nil {
		return []string{"the page did not load: " + err.Error()}
	}
	found, err := evaluate[finding](ctx, fmt.Sprintf("(%s)(%q)", inspectScript, base))
	if err != nil {
		return []string{"the page cannot be inspected: " + err.Error()}
	}
	requests, err := c.requestsUntil(base + "mark")
	if err != nil {
		return []string{err.Error()}
	}
	problems := s.check(found, want)
	for _, address := range requests {
		if !slices.Contains(c.pages.addresses(), address) {
			problems = append(problems, "the page asked for "+address)
		}
	}
	for _, path := range c.canary.take(canaryHost) {
		problems = append(problems, "the canary was asked for "+path)
	}
	return problems
}

// check compares what the browser found with what it must find.
func (s testPage) check(f finding, want []declaration) (problems []string) {
	if len(f.Sheets) != 2 {
		problems = append(problems, fmt.Sprintf("%d stylesheets, want the linked and the inlined one", len(f.Sheets)))
	}
	for _, sheet := range f.Sheets {
		if sheet.Rules != 1 || sheet.Selector != ":root" {
			problems = append(problems, fmt.Sprintf("%d rules, the first of %q, want one of :root", sheet.Rules, sheet.Selector))
		}
		if why := difference(sheet.Declarations, want); why != "" {
			problems = append(problems, why)
		}
	}
	if f.Elements != s.elements() {
		problems = append(problems, fmt.Sprintf("%d elements, want %d", f.Elements, s.elements()))
	}
	if f.Scripts != len(s.json) {
		problems = append(problems, fmt.Sprintf("%d script elements, want the %d of the JSON files", f.Scripts, len(s.json)))
	}
	problems = append(problems, f.Foreign...)
	return append(problems, f.JSON...)
}

// difference names the first declaration that is not as wanted, "" if all are.
func difference(got, want []declaration) string {
	at := 0
	for _, w := range want {
		switch {
		case at < len(got) && got[at] == w:
			at++
		case at < len(got) && got[at].Name == w.Name:
			return fmt.Sprintf("the browser reads %q, want %q", got[at], w)
		default:
			return fmt.Sprintf("%s is lost: the browser reads %d declarations, want %d", w.Name, len(got), len(want))
		}
	}
	if at < len(got) {
		return fmt.Sprintf("%q is foreign: the browser reads %d declarations, want %d", got[at], len(got), len(want))
	}
	return ""
}

// pageServer serves one page at a time, each under addresses of its own.
type pageServer struct {
	server *httptest.Server

	mu    sync.Mutex        // guards what is below
	count int               // of pages so far
	files map[string]string // by path
}

func newPageServer() *pageServer {
	p := &pageServer{}
	p.server = httptest.NewServer(http.HandlerFunc(p.answer))
	return p
}

func (p *pageServer) close() { p.server.Close() }

// serve replaces the page and returns the address that its files begin with.
func (p *pageServer) serve(s testPage) string {
	files := map[string]string{"page.html": s.page(), "tokens.css": s.css, "mark": ""}
	for i, text := range s.json {
		files[fmt.Sprintf("%d.json", i)] = text
	}
	return p.serveFiles(files)
}

// serveFiles replaces what is served by files, by name, and returns the address they begin with.
func (p *pageServer) serveFiles(files map[string]string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	folder := fmt.Sprintf("/%d/", p.count)
	p.files = map[string]string{"/favicon.ico": ""}
	for name, text := range files {
		p.files[folder+name] = text
	}
	return p.server.URL + folder
}

// addresses lists what the page may ask for.
func (p *pageServer) addresses() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for path := range p.files {
		all = append(all, p.server.URL+path)
	}
	return all
}

func (p *pageServer) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	text, ok := p.files[r.URL.Path]
	p.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentType(r.URL.Path))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(text))
}

func contentType(path string) string {
	switch {
	case strings.HasSuffix(path, ".html"):
		return "text/html; charset=utf-8"
	case strings.HasSuffix(path, ".css"):
		return "text/css; charset=utf-8"
	case strings.HasSuffix(path, ".js"):
		return "text/javascript"
	case strings.HasSuffix(path, ".json"):
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}
