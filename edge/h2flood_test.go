package edge_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/internal/test/floods"
)

// The frames of HTTP/2 that the tests send and read (RFC 9113 section 6).
const (
	preface      = floods.Preface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // with empty SETTINGS
	frameHeaders = 1
	frameReset   = 3
	frameGoAway  = 7
	calm         = 0xb // ENHANCE_YOUR_CALM
	refused      = 0x7 // REFUSED_STREAM
	endStream    = 0x1
	endHeaders   = 0x4
)

// headersOf is a GET in HPACK: indexed method and scheme, literal path and authority (RFC 7541).
func headersOf(stream uint32, path string) string {
	return floods.FrameOf(frameHeaders, endStream|endHeaders, stream, "\x82\x87\x04"+string([]byte{byte(len(path))})+path+"\x01\x01a")
}

// code is the error of a frame that carries one.
func code(f floods.Frame) uint32 {
	at := 0
	if f.Kind == frameGoAway {
		at = 4
	}
	return binary.BigEndian.Uint32(f.Payload[at:])
}

// dialH2 opens a connection and sends the preface.
func (s *secured) dialH2(t *testing.T) net.Conn {
	t.Helper()
	c := s.dial(t, "h2")
	if _, err := io.WriteString(c, preface); err != nil {
		t.Fatal(err)
	}
	return c
}

// dial connects and agrees on a protocol.
func (s *secured) dial(t *testing.T, protocol string) net.Conn {
	t.Helper()
	c, err := tls.Dial("tcp", strings.TrimPrefix(s.h2.url, "https://"), &tls.Config{RootCAs: s.trusted, NextProtos: []string{protocol}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

// TestStreamsAreBounded: beyond the streams that the server allows each is refused, and the others are
// answered.
func TestStreamsAreBounded(t *testing.T) {
	f := publishedFeed(t)
	s := runSecured(t, f)
	s.settle()
	release := f.held()
	c := s.dialH2(t)
	var requests strings.Builder
	const streams = 150
	for n := range uint32(streams) {
		requests.WriteString(headersOf(2*n+1, path("-", "latest", "tokens.css")))
	}
	if _, err := io.WriteString(c, requests.String()); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	turnedAway, answered := 0, 0
	for turnedAway+answered < streams {
		got, err := floods.ReadFrame(r)
		if err != nil {
			t.Fatalf("after %d refusals and %d answers: %v", turnedAway, answered, err)
		}
		switch {
		case got.Kind == frameReset && code(got) == refused:
			if turnedAway++; turnedAway == streams-100 {
				release()
			}
		case got.Kind == frameHeaders:
			answered++
		}
	}
	if answered != 100 || turnedAway != streams-100 {
		t.Errorf("%d streams were answered and %d refused", answered, turnedAway)
	}
}

// TestRapidResetEndsTheConnection: who opens streams and resets them while the handlers are busy is told
// to calm down, and the edge goes on for everybody else (CVE-2023-44487).
func TestRapidResetEndsTheConnection(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	s := runSecured(t, f)
	s.settle()
	release := f.held()
	defer release()
	c := s.dialH2(t)
	go func() {
		for n := uint32(0); ; n++ {
			attack := headersOf(2*n+1, path("-", "latest", "tokens.css")) + floods.FrameOf(frameReset, 0, 2*n+1, "\x00\x00\x00\x08")
			if _, err := io.WriteString(c, attack); err != nil {
				return
			}
		}
	}()
	r := bufio.NewReader(c)
	for {
		got, err := floods.ReadFrame(r)
		if err != nil {
			t.Fatalf("the connection ended without a reason: %v", err)
		}
		if got.Kind == frameGoAway && code(got) == calm {
			break
		}
	}
	want(t, s.h2.get("/"), 404, "notFound")
}

// TestHTTP2ConnectionsAreCounted: connections of HTTP/2 count as others do, also while they shake hands.
func TestHTTP2ConnectionsAreCounted(t *testing.T) {
	s := runSecured(t, publishedFeed(t), func(c *edge.Config) { c.MaxConnections = 3 })
	s.dialH2(t)
	s.dialH2(t)
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.h2.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "counting three", func() bool { return s.counted("livery_edge_connections") == 3 })
	// Read as it comes: the refusal is sent before the request, which net/http takes for an answer to nothing.
	beyond, err := http.ReadResponse(bufio.NewReader(s.dial(t, "http/1.1")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if beyond.StatusCode != 503 || beyond.Header.Get("Retry-After") != "1" {
		t.Errorf("beyond the bound: %d %v", beyond.StatusCode, beyond.Header)
	}
	_ = silent.Close()
	eventually(t, "room again", func() bool {
		res, err := s.h2.client.Get(s.h2.url + "/")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == 404
	})
}

// TestShutdownAnswersHTTP2: what was asked before the end is answered, and the client learns of the end
// by GOAWAY; a client that only shakes hands does not hold it up.
func TestShutdownAnswersHTTP2(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	s := runSecured(t, f)
	s.settle()
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.h2.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if _, err := silent.Write([]byte{22}); err != nil { // its handshake begins: the kernel keeps back a client without a byte
		t.Fatal(err)
	}
	release := f.held()
	answers := make(chan response, 2)
	for _, client := range []*running{s.h1, s.h2} {
		go func() { answers <- client.get(path("-", "latest", "tokens.css")) }()
	}
	eventually(t, "the question", func() bool { return f.count("themes/") > 0 && s.counted("livery_edge_connections") == 3 })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stop()
	}()
	eventually(t, "the listener closed", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.h2.url, "https://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	release()
	for range 2 {
		want(t, <-answers, 200, "4px")
	}
	s.h2.client.CloseIdleConnections()
	<-stopped
}

// TestShutdownUnderLoadLosesNoRequestOfHTTP2: a client that asks all the time gets whole answers, or is
// told that a request was not looked at; it never loses one that it cannot ask again.
func TestShutdownUnderLoadLosesNoRequestOfHTTP2(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	s := runSecured(t, f)
	latest := path("-", "latest", "tokens.css")
	body := s.get(latest).body
	var answered, lost atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	const clients = 8
	for range clients {
		go func() {
			defer func() { ended <- struct{}{} }()
			for ctx.Err() == nil {
				res, err := s.h2.client.Get(s.h2.url + latest)
				if err != nil {
					var dial *net.OpError
					if !errors.As(err, &dial) || dial.Op != "dial" {
						lost.Add(1)
						t.Log(err)
					}
					return
				}
				got, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || string(got) != body || res.StatusCode != http.StatusOK {
					lost.Add(1)
					t.Log(res.StatusCode, err)
					return
				}
				answered.Add(1)
			}
		}()
	}
	eventually(t, "load", func() bool { return answered.Load() > 100 })
	s.stop()
	cancel()
	for range clients {
		<-ended
	}
	if lost.Load() != 0 {
		t.Errorf("%d of %d requests were lost", lost.Load(), answered.Load())
	}
}
