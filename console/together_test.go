//go:build browser

package console_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// numbers is a document of n tokens.
func numbers(n int) map[string]any {
	group := map[string]any{"$type": "number"}
	for i := range n {
		group[fmt.Sprintf("t%d", i)] = map[string]any{"$value": 0}
	}
	return map[string]any{"n": group}
}

// open shows one token of a Theme, and waits for its control.
func (p *page) open(th theme, path string) {
	p.t.Helper()
	p.view(th.view("") + "?token=" + path)
	p.until(fmt.Sprintf(`document.querySelector(".token-detail h2")?.textContent === %q`, path))
}

// set gives the open token a value, as a person does who types and presses Enter.
const set = `(() => {
	const label = [...document.querySelectorAll(".token-detail label")].find((l) => l.textContent.startsWith("Value of ") && !l.classList.contains("visually-hidden"));
	const field = document.getElementById(label.htmlFor);
	field.focus();
	field.value = %q;
	field.dispatchEvent(new InputEvent("input", { bubbles: true }));
	return new Promise((resolve) => setTimeout(() => {
		field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
		resolve(true);
	}, 0));
})()`

// environmentOf returns the id of the Environment sandbox.
func environmentOf(d *dev) string {
	d.t.Helper()
	var list struct{ Items []struct{ ID string } }
	d.api("GET", "/environments?slug=sandbox", nil, &list)
	return list.Items[0].ID
}

// Two people edit one draft at random: each sees the other's edits, none is lost, and both end with what the origin has.
func TestTwoEditors(t *testing.T) {
	d := startDev(t, "--empty")
	th := newTheme(d, environmentOf(d), "two", numbers(6))
	first := newBrowser(t)
	first.logInAs(d, "dev")
	second := newBrowser(t)
	second.logInAs(d, "dev")
	random := rand.New(rand.NewPCG(1, 2))
	want := map[string]string{}
	people := []*page{first, second}
	for i := range 24 {
		who := i % 2
		path := fmt.Sprintf("n.t%d", random.IntN(3)*2+who) // each has tokens of his own
		want[path] = fmt.Sprint(i + 1)
		people[who].open(th, path)
		evaluate[bool](people[who], fmt.Sprintf(set, want[path]))
	}
	for _, p := range people {
		p.until(`document.querySelector("[data-saved=true]")`)
		for path, value := range want {
			p.open(th, path)
			p.until(fmt.Sprintf(`document.querySelector(".token-detail dd code")?.textContent === %q`, value))
		}
		if evaluate[int](p, `document.querySelectorAll(".notice").length`) > 0 {
			t.Errorf("there is a notice: %s", evaluate[string](p, `document.querySelector(".notice").textContent`))
		}
	}
	for path, value := range want {
		if got := fmt.Sprint(th.value(d, path)); got != value {
			t.Errorf("%s is %s, want %s", path, got, value)
		}
	}
}

// What two people set at one time is a conflict: what is saved stays, and the other value is offered, not lost.
func TestConflict(t *testing.T) {
	d := startDev(t, "--empty")
	th := newTheme(d, environmentOf(d), "conflict", numbers(2))
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.open(th, "n.t0")
	token := strings.TrimSpace(d.livery("token", "--subject", "dev"))
	theirs := fmt.Sprintf(`fetch("/public/v1%s/tokens").then((r) => fetch("/public/v1%s/tokens?etag=" + JSON.parse(r.headers.get("ETag")), {
		method: "PATCH",
		headers: { Authorization: "Bearer %s", "Content-Type": "application/json" },
		body: JSON.stringify({ operations: [{ operation: "replace", path: "/n/t0/$value", value: 7 }] }),
	}))`, th.path(), th.path(), token)
	read := strings.Replace(theirs, "/tokens\")", "/tokens\", { headers: { Authorization: \"Bearer "+token+"\" } })", 1)
	evaluate[bool](p, read+fmt.Sprintf(`.then((r) => { if (!r.ok) throw new Error(r.status); return %s; })`, fmt.Sprintf(set, "9")))
	p.says("was changed by another person while you changed it")
	if got := fmt.Sprint(th.value(d, "n.t0")); got != "7" {
		t.Errorf("saved is %s, want what the other person set", got)
	}
	p.picture("conflict")
	p.click("button", "Use mine")
	await(t, func() error {
		if got := fmt.Sprint(th.value(d, "n.t0")); got != "9" {
			return fmt.Errorf("saved is %s, want the own value", got)
		}
		return nil
	})
	p.bad = nil // the refusal of the first edit is in the browser's log
}

// Reloads in a row, and tabs beside, meet no bound: a page that is gone leaves no event stream behind that counts.
func TestManyReloadsAndTabs(t *testing.T) {
	d := startDev(t, "--empty")
	th := newTheme(d, environmentOf(d), "reloaded", map[string]any{"color": map[string]any{"brand": map[string]any{"$type": "color", "$value": "#123456"}}})
	p := newBrowser(t)
	p.logInAs(d, "dev")
	for range 15 {
		p.visit(d.origin + th.view(""))
	}
	p.says("#123456")
	for range 10 {
		tab := p.newTab()
		tab.visit(d.origin + th.view(""))
		tab.says("#123456")
	}
	var draft struct{ Resource struct{ Etag string } }
	d.api("GET", th.path()+"/tokens", nil, &draft)
	d.api("PATCH", th.path()+"/tokens?etag="+draft.Resource.Etag, map[string]any{"operations": []any{map[string]any{"operation": "replace", "path": "/color/brand/$value", "value": "#654321"}}}, nil)
	p.says("#654321")
}
