package edge_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

const (
	env   = "env_00000000000000000000000001"
	thm   = "thm_00000000000000000000000001"
	brand = "var_00000000000000000000000001"
	token = "feed-token"
)

var allFiles = []string{"tokens.css", "tokens.dtcg.json", "tokens.flat.json", "tokens.json", "tokens.values.json"}

// feed is an upstream: the feed's contract over HTTP, from records and blobs in memory. It keeps the
// rules that an origin would have made them by, as far as the tests need them.
type feed struct {
	t      testing.TB
	server *http.Server
	addr   string
	module record.Hash

	mu      *sync.Mutex // guards all below; twins share it
	themes  map[string]*fedTheme
	blobs   map[record.Hash][]byte
	log     []feedproto.Change
	history string // tag of cursors
	moved   chan struct{}
	asked   map[string]int // by path
	traced  []string       // traces of questions for records, in order
	status  int            // answered to everything but changes, if not 0
	hold    chan struct{}  // records and blobs wait for it, if not nil
	dumb    bool           // changes are not told
	waits   []string       // how many seconds polls were to wait, in order
	whole   bool           // a changed Theme is told with all that was asked for; else that question has no answer
	since   []string       // cursors of such questions, in order
	spoil   func(r *feedproto.Refresh)
	inputs  func(p *feedproto.PairInputs) // nil: pairs come without what they are made from
}

// fedTheme is one Theme with its versions.
type fedTheme struct {
	feedproto.Theme
	compiled []*renderer.CompiledTheme // of each version
	versions []feedproto.Pair
	variants map[string]map[uint32]feedproto.Pair // by id and version; a missing version is the Theme's own
	changed  map[string]map[uint32]string         // the overrides of these
	modes    []fedMode
}

// guest returns the renderer module and its name, which is a hash of megabytes.
var guest = sync.OnceValues(func() (module []byte, name record.Hash) {
	module, err := wasm.Guest()
	if err != nil {
		panic(err)
	}
	return module, record.HashOf(module)
})

func newFeed(t testing.TB) *feed {
	module, name := guest()
	f := &feed{
		t: t, themes: map[string]*fedTheme{}, module: name, blobs: map[record.Hash][]byte{name: module}, history: "aaaaaaaaaaaaaaaa",
		moved: make(chan struct{}), asked: map[string]int{}, mu: new(sync.Mutex),
	}
	f.start("127.0.0.1:0")
	t.Cleanup(f.stop)
	return f
}

func (f *feed) start(addr string) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		f.t.Fatal(err)
	}
	f.addr = l.Addr().String()
	f.server = &http.Server{Handler: f}
	go f.server.Serve(l)
}

// stop makes the feed unreachable; start with its address brings it back.
func (f *feed) stop() { f.server.Close() }

func (f *feed) restart() { f.start(f.addr) }

func (f *feed) url() string { return "http://" + f.addr }

func (f *feed) putBlob(blob []byte) record.Hash {
	name := record.HashOf(blob)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[name] = blob
	return name
}

// edit changes a Theme, making it if there is none, and logs the change.
func (f *feed) edit(themeID string, fn func(t *fedTheme)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	th := f.themes[env+"/"+themeID]
	if th == nil {
		th = &fedTheme{
			Theme: feedproto.Theme{
				EnvironmentID: env, ThemeID: themeID, CacheLifetime: 60, Files: allFiles,
				Serving: record.Serving{Mode: "public", MissingOrigin: "allowNonBrowsers"},
			},
			variants: map[string]map[uint32]feedproto.Pair{}, changed: map[string]map[uint32]string{},
		}
		f.themes[env+"/"+themeID] = th
	}
	fn(th)
	th.LatestVersion = uint32(len(th.versions))
	f.logChange(themeID)
}

func (f *feed) logChange(themeID string) {
	f.log = append(f.log, feedproto.Change{Cursor: f.cursor(len(f.log) + 1), EnvironmentID: env, ThemeID: themeID})
	close(f.moved)
	f.moved = make(chan struct{})
}

// compile compiles a document as a publish does.
func (f *feed) compile(document, prefix string) (c *renderer.CompiledTheme, planBundle record.Hash) {
	tree, err := jsontree.Parse(document)
	if err != nil {
		f.t.Fatal(err)
	}
	c = renderer.Compile(tree, prefix)
	var parts [][]byte
	for file := range renderer.File(renderer.FileCount) {
		parts = append(parts, c.Plan(file))
	}
	return c, f.putBlob(plan.AppendBundle(nil, parts))
}

// publish adds a version with this document, and returns its number.
func (f *feed) publish(themeID, document string) uint32 { return f.publishAs(themeID, document, "") }

// publishAs publishes with a prefix.
func (f *feed) publishAs(themeID, document, prefix string) uint32 {
	compiled, name := f.compile(document, prefix)
	var number uint32
	f.edit(themeID, func(t *fedTheme) {
		number = uint32(len(t.versions) + 1)
		t.compiled = append(t.compiled, compiled)
		t.versions = append(t.versions, feedproto.Pair{Version: number, Plan: name, Module: f.module, Sealed: true})
		for _, pairs := range t.variants {
			for n, p := range pairs {
				p.Sealed = true
				pairs[n] = p
			}
		}
	})
	return number
}

// override publishes a Variant at a version.
func (f *feed) override(themeID, variantID string, version uint32, overrides string, sealed bool) {
	f.mu.Lock()
	compiled := f.themes[env+"/"+themeID].compiled[version-1]
	f.mu.Unlock()
	tree, err := jsontree.Parse(overrides)
	if err != nil {
		f.t.Fatal(err)
	}
	name := f.putBlob(overlayOf(compiled, tree))
	f.edit(themeID, func(t *fedTheme) {
		if t.variants[variantID] == nil {
			t.variants[variantID], t.changed[variantID] = map[uint32]feedproto.Pair{}, map[uint32]string{}
		}
		t.changed[variantID][version] = overrides
		p := t.versions[version-1]
		p.Overlay, p.Sealed = name, sealed
		t.variants[variantID][version] = p
	})
}

// overlayOf compiles overrides as a publish does.
func overlayOf(compiled *renderer.CompiledTheme, overrides *jsontree.Node) []byte {
	set := compiled.Load(overrides)
	var parts [][]byte
	for file := range renderer.File(renderer.FileCount) {
		parts = append(parts, compiled.Overlay(set, file))
	}
	return plan.AppendBundle(nil, parts)
}

func (f *feed) removeVariant(themeID, variantID string) {
	f.edit(themeID, func(t *fedTheme) { delete(t.variants, variantID) })
}

func (f *feed) removeTheme(themeID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.themes, env+"/"+themeID)
	f.logChange(themeID)
}

// forget is a restored backup: another history, in which no cursor of before is known.
func (f *feed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log, f.history = nil, "bbbbbbbbbbbbbbbb"
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *feed) count(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for asked, times := range f.asked {
		if strings.Contains(asked, path) {
			n += times
		}
	}
	return n
}

func (f *feed) fail(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
}

// held makes records and blobs wait until the result is called.
func (f *feed) held() (release func()) {
	hold := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = hold
	return func() {
		f.mu.Lock()
		f.hold = nil
		f.mu.Unlock()
		close(hold)
	}
}

func (f *feed) cursor(n int) string {
	if n == 0 {
		return "0"
	}
	return strconv.Itoa(n) + "." + f.history
}

// feedDelay is how long every answer of a feed takes longer, so that tests show what they wait for: on a slow machine
// answers come in another order than on a quick one.
var feedDelay, _ = time.ParseDuration(os.Getenv("LIVERY_FEED_DELAY"))

func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(feedDelay)
	if r.Header.Get("Authorization") != "Bearer "+token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/feed/v1/")
	f.mu.Lock()
	dumb := f.dumb
	f.mu.Unlock()
	if path == "changes" && dumb {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if path == "changes" {
		f.serveChanges(w, r)
		return
	}
	f.mu.Lock()
	f.asked[path]++
	if !strings.HasPrefix(path, "blobs/") {
		f.traced = append(f.traced, r.Header.Get("Traceparent"))
	}
	status, hold := f.status, f.hold
	f.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	kind, rest, _ := strings.Cut(path, "/")
	switch {
	case ok && kind == "refresh" && f.tellsAll():
		f.serveRefresh(w, r, rest)
	case ok && kind == "themes":
		f.serveTheme(w, rest)
	case ok && kind == "manifests":
		f.serveManifest(w, rest)
	case ok && kind == "pairs":
		f.servePair(w, rest, r.URL.Query().Get(feedproto.InputsParameter))
	case ok && kind == "blobs":
		f.serveBlob(w, record.Hash(rest))
	case ok && kind == "modules":
		answer(w, map[string]any{"modules": []record.Module{{Digest: f.module, ABIVersion: 1, RegisteredAt: time.Unix(1, 0)}}})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *feed) serveChanges(w http.ResponseWriter, r *http.Request) {
	wait, _ := strconv.Atoi(r.URL.Query().Get("wait"))
	f.mu.Lock()
	f.waits = append(f.waits, r.URL.Query().Get("wait"))
	f.mu.Unlock()
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	deadline := time.After(time.Duration(wait) * time.Second)
	for {
		f.mu.Lock()
		fed, moved := f.changes(r.URL.Query().Get("after"), limit), f.moved
		f.mu.Unlock()
		if len(fed.Changes) > 0 || fed.Reset {
			answer(w, fed)
			return
		}
		select {
		case <-moved:
		case <-deadline:
			answer(w, fed)
			return
		case <-r.Context().Done():
			return
		}
	}
}

// changes answers a poll. f.mu is held.
func (f *feed) changes(after string, limit int) feedproto.Changes {
	seq, tag, _ := strings.Cut(after, ".")
	n, _ := strconv.Atoi(seq)
	if after == "" || n > len(f.log) || n > 0 && tag != f.history {
		return feedproto.Changes{Changes: []feedproto.Change{}, Cursor: f.cursor(len(f.log)), Reset: true}
	}
	changes := slices.Clone(f.log[n:min(len(f.log), n+limit)])
	return feedproto.Changes{Changes: changes, Cursor: f.cursor(n + len(changes)), More: len(changes) == limit}
}

func (f *feed) serveTheme(w http.ResponseWriter, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.themes[key]
	if t == nil {
		missing(w, "theme")
		return
	}
	t.Cursor = f.cursor(len(f.log))
	answer(w, t.Theme)
}

// serveManifest answers with a manifest that says what is published, and a name that needs escapes.
func (f *feed) serveManifest(w http.ResponseWriter, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch t := f.themes[key]; {
	case t == nil:
		missing(w, "theme")
	case len(t.versions) == 0:
		missing(w, "version")
	default:
		answer(w, feedproto.NewManifest(key, fmt.Appendf(nil, `{"version":%d,"name":"A \u003c %d"}`, len(t.versions), len(t.variants))))
	}
}

func (f *feed) servePair(w http.ResponseWriter, key, inputs string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, lacks := f.pair(key)
	if lacks != "" {
		missing(w, lacks)
		return
	}
	with := feedproto.PairInputs{Pair: p}
	if f.inputs != nil {
		with.Add(inputs, func(name record.Hash) ([]byte, error) { return f.blobs[name], nil })
		f.inputs(&with)
	}
	answer(w, with)
}

// pair returns a pair, or what is missing. f.mu is held.
func (f *feed) pair(key string) (p feedproto.Pair, lacks string) {
	parts := strings.Split(key, "/")
	t := f.themes[parts[0]+"/"+parts[1]]
	if t == nil {
		return p, "theme"
	}
	if parts[2] != "-" && t.variants[parts[2]] == nil {
		return p, "variant"
	}
	n := uint64(len(t.versions))
	if parts[3] != "latest" {
		n, _ = strconv.ParseUint(parts[3], 10, 32)
	}
	if n == 0 || n > uint64(len(t.versions)) {
		return p, "version"
	}
	p = t.versions[n-1]
	if parts[2] != "-" {
		if overlaid, ok := t.variants[parts[2]][uint32(n)]; ok {
			p = overlaid
		} else {
			p.Sealed = n < uint64(len(t.versions))
		}
	}
	p.Cursor = f.cursor(len(f.log))
	if len(parts) > 4 {
		return f.inModes(t, p, parts[2], parts[4])
	}
	return p, ""
}

func (f *feed) tellsAll() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.whole
}

func (f *feed) serveRefresh(w http.ResponseWriter, r *http.Request, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, query := f.themes[key], r.URL.Query()
	f.since = append(f.since, query.Get("since"))
	if t == nil {
		missing(w, "theme")
		return
	}
	fed := feedproto.Refresh{Theme: t.Theme}
	for _, at := range query["pair"] {
		p, lacks := f.pair(key + "/" + at)
		if lacks != "" {
			continue
		}
		fed.Pairs = append(fed.Pairs, feedproto.RefreshPair{Address: at, Pair: p})
		for _, name := range []record.Hash{p.Plan, p.Overlay} {
			if name != "" && !slices.Contains(query["has"], string(name)) {
				fed.Blobs = append(fed.Blobs, feedproto.RefreshBlob{Name: name, Bytes: f.blobs[name]})
			}
		}
	}
	if f.spoil != nil {
		f.spoil(&fed)
	}
	text, err := feedproto.AppendRefresh(nil, fed)
	if err != nil {
		f.t.Error(err)
	}
	w.Write(text)
}

func (f *feed) serveBlob(w http.ResponseWriter, name record.Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	blob, ok := f.blobs[name]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Write(blob)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func missing(w http.ResponseWriter, what string) {
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintf(w, `{"missing":%q}`, what)
}

// cacheDir is where compiled modules are kept between test runs and between packages.
