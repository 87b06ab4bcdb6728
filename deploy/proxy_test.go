package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// proxy is a running nginx with the shipped configuration in front of the site.
type proxy struct {
	t       *testing.T
	address string // of its TLS listener
	dir     string
	edges   [2]string // addresses of the edges behind it
}

// startNginx runs nginx with nginx/livery.conf. Only addresses and paths of files are replaced, and
// each must stand there to be replaced.
func startNginx(t *testing.T) *proxy {
	t.Helper()
	edge := strings.TrimPrefix(site.EdgeURL, "http://")
	return startNginxBefore(t, [2]string{edge, edge})
}

// startNginxBefore is startNginx before two edges.
func startNginxBefore(t *testing.T, edges [2]string) *proxy {
	t.Helper()
	program := tool(t, "nginx")
	p := &proxy{t: t, address: freeAddress(t), dir: t.TempDir(), edges: edges}
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
	p.start(exec.Command(program, "-c", filepath.Join(p.dir, "nginx.conf"), "-p", p.dir, "-e", "stderr"))
	return p
}

// start runs a proxy until the test ends, and returns once it accepts connections.
func (p *proxy) start(cmd *exec.Cmd) {
	p.t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	end := func(signal os.Signal) {
		_ = cmd.Process.Signal(signal)
		ended <- <-ended
	}
	p.t.Cleanup(func() { end(os.Interrupt) })
	for deadline := time.Now().Add(time.Minute); len(ended) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", p.address); err == nil {
			_ = c.Close()
			return
		}
	}
	end(os.Kill)
	p.t.Fatalf("%s does not answer: %s", cmd.Path, said.String())
}

// replaced returns a shipped configuration with changes, each of which must have something to replace.
func (p *proxy) replaced(name string, changes [][2]string) string {
	p.t.Helper()
	text := read(p.t, name)
	for _, change := range changes {
		if !strings.Contains(text, change[0]) {
			p.t.Fatalf("%s does not hold %q", name, change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return text
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
	return p.replaced("nginx/livery.conf", [][2]string{
		{"listen 443 ssl http2;", "listen " + p.address + " ssl http2;"},
		{"127.0.0.1:8090 ", p.edges[0] + " "},
		{"127.0.0.1:8190 ", p.edges[1] + " "},
		{"127.0.0.1:8080;", strings.TrimPrefix(site.OriginURL, "http://") + ";"},
		{"/var/cache/nginx/livery", filepath.Join(p.dir, "cache")},
		{"/var/log/nginx/livery.log", filepath.Join(p.dir, "access.log")},
		{"/etc/livery/tls/cdn", filepath.Join(p.dir, "tls")},
		{"/etc/livery/tls/api", filepath.Join(p.dir, "tls")},
	})
}

// certify writes a certificate that no authority signed.
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

// transport sends requests to the proxy, whatever host they name.
func (p *proxy) transport(http2 bool) *http.Transport {
	transport := &http.Transport{
		ForceAttemptHTTP2: http2, DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", p.address)
		},
	}
	p.t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// dial opens a TLS connection to one of the servers by name.
func (p *proxy) dial(host string) net.Conn {
	p.t.Helper()
	c, err := tls.Dial("tcp", p.address, &tls.Config{ServerName: host, InsecureSkipVerify: true})
	if err != nil {
		p.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
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

// logOf returns what nginx wrote, once it has lines for that many requests.
func (p *proxy) logOf(requests int) (text string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		written, err := os.ReadFile(filepath.Join(p.dir, "access.log"))
		if text = string(written); err == nil && strings.Count(text, "\n") >= requests {
			break
		}
	}
	return text
}

// nothingKept fails if the cache directory holds a file.
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
