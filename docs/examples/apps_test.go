//go:build browser && examples

package examples_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestApplicationsRenderTheThemeOnTheServer builds each application with its own tools, starts its own server, and uses it in
// a browser: with an edge that hangs, with one that is away, and with one that answers.
func TestApplicationsRenderTheThemeOnTheServer(t *testing.T) {
	t.Run("Next", func(t *testing.T) {
		rendered(t, "next", "next build", "next start -H 127.0.0.1 -p PORT")
	})
	t.Run("React Router", func(t *testing.T) {
		rendered(t, "react-router", "react-router build", "react-router-serve build/server/index.js")
	})
	t.Run("Nuxt", func(t *testing.T) {
		rendered(t, "nuxt", "nuxt build", "node .output/server/index.mjs")
	})
	t.Run("SvelteKit", func(t *testing.T) {
		rendered(t, "sveltekit", "vite build", "node build")
	})
	t.Run("Angular", func(t *testing.T) {
		rendered(t, "angular-ssr", "ng build", "node dist/server/server.mjs")
	})
}

// TestAStylesheetCannotEndItsElement: a token whose text ends a style element does not end that of the page, and is the same
// value. What is pinned is asked for once.
func TestAStylesheetCannotEndItsElement(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	d.livery("edit", "font.body", `</style><script>wrong()</script>`, "--env", "sandbox", "--theme", "acme")
	d.livery("publish", "--env", "sandbox", "--theme", "acme", "--wait")
	g := newGate(t, d.file.EdgeURL)
	close(g.hold)
	got := run(t, ".", "node", "--input-type=module", "-e", `
		import { critical } from "../../client/js/server.mjs";
		const options = { href: "`+g.address(d, "tokens.css", "--pinned")+`" };
		const asked = globalThis.fetch;
		let times = 0;
		globalThis.fetch = (...how) => (times++, asked(...how));
		const bounds = { fresh: 0, timeout: 10_000 };
		const css = await critical(options, bounds);
		if (css !== await critical(options, bounds)) throw new Error("it differs");
		console.log(times, css);`)
	if !strings.HasPrefix(got, "1 /* Livery") || strings.Contains(got, "</style") {
		t.Fatalf("the stylesheet is %q", got)
	}
	page := `<!doctype html><style>` + got[2:] + `</style><p style="font-family: var(--font-body)">`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(site.Close)
	tab := newTab(t)
	do(t, tab, chromedp.Navigate(site.URL))
	eventually(t, tab, `getComputedStyle(document.querySelector("p")).fontFamily + document.scripts.length`, `"</style><script>wrong()</script>"0`)
}

// TestApplicationsFollowTheTheme builds each application that a browser renders, and uses it there: with an edge that is
// away at first, and with a switch. What a library draws has the brand too.
func TestApplicationsFollowTheTheme(t *testing.T) {
	t.Run("Angular", func(t *testing.T) {
		follows(t, "angular", "ng build", "vite preview --outDir dist/browser")
	})
	for name, folder := range map[string]string{"Lit": "lit", "PrimeVue": "primevue", "Vuetify": "vuetify"} {
		t.Run(name, func(t *testing.T) {
			follows(t, folder, "vite build", "vite preview")
		})
	}
}

func follows(t *testing.T, name, build, start string) {
	a := newApp(t, name, "src")
	if err := os.WriteFile(filepath.Join(a.dir, "src", "brands.json"), []byte(a.list), 0o644); err != nil {
		t.Fatal(err)
	}
	values := strings.ReplaceAll(fetched(t, a.address("tokens.values.json")), "#0055aa", "#777777")
	if err := os.WriteFile(filepath.Join(a.dir, "src", "tokens.values.json"), []byte(values), 0o644); err != nil {
		t.Fatal(err)
	}
	a.build(build)
	a.start(start + " --host 127.0.0.1 --port PORT --strictPort")
	close(a.gate.hold)
	a.gate.refuse.Store(true)
	a.open()
	a.is(frames, greyButton)
	a.is(`buy().dataset.state`, "fallback")
	a.gate.refuse.Store(false)
	a.is(`buy().dataset.state`, "theme")
	a.is(last, acmeButton)
	a.is(`getComputedStyle(buy()).borderRadius`, "8px")
	const buttons = `buy().parentElement.querySelectorAll("button")`
	acme, midnight := sides(buttons)
	a.neverFlashes(buttons)
	a.is(pageColor, midnightSurface)
	a.is(`buy().textContent.trim()`, "Buy from midnight")
	a.silent()

	// A publish reaches the page while it is open.
	a.open()
	a.is(last, acmeButton)
	a.is(midnight+`, ""`, "")
	a.is(last, midnightButton)
	a.is(acme+`, ""`, "")
	a.is(last, acmeButton)
	a.publish()
	a.is(last, publishedButton)
	a.quiet()
}

// publish gives the brand acme another colour, once the page follows its event stream.
func (a *app) publish() {
	a.t.Helper()
	a.haveStreams(1)
	a.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme")
	a.livery("publish", "--env", "sandbox", "--theme", "acme")
}

const publishedButton = "rgb(194, 65, 12)"

// TestDeclarationsCompile: the declarations of the package are right beside those of the libraries, in strict TypeScript.
func TestDeclarationsCompile(t *testing.T) {
	dir := filepath.Join("apps", ".cache", "types")
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(filepath.Join(dir, "js"), os.DirFS("../../client/js"))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tsconfig.json": `{ "compilerOptions": { "noEmit": true, "strict": true, "types": [], "module": "preserve", "target": "es2022", "lib": ["es2022", "dom"] }, "include": ["."] }`,
		"use.mts": `import { LitElement } from "lit";
			import { ThemeController } from "./js/lit.mjs";
			import { critical } from "./js/server.mjs";
			import { theme } from "./js/theme.mjs";
			export class Shop extends LitElement { shown = new ThemeController(this, () => ({ href: "x", timeout: 3 })); }
			export const css: Promise<string> = critical({ href: "x" }, { timeout: 3 });
			theme({ href: "x" }).addEventListener("changed", ({ detail }) => detail.tokens.join());
			// @ts-expect-error
			theme({ hrf: "x" });`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("apps/node_modules/.bin/tsc", "--pretty", "false", "-p", dir).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, dir) { // those of Vite lack the types of Node
			t.Error(line)
		}
	}
}

// app is an application in the folder apps, copied to where its build may write.
type app struct {
	*shop
	dir  string
	list string // BRANDS, as brands.mjs prints it

	linked bool // its pages name the stylesheet in a header
}

// newApp has the stylesheet of the build beside style.css, with a brand of its own colour, to tell it from the theme.
func newApp(t *testing.T, name, styles string) *app {
	t.Helper()
	if _, err := os.Stat("apps/node_modules"); err != nil {
		t.Fatal("the libraries are not installed: make docs/examples/apps/node_modules")
	}
	a := &app{shop: newShop(t, "")}
	dir, err := filepath.Abs(filepath.Join("apps", ".cache", name))
	if err != nil {
		t.Fatal(err)
	}
	a.dir = dir
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{dir: filepath.Join("apps", name), filepath.Join(dir, "node_modules", "@livery", "theme"): "../../client/js"} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	fallback := strings.ReplaceAll(fetched(t, a.address("tokens.css")), "#0055aa", "#777777")
	if err := os.WriteFile(filepath.Join(dir, styles, "tokens.css"), []byte(fallback), 0o644); err != nil {
		t.Fatal(err)
	}
	a.listen()
	out, err := a.shell(".", "node brands.mjs sandbox acme")
	if err != nil {
		t.Fatalf("brands.mjs: %v\n%s", err, out)
	}
	a.list = strings.ReplaceAll(out, strings.TrimSuffix(a.file.EdgeURL, "/"), a.gate.URL)
	return a
}

// command is a line of the application's scripts, which sends nothing to the makers of its tools.
func (a *app) command(line string, env ...string) *exec.Cmd {
	part := strings.Fields(line)
	if part[0] != "node" {
		part[0] = filepath.Join(a.dir, "..", "..", "node_modules", ".bin", part[0])
	}
	cmd := exec.Command(part[0], part[1:]...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "NEXT_TELEMETRY_DISABLED=1", "NUXT_TELEMETRY_DISABLED=1", "NG_CLI_ANALYTICS=false", "NO_COLOR=1", "CI=1", "NODE_ENV=production")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// build runs a tool of the application to its end.
func (a *app) build(line string) {
	a.t.Helper()
	began := time.Now()
	if out, err := a.command(line).CombinedOutput(); err != nil {
		a.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	a.t.Logf("%s: %.1f s", line, time.Since(began).Seconds())
}

// start runs the server of the application until the test ends. PORT in the line is its port.
func (a *app) start(line string) {
	a.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(address)
	var said bytes.Buffer
	server := a.command(strings.ReplaceAll(line, "PORT", port), "HOST=127.0.0.1", "PORT="+port, "BRANDS="+a.list, "NUXT_PUBLIC_BRANDS="+a.list)
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if a.t.Failed() {
			a.t.Logf("the server says: %s", said.String())
		}
	})
	if !reachable(address) {
		a.t.Fatalf("%s does not serve", line)
	}
	a.page = "http://" + address
}

var critical = regexp.MustCompile(`(?s)<style[^>]*>(/\* Livery[^<]*)</style>.*<body`)

// inHead is the <style> of the theme in the page that the server renders for a reader; "": there is none.
func (a *app) inHead(brand string) string {
	a.t.Helper()
	req, err := http.NewRequest("GET", a.page+"/", nil)
	if err != nil {
		a.t.Fatal(err)
	}
	if brand != "" {
		req.AddCookie(&http.Cookie{Name: "brand", Value: brand})
	}
	client := &http.Client{Timeout: patience}
	res, err := client.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(page, []byte("Buy from")) {
		a.t.Fatalf("the server answers %d, %v\n%s", res.StatusCode, err, page)
	}
	if a.linked && !strings.Contains(res.Header.Get("Link"), a.gate.URL) {
		a.t.Errorf("the page has the header Link: %q", res.Header.Get("Link"))
	}
	found := critical.FindSubmatch(page)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// want compares the brand's colour in the head; "": there is none.
func (a *app) want(brand, color string) {
	a.t.Helper()
	got := a.inHead(brand)
	if color == "" && got != "" || color != "" && !strings.Contains(got, "--color-brand: "+color+";") {
		a.t.Fatalf("the <style> in the page of %q is %q, want the colour %q", brand, got, color)
	}
}

// has waits until the style in the head has a text.
func (a *app) has(brand, text string) {
	a.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(a.inHead(brand), text); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("the <style> in the page of %q lacks %s", brand, text)
		}
	}
}

func rendered(t *testing.T, name, build, start string) {
	styles := "app"
	if name == "sveltekit" || name == "angular-ssr" {
		styles = "src"
	}
	a := newApp(t, name, styles)
	a.linked = name == "react-router" || name == "angular-ssr"
	a.build(build)
	a.start(start)

	// The edge hangs: the page comes without it, and works with the fallback of its build.
	a.want("", "")
	a.open()
	a.is(frames, greyButton)
	const buttons = `document.querySelectorAll("main button")`
	acme, midnight := sides(buttons)
	a.is(midnight+`, buy().textContent`, "Buy from midnight")
	a.is(acme+`, buy().textContent`, "Buy from acme")
	a.is(frames, greyButton)

	// The edge is away: the page has the fallback, and the theme once the edge is back.
	a.gate.refuse.Store(true)
	close(a.gate.hold)
	a.open()
	a.is(frames, greyButton)
	a.is(`buy().textContent`, "Buy from acme")
	a.gate.refuse.Store(false)
	a.is(frames, greyButton+" > "+acmeButton)
	a.takenOver()
	a.quiet()

	// The server has the theme: the first paint has it too, also while the browser gets nothing from the edge.
	a.has("", "--color-brand: #0055aa;")
	a.want("", "#0055aa")
	a.want("midnight", "#ffb454")
	a.gate.refuse.Store(true)
	a.open()
	a.is(`String(performance.getEntriesByName("first-contentful-paint").length)`, "1")
	a.is(frames, acmeButton)
	a.gate.refuse.Store(false)
	a.is(`buy().dataset.state`, "theme")
	a.is(frames, acmeButton)
	a.quiet()

	// Another brand, without a flash, which stays.
	a.neverFlashes(buttons)
	a.is(`buy().textContent`, "Buy from midnight")
	a.silent()
	a.open()
	a.is(`buy().dataset.state`, "theme")
	a.is(frames, midnightButton)
	a.is(`buy().textContent`, "Buy from midnight")
	a.quiet()

	// A publish reaches the page while it is open, and the next page from the server.
	a.is(acme+`, ""`, "")
	a.is(frames, midnightButton+" > "+acmeButton)
	a.publish()
	a.is(frames, midnightButton+" > "+acmeButton+" > "+publishedButton)
	a.quiet()
	a.has("acme", "--color-brand: #c2410c;")

	// Light and dark: the first paint is of the reader's scheme, and an open page follows it.
	a.list = strings.ReplaceAll(a.list, "/tokens.css", "/tokens.css?modes=scheme")
	a.start(start)
	a.has("acme", "@media (prefers-color-scheme: dark)")
	prefer(t, a.tab, "dark")
	a.open()
	a.is(`buy().dataset.state`, "theme")
	a.is(frames, midnightButton)
	prefer(t, a.tab, "light")
	a.is(frames, midnightButton+" > "+publishedButton)
	a.is(pageColor, acmeSurface)
	a.quiet()
}
