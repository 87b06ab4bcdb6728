package loop

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// FuzzAnswersAreFasthttps holds the loop to fasthttp: whatever comes over a connection, in however many
// pieces, is answered by both with the same bytes, Date apart.
func FuzzAnswersAreFasthttps(f *testing.F) {
	for _, tt := range texts {
		if len(tt.text) < 4<<10 {
			f.Add([]byte(tt.text), uint16(0))
			f.Add([]byte(tt.text), uint16(len(tt.text)/2))
		}
	}
	for name := range fieldNames {
		f.Add([]byte(get("/2k.css", name+": a", strings.ToUpper(name)+":  b ")), uint16(9))
	}
	servers := []*testServer{openServer(f, ways[0].wrap), openServer(f, ways[1].wrap), openSecureServer(f, ways[0].wrap, nil)}
	server := openDirect(f)
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		if bytes.Count(text, []byte("2m.css")) > 2 || bytes.Contains(text, []byte("held")) {
			t.Skip("it takes too long")
		}
		if bareLineEnd(text) {
			t.Skip("fasthttp alone would take it")
		}
		all, ended := pieces(t, server.connect, text, 0)
		for _, h := range servers {
			want := all
			got, whole := pieces(t, h.connect, text, int(cut))
			if !whole || !ended { // what was under way at a reset is lost
				n := min(len(got), len(want))
				got, want = got[:n], want[:n]
			}
			if !bytes.Equal(got, want) {
				at := differs(got, want)
				t.Errorf("%q, cut at %d, is answered with %d bytes, by fasthttp with %d; from byte %d on %.200q, want %.200q", text, cut, len(got), len(want), at, got[at:], want[at:])
			}
		}
	})
}

// differs returns where two texts begin to differ.
func differs(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// pieces sends a text in two pieces, and returns what comes back and whether the connection then ended
// in order.
func pieces(t testing.TB, connect func() (net.Conn, error), text []byte, cut int) ([]byte, bool) {
	t.Helper()
	c, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(50 * time.Second)) // less than any limit of the servers
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if cut > 0 && cut < len(text) {
			_, _ = c.Write(text[:cut])
			time.Sleep(100 * time.Microsecond)
		} else {
			cut = 0
		}
		_, _ = c.Write(text[cut:])
		closeWrite(c)
	}()
	b, err := io.ReadAll(c)
	<-sent
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%q cut at %d: neither more of an answer nor an end comes", text, cut)
	}
	return withoutDate(b), err == nil
}

// FuzzScan holds the scanner to itself: how much of a request has come changes nothing but when its
// end is known.
func FuzzScan(f *testing.F) {
	for _, tt := range texts {
		if len(tt.text) < 4<<10 {
			f.Add([]byte(tt.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var whole, part PlainRequest
		n, v := whole.scan(text, 1<<20)
		if v != plain {
			return
		}
		if !bytes.HasSuffix(text[:n], []byte("\r\n\r\n")) || bytes.Contains(text[:n-4], []byte("\r\n\r\n")) {
			t.Fatalf("%q is taken for a request", text[:n])
		}
		for i := range n {
			part.reset()
			if _, v := part.scan(text[:i], 1<<20); v != partial {
				t.Fatalf("%q, %d bytes of a plain request, is %d", text[:i], i, v)
			}
		}
		whole.reset()
		if _, v := whole.scan(text, n-1); v != odd {
			t.Fatal("a head beyond the limit is plain")
		}
	})
}
