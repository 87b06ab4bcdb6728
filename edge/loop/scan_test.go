package loop

import (
	"bytes"
	"strings"
	"testing"
)

// TestScanReadsARequest: values are those of the request, without the spaces around them.
func TestScanReadsARequest(t *testing.T) {
	text := "GET /a/b.css HTTP/1.1\r\nhOST:  files.example:8090 \r\naccept-encoding:br\r\nIf-None-Match: \"x\"\r\nOrigin: o\r\nReferer: r\r\n" +
		"Sec-Fetch-Site: s\r\nSec-Fetch-Dest: d\r\nSec-CH-UA: c\r\nUser-Agent: u v\r\nX-Forwarded-For: 1.2.3.4, 5.6.7.8\r\nConnection: close\r\n\r\n"
	var s plainRequest
	n, v := s.scan([]byte(text+"GET"), 1<<10)
	if n != len(text) || v != plain || !s.close {
		t.Fatalf("scan = %d, %d, close %t; want %d, plain, true", n, v, s.close, len(text))
	}
	for _, tt := range []struct {
		name, want string
		got        []byte
	}{
		{"Path", "/a/b.css", s.Path},
		{"Host", "files.example:8090", s.Host},
		{"AcceptEncoding", "br", s.AcceptEncoding},
		{"IfNoneMatch", `"x"`, s.IfNoneMatch},
		{"Origin", "o", s.Origin},
		{"Referer", "r", s.Referer},
		{"SecFetchSite", "s", s.SecFetchSite},
		{"SecFetchDest", "d", s.SecFetchDest},
		{"SecCHUA", "c", s.SecCHUA},
		{"UserAgent", "u v", s.UserAgent},
		{"ForwardedFor", "1.2.3.4, 5.6.7.8", s.ForwardedFor},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	s.reset()
	if s.Host != nil || s.UserAgent != nil || s.close {
		t.Error("a reset keeps something")
	}
}

// TestLineEndStopsAtControls: at the first control character of either kind, wherever it stands.
func TestLineEndStopsAtControls(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			b := bytes.Repeat([]byte{0x80}, 20)
			b[at] = byte(c)
			want := len(b)
			if c < 0x20 || c == 0x7f {
				want = at
			}
			if got := lineEnd(b, 0); got != want {
				t.Fatalf("lineEnd with %#x at %d = %d, want %d", c, at, got, want)
			}
		}
	}
}

// TestFieldNamesAreFoundInAnyCase, and nothing else is.
func TestFieldNamesAreFoundInAnyCase(t *testing.T) {
	for name, want := range fieldNames {
		if len(name) > maxFieldName {
			t.Errorf("%s is longer than any name that is looked up", name)
		}
		for _, spelled := range []string{name, strings.ToUpper(name)} {
			if got, colon := fieldOf([]byte(spelled + ": a: b")); got != want || colon != len(name) {
				t.Errorf("fieldOf(%q) = %d, %d, want %d, %d", spelled, got, colon, want, len(name))
			}
		}
		for _, other := range []string{strings.Replace(name, "-", "_", 1), strings.Replace(name, "-", " ", 1), name + "\u00e4"} {
			if _, known := fieldNames[other]; !known {
				unknown(t, other)
			}
		}
	}
	for _, name := range []string{
		"", "content-length", "Transfer-Encoding", "ranges", "if-ranges", "If-Match", "expect", "upgrade", "trailer", "te", "content-type", "authorization", "keep-alive",
		"x-http-method-override", "http2-settings", "proxy-connection", "hosts", "connections", "content-lengthx", strings.Repeat("a", 32), strings.Repeat("a", 100),
	} {
		unknown(t, name)
	}
	for _, name := range []string{"x", "X-Unknown", "accept-encodingx", "origin2", "1-2", strings.Repeat("a", 31)} {
		if f, colon := fieldOf([]byte(name + ": a")); f != fieldHarmless || colon != len(name) {
			t.Errorf("fieldOf(%q) = %d, %d, want that it is harmless", name, f, colon)
		}
	}
}

func unknown(t *testing.T, name string) {
	t.Helper()
	for _, line := range []string{name, name + ": a", name + ":" + strings.Repeat("a", 40)} {
		if f, _ := fieldOf([]byte(line)); f != fieldUnknown {
			t.Errorf("%q begins with a name that is known or harmless", line)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for _, bench := range []struct{ name, text string }{{"short", get("/2k.css")}, {"chrome", chrome}} {
		b.Run(bench.name, func(b *testing.B) {
			text := []byte(bench.text)
			var s plainRequest
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.reset()
				if _, v := s.scan(text, 1<<14); v != plain {
					b.Fatal("it is not plain")
				}
			}
		})
	}
}
