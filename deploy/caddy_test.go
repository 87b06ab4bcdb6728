package deploy_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startCaddy runs caddy/Caddyfile before the site. Only addresses and certificates are replaced, and each must stand there to
// be replaced.
func startCaddy(t *testing.T) *proxy {
	t.Helper()
	program := tool(t, "caddy")
	p := &proxy{t: t, address: freeAddress(t), dir: t.TempDir()}
	p.certify()
	_, port, _ := net.SplitHostPort(p.address)
	own := "\n\ttls " + filepath.Join(p.dir, "tls.pem") + " " + filepath.Join(p.dir, "tls.key")
	text := p.replaced("caddy/Caddyfile", [][2]string{
		{"\n{\n\tservers {", "\n{\n\tadmin off\n\tauto_https off\n\tservers {"},
		{"\ncdn.example.com {", "\nhttps://cdn.example.com:" + port + " {" + own},
		{"\nlivery.example.com {", "\nhttps://livery.example.com:" + port + " {" + own},
		{"127.0.0.1:8090 127.0.0.1:8190", strings.TrimPrefix(site.EdgeURL, "http://")},
		{"127.0.0.1:8080", strings.TrimPrefix(site.OriginURL, "http://")},
	})
	file := filepath.Join(p.dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir, "XDG_DATA_HOME="+p.dir)
	p.start(cmd)
	return p
}

// TestCaddyPassesOnWhatItShould: files as they are, the client's address and no other (A83), the path
// as it was sent (A64), in HTTP/1.1 and in HTTP/2.
func TestCaddyPassesOnWhatItShould(t *testing.T) {
	p := startCaddy(t)
	for _, major := range []int{1, 2} {
		transport := p.transport(major == 2)
		for _, c := range []struct {
			name, path, line string
			status           int
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
			request, err := http.NewRequest(http.MethodGet, "https://cdn.example.com"+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.line != "" {
				request.Header.Set("X-Forwarded-For", c.line)
			}
			request.Header.Set("Accept-Encoding", "br")
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != c.status || response.ProtoMajor != major {
				t.Errorf("%s: %d in %s, want %d in HTTP/%d", c.name, response.StatusCode, response.Proto, c.status, major)
			}
			if c.status == 200 && response.Header.Get("Etag") == "" {
				t.Errorf("%s has no ETag: %v", c.name, response.Header)
			}
		}
		if answered, err := transport.RoundTrip(newAPIRequest(t)); err != nil || answered.StatusCode != http.StatusUnauthorized {
			t.Errorf("the API behind caddy: %v, %v, want 401 without a token", answered, err)
		}
	}
}

func newAPIRequest(t *testing.T) *http.Request {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, "https://livery.example.com/public/v1/environments", nil)
	if err != nil {
		t.Fatal(err)
	}
	return request
}
