package deploy_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startCaddy runs the configuration that stands in proxies.md and returns its address. Only addresses
// are replaced.
func startCaddy(t *testing.T) string {
	t.Helper()
	program := tool(t, "caddy")
	_, rest, _ := strings.Cut(read(t, "proxies.md"), "\n## Caddy\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	address, edge, dir := freeAddress(t), strings.TrimPrefix(site.EdgeURL, "http://"), t.TempDir()
	text := "{\n\tadmin off\n}\n"
	for line := range strings.Lines(rest) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			text += strings.NewReplacer("cdn.example.com", "http://"+address, "127.0.0.1:8090 127.0.0.1:8190", edge).Replace(code)
		}
	}
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return address
		}
	}
	t.Fatalf("caddy does not answer with:\n%s", text)
	return ""
}

// TestCaddyPassesOnWhatItShould: files as they are, the client's address and no other (A83), the path
// as it was sent (A64).
func TestCaddyPassesOnWhatItShould(t *testing.T) {
	address := startCaddy(t)
	for _, c := range []struct {
		name, path, forged string
		status             int
	}{
		{"a pinned file", site.public, "", 200},
		{"latest", strings.Replace(site.public, "/1/", "/latest/", 1), "", 200},
		{"a version that is not there", strings.Replace(site.public, "/1/", "/7/", 1), "", 404},
		{"a path with a doubled slash is not mended", strings.Replace(site.public, "/1/", "//1/", 1), "", 404},
		{"an encoded slash is not decoded", strings.Replace(site.public, "/1/", "%2F1/", 1), "", 404},
		{"an address outside the ranges", site.ranged, "", 403},
		{"which no header changes", site.ranged, "192.0.2.7", 403},
		{"a signed file without a signature", site.signed, "", 403},
	} {
		request, err := http.NewRequest(http.MethodGet, "http://"+address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.forged != "" {
			request.Header.Set("X-Forwarded-For", c.forged)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.name, response.StatusCode, c.status)
		}
	}
}
