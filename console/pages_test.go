//go:build browser

package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// manyThemes is more Themes than a page of a view has.
const manyThemes = 500

// crowded makes an Environment with many Themes, one of which has a draft, and manyVariants that override what it changes.
func crowded(d *dev) sample {
	d.t.Helper()
	d.grant("{dev: admin}")
	s := sample{environment: environmentOf(d)}
	th := newTheme(d, s.environment, "a-first", map[string]any{"color": map[string]any{"brand": map[string]any{"$type": "color", "$value": "#123456"}}})
	s.theme = th.id
	for i := range manyThemes - 1 {
		d.api("POST", "/environments/"+s.environment+"/themes", map[string]any{"slug": fmt.Sprintf("theme-%03d", i), "displayName": fmt.Sprintf("Theme %03d", i), "metadata": map[string]string{"number": fmt.Sprint(i)}}, nil)
	}
	d.api("POST", th.path()+"/tokens/publish", map[string]any{}, nil)
	var create []map[string]any
	for i := range variants {
		create = append(create, map[string]any{"slug": fmt.Sprintf("variant-%03d", i), "displayName": fmt.Sprintf("Brand %03d", i), "operations": []any{map[string]any{"operation": "set", "path": "color.brand", "value": fmt.Sprintf("#%06x", i)}}})
	}
	var made struct{ Created []struct{ ID string } }
	d.api("POST", th.path()+"/variants/batch", map[string]any{"create": create}, &made)
	s.variant = made.Created[variants-1].ID
	d.stop()
	d.multiply(th)
	d.start("--empty")
	d.api("PATCH", th.path()+"/tokens", map[string]any{"operations": []any{map[string]any{"operation": "replace", "path": "/color/brand/$value", "value": "#654321"}}}, nil)
	return s
}

// asked is a request to the API, and how large its answer was.
type asked struct {
	Address string
	Bytes   int
}

// visited loads a view and returns what it asked the API for; what lasts, the stream of events, has not ended.
func (p *page) visited(address string) []asked {
	p.t.Helper()
	p.visit(address)
	p.quiet()
	return p.asked()
}

func (p *page) asked() []asked {
	p.t.Helper()
	return evaluate[[]asked](p, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/public/v1/")).map((e) => ({ Address: e.name, Bytes: e.decodedBodySize }))`)
}

// A view asks for one page of each list that it shows, however long the list is.
func TestVisitsReadOnePage(t *testing.T) {
	d := startDev(t, "--empty")
	s := crowded(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	for _, pattern := range patterns(t) {
		bytes, requests := 0, p.visited(d.origin+s.address(pattern))
		for _, r := range requests {
			bytes += r.Bytes
			address, err := url.Parse(r.Address)
			if err != nil {
				t.Fatal(err)
			}
			if q := address.Query(); q.Get("after") != "" || len(q.Get("pageSize")) > 3 || len(q.Get("limit")) > 3 {
				t.Errorf("%s asks for more than a page: %s", pattern, r.Address)
			}
		}
		t.Logf("/%s: %d requests, %d bytes", pattern, len(requests), bytes)
		if len(requests) > 60 || bytes > 250_000 {
			t.Errorf("/%s: %d requests with %d bytes of answers, want at most 60 with 250,000", pattern, len(requests), bytes)
		}
	}
}

// A list shows its first page, and the next one on demand; the origin finds what is typed on whatever page it is.
func TestListByPages(t *testing.T) {
	d := startDev(t, "--empty")
	s := crowded(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	for _, c := range []struct {
		what, address, last string
		total               int
	}{
		{"Theme", s.address("e/:environment"), fmt.Sprintf("Theme %03d", manyThemes-2), manyThemes},
		{"Variant", s.address("e/:environment/t/:theme/variants"), fmt.Sprintf("Brand %03d, 9", variants-1), manyVariants},
	} {
		before := len(p.visited(d.origin + c.address))
		p.says(fmt.Sprintf("100 of %d", c.total))
		p.picture("pages-" + c.what)
		evaluate[bool](p, fmt.Sprintf(`(async () => {
			const field = %s("Find a %s"), text = %q;
			for (let i = 1; i <= text.length; i++) {
				field.value = text.slice(0, i);
				field.dispatchEvent(new InputEvent("input", { bubbles: true }));
				await new Promise(requestAnimationFrame);
			}
			return true;
		})()`, fieldOf, c.what, strings.ToLower(c.last)))
		p.until(`document.querySelector(".tools [role=status]").textContent === "1 of 1"`)
		p.says(c.last)
		p.picture("pages-" + c.what + "-found")
		if n := len(p.asked()) - before; n > 6 {
			t.Errorf("%d requests for a word that was typed at once: %v", n, p.asked()[before:])
		}
		p.write("Find a "+c.what, "")
		p.says(fmt.Sprintf("100 of %d", c.total))
		for shown := 200; shown <= c.total; shown += 100 {
			p.click("button", "Show more")
			p.says(fmt.Sprintf("%d of %d", shown, c.total))
		}
		p.until(`![...document.querySelectorAll("main button")].some((b) => b.textContent === "Show more")`)
		evaluate[bool](p, `(scrollTo(0, document.documentElement.scrollHeight), true)`)
		p.says(c.last)
	}
	p.view(s.address("e/:environment"))
	p.write("Find a Theme", "number=42")
	p.until(`document.querySelector(".tools [role=status]").textContent === "1 of 1"`)
	p.says("Theme 042")
	p.write("Find a Theme", "no such")
	p.says("No Theme has these words")
	p.click("button", "Show all")
	p.says(fmt.Sprintf("100 of %d", manyThemes))
	d.api("POST", "/environments/"+s.environment+"/themes", map[string]any{"slug": "a-second", "displayName": "A second"}, nil)
	p.says(fmt.Sprintf("100 of %d", manyThemes+1))
	p.says("A second")
}

// Fields that name a Variant find each one of many, and the origin says which slug is taken.
func TestPickFromMany(t *testing.T) {
	d := startDev(t, "--empty")
	s := crowded(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	last := fmt.Sprintf("variant-%03d-9", variants-1)
	p.view(s.address("e/:environment/t/:theme/v/:variant/settings"))
	p.write("From the Variant", "variant-none")
	p.says("The Theme has no Variant of this slug.")
	p.write("From the Variant", last)
	p.click("button", "Copy into the draft")
	p.says(fmt.Sprintf("has the 1 overrides of Brand %03d, 9 now", variants-1))

	p.view(s.address("e/:environment/t/:theme/settings"))
	p.click("button", "Add a mode")
	p.write("Mode", "dark")
	p.write("Variant", last)
	p.click("button", "Save the modes")
	p.says("The modes are saved.")
	p.visit(d.origin + s.address("e/:environment/t/:theme/settings"))
	p.until(fmt.Sprintf(`%s("Variant")?.value === %q`, fieldOf, last))

	p.view(s.address("e/:environment/t/:theme/preview"))
	p.quiet()
	p.click("button", "Draft alone")
	p.write("Brand", last)
	p.until(fmt.Sprintf(`document.querySelector("[aria-label='Pane 1: draft of Brand %03d, 9']")`, variants-1))
	p.quiet()
	p.picture("pick-preview")

	p.view(s.address("e/:environment/t/:theme/matrix"))
	p.says(fmt.Sprintf("1 tokens × 100 of %d Variants", manyVariants))
	p.write("Find Variants", last)
	p.says("1 tokens × 1 of 1 Variants")

	p.view(s.address("e/:environment/t/:theme/diff"))
	p.says(fmt.Sprintf("100 of %d Variants are looked at", manyVariants))
	p.says("Publish 100 Variants")
	p.picture("pick-changes")

	other := newTheme(d, s.environment, "other", map[string]any{"color": map[string]any{}})
	d.api("POST", other.path()+"/variants", map[string]any{"slug": "north", "displayName": "North"}, nil)
	p.view(other.view("variants"))
	p.click("button", "New Variants")
	p.write("Slug and name, one Variant a line", "south\nnorth")
	p.click("dialog button", "Create 2 Variants")
	p.says("north: this slug is taken.")
	p.click("dialog button", "Cancel")
	p.view(s.address("e/:environment"))
	p.click("button", "New Theme")
	p.write("Name", "Theme 042")
	p.click("dialog button", "Create")
	p.says("this slug is taken.")
}

// An answer that comes late does not replace that to what was typed last.
func TestLateSearchAnswer(t *testing.T) {
	d := startDev(t, "--empty")
	s := sample{environment: environmentOf(d)}
	for _, slug := range []string{"early", "late"} {
		d.api("POST", "/environments/"+s.environment+"/themes", map[string]any{"slug": slug, "displayName": slug}, nil)
	}
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view(s.address("e/:environment"))
	p.says("2 of 2")
	evaluate[bool](p, `(() => {
		const real = fetch;
		window.fetch = async (address, options) => {
			const response = await real(address, options);
			if (String(address).includes("q=early")) {
				window.held = true;
				await new Promise((resolve) => { window.release = resolve; });
				setTimeout(() => { window.released = true; }, 100);
			}
			return response;
		};
		return true;
	})()`)
	p.write("Find a Theme", "early")
	p.until("window.held")
	p.write("Find a Theme", "late")
	p.until(`document.querySelector(".tools [role=status]").textContent === "1 of 1"`)
	evaluate[bool](p, "(release(), true)")
	p.until("window.released")
	if text := evaluate[string](p, `document.querySelector("main").innerText`); !strings.Contains(text, "late") || strings.Contains(text, "early") {
		t.Errorf("the list shows %q after the late answer", text)
	}
}
