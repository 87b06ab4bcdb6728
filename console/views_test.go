//go:build browser

package console_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// patterns lists the addresses of all views, as the routes of the page have them.
func patterns(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("src/routes.ts")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range regexp.MustCompile(`pattern: "([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		list = append(list, m[1])
	}
	if len(list) < 2 {
		t.Fatalf("routes.ts has %d routes", len(list))
	}
	return list
}

// sample is the sample Theme of a dev server.
type sample struct{ environment, theme, variant string }

func sampleOf(d *dev) (s sample) {
	var list struct {
		Items []struct{ ID, Slug string }
	}
	d.api("GET", "/environments", nil, &list)
	for _, e := range list.Items {
		if e.Slug == "sandbox" {
			s.environment = e.ID
		}
	}
	d.api("GET", "/environments/"+s.environment+"/themes", nil, &list)
	s.theme = list.Items[0].ID
	d.api("GET", "/environments/"+s.environment+"/themes/"+s.theme+"/variants", nil, &list)
	s.variant = list.Items[0].ID
	return s
}

func (s sample) address(pattern string) string {
	return "/console/" + strings.NewReplacer(":environment", s.environment, ":theme", s.theme, ":variant", s.variant).Replace(pattern)
}

// quiet waits until a view has what it shows.
func (p *page) quiet() {
	p.t.Helper()
	p.until(`document.querySelector("main")?.childElementCount > 0 && !document.querySelector("main .loading") && !document.querySelector("main").innerText.includes("Rendering …") && [...document.querySelectorAll("main iframe")].every((f) => f.contentDocument?.body?.childElementCount > 0)`)
}

func (p *page) axe() string {
	p.t.Helper()
	script, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		p.t.Skipf("NOT PROVEN: %v (cd console && npm ci)", err)
	}
	if !evaluate[bool](p, `typeof axe !== "undefined"`) {
		evaluate[bool](p, string(script)+"; true")
	}
	return evaluate[string](p, `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map((v) => v.id + ": " + v.help + "\n    " + v.nodes.map((n) => n.html.slice(0, 200)).slice(0, 3).join("\n    ")).join("\n"))`)
}

// Every view fits every screen, has no fault of access in either scheme, and breaks no policy.
func TestViews(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	for _, pattern := range patterns(t) {
		t.Run(pattern, func(t *testing.T) {
			p.t = t
			p.view(s.address(pattern))
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int64{360, 1280, 3840} {
					p.screen(width, 900, scheme)
					p.quiet()
					if over := evaluate[int](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
						t.Errorf("%d px, %s: the view is %d px too wide", width, scheme, over)
					}
					if found := p.axe(); found != "" && width < 3840 {
						t.Errorf("%d px, %s:\n%s", width, scheme, found)
					}
					if width < 3840 {
						p.picture(fmt.Sprintf("%s-%s-%d", strings.NewReplacer("/", "_", ":", "").Replace(pattern), scheme, width))
					}
				}
			}
		})
	}
	p.t = t
}

// The first view needs one sheet and one script.
func TestFirstPaint(t *testing.T) {
	p := newBrowser(t)
	d := startDev(t)
	p.visit(d.origin + "/console/")
	p.says("Access token")
	p.until(`performance.getEntriesByName("first-contentful-paint").length === 1`)
	assets := evaluate[[]string](p, `performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname).filter((n) => n.startsWith("/console/assets/"))`)
	if len(assets) != 2 {
		t.Errorf("the first view loads %v, want one sheet and one script", assets)
	}
}
