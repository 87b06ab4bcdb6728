package edge

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/feedproto"
	"example.com/livery/httpd/loop"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

const ownLatest = "/" + testEnv + "/" + testTheme + "/-/latest/tokens.css"

// remembering returns a loop's source that has answered a request from what it remembers.
func remembering(t *testing.T, e *Edge, request *loop.Request) *hotResponses {
	s := front{e}.ForThread().(*hotResponses)
	for range 3 {
		if _, ok := s.Ready(request); !ok {
			t.Fatal("it is not ready")
		}
	}
	if !remembers(s, request) {
		t.Fatal("it is not remembered")
	}
	return s
}

// remembers reports whether a request is answered without a look-up.
func remembers(s *hotResponses, request *loop.Request) bool {
	for i := range s.slots {
		f := &s.slots[i]
		if string(f.path) != string(request.Path) || string(f.accept) != string(request.AcceptEncoding) || !f.current(s.edge, request.Now.UnixNano()) {
			continue
		}
		_, ok := f.answer(s.edge, request)
		return ok
	}
	return false
}

// Whatever an answer was made of ends its being remembered.
func TestRememberedAnswersEnd(t *testing.T) {
	key := testEnv + "/" + testTheme
	for name, change := range map[string]func(e *Edge, r *loop.Request){
		"a change heard of": func(e *Edge, _ *loop.Request) {
			e.records.Heard(feedproto.Changes{Changes: []feedproto.Change{{EnvironmentID: testEnv, ThemeID: testTheme}}}, time.Time{})
		},
		"another state of the Theme": func(e *Edge, _ *loop.Request) {
			held := e.records.ThemeEntry(key)
			e.records.HoldTheme(held, held.State().Freshness, feedproto.Theme{CacheLifetime: 7, Files: []string{"tokens.css"}, Serving: openServing})
		},
		"another state of the pair": func(e *Edge, _ *loop.Request) {
			held := e.records.PairEntry(testEnv + "/" + testTheme + "/-/latest")
			e.records.HoldPair(held, held.State().Freshness, feedproto.Pair{Version: 2})
		},
		"a heartbeat": func(e *Edge, _ *loop.Request) {
			e.records.Heard(feedproto.Changes{}, time.Unix(0, e.records.ConfirmedAt()+1))
		},
		"time":                     func(_ *Edge, r *loop.Request) { r.Now = r.Now.Add(hotResponseFor) },
		"a clock that is set back": func(_ *Edge, r *loop.Request) { r.Now = r.Now.Add(-time.Second) },
		"another coding":           func(_ *Edge, r *loop.Request) { r.AcceptEncoding = []byte("br") },
		"another path": func(_ *Edge, r *loop.Request) {
			r.Path = []byte(strings.Replace(string(r.Path), "latest", "1", 1))
		},
		"a validator": func(_ *Edge, r *loop.Request) { r.IfNoneMatch = []byte(`"x"`) },
	} {
		t.Run(name, func(t *testing.T) {
			e := warmed(t, openServing)
			request := scannedRequest(ownLatest, []string{"Accept-Encoding: gzip"})
			s := remembering(t, e, request)
			change(e, request)
			if remembers(s, request) {
				t.Error("it is remembered")
			}
			got, ok := s.Ready(request)
			want, wanted := front{e}.Ready(request)
			if ok != wanted || string(got.Head) != string(want.Head) || string(got.Body) != string(want.Body) {
				t.Errorf("%t %q, want %t %q", ok, got.Head, wanted, want.Head)
			}
		})
	}
}

// recordLifetime is how long the record of a Theme is served without a word from upstream.
const recordLifetime = 5 * time.Second

// An answer whose Age is about to rise, or which is about to be too old, is remembered until then.
func TestRememberedAnswersKnowTheirAge(t *testing.T) {
	e := warmed(t, openServing)
	request := scannedRequest(ownLatest, nil)
	known := request.Now.Add(-200 * time.Millisecond) // an Age counts from 100 ms on
	held := e.records.ThemeEntry(testEnv + "/" + testTheme)
	pair := e.records.PairEntry(testEnv + "/" + testTheme + "/-/latest")
	for _, tt := range []struct {
		name     string
		at       time.Time
		lifetime uint32
		after    time.Duration // from known
		kept     time.Duration
	}{
		{"Age is 1 for a second", known, 3600, 200 * time.Millisecond, hotResponseFor},
		{"Age rises in 30 ms", known, 3600, 1070 * time.Millisecond, 30 * time.Millisecond},
		{"it is too old in 20 ms", known, 3, 2980 * time.Millisecond, 20 * time.Millisecond},
		{"the Theme is asked for again in 10 ms", known, 3600, recordLifetime - 10*time.Millisecond, 10 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := records.Freshness{Change: held.Change(), At: tt.at}
			e.records.HoldTheme(held, l, feedproto.Theme{CacheLifetime: tt.lifetime, Files: []string{"tokens.css"}, Serving: openServing})
			e.records.HoldPair(pair, l, feedproto.Pair{Version: 1, Plan: record.HashOf([]byte("p")), Module: record.HashOf([]byte("m"))})
			request.Now = known.Add(tt.after)
			s := remembering(t, e, request)
			for _, at := range []time.Duration{0, tt.kept - time.Microsecond, tt.kept} {
				request.Now = known.Add(tt.after + at)
				if got := remembers(s, request); got != (at < tt.kept) {
					t.Errorf("after %v it is remembered: %t", at, got)
				}
			}
		})
	}
}

// What may not be given to everybody is decided anew each time, and what is being made smaller looked up.
func TestNotEverythingIsRemembered(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T) (*Edge, *loop.Request){
		"a list of origins": func(t *testing.T) (*Edge, *loop.Request) {
			return warmed(t, record.Serving{AllowedOrigins: []string{"https://good.example"}}), scannedRequest(ownLatest, []string{"Origin: https://good.example"})
		},
		"address ranges": func(t *testing.T) (*Edge, *loop.Request) {
			return warmed(t, record.Serving{AllowedIPRanges: []string{"192.0.2.0/24"}}), scannedRequest(ownLatest, nil)
		},
		"a rough encoding": func(t *testing.T) (*Edge, *loop.Request) {
			e := warmed(t, openServing)
			pair := e.records.PairEntry(testEnv + "/" + testTheme + "/-/latest")
			e.stop() // so that it is not made smaller meanwhile
			e.content.Put(cssOf(pair), content.NewBody(abi.TokensCSS, []byte("--a: 2px;"), coding.Gzip, coding.Gzip, true, nil))
			return e, scannedRequest(ownLatest, []string{"Accept-Encoding: gzip"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, request := prepare(t)
			s := front{e}.ForThread().(*hotResponses)
			for range 3 {
				if _, ok := s.Ready(request); !ok {
					t.Fatal("it is not ready")
				}
			}
			if remembers(s, request) {
				t.Error("it is remembered")
			}
		})
	}
}

// A file that made place in the cache is not held by those who remember its answers.
func TestRememberingHoldsNoFile(t *testing.T) {
	e := warmed(t, openServing)
	request := scannedRequest(ownLatest, nil)
	s := remembering(t, e, request)
	other := content.NewBody(abi.TokensCSS, []byte("--a: 2px;"), coding.Identity, coding.Identity, false, nil)
	e.content.Put(cssOf(e.records.PairEntry(testEnv+"/"+testTheme+"/-/latest")), other)
	eventuallyGone := time.Now().Add(time.Minute)
	for remembers(s, request) {
		if time.Now().After(eventuallyGone) {
			t.Fatal("the file is still held")
		}
		runtime.GC()
	}
	if a, ok := s.Ready(request); !ok || string(a.Body) != string(other.Bytes) {
		t.Errorf("the file in its place = %q, %t", a.Body, ok)
	}
}

// withVariants returns an edge that has all that so many Variants are rendered from in memory, and the paths of their style
// sheets.
func withVariants(t *testing.T, count int) (e *Edge, paths []string) {
	e = warmed(t, openServing)
	guest, err := wasm.Guest()
	if err != nil {
		t.Fatal(err)
	}
	module := record.HashOf(guest)
	if err := e.config.Runtime.Load(t.Context(), string(module), guest); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, `,"step%d":{"$type":"dimension","$value":"%dpx"}`, i, i)
	}
	tree, err := jsontree.Parse("{" + text.String()[1:] + "}")
	if err != nil {
		t.Fatal(err)
	}
	theme := renderer.Compile(tree, "")
	put := func(part func(renderer.File) []byte) record.Hash {
		var parts [][]byte
		for file := range renderer.File(renderer.FileCount) {
			parts = append(parts, part(file))
		}
		bundle := plan.AppendBundle(nil, parts)
		e.content.PutInput(record.HashOf(bundle), bundle)
		return record.HashOf(bundle)
	}
	planName := put(theme.Plan)
	th := e.records.ThemeEntry(testEnv + "/" + testTheme)
	known := records.Freshness{Change: th.Change(), At: time.Now().Add(time.Hour)}
	for i := range count {
		overrides, err := jsontree.Parse(fmt.Sprintf(`{"step%d":"%drem"}`, i%100, i))
		if err != nil {
			t.Fatal(err)
		}
		set := theme.Load(overrides)
		fed := feedproto.Pair{Version: 1, Plan: planName, Module: module, Sealed: true, Overlay: put(func(f renderer.File) []byte { return theme.Overlay(set, f) })}
		key := fmt.Sprintf("%s/var_%026d/1", th.Key, i)
		e.records.HoldPair(e.records.PairEntry(key), known, fed)
		paths = append(paths, "/"+key+"/tokens.css")
	}
	return e, paths
}

// A loop makes the small file of a Variant itself if all that it takes is in memory, a few at a turn. What it answers is what
// the full server would, but for the time that it took.
func TestLoopsMakeSmallFiles(t *testing.T) {
	const turns = 2
	e, paths := withVariants(t, 3+turns*madeATurn+1)
	other, _ := withVariants(t, len(paths))
	thread := front{e}.ForThread()
	if _, ok := thread.Ready(scannedRequest(paths[0], nil)); ok {
		t.Error("a loop makes a file of a plan that no instance holds")
	}
	for i, coding := range []string{"identity", "gzip", "gzip"} { // the plan is held then, and its matches are known
		fullAnswer(t, e, paths[i], []string{"Accept-Encoding: " + coding})
		fullAnswer(t, other, paths[i], []string{"Accept-Encoding: " + coding})
	}
	if _, ok := (front{e}).Ready(scannedRequest(paths[3], nil)); ok {
		t.Error("a file is made for what is not a loop")
	}
	next := paths[3:]
	for i, coding := range []string{"identity", "gzip"} {
		at := time.Now().Add(time.Duration(i) * time.Millisecond)
		for range madeATurn {
			comparesMade(t, e, other, thread, next[0], "Accept-Encoding: "+coding, at)
			next = next[1:]
		}
		late := scannedRequest(next[len(next)-1], nil)
		if late.Now = at; i == 0 {
			if _, ok := thread.Ready(late); ok {
				t.Errorf("a loop makes more than %d files at a turn", madeATurn)
			}
		}
	}
}

// comparesMade has a file made by a loop of e, and compares the answers with those of the full server of another edge.
func comparesMade(t *testing.T, e, other *Edge, thread loop.Source, path, line string, at time.Time) {
	t.Helper()
	for _, how := range []string{"livery; fwd=uri-miss; stored", "livery; hit"} {
		request := scannedRequest(path, []string{line})
		request.Now = at
		got, ok := thread.Ready(request)
		if !ok {
			t.Fatalf("%s, %s: a loop does not answer", path, line)
		}
		sent := untimed(append(append(bytes.Clone(got.Head), "\r\n"...), got.Body...))
		if want := untimed(fullAnswer(t, other, path, []string{line})); !bytes.Equal(sent, want) || !bytes.Contains(sent, []byte("Cache-Status: "+how+"\r\n")) {
			t.Errorf("a loop answers %.700q, the full server %.700q, want it %q", sent, want, how)
		}
	}
}

// untimed returns an answer without the times that it took.
func untimed(answer []byte) []byte {
	from := bytes.Index(answer, []byte("Server-Timing: "))
	if from < 0 {
		return answer
	}
	to := from + bytes.Index(answer[from:], []byte("\r\n"))
	return append(answer[:from:from], answer[to:]...)
}
