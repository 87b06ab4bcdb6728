package edge_test

import (
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

// TestHTTP2KeepsTheStandard: h2spec finds nothing in its strict mode, on the loop's threads and on a listener that they
// cannot take over.
func TestHTTP2KeepsTheStandard(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	wrapped := secure(t, s.running, func(l net.Listener) net.Listener { return struct{ net.Listener }{l} })
	latest := path("-", "latest", "tokens.css")
	for name, client := range map[string]*running{"threads": s.h2, "wrapped": wrapped.h2} {
		want(t, client.get(latest), 200, "")
		_, port, err := net.SplitHostPort(strings.TrimPrefix(client.url, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		c := &config.Config{
			Host: "127.0.0.1", Port: number, Path: latest, Timeout: 5 * time.Second, MaxHeaderLen: 4000, TLS: true, Insecure: true, Strict: true,
		}
		passed, failed := 0, 0
		report := said(t, func() {
			for _, group := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
				group.Test(c)
				passed, failed = passed+group.PassedCount, failed+group.FailedCount+group.SkippedCount
			}
		})
		if passed != 146 || failed != 0 {
			t.Errorf("%s: %d tests passed, %d did not:\n%s", name, passed, failed, report)
		}
	}
}

// said returns what do writes to the standard output.
func said(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		written <- string(text)
	}()
	do()
	os.Stdout = stdout
	_ = w.Close()
	return <-written
}
