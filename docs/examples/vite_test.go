//go:build browser

package examples_test

import (
	"bytes"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestVitesPluginWritesTheFallback: a build has the tokens in their layer, and their types; without an edge it takes the
// file of before, and without either it fails and says why. While Vite serves, a publish reaches the page.
func TestVitesPluginWritesTheFallback(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	g := newGate(t, d.file.EdgeURL)
	close(g.hold)
	dir := workshop(t, "vite")
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "@livery", "theme"), os.DirFS("../../client/js")); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(d.address("tokens.css"))
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
	vite := func(args ...string) *exec.Cmd {
		cmd := exec.Command(installed(t, "vite"), args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LIVERY_EDGE="+g.URL, "LIVERY_ENV_ID="+part[0], "LIVERY_THEME_ID="+part[1], "LIVERY_DATA="+d.data, "NO_COLOR=1")
		return cmd
	}
	build := func(wanted bool, says string) {
		t.Helper()
		said, err := vite("build").CombinedOutput()
		if (err == nil) != wanted || !strings.Contains(string(said), says) {
			t.Fatalf("vite build: %v, want %t and %q\n%s", err, wanted, says, said)
		}
	}
	g.refuse.Store(true)
	build(false, "src/tokens.css cannot be written: "+g.URL)
	g.refuse.Store(false)
	build(true, "built in")
	built, err := filepath.Glob(filepath.Join(dir, "dist", "assets", "*.css"))
	if err != nil || len(built) != 1 {
		t.Fatalf("vite built %q, %v", built, err)
	}
	has(t, read(t, built[0]), "@layer livery-fallback{:root{--color-brand:#05a")
	has(t, read(t, filepath.Join(dir, "src", "tokens.d.ts")), `"color.brand"`)
	g.refuse.Store(true)
	build(true, "src/tokens.css stays as it is: ")
	g.refuse.Store(false)

	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	_, port, _ := net.SplitHostPort(address)
	var said bytes.Buffer
	serve := vite("--host", "127.0.0.1", "--port", port, "--strictPort")
	serve.Stdout, serve.Stderr = &said, &said
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	})
	if !reachable(address) {
		t.Fatalf("vite does not serve: %s", said.String())
	}
	tab := newTab(t)
	do(t, tab, chromedp.Navigate("http://"+address+"/"))
	eventually(t, tab, buttonColor, "rgb(0, 85, 170)")
	d.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme")
	d.livery("publish", "--env", "sandbox", "--theme", "acme", "--wait")
	eventually(t, tab, buttonColor, "rgb(194, 65, 12)")
}

// reachable waits until an address takes connections.
func reachable(address string) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return true
		}
	}
	return false
}
