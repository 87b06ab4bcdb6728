//go:build browser

package console_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// grant gives people roles in the Environment sandbox, on the plan with the most Variants.
func (d *dev) grant(grants string) {
	d.t.Helper()
	teams := filepath.Join(d.t.TempDir(), "teams.yaml")
	text := "teams:\n  - slug: demo\n    plan: pro\n    members: [dev, vera, ed]\n    environments:\n      - {slug: sandbox, displayName: Sandbox, kind: sandbox, grants: " + grants + "}\n"
	if err := os.WriteFile(teams, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	d.livery("teams", "apply", teams)
}

// What a role may not do is not offered: a viewer and an editor see every view, and no button that the origin would refuse.
func TestRoles(t *testing.T) {
	d := startDev(t)
	d.grant("{dev: admin, vera: viewer, ed: editor}")
	s := sampleOf(d)
	for _, c := range []struct {
		subject      string
		shown, never []string
	}{
		{"vera", nil, []string{"New Theme", "New token", "Replace …", "Paste CSS …", "Rename", "Duplicate", "Remove", "New Variants", "Publish", "Discard", "Restore", "Delete the Theme"}},
		{"ed", []string{"New Theme", "New token", "Rename", "Remove", "New Variants"}, nil},
	} {
		t.Run(c.subject, func(t *testing.T) {
			p := newBrowser(t)
			p.logInAs(d, c.subject)
			seen := map[string]bool{}
			for _, pattern := range patterns(t) {
				address := s.address(pattern)
				if strings.HasSuffix(pattern, ":theme") {
					address += "?token=palette.ocean.600"
				}
				p.view(address)
				p.quiet()
				for _, name := range evaluate[[]string](p, `[...document.querySelectorAll("main button")].filter((b) => b.checkVisibility() && !b.disabled).map((b) => b.textContent.trim())`) {
					seen[name] = true
				}
			}
			for _, name := range c.shown {
				if !seen[name] {
					t.Errorf("%s does not see %q", c.subject, name)
				}
			}
			for _, name := range c.never {
				if seen[name] {
					t.Errorf("%s sees %q", c.subject, name)
				}
			}
		})
	}
}

// Of a person who logs out nothing is left in the page for the one who logs in next.
func TestNextPerson(t *testing.T) {
	d := startDev(t)
	d.grant("{dev: admin, vera: viewer}")
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view(s.address("e/:environment/t/:theme"))
	p.says("97 of 97")
	p.view("/console/calls")
	p.until(`document.querySelector("main").innerText.includes("/themes/")`)
	p.click(".menu summary", "dev")
	p.click("button", "Log out")
	p.write("Access token", strings.TrimSpace(d.livery("token", "--subject", "vera")))
	p.click("button", "Log in")
	p.until(`document.querySelector(".menu summary")?.textContent === "vera" && document.querySelector("main").innerText.includes("Made by this page")`)
	p.until(`!document.querySelector("main").innerText.includes("/themes/")`)
}

// hostile are names, texts and values that would run or load something in a page that did not escape them.
func hostile() map[string]any {
	attacks := []string{
		`<img src=x onerror=window.hacked=1>`, `"><svg onload=window.hacked=1>`, `</style><script>window.hacked=1</script>`, `javascript:window:hacked=1`,
		`url(http://127.0.0.1:9/stolen)`, `red;background:url(http://127.0.0.1:9/stolen)`, `image-set("http://127.0.0.1:9/stolen" 1x)`, `expression(window.hacked=1)`,
	}
	document := map[string]any{}
	for i, attack := range attacks {
		name := strings.NewReplacer(".", "", "{", "", "}", "").Replace(attack)
		group := map[string]any{"$type": "color", "$description": attack}
		group[name] = map[string]any{"$value": attack, "$description": attack, "$extensions": map[string]any{attack: attack}}
		document[fmt.Sprintf("g%d", i)] = group
	}
	document["font"] = map[string]any{"$type": "fontFamily", "f": map[string]any{"$value": []any{attacks[4], attacks[2]}}}
	document["type"] = map[string]any{"$type": "typography", "t": map[string]any{"$value": map[string]any{"fontFamily": attacks[5], "fontWeight": attacks[4], "fontSize": attacks[4], "letterSpacing": attacks[5], "lineHeight": 1}}}
	document["shadow"] = map[string]any{"$type": "shadow", "s": map[string]any{"$value": map[string]any{"color": attacks[4], "offsetX": attacks[4], "offsetY": "0", "blur": "0", "spread": attacks[5]}}}
	document["gradient"] = map[string]any{"$type": "gradient", "x": map[string]any{"$value": []any{map[string]any{"color": attacks[4], "position": 0}}}}
	document["border"] = map[string]any{"$type": "border", "b": map[string]any{"$value": map[string]any{"color": attacks[4], "width": attacks[5], "style": attacks[5]}}}
	document["space"] = map[string]any{"$type": "dimension", "d": map[string]any{"$value": attacks[5]}}
	return document
}

// Hostile names and values are shown and never run: nothing is loaded, and no policy is broken.
func TestHostileTexts(t *testing.T) {
	d := startDev(t, "--empty")
	th := newTheme(d, environmentOf(d), "hostile", hostile())
	d.api("PUT", th.path(), map[string]any{"slug": "hostile", "displayName": `<img src=x onerror=window.hacked=1>`, "metadata": map[string]string{"owner": `"><svg onload=window.hacked=1>`}}, nil)
	d.api("POST", th.path()+"/tokens/publish", map[string]any{"note": `<img src=x onerror=window.hacked=1>`}, nil)
	var created struct {
		Resource struct{ ID string }
	}
	d.api("POST", th.path()+"/variants", map[string]any{"slug": "evil", "displayName": `</title><script>window.hacked=1</script>`}, &created)
	d.api("PATCH", th.path()+"/variants/"+created.Resource.ID+"/tokens", map[string]any{"operations": []any{map[string]any{"operation": "set", "path": "font.f", "value": `url(http://127.0.0.1:9/stolen)`}}}, nil)
	s := sample{th.environment, th.id, created.Resource.ID}
	p := newBrowser(t)
	p.logInAs(d, "dev")
	for _, pattern := range patterns(t) {
		p.view(s.address(pattern))
		p.quiet()
	}
	for _, path := range []string{"font.f", "type.t", "shadow.s", "gradient.x", "border.b", "space.d", "g0.<img src=x onerror=window:hacked=1>"} {
		p.view(th.view("") + "?token=" + path)
		p.quiet()
	}
	if evaluate[bool](p, `"hacked" in window || Boolean(document.querySelector("main img, main script"))`) {
		t.Error("a hostile text became a part of the page")
	}
	if loaded := evaluate[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith(location.origin + "/console/") && !n.startsWith(location.origin + "/public/"))`); len(loaded) > 0 {
		t.Errorf("the page loaded %v", loaded)
	}
}

// perKey returns for how many milliseconds the main thread works for each key in the field that filters.
func (p *page) perKey() float64 {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		p.t.Fatal(err)
	}
	before := p.busy()
	keys := evaluate[int](p, `(async () => {
		const field = document.querySelector("input[type=search]");
		const texts = ["t", "to", "tok", "toke", "token", "token1", "token12", "token12 g", "token12 gr", "token12 group7", ""];
		for (const text of [...texts, ...texts, ...texts]) {
			field.value = text;
			field.dispatchEvent(new InputEvent("input", { bubbles: true }));
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
		}
		return texts.length * 3;
	})()`)
	return (p.busy() - before) * 1000 / float64(keys)
}

// busy returns for how many seconds of the processor the main thread of the page has worked.
func (p *page) busy() float64 {
	p.t.Helper()
	metrics, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range metrics.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	p.t.Fatal("the browser does not say for how long it worked")
	return 0
}

// frames scrolls what a selector finds for two seconds, a hundred pixels a frame to the right and down, and says how long its frames took.
func (p *page) frames(selector string) string {
	p.t.Helper()
	took := evaluate[[]float64](p, fmt.Sprintf(`(async () => {
		const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
		const e = document.querySelector(%q);
		const took = [];
		let before = await frame();
		for (const end = before + 2000; before < end; ) {
			e.scrollBy(100, 100);
			const now = await frame();
			took.push(now - before);
			before = now;
		}
		return took.sort((a, b) => a - b);
	})()`, selector))
	return fmt.Sprintf("%d frames, half of them within %.0f ms, 95 %% within %.0f ms, the longest %.0f ms", len(took), took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
}

// The most Variants that a Theme may have by a plan, and as many as the page is made for.
const (
	variants     = 100
	manyVariants = 1000
)

// multiply gives a Theme manyVariants from those that it has, in the store of a program that does not run: no plan allows
// as many, and what the origin allows is not the page's to rely on.
func (d *dev) multiply(th theme) {
	d.t.Helper()
	store, err := pebble.Open(filepath.Join(d.data, "store"), pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		d.t.Fatal(err)
	}
	defer store.Close()
	_, err = store.Update(d.t.Context(), th.environment, func(tx storage.Tx) (record.Change, error) {
		var list []record.Variant
		err := storage.Variants.Scan(tx, storage.Ascending, func(_ []byte, v record.Variant) bool {
			list = append(list, v)
			return true
		}, th.environment, th.id)
		for _, v := range list {
			draft, derr := storage.VariantDrafts.Read(tx, th.environment, th.id, v.ID)
			err = errors.Join(err, derr)
			for i := 1; i < manyVariants/variants; i++ {
				n := v
				n.ID = operator.NewID("var_", time.Now())
				n.Slug, n.DisplayName = fmt.Sprintf("%s-%d", v.Slug, i), fmt.Sprintf("%s, %d", v.DisplayName, i)
				err = errors.Join(err, storage.Variants.Write(tx, n, th.environment, th.id, n.ID), storage.VariantDrafts.Write(tx, draft, th.environment, th.id, n.ID),
					storage.VariantSlugs.Write(tx, n.ID, n.Slug, th.environment, th.id))
			}
		}
		return record.Change{EnvironmentID: th.environment, ThemeID: th.id, At: time.Now()}, err
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// A Theme of 10,000 tokens with 1,000 Variants is filtered while one types, and its matrix scrolls; what a key and a frame
// cost is logged, not asserted.
func TestLargeTheme(t *testing.T) {
	d := startDev(t, "--empty")
	d.grant("{dev: admin}")
	document := map[string]any{}
	for g := range 100 {
		group := map[string]any{"$type": "color"}
		for i := range 100 {
			value := fmt.Sprintf("#%02x%02x%02x", g, i, (g*i)%256)
			if i > 0 && i%3 == 0 {
				value = fmt.Sprintf("{group%d.token%d}", g, i-1)
			}
			group[fmt.Sprintf("token%d", i)] = map[string]any{"$value": value, "$description": fmt.Sprintf("for part %d of group %d", i, g)}
		}
		document[fmt.Sprintf("group%d", g)] = group
	}
	th := newTheme(d, environmentOf(d), "large", document)
	var create []map[string]any
	for i := range variants {
		create = append(create, map[string]any{"slug": fmt.Sprintf("v%d", i), "displayName": fmt.Sprintf("Variant %d", i), "operations": []any{map[string]any{"operation": "set", "path": "group1.token1", "value": "#fff"}}})
	}
	d.api("POST", th.path()+"/tokens/publish", map[string]any{}, nil)
	d.api("POST", th.path()+"/variants/batch", map[string]any{"create": create}, nil)
	d.stop()
	d.multiply(th)
	d.start("--empty")
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view(th.view(""))
	p.says("10000 of 10000")
	if rows := evaluate[int](p, `document.querySelectorAll(".token-row").length`); rows > 120 {
		t.Errorf("%d rows are in the page, want those that the window shows", rows)
	}
	t.Logf("10,000 tokens: the main thread works %.1f ms a key at first and %.1f from then on; scrolling: %s", p.perKey(), p.perKey(), p.frames(".token-table"))
	p.view(th.view("variants"))
	p.says(fmt.Sprintf("100 of %d", manyVariants))
	for shown := 200; shown <= manyVariants; shown += 100 {
		p.click("button", "Show more")
		p.says(fmt.Sprintf("%d of %d", shown, manyVariants))
	}
	t.Logf("%d Variants: the main thread works %.1f ms a key; scrolling: %s", manyVariants, p.perKey(), p.frames("html"))
	p.view(th.view("matrix") + "?all=1") // the same list of Variants, as far as it is shown
	p.quiet()
	p.until(fmt.Sprintf(`document.querySelector("[role=grid]")?.ariaColCount === "%d"`, manyVariants+1))
	if cells := evaluate[int](p, `document.querySelectorAll("[role=grid] [role=gridcell]").length`); cells > 2000 {
		t.Errorf("%d cells are in the page, want those that the window shows", cells)
	}
	t.Logf("10,000 tokens and %d Variants: scrolling the matrix: %s", manyVariants, p.frames("[role=grid]"))
	p.picture("large-matrix")
}
