//go:build linux

package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// TestEverySecureScenarioAsksAsItSays runs the load against Go's own server: each scenario gets answers
// in its protocol, on connections that are new, resumed or kept as it says.
func TestEverySecureScenarioAsksAsItSays(t *testing.T) {
	protocols := make(chan string, 1<<16)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case protocols <- r.Proto:
		default:
		}
		w.Header().Set("Content-Length", "5")
		_, _ = w.Write([]byte("hello"))
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.StartTLS()
	defer server.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	s := &secureSubject{name: "go", address: server.Listener.Addr().String(), process: process, trusted: trusted, paths: map[string]string{"/2k.css": "/a", "/20k.css": "/b"}}
	for _, sc := range secureScenarios {
		m, err := s.load(sc, 50*time.Millisecond)
		if err != nil || m.requests == 0 || m.busy == 0 {
			t.Errorf("%s: %+v, %v", sc.name, m.requests, err)
		}
		for len(protocols) > 0 {
			if got := <-protocols; !strings.HasPrefix(sc.name, strings.TrimSuffix(got, ".0")) {
				t.Fatalf("%s: asked in %s", sc.name, got)
			}
		}
	}
	b := &secureBench{rounds: 1, slice: time.Millisecond}
	page := b.page([]*secureSubject{s, s}, []secureRow{{secureScenarios[0], []cell{{cost: []float64{1}, rate: []float64{2}}, {cost: []float64{4}, rate: []float64{3}}}}})
	if !strings.Contains(page, "0.25") || !strings.Contains(page, "2, 3") {
		t.Errorf("the page holds no ratio and no rates:\n%s", page)
	}
}
