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
	var s PlainRequest
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

// TestFieldOf: listed names are found in any case, and every other name is ignored.
func TestFieldOf(t *testing.T) {
	var others []string
	for name, want := range fieldNames {
		for _, spelled := range []string{name, strings.ToUpper(name)} {
			if got := FieldOf([]byte(spelled)); got != want {
				t.Errorf("FieldOf(%q) = %d, want %d", spelled, got, want)
			}
		}
		others = append(others, strings.ReplaceAll(name, "-", "_"), name[:len(name)-1], name+"x", "x"+name, name+"-"+name)
		for i := range name { // every token of the same length that differs in one byte
			for c := range 256 {
				if tokenBytes[c] {
					others = append(others, name[:i]+string(rune(c))+name[i+1:])
				}
			}
		}
	}
	others = append(others, "a", "te", "tenant", "content", "Content-Type", "Authorization", "if-modified-since", "Upgrade", strings.Repeat("a", 1000))
	for _, name := range others {
		if _, listed := fieldNames[strings.ToLower(name)]; listed {
			continue
		}
		if got := FieldOf([]byte(name)); got != fieldIgnored {
			t.Errorf("FieldOf(%q) = %d, want %d", name, got, fieldIgnored)
		}
	}
}

// TestScanReadsTokensAsNames: a header line begins with a token and a colon (RFC 9110, section 5.6.2), or it is odd.
func TestScanReadsTokensAsNames(t *testing.T) {
	const token = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		for _, name := range []string{string([]byte{byte(c)}), "a" + string([]byte{byte(c)}), "content-typ" + string([]byte{byte(c)}) + "aaaaaaaaaaaaaaaaaaaaaa"} {
			want := plain
			if strings.IndexByte(token, byte(c)) < 0 && (c != ':' || len(name) == 1) {
				want = odd
			}
			var s PlainRequest
			if _, got := s.scan([]byte(get("/2k.css", name+": a")), 1<<10); got != want {
				t.Errorf("a header named %q is %d, want %d", name, got, want)
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for _, bench := range []struct{ name, text string }{{"short", get("/2k.css")}, {"chrome", chrome}, {"client", get("/2k.css", clientLines...)}} {
		b.Run(bench.name, func(b *testing.B) {
			text := []byte(bench.text)
			var s PlainRequest
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
