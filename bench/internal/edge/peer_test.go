//go:build linux

package edge

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// Every server that is installed answers what is asked of it: the whole file, gzip if it is accepted, 304 to a client that
// has it already, and a file that it has not seen, which it encodes itself.
func TestPeersServeTheFiles(t *testing.T) {
	for _, name := range []string{"nginx sendfile", "nginx buffers", "h2o"} {
		t.Run(name, func(t *testing.T) {
			needed(t, toolOf(name))
			dir := t.TempDir()
			for _, folder := range []string{filepath.Dir(dir), dir} { // the workers of nginx are another user's
				if err := os.Chmod(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "fresh"), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFiles(t, dir)
			cmd, s, err := startPeer(name, &subject{dir: dir})
			if cmd != nil && cmd.Process != nil {
				defer func() {
					_ = cmd.Process.Signal(syscall.SIGTERM)
					_ = cmd.Wait()
				}()
			}
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := s.unseen("/a/tokens.css")
			if err != nil {
				t.Fatal(err)
			}
			for _, sc := range []scenario{
				scenarioNamed(t, "20 KB identity"), scenarioNamed(t, "20 KB as gzip"), scenarioNamed(t, "304"), {path: fresh, headers: asGzip}, {path: fresh},
			} {
				if err := s.prepare(&sc); err != nil {
					t.Errorf("%s: %v", sc.path, err)
				}
				response, body, err := s.ask(insecure, sc)
				if err != nil {
					t.Fatal(err)
				}
				coding, zipped := response.Header.Get("Content-Encoding"), len(sc.headers) == 1 && sc.headers[0] == asGzip[0]
				if (coding == "gzip") != zipped || !sc.current && (len(body) < 20<<10) != zipped {
					t.Errorf("%s, %s: %d bytes in the coding %q", sc.path, sc.headers, len(body), coding)
				}
			}
		})
	}
}

func scenarioNamed(t *testing.T, name string) scenario {
	t.Helper()
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return scenario{}
}

// Constant rates give a figure for every server, rate and quantile, and a row of the table for each rate.
func TestRatesAreMeasured(t *testing.T) {
	needed(t)
	b := bench{figures: &figures.Set{}, rates: frame.Counts{200, 400}, rateRounds: 1, lasting: 100 * time.Millisecond}
	s := self(t, httptest.NewServer(http.HandlerFunc(serveFile)))
	if err := b.atRates(t.Context(), &phase{subjects: []*subject{s}}); err != nil {
		t.Fatal(err)
	}
	if len(b.figures.Figures) != 6 {
		t.Errorf("%d figures, want three quantiles at each of two rates", len(b.figures.Figures))
	}
}
