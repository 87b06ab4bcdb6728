//go:build browser

package console_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press presses keys, one after another, as the keyboard does.
func (p *page) press(keys string) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.KeyEvent(keys)); err != nil {
		p.t.Fatal(err)
	}
}

// tabTo presses Tab until the focused element fits an expression about it (e), and wants it to be seen.
func (p *page) tabTo(expression string) {
	p.t.Helper()
	for range 60 {
		p.press(kb.Tab)
		if evaluate[bool](p, fmt.Sprintf(`((e) => Boolean(%s))(document.activeElement)`, expression)) {
			if evaluate[string](p, `getComputedStyle(document.activeElement).outlineStyle`) == "none" {
				p.t.Errorf("the focus is not seen on %s", evaluate[string](p, `document.activeElement.outerHTML.slice(0, 200)`))
			}
			return
		}
	}
	p.t.Fatalf("60 times Tab do not lead to %s", expression)
}

// A person without a pointer finds a token, edits it, takes the edit back, makes a Theme and publishes.
func TestKeyboardAlone(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	th := theme{environment: s.environment, id: s.theme}
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.visit(d.origin + th.view(""))
	p.until(`document.querySelector("main")`)
	p.quiet()
	p.press(kb.Tab)
	p.until(`document.activeElement.textContent === "Skip to the content"`)
	p.press(kb.Enter)
	p.until(`document.activeElement.id === "main"`)
	p.tabTo(`e.type === "search"`)
	p.press("space.md")
	p.until(`document.querySelector(".tools [role=status]").textContent.startsWith("1 of")`)
	p.tabTo(`e.getAttribute("role") === "row"`)
	p.press(kb.ArrowDown)
	p.until(`document.activeElement.getAttribute("aria-rowindex") === "3"`)
	p.press(kb.Enter)
	p.until(`document.querySelector(".token-detail h2")?.textContent === "space.md"`)
	p.tabTo(`e.closest(".token-detail") && e.matches("input.input")`)
	before := fmt.Sprint(th.value(d, "space.md"))
	p.press(kb.ArrowUp)
	p.press(kb.Enter)
	p.until(`document.querySelector("[data-saved=true]") && !document.querySelector("[aria-label=Undo]").disabled`)
	await(t, func() error {
		if got := fmt.Sprint(th.value(d, "space.md")); got == before {
			return fmt.Errorf("the draft still has %s", got)
		}
		return nil
	})
	evaluate[bool](p, `(document.getElementById("main").focus(), true)`)
	p.tabTo(`e.getAttribute("aria-label") === "Undo"`)
	p.press(kb.Enter)
	await(t, func() error {
		if got := fmt.Sprint(th.value(d, "space.md")); got != before {
			return fmt.Errorf("the draft has %s, want %s again", got, before)
		}
		return nil
	})
	p.view("/console/e/" + s.environment)
	p.quiet()
	p.until(`document.activeElement.id === "main"`) // a new view is read from its beginning
	p.tabTo(`e.textContent === "New Theme"`)
	p.press(kb.Enter)
	p.until(`document.activeElement.closest("dialog")`)
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog") && document.activeElement.textContent === "New Theme"`)
	p.press(kb.Enter)
	p.until(`document.activeElement.matches("dialog input")`)
	p.press("By keys\r")
	p.says("No tokens yet")
}
