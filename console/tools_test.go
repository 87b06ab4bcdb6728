//go:build browser

package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// state is the draft of a Theme as the API shows it, as far as tests of the tools compare it.
type state struct {
	tokens, groups []string // "path=value", "path: description"
	extensions     any      // of the first token
	pending        bool     // the draft is not what is published
}

func (t theme) state(d *dev) (s state) {
	d.t.Helper()
	var got struct {
		Resource struct {
			HasUnpublishedChanges bool
			Tokens                []struct {
				Path              string
				Value, Extensions any
			}
			Groups []struct{ Path, Description string }
		}
	}
	d.api("GET", t.path()+"/tokens", nil, &got)
	for _, token := range got.Resource.Tokens {
		s.tokens = append(s.tokens, fmt.Sprint(token.Path, "=", token.Value))
	}
	for _, group := range got.Resource.Groups {
		s.groups = append(s.groups, group.Path+": "+group.Description)
	}
	s.extensions, s.pending = got.Resource.Tokens[0].Extensions, got.Resource.HasUnpublishedChanges
	return s
}

// wants waits until the draft has these tokens and groups, each in their order.
func (t theme) wants(d *dev, tokens, groups string) {
	d.t.Helper()
	await(d.t, func() error {
		s := t.state(d)
		if got := strings.Join(s.tokens, " "); got != tokens {
			return fmt.Errorf("the draft has the tokens %s, want %s", got, tokens)
		}
		if got := strings.Join(s.groups, ", "); got != groups {
			return fmt.Errorf("the draft has the groups %s, want %s", got, groups)
		}
		return nil
	})
}

// startTools returns a page that is logged in, and a published Theme with a group of three tokens, one of which another one names.
func startTools(t *testing.T) (*dev, theme, *page) {
	t.Helper()
	d := startDev(t, "--empty")
	color := func(value string) map[string]any { return map[string]any{"$type": "color", "$value": value} }
	th := newTheme(d, environmentOf(d), "tools", map[string]any{
		"brand": map[string]any{"$description": "Ours", "a": color("#111111"), "brandB": color("#222222"), "c": color("#333333")},
		"use":   map[string]any{"x": color("{brand.brandB}")},
	})
	d.api("POST", th.path()+"/tokens/publish", map[string]any{}, nil)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	return d, th, p
}

const toolsTokens = "brand.a=#111111 brand.brandB=#222222 brand.c=#333333 use.x={brand.brandB}"

// A text is replaced in the names of tokens and groups, and the aliases follow; one step takes it back.
func TestReplaceInNames(t *testing.T) {
	d, th, p := startTools(t)
	p.view(th.view(""))
	p.click("button", "Replace …")
	p.write("Where", "names")
	p.write("Find", "brand")
	p.write("Replace with", "use")
	p.says("A token or group with this path exists.")
	p.write("Replace with", "acme")
	p.until(`document.querySelectorAll("dialog input[type=checkbox]").length === 2`)
	p.picture("replace-in-names")
	p.click("dialog button", "Replace in 2 names")
	th.wants(d, "acme.a=#111111 acme.acmeB=#222222 acme.c=#333333 use.x={acme.acmeB}", "acme: Ours")
	p.click("button", "↶")
	th.wants(d, toolsTokens, "brand: Ours")
	if th.state(d).pending {
		t.Error("the draft differs from what is published")
	}
}

// A token whose removal is taken back stands where it stood.
func TestUndoneRemovalKeepsThePlace(t *testing.T) {
	d, th, p := startTools(t)
	p.open(th, "brand.brandB")
	p.click(".token-detail button", "Remove")
	th.wants(d, "brand.a=#111111 brand.c=#333333 use.x={brand.brandB}", "brand: Ours")
	p.click("button", "Undo")
	th.wants(d, toolsTokens, "brand: Ours")
	p.open(th, "use.x")
	p.click(".token-detail button", "Remove")
	th.wants(d, "brand.a=#111111 brand.brandB=#222222 brand.c=#333333", "brand: Ours")
	p.click("button", "↶")
	th.wants(d, toolsTokens, "brand: Ours")
	if th.state(d).pending {
		t.Error("the draft differs from what is published")
	}
}

// Extensions of a token are written and taken away as JSON.
func TestExtensions(t *testing.T) {
	d, th, p := startTools(t)
	p.open(th, "brand.a")
	for _, c := range []struct{ text, want string }{{`{"com.example": {"scopes": ["ALL"]}}`, "map[com.example:map[scopes:[ALL]]]"}, {"null", "<nil>"}} {
		evaluate[bool](p, `(document.querySelector(".token-detail details").open = true)`)
		p.write("Extensions: JSON", c.text)
		p.picture("extensions")
		p.click(".token-detail button", "Set the value")
		await(t, func() error {
			if got := fmt.Sprint(th.state(d).extensions); got != c.want {
				return fmt.Errorf("the token has the extensions %s, want %s", got, c.want)
			}
			return nil
		})
	}
}

// A group is made without tokens, opened by the keyboard, given a description, renamed and removed. One that says nothing
// itself goes with its last token.
func TestGroups(t *testing.T) {
	d, th, p := startTools(t)
	p.view(th.view(""))
	p.click("button", "New token")
	p.write("Path", "empty.one")
	evaluate[bool](p, `((e) => { e.value = ""; return e.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("dialog select"))`)
	p.click("dialog button", "Add")
	th.wants(d, toolsTokens, "brand: Ours, empty.one: ")
	p.until(`document.querySelector(".token-detail h2")?.textContent === "empty.one"`)
	p.write("Description", "For later")
	p.press(kb.Tab)
	th.wants(d, toolsTokens, "brand: Ours, empty.one: For later")
	if found := p.axe(); found != "" {
		t.Error(found)
	}
	p.picture("empty-group")
	p.click(".token-detail button", "Rename")
	p.write("Path", "later")
	p.click("dialog button", "Rename")
	th.wants(d, toolsTokens, "brand: Ours, later: For later")
	p.until(`document.querySelector(".token-detail h2")?.textContent === "later"`)
	p.click(".token-detail button", "Remove")
	th.wants(d, toolsTokens, "brand: Ours")

	p.view(th.view(""))
	p.quiet()
	p.tabTo(`e.getAttribute("role") === "row"`)
	p.press(kb.Enter)
	p.until(`document.querySelector(".token-detail h2")?.textContent === "brand"`)
	p.click(".token-detail button", "New token")
	p.write("Path", "lone.group.x")
	p.click("dialog button", "Add")
	th.wants(d, toolsTokens+" lone.group.x=#808080", "brand: Ours")
	p.until(`document.querySelector(".token-detail h2")?.textContent === "lone.group.x"`)
	p.click(".token-detail button", "Rename")
	p.write("Path", "other.x")
	p.click("dialog button", "Rename")
	th.wants(d, toolsTokens+" other.x=#808080", "brand: Ours")
	p.until(`document.querySelector(".token-detail h2")?.textContent === "other.x"`)
	p.click(".token-detail button", "Remove")
	th.wants(d, toolsTokens, "brand: Ours")
	if th.state(d).pending {
		t.Error("groups are left behind")
	}
}

// Nothing is selected in a Theme that is opened: its first row is in sight, and each group has a name.
func TestTableBeginsAtTheTop(t *testing.T) {
	d := startDev(t)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view(sampleOf(d).address("e/:environment/t/:theme"))
	p.says("97 of 97")
	if at := evaluate[int](p, `document.querySelector(".token-table").scrollTop`); at != 0 {
		t.Errorf("the table begins %d pixels below its top", at)
	}
	if rows := evaluate[[]string](p, `[...document.querySelectorAll("[role=row][aria-selected=true]")].map((e) => e.textContent)`); len(rows) > 0 {
		t.Errorf("the rows %q are selected", rows)
	}
	if rows := evaluate[int](p, `Number(document.querySelector("[role=treegrid]").ariaRowCount)`); rows != evaluate[int](p, `(async () => {
		const names = new Set();
		for (const { path } of (await (await fetch(location.pathname.replace(/^\/console\/e\/([^/]+)\/t\/([^/]+).*/, "/public/v1/environments/$1/themes/$2/tokens"), { headers: { "X-Livery-Console": "1" } })).json()).resource.tokens)
			for (let at = path; at; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) names.add(at);
		return names.size + 1;
	})()`) {
		t.Errorf("the table has %d rows with its head, want one for each token and group", rows)
	}
}

// While the renderer comes the page says how much of it is here.
func TestRendererSaysHowFar(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view("/console/")
	evaluate[bool](p, `(() => {
		window.said = [];
		new MutationObserver(() => { for (const e of document.querySelectorAll(".loading")) said.push(e.textContent); }).observe(document.body, { subtree: true, childList: true, characterData: true });
		const a = document.createElement("a");
		a.href = "`+s.address("e/:environment/t/:theme/preview")+`";
		document.querySelector("main").append(a);
		a.click();
		return true;
	})()`)
	p.until(`document.querySelector(".look-state .badge.success")`)
	if said := evaluate[[]string](p, `[...new Set(said)].filter((text) => /^Loading the renderer .*: [1-9]\d* %/.test(text))`); len(said) == 0 {
		t.Errorf("the page says %v", evaluate[[]string](p, `[...new Set(said)]`))
	} else {
		t.Log(said)
	}
}
