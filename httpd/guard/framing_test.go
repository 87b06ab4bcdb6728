package guard_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/livery/httpd/guard"
)

func TestFraming(t *testing.T) {
	for _, tt := range []struct {
		headers string
		want    bool
	}{
		{"", true},
		{"Host: a\r\n\r\n", true},
		{"Host: a\r\nContent-Length: 5\r\n\r\n", true},
		{"Host: a\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"Host: a\r\nTransfer-Encoding: Chunked\r\nX: y\r\n\r\n", true},
		{"Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		{"Transfer-Encoding: chunked\r\ncontent-length: 5\r\n\r\n", false},
		{"Transfer-Encoding: identity\r\n\r\n", false},
		{"Transfer-Encoding: gzip, chunked\r\n\r\n", false},
		{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", false},
		{"X: a\r\n b\r\n\r\n", false},
		{"X: a\r\n\tb: c\r\n\r\n", false},
		{"X Y: a\r\n\r\n", false},
		{"X : a\r\n\r\n", false},
		{": a\r\n\r\n", false},
		{"no colon\r\n\r\n", false},
	} {
		if got := guard.Framing([]byte(tt.headers)); (got == "") != tt.want {
			t.Errorf("Framing(%q) = %q, want it unambiguous: %t", tt.headers, got, tt.want)
		}
	}
}

func TestCloses(t *testing.T) {
	for headers, want := range map[string]bool{
		"":                                      false,
		"Host: a\r\n\r\n":                       false,
		"Connection: close\r\n":                 true,
		"connection:CLOSE\r\n":                  true,
		"Connection: x, close\r\n":              true,
		"Connection: close, keep-alive\r\n":     true,
		"Connection: keep-alive ,\t Close \r\n": true,
		"Connection: close\r\nConnection: keep-alive\r\n":   true,
		"Connection: x\r\nA: b\r\nConnection: y,,close\r\n": true,
		"Connection: keep-alive\r\n":                        false,
		"Connection: closed, disclose, clo se\r\n":          false,
		"X-Connection: close\r\n":                           false,
		"X: Connection: close\r\n":                          false,
	} {
		if got := guard.Closes([]byte(headers)); got != want {
			t.Errorf("Closes(%q) = %t, want %t", headers, got, want)
		}
	}
}

// scan gives a Head its bytes in pieces of one size and returns how many it took.
func scan(text string, size int) (n int, done bool, err error) {
	var h guard.Head
	for rest := []byte(text); len(rest) > 0 && !done && err == nil; {
		piece := rest[:min(size, len(rest))]
		var taken int
		taken, done, err = h.Scan(piece)
		n += taken
		rest = rest[len(piece):]
	}
	return n, done, err
}

func TestScanFindsTheEndOfAHeadInAnyPieces(t *testing.T) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n"
	for name, tt := range map[string]struct {
		text string
		n    int // bytes that Scan takes
		done bool
		err  error
	}{
		"a head":                         {head, len(head), true, nil},
		"a body behind it":               {head + "a\nb\rc", len(head), true, nil},
		"empty lines before it":          {"\r\n\r\n" + head, 4 + len(head), true, nil},
		"a part of a head":               {head[:len(head)-1], len(head) - 1, false, nil},
		"a bare LF in the request line":  {"GET / HTTP/1.1\nHost: a\r\n\r\n", 14, false, guard.ErrLineEnd},
		"bare LFs alone":                 {"GET / HTTP/1.1\nHost: a\n\n", 14, false, guard.ErrLineEnd},
		"a bare LF in a header line":     {"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 23, false, guard.ErrLineEnd},
		"a bare LF as the empty line":    {"GET / HTTP/1.1\r\nHost: a\r\n\n", 25, false, guard.ErrLineEnd},
		"a bare CR in a header line":     {"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 24, false, guard.ErrLineEnd},
		"two CRs before a LF":            {"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", 15, false, guard.ErrLineEnd},
		"a bare LF before everything":    {"\n" + head, 0, false, guard.ErrLineEnd},
		"a bare CR before the last line": {"GET / HTTP/1.1\r\n\rX\r\n\r\n", 17, false, guard.ErrLineEnd},
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= len(tt.text); size++ {
				n, done, err := scan(tt.text, size)
				if n != tt.n || done != tt.done || !errors.Is(err, tt.err) {
					t.Fatalf("in pieces of %d bytes: Scan() took %d, %t, %v; want %d, %t, %v", size, n, done, err, tt.n, tt.done, tt.err)
				}
			}
		})
	}
}

func TestScanStandsBeforeTheNextHeadAfterOne(t *testing.T) {
	var h guard.Head
	const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	for rest := []byte(strings.Repeat(head, 3)); len(rest) > 0; {
		n, done, err := h.Scan(rest)
		if n != len(head) || !done || err != nil {
			t.Fatalf("Scan() = %d, %t, %v, want %d, true, nil", n, done, err, len(head))
		}
		rest = rest[n:]
	}
}

func TestGuardsAllocateNothing(t *testing.T) {
	headers := []byte("Host: a\r\nConnection: keep-alive\r\nAccept: */*\r\nContent-Length: 5\r\n\r\n")
	if n := testing.AllocsPerRun(100, func() {
		var h guard.Head
		if guard.Framing(headers) != "" || guard.Closes(headers) {
			t.Fatal("the headers are refused")
		}
		if _, done, err := h.Scan(headers); !done || err != nil {
			t.Fatal("the head has no end")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
