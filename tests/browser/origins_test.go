//go:build browser

package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"example.com/livery/internal/test/program"
)

// guardedDev is a livery dev whose one Theme serves pages of some origins alone.
type guardedDev struct {
	program.Dev
	t     *testing.T
	theme string // its id
}

// openGuarded starts it, and ends it with the test.
func openGuarded(t *testing.T, origin string) *guardedDev {
	g := &guardedDev{Dev: program.StartDev(t, "--empty"), t: t}
	dir := t.TempDir()
	g.publish(filepath.Join(dir, "theme.json"))
	g.livery("serving", "set", g.theme, "--allowed-origin", origin)
	g.eventually("the edge refuses other origins", func() bool { return g.status("https://evil.example") == http.StatusForbidden })
	return g
}

func (g *guardedDev) publish(file string) {
	if err := os.WriteFile(file, []byte(`{"color": {"$type": "color", "brand": {"$value": "#0055aa"}}}`), 0o644); err != nil {
		g.t.Fatal(err)
	}
	g.livery("push", file, "--env", "sandbox", "--theme", "acme", "--create", "--integration", "react/plainCSS", "--integration", "react/buildTimeTokens", "--publish")
	g.theme = string(regexp.MustCompile(`thm_[0-9a-z]{26}`).Find(g.livery("theme", "list", "--env", "sandbox", "--json")))
}

// livery runs a command of the program on the running one, and returns what it prints.
func (g *guardedDev) livery(arguments ...string) []byte {
	g.t.Helper()
	cmd := exec.Command("livery", append(arguments, "--data", g.Data)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("livery %v: %v: %s", arguments, err, &said)
	}
	return out
}

func (g *guardedDev) eventually(what string, ok func() bool) {
	g.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			g.t.Fatalf("it does not come to pass that %s", what)
		}
	}
}

func (g *guardedDev) folder() string {
	return g.EdgeURL + "/" + g.Environments["sandbox"] + "/" + g.theme + "/-/latest/"
}

// status returns the status of the stylesheet for an origin, 0 without an answer.
func (g *guardedDev) status(origin string) int {
	req, err := http.NewRequest(http.MethodGet, g.folder()+"tokens.css", http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	return res.StatusCode
}

// got is what a page could have of the edge's files.
type got struct {
	Linked     string `json:"linked"`     // the token's value by a stylesheet link
	CORSLinked string `json:"corsLinked"` // by a link with crossorigin
	Unnamed    string `json:"unnamed"`    // by a link that sends no Referer
	JSON       string `json:"json"`       // by fetch
	Preflight  string `json:"preflight"`  // by fetch with a header that needs a preflight
	Sandboxed  string `json:"sandboxed"`  // by fetch in a frame whose origin is null
}

// askForFiles asks for the files at folder in every way that a page has; what cannot be had is "".
const askForFiles = `(async (folder) => {
  const link = (extra) => new Promise((resolve) => {
    const l = Object.assign(document.createElement("link"), {rel: "stylesheet", href: folder + "tokens.css"}, extra);
    const value = () => getComputedStyle(document.documentElement).getPropertyValue("--color-brand").trim();
    l.onload = () => { const v = value(); l.remove(); resolve(v); };
    l.onerror = () => { const v = value(); l.remove(); resolve(v); };
    document.head.append(l);
  });
  const get = async (options) => {
    try { const r = await fetch(folder + "tokens.flat.json", options); return r.ok ? await r.text() : ""; } catch { return ""; }
  };
  const sandboxed = () => new Promise((resolve) => {
    const f = document.createElement("iframe");
    f.sandbox = "allow-scripts";
    addEventListener("message", (e) => { f.remove(); resolve(e.data); }, {once: true});
    f.srcdoc = "<script>fetch(" + JSON.stringify(folder + "tokens.flat.json") + ").then(r => r.ok ? r.text() : '').catch(() => '').then(t => parent.postMessage(t, '*'))<\/script>";
    document.body.append(f);
  });
  return {
    linked: await link({}), corsLinked: await link({crossOrigin: "anonymous"}), unnamed: await link({referrerPolicy: "no-referrer"}),
    json: await get({}), preflight: await get({headers: {"X-Page": "1"}}), sandboxed: await sandboxed(),
  };
})(%q)`

// A page of a listed origin gets its stylesheet, its JSON and its preflight, and one of another origin
// gets nothing, however it asks; a frame whose origin is null gets nothing on either (decisions 7.5,
// A80 to A82).
func TestOriginsDecideInABrowser(t *testing.T) {
	listed, other := newPageServer(), newPageServer()
	defer listed.close()
	defer other.close()
	g := openGuarded(t, listed.server.URL)
	const flat = `{"color.brand":"#0055aa"}` + "\n"
	for _, tt := range []struct {
		name string
		page *pageServer
		want got
	}{
		{"a listed origin", listed, got{Linked: "#0055aa", CORSLinked: "#0055aa", JSON: flat, Preflight: flat}},
		{"another origin", other, got{}},
	} {
		ctx, cancel := context.WithTimeout(tab.tab, patience)
		page := tt.page.serveFiles(map[string]string{"page.html": "<!doctype html><html><head></head><body></body></html>"})
		if err := tab.open(ctx, page+"page.html"); err != nil {
			t.Fatal(err)
		}
		have, err := evaluate[got](ctx, fmt.Sprintf(askForFiles, g.folder()))
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if have != tt.want {
			t.Errorf("%s: a page gets %+v, want %+v", tt.name, have, tt.want)
		}
	}
}
