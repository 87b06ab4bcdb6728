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

	"example.com/livery/bench/world"
	"example.com/livery/client"
)

// cacheBytes is the edge's memory for files, as much as it has where nobody says.
const cacheBytes = 256 << 20

// startSecure starts an edge under TLS with an origin behind it, and nginx with the files that the edge
// serves. stop ends what runs.
func startSecure(ctx context.Context, binary, dir string) (subjects []*secureSubject, stop func(), err error) {
	var origin *world.Origin
	var edge *world.Edge
	var nginx *exec.Cmd
	stop = func() {
		if nginx != nil {
			_ = nginx.Process.Signal(os.Interrupt)
			_ = nginx.Wait()
		}
		if edge != nil {
			_ = edge.Stop()
		}
		if origin != nil {
			_ = origin.Stop()
		}
	}
	trusted, err := certifyBench(dir)
	if err != nil {
		return nil, stop, err
	}
	if origin, err = world.StartOrigin(ctx, binary, dir, world.AnyCore); err != nil {
		return nil, stop, err
	}
	edge, err = world.StartEdge(ctx, origin, dir, "edge", serverCore, cacheBytes, "--tls-cert", filepath.Join(dir, "tls.pem"), "--tls-key", filepath.Join(dir, "tls.key"))
	if err != nil {
		return nil, stop, err
	}
	livery := &secureSubject{name: "livery", address: edge.Host(), process: edge.Process(), trusted: trusted, paths: map[string]string{}}
	if err := publishFiles(ctx, origin, livery, dir); err != nil {
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

// publishFiles brings a Theme in for each file that the scenarios ask for, and writes what the edge
// serves into the folder, so that nginx serves the same bytes.
func publishFiles(ctx context.Context, o *world.Origin, s *secureSubject, dir string) error {
	http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: s.trusted}
	for _, sc := range secureScenarios {
		if s.paths[sc.path] != "" {
			continue
		}
		name := strings.TrimPrefix(sc.path, "/")
		id, err := publishFile(ctx, o, strings.TrimSuffix(name, ".css"), fileSizes[name])
		if err != nil {
			return err
		}
		s.paths[sc.path] = "/" + o.Environment + "/" + id + "/-/1/tokens.css"
		for suffix, coding := range map[string]string{"": "identity", ".gz": "gzip"} {
			content, err := fetch("https://"+s.address+s.paths[sc.path], coding)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, name+suffix), content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishFile publishes a Theme whose stylesheet is about that long, and returns its id.
func publishFile(ctx context.Context, o *world.Origin, slug string, size int) (id string, err error) {
	created, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{Slug: slug, DisplayName: slug})
	if err != nil {
		return "", err
	}
	if _, err := o.API.SetIntegrations(ctx, o.Environment, created.ID, []client.Integration{{Framework: "react", Library: "plainCSS"}}); err != nil {
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
	if _, err := o.API.EditThemeTokens(ctx, o.Environment, created.ID, client.EditOptions{}, batch); err != nil {
		return "", err
	}
	_, err = o.API.PublishTheme(ctx, o.Environment, created.ID, client.PublishOptions{})
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
