package deploy_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

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
	for _, modes := range []string{"?modes=scheme.dark", "?modes=scheme,contrast", "?modes=scheme%2Ccontrast"} {
		for _, want := range []string{"fwd=uri-miss", "hit"} {
			if got := p.ask(site.public + modes + "&x=1"); got.StatusCode != 200 || got.cached() != want {
				t.Errorf("%s: %d, %q, want %q", modes, got.StatusCode, got.cached(), want)
			}
		}
	}
	log := p.logOf(13)
	if !strings.Contains(log, site.public) || strings.Contains(log, "x=1") {
		t.Errorf("the log must hold paths and no queries:\n%s", log)
	}
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
				t.Errorf("%s at %s: the first answer is not a refusal", c.name, host)
			}
			sent += len(got)
		}
	}
	known := strings.Count(p.logOf(sent), "\n")
	if reached := behind() - before; reached > known || known != sent {
		t.Errorf("%d answers came back, nginx knows of %d requests, and %d were answered behind it", sent, known, reached)
	}
}
