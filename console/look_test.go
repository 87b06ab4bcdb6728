//go:build browser

package console_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// The preview draws in the page what the origin would serve, draft and version, Theme and Variant, in modes.
func TestPreview(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	tokens := fmt.Sprintf("/environments/%s/themes/%s/tokens", s.environment, s.theme)
	d.api("PATCH", tokens, map[string]any{"operations": []map[string]any{{"operation": "replace", "path": "/palette/coral/500/$value", "value": "#123456"}}}, nil)
	p.view(s.address("e/:environment/t/:theme/preview"))
	same := func(panes int) {
		t.Helper()
		p.until(fmt.Sprintf(`[...document.querySelectorAll(".look-state .badge")].filter((b) => b.textContent === "same bytes as the origin's").length === %d`, panes))
	}
	same(2)
	p.says("What differs between pane 1 and pane 2")
	for _, size := range []int64{360, 1280, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			p.screen(size, 1200, scheme)
			if got := evaluate[int](p, `new Set([...document.querySelectorAll(".look-frame")].map((f) => f.getBoundingClientRect().left)).size`); (got == 2) != (size > 900) {
				t.Errorf("two panes stand in %d columns of a window %d wide", got, size)
			}
			p.picture(fmt.Sprintf("preview-%s-%d", scheme, size))
		}
	}
	p.screen(1280, 1200, "light")
	for part, want := range map[string]string{"canvas": "color-background-canvas", "text": "color-text-default", "accent": "color-accent", "gradient": "gradient-horizon"} {
		if got := evaluate[string](p, fmt.Sprintf(`document.querySelector(".look-frame").contentDocument.documentElement.style.getPropertyValue("--look-%s")`, part)); got != "var(--"+want+")" {
			t.Errorf("the samples have %s for %s, want --%s", got, part, want)
		}
	}
	if got := evaluate[string](p, `[...document.querySelector(".look-frame").contentDocument.querySelectorAll("section:not([hidden]) h2")].map((e) => e.textContent).join()`); !strings.HasPrefix(got, "Colours (36),Gradients (2),Type (") {
		t.Errorf("the samples have the kinds %s", got)
	}
	for _, preset := range []string{"Brand | Brand", "Light | Dark", "Published | Draft"} {
		p.click("button", preset)
		same(2)
		p.picture("preview-" + strings.ReplaceAll(preset, " | ", "-"))
	}
	p.write("Show", "tokens")
	p.picture("preview-tokens")
	p.click("summary", "Files")
	p.until(`[...document.querySelectorAll("td .badge.success")].length === 5`)
	p.picture("preview-files")
}

// served is what the edge answers for the stylesheet of a Theme.
func served(t *testing.T, d *dev, theme string) string {
	t.Helper()
	var urls struct {
		ServingUrls struct{ Latest []struct{ URL string } }
	}
	d.api("GET", theme, nil, &urls)
	res, err := http.Get(urls.ServingUrls.Latest[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The road from a difference to what an edge serves, and back: reasons, note, publish, the moment of serving, restore, discard.
func TestPublishAndRestore(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	theme := fmt.Sprintf("/environments/%s/themes/%s", s.environment, s.theme)
	edit := func(operations ...map[string]any) {
		t.Helper()
		var state struct{ Resource struct{ Etag *string } }
		d.api("GET", theme+"/tokens?path=-", nil, &state)
		query := ""
		if state.Resource.Etag != nil {
			query = "?etag=" + *state.Resource.Etag
		}
		d.api("PATCH", theme+"/tokens"+query, map[string]any{"operations": operations}, nil)
	}
	replace := func(value string) map[string]any {
		return map[string]any{"operation": "replace", "path": "/palette/coral/500/$value", "value": value}
	}
	edit(replace("#123456"), map[string]any{"operation": "move", "from": "/radius/lg", "path": "/radius/large"})
	p.view(s.address("e/:environment/t/:theme/diff"))
	p.says("Sites can break")
	p.says("1 custom property under another name")
	p.says("was radius.lg")
	for _, size := range []int64{360, 1280, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			p.screen(size, 1400, scheme)
			p.picture(fmt.Sprintf("diff-%s-%d", scheme, size))
		}
	}
	p.screen(1280, 1400, "light")
	edit(replace("#654321"))
	p.says("#654321")
	p.click("a", "Preview")
	p.until(`getComputedStyle([...document.querySelectorAll(".look-frame")].at(-1).contentDocument.documentElement).getPropertyValue("--palette-coral-500").trim() === "#654321"`)
	edit(replace("#654322"))
	p.until(`getComputedStyle([...document.querySelectorAll(".look-frame")].at(-1).contentDocument.documentElement).getPropertyValue("--palette-coral-500").trim() === "#654322"`)
	p.click("summary", "Files")
	p.write("Of pane", "1")
	p.until(`[...document.querySelectorAll("td .badge.success")].length === 5 && document.querySelector(".look-file").textContent.includes("#654322")`)
	previewed := evaluate[string](p, `document.querySelector(".look-file").textContent`)
	p.click("a", "Changes")
	p.says("#654322")
	p.write("Note", "A deeper coral")
	p.click("button", "Publish all the same")
	p.says("Version 2 is published")
	p.says("served after")
	p.says("Nothing to publish")
	if got := served(t, d, theme); got != previewed {
		t.Errorf("the edge serves\n%s\nand the preview showed\n%s", got, previewed)
	}
	p.says("Drafts of Variants")
	p.picture("published")
	p.click("button", "Publish 2 Variants")
	p.says("2 of 2 Variants are published.")
	p.click("a", "Versions")
	p.says("A deeper coral")
	p.picture("versions")
	p.screen(360, 900, "dark")
	p.picture("versions-dark-360")
	p.screen(1280, 1400, "light")
	evaluate[bool](p, `([...document.querySelectorAll("button")].filter((b) => b.textContent === "Restore as draft").at(-1).click(), true)`)
	p.says("Restore version 1?")
	p.picture("restore")
	p.click("dialog button", "Restore as draft")
	p.says("From version 2 to the draft")
	p.says("was radius.large")
	p.click("button", "Discard the draft")
	p.click("dialog button", "Discard")
	p.says("Nothing to publish")
	p.picture("nothing")
}

// A Variant that is published at the newest version of its Theme already is published on a new one, unless the Theme has a draft.
func TestPublishVariant(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	theme := fmt.Sprintf("/environments/%s/themes/%s", s.environment, s.theme)
	variant := theme + "/variants/" + s.variant
	edit := func(path, operation, at, value string) {
		t.Helper()
		d.api("PATCH", path+"/tokens", map[string]any{"operations": []map[string]any{{"operation": operation, "path": at, "value": value}}}, nil)
	}
	edit(variant, "set", "palette.kelp", "#123456")
	edit(theme, "replace", "/palette/kelp/$value", "#654321")
	p.view(s.address("e/:environment/t/:theme/v/:variant/diff"))
	p.says("The Theme gets version 2 with the same document first")
	p.click("button", "Publish")
	p.says("Publish or discard the Theme's draft first.")
	p.bad = nil // the browser notes the refusal
	var state struct{ Resource struct{ Etag string } }
	d.api("GET", theme+"/tokens?path=-", nil, &state)
	d.api("DELETE", theme+"/tokens?etag="+state.Resource.Etag, nil, nil)
	p.click("button", "Publish")
	p.says("Version 2 is published")
	p.says("served after")
	if got := served(t, d, variant); !strings.Contains(got, "--palette-kelp: #123456;") {
		t.Errorf("the edge serves %s", got)
	}
	var list struct {
		Items []struct{ HasUnpublishedChanges bool }
	}
	d.api("GET", theme+"/variants", nil, &list)
	for i, v := range list.Items {
		if v.HasUnpublishedChanges {
			t.Errorf("Variant %d is left with a draft", i)
		}
	}
}

// If the module cannot start, the preview says what to do, and starts it once it can.
func TestPreviewWithoutModule(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	evaluate[bool](p, `(window.Kept = Worker, window.Worker = class { constructor() { setTimeout(() => this.onerror(), 50) } postMessage() {} terminate() {} }, true)`)
	p.view(s.address("e/:environment/t/:theme/preview"))
	p.says("The renderer does not run in this browser")
	evaluate[bool](p, `(window.Worker = Kept, true)`)
	p.click("button", "Try again")
	p.until(`document.querySelectorAll(".look-state .badge.success").length === 1 && !document.querySelector(".notice.danger")`)
}
