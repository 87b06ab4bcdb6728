package origin_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// RFC 9112 section 9.6: "close" is a token in any case, anywhere in the list of any Connection line.
func TestConnectionIsAListOfTokens(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for lines, closes := range map[string]bool{
		"":                                                false,
		"Connection: keep-alive\r\n":                      false,
		"Connection: closed, x\r\n":                       false,
		"Connection: close\r\n":                           true,
		"connection: CLOSE\r\n":                           true,
		"Connection: x, close\r\n":                        true,
		"Connection: close, keep-alive\r\n":               true,
		"Connection: keep-alive,\tClose\r\n":              true,
		"Connection: close\r\nConnection: keep-alive\r\n": true,
		"Connection: keep-alive\r\nConnection: close\r\n": true,
	} {
		c := h.dial()
		r := bufio.NewReader(c)
		_, _ = io.WriteString(c, "GET /public/v1/openapi.json HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n"+lines+"\r\n")
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%q: %v", lines, err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNotModified || answer.Close != closes {
			t.Errorf("%q: status %d, closes %t, want 304, %t", lines, answer.StatusCode, answer.Close, closes)
		}
		if _, err := io.WriteString(c, "GET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); err != nil && !closes {
			t.Error(err)
		}
		_, err = http.ReadResponse(r, nil)
		if (err != nil) != closes {
			t.Errorf("%q: a second request is answered with %v, want that it is answered: %t", lines, err, !closes)
		}
	}
}

// Requests that come one after the other without a wait are answered each, in whatever pieces the network brings them.
func TestRequestsComeInAnyPieces(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := h.head("POST", "/environments/"+h.sandbox+"/themes")
	var slug int
	body := func() string { slug++; return fmt.Sprintf(`{"slug":"s%d","displayName":"D"}`, slug) }
	for _, size := range []int{1, 2, 3, 7, 100, 1 << 20} {
		a, b := body(), body()
		text := themes + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(a), a) +
			themes + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n%x\r\n%s\r\n0\r\nX-Trailer: a\r\n\r\n", 5, b[:5], len(b)-5, b[5:]) +
			"\r\nGET /nope HTTP/1.1\r\nHost: a\r\n\r\n" + h.head("POST", "/nope") + "Content-Length: 0\r\n\r\n"
		c := h.dial()
		_ = c.(*net.TCPConn).SetNoDelay(true)
		go func() {
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(c, rest[:min(size, len(rest))]); err != nil {
					return
				}
			}
		}()
		r := bufio.NewReader(c)
		for i, want := range []int{201, 201, 404, 404} {
			answer, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatalf("pieces of %d bytes, request %d: %v", size, i, err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != want {
				t.Errorf("pieces of %d bytes, request %d: %d, %v, want %d", size, i, answer.StatusCode, err, want)
			}
		}
	}
}
