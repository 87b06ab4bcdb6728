//go:build linux

package edge

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
)

// TestMain lets the test's own binary be the child that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Child {
		if err := RunChild(os.Args[2:]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// needed skips a test without the programs that put the load on a server of its own core.
func needed(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range append(programs, "taskset") {
		if _, err := exec.LookPath(program); err != nil || runtime.NumCPU() < 2 {
			t.Skipf("%s and two cores are needed", program)
		}
	}
}

// self is a server of this process as a subject.
func self(t *testing.T, server *httptest.Server) *subject {
	t.Helper()
	t.Cleanup(server.Close)
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return &subject{name: "go", dir: t.TempDir(), address: server.Listener.Addr().String(), secure: server.TLS != nil, process: process}
}

// pause is how long an answer takes, so that the load leaves the processor to other tests.
const pause = 20 * time.Millisecond

func serveFile(w http.ResponseWriter, r *http.Request) {
	time.Sleep(pause)
	w.Header().Set("ETag", `"a"`)
	http.ServeContent(w, r, "a.css", time.Time{}, strings.NewReader(strings.Repeat("a", 2<<10)))
}

// Every kind of traffic gives each figure.
func TestScenariosGiveFigures(t *testing.T) {
	needed(t, "wrk")
	b := bench{rounds: 1, seconds: 1, figures: &figures.Set{}}
	s := self(t, httptest.NewServer(http.HandlerFunc(serveFile)))
	for _, name := range []string{"304", "2 KB, a new connection each", "2 KB, pipeline of 16"} {
		if err := b.measure(t.Context(), scenarioNamed(t, name), []*subject{s}); err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"µs of processor a request", "requests/s", "p50, ms", "p999, ms"} {
			// wrk gives the answers of one pipeline one time, which may be less than it can tell
			least := unit[0] != 'p' || !strings.Contains(name, "pipeline")
			if f, ok := b.figures.Find(name, s.name, unit, 0); !ok || f.Value < 0 || f.Value == 0 && least {
				t.Errorf("%s: %s = %+v, %v", name, unit, f, ok)
			}
		}
	}
}

// secureServer is a server of both protocols.
func secureServer(handler http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.StartTLS()
	return server
}

// Under TLS each scenario asks in its protocol, on connections that are resumed, new or kept open as it says.
func TestSecureScenariosAskAsTheySay(t *testing.T) {
	needed(t, "wrk", "h2load", "openssl")
	var mu sync.Mutex // guards protocols and resumed
	protocols, resumed := map[string]int{}, map[bool]int{}
	s := self(t, secureServer(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protocols[r.Proto]++
		resumed[r.TLS.DidResume]++
		mu.Unlock()
		time.Sleep(pause)
		_, _ = w.Write([]byte("hello"))
	}))
	for _, sc := range secureScenarios {
		if err := s.prepare(&sc); err != nil {
			t.Fatal(err)
		}
		clear(protocols)
		clear(resumed)
		m, err := s.load(t.Context(), sc, 1)
		if err != nil || m.requests == 0 || m.busy == 0 {
			t.Errorf("%s: %+v, %v", sc.name, m, err)
		}
		mu.Lock()
		h2, anew, again := protocols["HTTP/2.0"], resumed[false], resumed[true]
		mu.Unlock()
		if sc.streams > 0 && h2 == 0 || strings.HasSuffix(sc.name, ", resumed") && again <= anew || sc.full && again > 0 {
			t.Errorf("%s: asked in %v, sessions resumed: %v", sc.name, protocols, resumed)
		}
	}
}

// A flood gives what it adds and how long a bystander waits, who asks in both protocols.
func TestFloodsGiveFigures(t *testing.T) {
	needed(t, "nice")
	var mu sync.Mutex // guards protocols
	protocols := map[string]int{}
	s := self(t, secureServer(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(r.RemoteAddr, "127.0.0.2:") {
			protocols[r.Proto]++
		}
		_, _ = w.Write([]byte("hello"))
	}))
	b := bench{figures: &figures.Set{}, floodFor: 300 * time.Millisecond}
	for _, name := range []string{"none", "PING"} {
		if err := b.flood(t.Context(), s, name, 0); err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"MiB resident above the start", "p99 of a bystander, ms", "p50 of a bystander with a handshake, ms"} {
			if f, ok := b.figures.Find("flood: "+name, s.name, unit, 0); !ok || f.Value <= 0 {
				t.Errorf("%s: %s = %+v, %v", name, unit, f, ok)
			}
		}
	}
	if protocols["HTTP/1.1"] < 10 || protocols["HTTP/2.0"] < 10 {
		t.Errorf("the bystander asked in %v", protocols)
	}
}

// What a bystander says is read as it was.
func TestBystandersAreRead(t *testing.T) {
	text, err := json.Marshal(bystander{Kept: figures.Times{1, 2}, Failed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got bystander
	if err := json.Unmarshal(text, &got); err != nil || len(got.Kept) != 2 || got.Failed != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

// writeFiles writes what the servers serve, and beside each file what it is as gzip.
func writeFiles(t *testing.T, dir string) {
	t.Helper()
	for name, size := range fileSizes {
		body := make([]byte, 0, size)
		for i := uint32(1); len(body) < size; i++ {
			body = fmt.Appendf(body, "  --color-%d: #%06x;\n", i%97, i*2654435761>>8)
		}
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(body)
		_ = w.Close()
		for path, content := range map[string][]byte{name: body, name + ".gz": zipped.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, path), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
