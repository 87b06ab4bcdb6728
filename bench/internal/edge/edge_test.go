//go:build linux

package edge

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// TestMain lets the test's own binary be the child that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Child {
		if err := ServeChild(os.Args[2:]); err != nil {
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

// Every kind of traffic is answered by our own servers, and gives each figure.
func TestScenariosRunOnOurServers(t *testing.T) {
	needed(t, "wrk")
	b := bench{rounds: 1, seconds: 1, servers: frame.Words{"net/http", "loop"}, figures: &figures.Set{}}
	subjects, stop, err := b.start(t.Context(), t.TempDir())
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"304", "2 KB, a new connection each", "2 KB, pipeline of 16"} {
		if err := b.measure(t.Context(), scenarioNamed(t, name), subjects); err != nil {
			t.Fatal(err)
		}
		for _, s := range subjects {
			for _, unit := range []string{"µs of processor a request", "requests/s", "p50, ms", "p999, ms"} {
				// wrk gives the answers of one pipeline one time, which may be less than it can tell
				least := unit[0] != 'p' || !strings.Contains(name, "pipeline")
				if f, ok := b.figures.Find(name, s.name, unit, 0); !ok || f.Value < 0 || f.Value == 0 && least {
					t.Errorf("%s by %s: %s = %+v, %v", name, s.name, unit, f, ok)
				}
			}
		}
	}
}

// Under TLS each scenario asks in its protocol, on connections that are resumed, new or kept open as it says.
func TestSecureScenariosAskAsTheySay(t *testing.T) {
	needed(t, "wrk", "h2load", "openssl")
	var mu sync.Mutex // guards protocols and resumed
	protocols, resumed := map[string]int{}, map[bool]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		protocols[r.Proto]++
		resumed[r.TLS.DidResume]++
		_, _ = w.Write([]byte("hello"))
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.StartTLS()
	defer server.Close()
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{name: "go", dir: t.TempDir(), address: server.Listener.Addr().String(), secure: true, process: process}
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

// TestFilesHaveTheirSizes, and are smaller as gzip.
func TestFilesHaveTheirSizes(t *testing.T) {
	dir := t.TempDir()
	if err := writeFiles(dir); err != nil {
		t.Fatal(err)
	}
	for name, size := range fileSizes {
		plain, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		zipped, err := os.Stat(filepath.Join(dir, name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		if plain.Size() < int64(size) || plain.Size() > int64(size)+100 || zipped.Size() >= plain.Size() {
			t.Errorf("%s: %d bytes, %d as gzip; want about %d and fewer", name, plain.Size(), zipped.Size(), size)
		}
	}
}
