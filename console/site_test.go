//go:build browser

package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// site is a page of the user's own, on another origin than the console. It tells its server which colour it has.
type site struct {
	*httptest.Server

	mu     sync.Mutex // guards the rest
	script string     // what the page runs beside
	seen   []string   // colours, in order
}

func newSite(t *testing.T) *site {
	s := new(site)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch r.URL.Path {
		case "/seen":
			s.seen = append(s.seen, r.URL.Query().Get("color"))
			w.WriteHeader(http.StatusNoContent)
		case "/refuses":
			w.Header().Set("X-Frame-Options", "DENY")
			_, _ = w.Write([]byte("not in a frame"))
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, `<!doctype html><title>Mine</title><style>body { background: var(--color-brand, rgb(1, 1, 1)); }</style><body>
				<script type="module">%s</script>
				<script type="module">
					let before;
					setInterval(() => {
						const color = getComputedStyle(document.body).backgroundColor;
						if (color !== before) fetch("/seen?color=" + encodeURIComponent(before = color));
					}, 20);
				</script>`, s.script)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// has waits until the page has had a colour.
func (s *site) has(t *testing.T, color string) {
	t.Helper()
	await(t, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if slices.Contains(s.seen, color) {
			return nil
		}
		return fmt.Errorf("the page had %q, not %s", s.seen, color)
	})
}

// A page of the user's own in a frame is as it is published; with the lines that the console shows it takes the look of its
// pane, each edit too. A page that refuses to stand in a frame leaves the pane empty, and the hint says where to look.
func TestPageOfTheUser(t *testing.T) {
	d := startDev(t, "--empty")
	th := newTheme(d, environmentOf(d), "mine", map[string]any{"color": map[string]any{"brand": map[string]any{"$type": "color", "$value": "#123456"}}})
	s := newSite(t)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.view(th.view("preview") + "?show=site")
	p.write("Address of a page of yours", s.URL+"/")
	p.click("button", "Allow "+s.URL)
	s.has(t, "rgb(1, 1, 1)")
	lines := evaluate[string](p, `document.querySelector(".look-part pre").textContent`)
	if !strings.Contains(lines, d.origin) {
		t.Fatalf("the lines take messages of any origin:\n%s", lines)
	}
	s.mu.Lock()
	s.script = lines
	s.mu.Unlock()
	p.write("Address of a page of yours", s.URL+"/?again")
	s.has(t, "rgb(18, 52, 86)")
	var draft struct{ Resource struct{ Etag string } }
	d.api("GET", th.path()+"/tokens", nil, &draft)
	d.api("PATCH", th.path()+"/tokens?etag="+draft.Resource.Etag, map[string]any{"operations": []any{map[string]any{"operation": "replace", "path": "/color/brand/$value", "value": "#654321"}}}, nil)
	s.has(t, "rgb(101, 67, 33)")
	for _, wrong := range []string{d.origin + "/console/", "javascript:alert(1)", "file:///etc/passwd"} {
		p.write("Address of a page of yours", wrong)
		p.says("of another origin than the console")
		p.until(`!document.querySelector("iframe.look-frame[src]")`)
	}
	p.write("Address of a page of yours", s.URL+"/refuses")
	p.says("Many sites refuse to stand in a frame")
	p.until(`document.querySelector("iframe.look-frame[src]")`)
	await(t, func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		at := slices.IndexFunc(p.bad, func(text string) bool { return strings.Contains(text, "Refused to display") })
		if at < 0 {
			return fmt.Errorf("the browser says nothing of it: %q", p.bad)
		}
		p.bad = slices.Delete(p.bad, at, at+1) // it is what the hint leads to
		return nil
	})
}

// The reference of the API leads to the form of each operation, which sends it with the session of the reader.
func TestReferenceIsTried(t *testing.T) {
	d := startDev(t, "--empty")
	p := newBrowser(t)
	p.logInAs(d, "dev")
	p.visit(d.origin + "/docs/reference.html#getCaller")
	evaluate[bool](p, `(document.querySelector('a[href$="?op=getCaller"]').click(), true)`)
	p.until(`location.pathname === "/console/calls"`)
	p.click("button", "Send")
	p.until(`[...document.querySelectorAll("main pre")].some((e) => /"subject":\s*"dev"/.test(e.textContent))`)
}
