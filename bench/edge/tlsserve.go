//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/livery/client"
)

// startSecure starts an edge under TLS with an origin behind it, and nginx with the files that the edge
// serves. stop ends what runs.
func startSecure(ctx context.Context, binary, dir string) (subjects []*secureSubject, stop func(), err error) {
	w := &world{binary: binary, dir: dir}
	var nginx *exec.Cmd
	stop = func() {
		if nginx != nil {
			_ = nginx.Process.Signal(os.Interrupt)
			_ = nginx.Wait()
		}
		_ = w.close()
	}
	trusted, err := certifyBench(dir)
	if err != nil {
		return nil, stop, err
	}
	if err := w.startOrigin(ctx); err != nil {
		return nil, stop, err
	}
	livery, err := w.startSecureEdge(trusted)
	if err != nil {
		return nil, stop, err
	}
	if err := w.publishFiles(ctx, livery); err != nil {
		return nil, stop, err
	}
	other := &secureSubject{name: "nginx", trusted: trusted, paths: map[string]string{}}
	for name := range livery.paths {
		other.paths[name] = name
	}
	nginx, other.address, err = startSecureNginx(dir)
	if err != nil {
		return nil, stop, err
	}
	other.process = nginx.Process
	return []*secureSubject{livery, other}, stop, answers(other.address)
}

// certifyBench writes a certificate for 127.0.0.1 that signs itself, and returns who trusts it.
func certifyBench(dir string) (*x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	if err := os.WriteFile(filepath.Join(dir, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		return nil, err
	}
	return pool, os.WriteFile(filepath.Join(dir, "tls.pem"), text, 0o600)
}

// startSecureEdge starts the edge on the servers' core.
func (w *world) startSecureEdge(trusted *x509.CertPool) (*secureSubject, error) {
	data := filepath.Join(w.dir, "edge")
	w.edge = exec.Command("taskset", "-c", strconv.Itoa(serverCore), w.binary, "edge", "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
		"--log-level", "error", "--upstream", w.feedURL, "--upstream-token-file", filepath.Join(w.dir, "origin", "feed-token"),
		"--tls-cert", filepath.Join(w.dir, "tls.pem"), "--tls-key", filepath.Join(w.dir, "tls.key"))
	w.edge.Stderr = os.Stderr
	if err := w.edge.Start(); err != nil {
		return nil, fmt.Errorf("start %s (make build makes it): %w", w.binary, err)
	}
	var said struct {
		Edge string `json:"edgeURL"`
	}
	if err := readWhenThere(filepath.Join(data, "edge.json"), &said); err != nil {
		return nil, err
	}
	return &secureSubject{
		name: "livery", address: strings.TrimPrefix(said.Edge, "https://"), process: w.edge.Process, trusted: trusted, paths: map[string]string{},
	}, nil
}

// publishFiles brings a Theme in for each file that the scenarios ask for, and writes what the edge
// serves into the folder, so that nginx serves the same bytes.
func (w *world) publishFiles(ctx context.Context, s *secureSubject) error {
	http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: s.trusted}
	for _, sc := range secureScenarios {
		if s.paths[sc.path] != "" {
			continue
		}
		name := strings.TrimPrefix(sc.path, "/")
		id, err := w.publishFile(ctx, strings.TrimSuffix(name, ".css"), fileSizes[name])
		if err != nil {
			return err
		}
		s.paths[sc.path] = "/" + w.environment + "/" + id + "/-/1/tokens.css"
		for suffix, coding := range map[string]string{"": "identity", ".gz": "gzip"} {
			content, err := fetch("https://"+s.address+s.paths[sc.path], coding)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(w.dir, name+suffix), content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishFile publishes a Theme whose stylesheet is about that long, and returns its id.
func (w *world) publishFile(ctx context.Context, slug string, size int) (id string, err error) {
	created, err := w.api.CreateTheme(ctx, w.environment, client.NewTheme{Slug: slug, DisplayName: slug})
	if err != nil {
		return "", err
	}
	if _, err := w.api.SetIntegrations(ctx, w.environment, created.ID, []client.Integration{{Framework: "react", Library: "plainCSS"}}); err != nil {
		return "", err
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(document(size), &groups); err != nil {
		return "", err
	}
	var batch []client.Operation
	for name, group := range groups {
		batch = append(batch, client.Operation{Operation: "add", Path: "/" + name, Value: group})
	}
	if _, err := w.api.EditThemeTokens(ctx, w.environment, created.ID, client.EditOptions{}, batch); err != nil {
		return "", err
	}
	_, err = w.api.PublishTheme(ctx, w.environment, created.ID, client.PublishOptions{})
	return created.ID, err
}

const secureNginxConfig = `daemon off; worker_processes 1; pid %[1]s/nginx-tls.pid; error_log stderr crit;
worker_cpu_affinity 01; worker_rlimit_nofile 65536;
events { worker_connections 16384; multi_accept on; use epoll; }
http {
  access_log off; sendfile off; output_buffers 2 256k; postpone_output 1460; tcp_nodelay on; server_tokens off; etag on;
  keepalive_timeout 60; keepalive_requests 1000000000; reset_timedout_connection on;
  open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;
  gzip_static on; gzip_vary on;
  types { text/css css; } charset utf-8; charset_types text/css;
  client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
  server {
    listen %[2]s ssl http2 backlog=4096; root %[1]s;
    ssl_certificate %[1]s/tls.pem; ssl_certificate_key %[1]s/tls.key; ssl_protocols TLSv1.3;
    ssl_session_cache shared:tls:4m; ssl_session_tickets on; ssl_buffer_size 16k;
    add_header Cache-Control "public, max-age=31536000, immutable";
    add_header Access-Control-Allow-Origin *;
    add_header Access-Control-Expose-Headers "Age, Cache-Status, ETag";
    add_header Cross-Origin-Resource-Policy cross-origin;
    add_header Cache-Status "nginx; hit";
    add_header X-Content-Type-Options nosniff;
  }
}
`

func startSecureNginx(dir string) (*exec.Cmd, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	config := filepath.Join(dir, "nginx-tls.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, secureNginxConfig, dir, address), 0o644); err != nil {
		return nil, "", err
	}
	cmd := exec.Command("taskset", "-c", strconv.Itoa(serverCore), "nginx", "-p", dir, "-c", config)
	cmd.Stderr = os.Stderr
	return cmd, address, cmd.Start()
}
