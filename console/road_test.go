//go:build browser

package console_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// theme is a Theme that a test works on.
type theme struct {
	environment, id string
	urls            struct{ Latest, Pinned []struct{ File, URL string } }
}

// newTheme creates a Theme with a document, unpublished.
func newTheme(d *dev, environment, slug string, document any) theme {
	d.t.Helper()
	var created struct {
		Resource struct{ ID string }
	}
	d.api("POST", "/environments/"+environment+"/themes", map[string]any{"slug": slug, "displayName": slug, "integration": map[string]string{"framework": "react", "library": "plainCSS"}}, &created)
	t := theme{environment: environment, id: created.Resource.ID}
	var operations []map[string]any
	groups := document.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		operations = append(operations, map[string]any{"operation": "add", "path": "/" + name, "value": groups[name]})
	}
	d.api("PATCH", t.path()+"/tokens", map[string]any{"operations": operations}, nil)
	return t
}

func (t theme) path() string { return "/environments/" + t.environment + "/themes/" + t.id }

func (t theme) view(tab string) string {
	return "/console/e/" + t.environment + "/t/" + t.id + strings.TrimSuffix("/"+tab, "/")
}

// latest reads the newest tokens.css that the edge serves.
func (t theme) latest(d *dev) string {
	d.t.Helper()
	d.api("GET", t.path(), nil, &struct{ ServingURLs any }{&t.urls})
	res, err := http.Get(t.urls.Latest[0].URL)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", res.StatusCode, text)
}

// value reads the value of a token of the draft, as JSON decoded.
func (t theme) value(d *dev, path string) any {
	d.t.Helper()
	var got struct {
		Resource struct{ Tokens []struct{ Value any } }
	}
	d.api("GET", t.path()+"/tokens?path="+url.QueryEscape(path), nil, &got)
	if len(got.Resource.Tokens) == 0 {
		return nil
	}
	return got.Resource.Tokens[0].Value
}

// A person makes a Theme in the console, adds a token, edits it, sees the preview that will be served, publishes, and goes back.
func TestRoad(t *testing.T) {
	d := startDev(t, "--empty")
	var list struct {
		Items []struct{ ID, Slug string }
	}
	d.api("GET", "/environments?slug=sandbox", nil, &list)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view("/console/e/" + list.Items[0].ID)
	p.click("button", "New Theme")
	p.write("Name", "Acme")
	p.click("dialog button", "Create")
	p.says("No tokens yet")
	p.click("button", "New token")
	p.write("Path", "color.brand")
	p.click("dialog button", "Add")
	p.until(`document.querySelector(".token-detail h2")?.textContent === "color.brand"`)
	p.write("Value of color.brand: colour", "#0055aa")
	p.enter("Value of color.brand: colour")
	p.until(`document.querySelector("[data-saved=true]") && document.querySelector(".token-table").textContent.includes("#0055aa")`)
	d.api("GET", "/environments/"+list.Items[0].ID+"/themes", nil, &list)
	th := theme{environment: strings.Split(evaluate[string](p, "location.pathname"), "/")[3], id: list.Items[0].ID}
	if got := th.value(d, "color.brand"); got != "#0055aa" {
		t.Fatalf("the draft has %v", got)
	}
	th.publish(p, "The first")
	await(t, func() error { return th.serves(d, "--color-brand: #0055aa") })

	p.open(th, "color.brand")
	p.write("Value of color.brand: colour", "#c2410c")
	p.enter("Value of color.brand: colour")
	p.until(`document.querySelector("[data-saved=true]") && document.querySelector(".token-table").textContent.includes("#c2410c")`)
	p.view(th.view("preview"))
	p.until(`document.querySelector("details.look-part summary")`)
	evaluate[bool](p, `(document.querySelector("details.look-part").open = true)`)
	p.write("Of pane", "1") // the draft, beside what is published
	p.until(`document.querySelector(".look-part pre")?.textContent.includes("#c2410c")`)
	p.until(`[...document.querySelectorAll(".look-part td .badge.success")].length === 5`) // each file is what the origin would publish
	shown := evaluate[string](p, `document.querySelector(".look-part pre").textContent`)
	th.publish(p, "The second")
	await(t, func() error { return th.serves(d, shown) })

	p.click(".tabs a", "Versions")
	p.says("The second")
	p.until(`[...document.querySelectorAll("main button")].filter((b) => b.textContent === "Restore as draft").length === 2`)
	evaluate[bool](p, `([...document.querySelectorAll("main button")].filter((b) => b.textContent === "Restore as draft")[1].click(), true)`)
	p.click("dialog button", "Restore as draft")
	await(t, func() error {
		if got := th.value(d, "color.brand"); got != "#0055aa" {
			return fmt.Errorf("the draft has %v, want what version 1 has", got)
		}
		return nil
	})
}

// publish publishes the draft in the view of its changes.
func (t theme) publish(p *page, note string) {
	p.t.Helper()
	p.click(".tabs a", "Changes")
	p.says("color.brand")
	p.write("Note", note)
	p.click("button", "Publish")
	p.says("served")
}

// serves fails if the newest tokens.css of the edge lacks a text.
func (t theme) serves(d *dev, text string) error {
	if got := t.latest(d); !strings.Contains(got, text) {
		return fmt.Errorf("the edge serves %s, want %s", got, text)
	}
	return nil
}
