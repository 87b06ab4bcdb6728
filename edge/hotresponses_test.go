package edge

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"

	"example.com/livery/edge/loop"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

const ownLatest = "/" + testEnv + "/" + testTheme + "/-/latest/tokens.css"

// remembering returns a loop's source that has answered a request from what it remembers.
func remembering(t *testing.T, e *Edge, request *loop.Request) *hotResponses {
	s := fastPath{e}.ForLoop().(*hotResponses)
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
		"a change heard of": func(e *Edge, _ *loop.Request) { e.records.Invalidate(testEnv, testTheme) },
		"another state of the Theme": func(e *Edge, _ *loop.Request) {
			held := e.records.ThemeEntry(key)
			e.records.HoldTheme(held, held.State().Freshness, feedproto.Theme{CacheLifetime: 7, Files: []string{"tokens.css"}, Serving: openServing})
		},
		"another state of the pair": func(e *Edge, _ *loop.Request) {
			held := e.records.PairEntry(testEnv + "/" + testTheme + "/-/latest")
			e.records.HoldPair(held, held.State().Freshness, feedproto.Pair{Version: 2})
		},
		"a heartbeat":              func(e *Edge, _ *loop.Request) { e.records.Confirm(time.Unix(0, e.records.ConfirmedAt()+1)) },
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
			want, wanted := fastPath{e}.Ready(request)
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
			s := fastPath{e}.ForLoop().(*hotResponses)
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
	eventuallyGone := time.Now().Add(10 * time.Second)
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
