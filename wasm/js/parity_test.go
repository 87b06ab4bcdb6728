package js

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/livery/renderer"
)

// madeParts names what parity.mjs sends of every file, in order.
var madeParts = [...]string{"plan", "overlay", "file of the Theme", "file of the Variant", "preview"}

// parity hands sources to a JavaScript program and holds what comes back to what this machine makes.
// Its test must not end before the program did.
type parity struct {
	t       *testing.T
	server  *httptest.Server
	sources []source

	mu       sync.Mutex // guards compared
	compared map[int]bool
}

func newParity(t *testing.T, sources []source) *parity {
	content := module(t)
	p := &parity{t: t, sources: sources, compared: map[int]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sources", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.list()) })
	mux.HandleFunc("GET /sources/{i}", func(w http.ResponseWriter, r *http.Request) {
		if i, ok := p.index(w, r); ok {
			writeJSON(w, p.sources[i])
		}
	})
	mux.HandleFunc("POST /made/{i}", p.take)
	mux.HandleFunc("GET /wasm/renderer.wasm", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		_, _ = w.Write(content)
	})
	mux.HandleFunc("GET /favicon.ico", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("GET /wasm/", http.StripPrefix("/wasm/", http.FileServer(http.Dir(".."))))
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	return p
}

func (p *parity) list() any {
	names := make([]string, renderer.FileCount)
	for f := range renderer.File(renderer.FileCount) {
		names[f] = f.Name()
	}
	return map[string]any{"sources": len(p.sources), "files": names}
}

func (p *parity) index(w http.ResponseWriter, r *http.Request) (i int, ok bool) {
	i, err := strconv.Atoi(r.PathValue("i"))
	if err != nil || i < 0 || i >= len(p.sources) {
		http.NotFound(w, r)
		return 0, false
	}
	return i, true
}

// take compares what was made of one source.
func (p *parity) take(w http.ResponseWriter, r *http.Request) {
	i, ok := p.index(w, r)
	if !ok {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, difference := range differences(p.sources[i].native(p.t), body) {
		p.t.Errorf("%s: %s", p.sources[i].Name, difference)
	}
	p.mu.Lock()
	p.compared[i] = true
	p.mu.Unlock()
}

// differences says what in body, the parts of all files each after its length, is not as native.
func differences(native [renderer.FileCount]blobs, body []byte) (found []string) {
	for f, want := range native {
		for i, part := range [...][]byte{want.plan, want.overlay, want.alone, want.variant, want.variant} {
			if len(body) < 4 || uint64(len(body)-4) < uint64(binary.LittleEndian.Uint32(body)) {
				return append(found, fmt.Sprintf("%s: the %s is missing", renderer.File(f).Name(), madeParts[i]))
			}
			end := 4 + int(binary.LittleEndian.Uint32(body))
			if got := body[4:end]; !bytes.Equal(got, part) {
				found = append(found, fmt.Sprintf("%s: the %s has %d bytes, native %d, or others", renderer.File(f).Name(), madeParts[i], len(got), len(part)))
			}
			body = body[end:]
		}
	}
	if len(body) > 0 {
		found = append(found, fmt.Sprintf("%d bytes too many", len(body)))
	}
	return found
}

// finish checks that the program reported as many sources as there are, and sent each of them.
func (p *parity) finish(reported string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if reported != strconv.Itoa(len(p.sources)) || len(p.compared) != len(p.sources) {
		p.t.Errorf("%d sources were compared, %s reported, want %d", len(p.compared), reported, len(p.sources))
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// everySource is what all hosts are compared on.
var everySource = []struct {
	name    string
	sources func(testing.TB) []source
}{{"corpus", corpus}, {"golden", golden}, {"random", random}}

// Decisions 6.5: the same bytes come out natively and in Node, through the shim and through node:wasi.
func TestNodeEqualsNative(t *testing.T) {
	t.Parallel()
	module(t)
	for _, script := range []string{"parity.shim.mjs", "parity.wasi.mjs"} {
		for _, of := range everySource {
			if script == "parity.wasi.mjs" && of.name != "golden" {
				continue // the module is the same, and node:wasi another way to call it
			}
			t.Run(script+"/"+of.name, func(t *testing.T) {
				t.Parallel()
				p := newParity(t, of.sources(t))
				p.finish(strings.TrimSpace(string(runNode(t, script, p.server.URL+"/", *modulePath))))
			})
		}
	}
}

// A comparison that finds nothing wrong proves something only if it would.
func TestComparisonFindsDifferences(t *testing.T) {
	t.Parallel()
	native := source{Theme: `{"a":{"$value":1}}`, Overrides: `{"a":2}`}.native(t)
	var body []byte
	for _, b := range native {
		for _, part := range [...][]byte{b.plan, b.overlay, b.alone, b.variant, b.variant} {
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(part))), part...)
		}
	}
	if found := differences(native, body); len(found) > 0 {
		t.Fatalf("equal bytes differ: %q", found)
	}
	for what, changed := range map[string][]byte{
		"a byte":     append(bytes.Clone(body[:len(body)-1]), body[len(body)-1]+1),
		"a byte too": append(bytes.Clone(body), 0),
		"no end":     body[:len(body)-1],
		"nothing":    nil,
	} {
		if len(differences(native, changed)) == 0 {
			t.Errorf("with %s more or less nothing differs", what)
		}
	}
}
