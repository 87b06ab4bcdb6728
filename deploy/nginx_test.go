package deploy_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// proxy is a running nginx with the shipped configuration in front of the site.
type proxy struct {
	t       *testing.T
	address string // of its TLS listener
	dir     string
}

// startNginx runs nginx with nginx/livery.conf. Only addresses and paths of files are replaced, and
// each must stand there to be replaced.
func startNginx(t *testing.T) *proxy {
	t.Helper()
	program := tool(t, "nginx")
	p := &proxy{t: t, address: freeAddress(t), dir: t.TempDir()}
	for name, content := range map[string]string{"livery.conf": p.configuration(), "nginx.conf": p.frame()} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.certify()
	if os.Getuid() == 0 { // its workers are another user's
		if err := os.Chmod(p.dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-c", filepath.Join(p.dir, "nginx.conf"), "-p", p.dir, "-e", "stderr")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", p.address); err == nil {
			_ = c.Close()
			return p
		}
		if len(ended) > 0 || time.Now().After(deadline) {
			t.Fatalf("nginx does not answer: %s", said.String())
		}
	}
}

// frame is the file around the shipped one: what a distribution's nginx.conf does.
func (p *proxy) frame() string {
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	return user + `daemon off; worker_processes 2; pid nginx.pid; error_log stderr warn;
events { worker_connections 512; }
http { client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
include livery.conf; }
`
}

func (p *proxy) configuration() string {
	text := read(p.t, "nginx/livery.conf")
	for _, change := range [][2]string{
		{"listen 443 ssl http2;", "listen " + p.address + " ssl http2;"},
		{"127.0.0.1:8090 ", strings.TrimPrefix(site.EdgeURL, "http://") + " "},
		{"127.0.0.1:8190 ", strings.TrimPrefix(site.EdgeURL, "http://") + " "},
		{"127.0.0.1:8080;", strings.TrimPrefix(site.OriginURL, "http://") + ";"},
		{"/var/cache/nginx/livery", filepath.Join(p.dir, "cache")},
		{"/var/log/nginx/livery.log", filepath.Join(p.dir, "access.log")},
		{"/etc/livery/tls/cdn", filepath.Join(p.dir, "tls")},
		{"/etc/livery/tls/api", filepath.Join(p.dir, "tls")},
	} {
		if !strings.Contains(text, change[0]) {
			p.t.Fatalf("nginx/livery.conf does not hold %q", change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return text
}

// certify writes a certificate that nobody trusts.
func (p *proxy) certify() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"cdn.example.com"}}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		p.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"tls.pem": {Type: "CERTIFICATE", Bytes: cert}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(p.dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// answer is one answer with its body read.
type answer struct {
	*http.Response
	body string
}

// cached is what nginx says it did.
func (a answer) cached() string {
	for _, member := range a.Header.Values("Cache-Status") {
		if rest, ok := strings.CutPrefix(member, "nginx; "); ok {
			return rest
		}
	}
	return ""
}

// dial opens a TLS connection to one of the servers by name.
func (p *proxy) dial(host string) net.Conn {
	p.t.Helper()
	c, err := tls.Dial("tcp", p.address, &tls.Config{ServerName: host, InsecureSkipVerify: true})
	if err != nil {
		p.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// ask sends one GET with the header lines given.
func (p *proxy) ask(path string, lines ...string) answer {
	p.t.Helper()
	return p.raw("cdn.example.com", "GET "+path+" HTTP/1.1\r\nHost: cdn.example.com\r\nConnection: close\r\n"+strings.Join(append(lines, ""), "\r\n")+"\r\n")[0]
}

// raw sends bytes and returns every answer until nginx closes.
func (p *proxy) raw(host, request string) []answer {
	p.t.Helper()
	c := p.dial(host)
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		p.t.Fatal(err)
	}
	return answers(p.t, c)
}

func answers(t *testing.T, from io.Reader) (all []answer) {
	t.Helper()
	r := bufio.NewReader(from)
	for {
		response, err := http.ReadResponse(r, &http.Request{Method: http.MethodGet})
		if err != nil {
			return all
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, answer{response, string(text)})
		if response.Close {
			return all
		}
	}
}

// TestNginxKeepsPinnedFilesOfPublicThemes: "public, immutable" is honoured, one entry for each
// encoding, whatever the query says (A85, A91).
func TestNginxKeepsPinnedFilesOfPublicThemes(t *testing.T) {
	p := startNginx(t)
	first := p.ask(site.public)
	if first.StatusCode != 200 || first.cached() != "fwd=uri-miss" || !strings.Contains(first.body, "--color-brand") {
		t.Fatalf("first request = %d %q %s", first.StatusCode, first.cached(), first.body)
	}
	for _, c := range []struct {
		name, path, line, want, encoding string
		status                           int
	}{
		{"the same again", site.public, "", "hit", "", 200},
		{"a query does not split the cache", site.public + "?x=1", "", "hit", "", 200},
		{"an encoding is its own entry", site.public, "Accept-Encoding: gzip, deflate, br, zstd", "fwd=uri-miss", "br", 200},
		{"however the client spells it", site.public, "Accept-Encoding: br,gzip", "hit", "br", 200},
		{"an encoding with a weight of nothing is not used", site.public, "Accept-Encoding: br;q=0", "hit", "", 200},
		{"who has it already is told so", site.public, "If-None-Match: " + first.Header.Get("ETag"), "hit", "", 304},
	} {
		got := p.ask(c.path, c.line)
		if got.StatusCode != c.status || got.cached() != c.want || got.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s: %d, %q, encoding %q; want %d, %q, %q", c.name, got.StatusCode, got.cached(), got.Header.Get("Content-Encoding"), c.status, c.want, c.encoding)
		}
		if c.encoding == "" && c.status == 200 && got.body != first.body {
			t.Errorf("%s: other bytes: %s", c.name, got.body)
		}
	}
	log := p.logOf(7)
	if !strings.Contains(log, site.public) || strings.Contains(log, "x=1") {
		t.Errorf("the log must hold paths and no queries:\n%s", log)
	}
}

// logOf returns what nginx wrote, once it has lines for that many requests.
func (p *proxy) logOf(requests int) (text string) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		written, err := os.ReadFile(filepath.Join(p.dir, "access.log"))
		if text = string(written); err == nil && strings.Count(text, "\n") >= requests {
			break
		}
	}
	return text
}

// TestNginxAsksTheEdgeForLatest: nginx does not add to Age, so a latest that it kept would be older
// than the Environment allows.
func TestNginxAsksTheEdgeForLatest(t *testing.T) {
	p := startNginx(t)
	latest := strings.Replace(site.public, "/1/", "/latest/", 1)
	for range 2 {
		got := p.ask(latest)
		if got.StatusCode != 200 || got.cached() != "" || !strings.Contains(got.Header.Get("Cache-Control"), "max-age=300") {
			t.Errorf("latest = %d, %q, %q", got.StatusCode, got.cached(), got.Header.Get("Cache-Control"))
		}
	}
	if missing := p.ask(strings.Replace(site.public, "/1/", "/7/", 1)); missing.StatusCode != 404 {
		t.Errorf("a version that is not there = %d", missing.StatusCode)
	}
	p.nothingKept("latest and 404")
}

// nothingKept fails where the cache directory holds a file.
func (p *proxy) nothingKept(what string) {
	p.t.Helper()
	err := filepath.WalkDir(filepath.Join(p.dir, "cache"), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			p.t.Errorf("%s: nginx keeps %s", what, name)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestNginxNeverKeepsRestrictedFiles: a file of a Theme with signing, origins or address ranges is
// the edge's to give, every time (A80, A83, A86).
func TestNginxNeverKeepsRestrictedFiles(t *testing.T) {
	p := startNginx(t)
	good, err := livery("sign", "https://cdn.example.com"+site.signed, "--key-id", strings.TrimPrefix(filepath.Ext(site.keys), "."), "--secret-file", site.keys)
	if err != nil {
		t.Fatal(err)
	}
	good = strings.TrimPrefix(good, "https://cdn.example.com")
	for _, c := range []struct {
		name, path, line, allow string
		status                  int
	}{
		{"a signed file with its signature", good, "", "*", 200},
		{"again, to be a hit if it was kept", good, "", "*", 200},
		{"without a signature after one was let in", site.signed, "", "", 403},
		{"with another signature", good[:len(good)-4] + "AAAA", "", "", 403},
		{"an origin on the list", site.listed, "Origin: https://shop.example", "https://shop.example", 200},
		{"another on the list is answered for itself", site.listed, "Origin: https://blog.example", "https://blog.example", 200},
		{"an origin that is not on it", site.listed, "Origin: https://evil.example", "", 403},
		{"an address outside the ranges", site.ranged, "", "", 403},
		{"which no header changes", site.ranged, "X-Forwarded-For: 192.0.2.7", "", 403},
		{"under no spelling", site.ranged, "X-Forwarded-For: 192.0.2.7\r\nx-forwarded-for: 192.0.2.8\r\nX-Real-IP: 192.0.2.7\r\nForwarded: for=192.0.2.7", "", 403},
	} {
		got := p.ask(c.path, c.line)
		allow := got.Header.Get("Access-Control-Allow-Origin")
		if got.StatusCode != c.status || got.cached() == "hit" || c.status == 200 && allow != c.allow {
			t.Errorf("%s: %d, cache %q, allows %q; want %d, allows %q", c.name, got.StatusCode, got.cached(), allow, c.status, c.allow)
		}
		if c.status == 200 && !strings.HasPrefix(got.Header.Get("Cache-Control"), "private") {
			t.Errorf("%s: Cache-Control %q is not private", c.name, got.Header.Get("Cache-Control"))
		}
	}
	p.nothingKept("restricted files")
	if log := p.logOf(10); strings.Contains(log, "Signature") || strings.Contains(log, "KeyName") {
		t.Errorf("the log holds a signature:\n%s", log)
	}
}

// TestNginxSmugglesNothing sends what two servers could read as different requests (A50 to A58)
// through nginx, to the edge and to the origin. Whatever nginx makes of it, behind it there are never
// more requests than nginx knows of: none hides in another.
func TestNginxSmugglesNothing(t *testing.T) {
	p := startNginx(t)
	hidden := "GET " + site.public + " HTTP/1.1\r\nHost: cdn.example.com\r\nConnection: close\r\n\r\n"
	behind := func() int {
		return counted(t, site.edgeOps, "livery_edge_requests_total") + counted(t, site.originOps, "livery_origin_requests_total")
	}
	before, sent := behind(), 0
	for _, c := range []struct{ name, head, body string }{
		{"A50 length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden},
		{"A50 chunks and length", fmt.Sprintf("Transfer-Encoding: chunked\r\nContent-Length: %d\r\n", 5+len(hidden)), "0\r\n\r\n" + hidden},
		{"A51 two lengths", fmt.Sprintf("Content-Length: 0\r\nContent-Length: %d\r\n", len(hidden)), hidden},
		{"A51 a signed length", "Content-Length: +0\r\n", hidden},
		{"A52 an unknown coding", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n" + hidden},
		{"A52 a coding after white space", "Transfer-Encoding : chunked\r\n", "0\r\n\r\n" + hidden},
		{"A52 a coding behind a control character", "Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n" + hidden},
		{"A53 identity", "Transfer-Encoding: identity\r\nContent-Length: 0\r\n", hidden},
		{"A54 a chunk size that is none", "Transfer-Encoding: chunked\r\n", "-1\r\n" + hidden},
		{"A55 a folded line", "X-A: b\r\n Transfer-Encoding: chunked\r\n", hidden},
		{"A56 a space in a name", "Content Length: 5\r\nContent-Length: 0\r\n", hidden},
		{"A57 a bare carriage return", "X-A: b\rTransfer-Encoding: chunked\r\n", hidden},
		{"a length whose body is a request", fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n", len(hidden)), hidden},
	} {
		for _, host := range []string{"cdn.example.com", "livery.example.com"} {
			got := p.raw(host, "POST "+site.public+" HTTP/1.1\r\nHost: "+host+"\r\n"+c.head+"\r\n"+c.body)
			if len(got) == 0 || got[0].StatusCode < 400 {
				t.Errorf("%s at %s: the first answer is no refusal", c.name, host)
			}
			sent += len(got)
		}
	}
	known := strings.Count(p.logOf(sent), "\n")
	if reached := behind() - before; reached > known || known != sent {
		t.Errorf("%d answers came back, nginx knows of %d requests, and %d were answered behind it", sent, known, reached)
	}
}

// counted returns the sum of a counter over its labels.
func counted(t *testing.T, ops, metric string) (sum int) {
	t.Helper()
	for line := range strings.Lines(body(t, ops+"/metrics")) {
		if name, rest, _ := strings.Cut(line, "{"); name == metric {
			n, err := strconv.Atoi(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
