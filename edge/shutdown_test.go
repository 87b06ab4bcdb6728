package edge_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/httpd"
	"example.com/livery/storage/record"
)

// A shutdown under load loses no request: whatever was sent on an open connection before the server
// said that it ends is answered whole.
func TestShutdownLosesNoRequest(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	body := r.get(latest).body
	var answered, lost atomic.Int64
	var clients sync.WaitGroup
	begun := make(chan struct{}, 32)
	for range 32 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		clients.Go(func() {
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for n := 0; ; n++ {
				if n == 3 {
					begun <- struct{}{}
				}
				if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", latest); err != nil {
					lost.Add(1)
					return
				}
				res, err := http.ReadResponse(reader, nil)
				if err != nil {
					lost.Add(1)
					return
				}
				got, err := io.ReadAll(res.Body)
				if err != nil || string(got) != body {
					lost.Add(1)
					return
				}
				answered.Add(1)
				if res.Close {
					return
				}
			}
		})
	}
	for range 32 {
		<-begun
	}
	r.stop()
	clients.Wait()
	if lost.Load() != 0 {
		t.Errorf("%d of %d requests were lost", lost.Load(), answered.Load()+lost.Load())
	}
}

// A request whose answer is being made when the shutdown begins is answered.
func TestShutdownWaitsForMisses(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	release := f.held()
	answer := make(chan response, 1)
	go func() { answer <- r.get(path("-", "latest", "tokens.css")) }()
	eventually(t, "the question", func() bool { return f.count("themes/") > 0 })
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.edge.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
	}()
	eventually(t, "the listener closed", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	release()
	want(t, <-answer, 200, "4px")
	<-stopped
}

// Beyond the most connections an edge says that there is no room, and takes the next when there is.
func TestConnectionsAreBounded(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f, func(c *edge.Config) { c.MaxConnections = 4 })
	var conns []net.Conn
	for range 4 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path("-", "1", "tokens.css")); err != nil {
			t.Fatal(err)
		}
		if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != 200 {
			t.Fatalf("a connection within the bound: %v, %v", res, err)
		}
		conns = append(conns, c)
	}
	eventually(t, "a refusal", func() bool {
		got := raw(t, r, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		return strings.HasPrefix(got, "HTTP/1.1 503 ") && strings.Contains(got, `"cause":"internal"`) && strings.Contains(got, "Retry-After: 1")
	})
	conns[0].Close()
	eventually(t, "room again", func() bool {
		got := raw(t, r, "GET "+path("-", "1", "tokens.css")+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		return strings.HasPrefix(got, "HTTP/1.1 200 ")
	})
}

// Behind a proxy that speaks the PROXY protocol the client's address is what its header says, if the
// proxy is trusted; from anybody else such a header is not a request (A83).
func TestProxyProtocolNamesTheClient(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}})
	header := func(client string) string {
		h := append([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c"), netip.MustParseAddr(client).AsSlice()...)
		h = append(h, 10, 0, 0, 1)
		h = binary.BigEndian.AppendUint16(h, 12345)
		return string(binary.BigEndian.AppendUint16(h, 80))
	}
	request := "GET " + path("-", "1", "tokens.css") + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.9\r\nConnection: close\r\n\r\n"
	for name, tt := range map[string]struct {
		trusted string
		first   string
		want    string
	}{
		"a client in the range":          {"127.0.0.0/8", header("192.0.2.7"), "HTTP/1.1 200 "},
		"a client outside of the range":  {"127.0.0.0/8", header("198.51.100.1"), "HTTP/1.1 403 "},
		"a trusted proxy without header": {"127.0.0.0/8", "", ""},
		"a header of who is not trusted": {"10.0.0.0/8", header("192.0.2.7"), "HTTP/1.1 400 "},
		"another peer without a header":  {"10.0.0.0/8", "", "HTTP/1.1 403 "},
		"a second header is no request":  {"127.0.0.0/8", header("192.0.2.7") + header("192.0.2.7"), "HTTP/1.1 400 "},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, f)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() {
				served <- r.edge.Serve(httpd.ProxyListener(l, []netip.Prefix{netip.MustParsePrefix(tt.trusted)}))
			}()
			behind := *r
			behind.url = "http://" + l.Addr().String()
			got := raw(t, &behind, tt.first+request)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("answer = %.200q, want %q", got, tt.want)
			}
			r.stop()
			if err := <-served; err != nil {
				t.Errorf("Serve = %v", err)
			}
		})
	}
}
