package origin

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// A full disk makes the origin unready, with the reason, while everything that changes nothing is answered.
func TestAFullDiskIsNotReadyAndReads(t *testing.T) {
	dir := t.TempDir()
	open := func(o pebble.Options) storage.Store {
		o.Logger = slog.New(slog.DiscardHandler)
		store, err := pebble.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	h := &testOrigin{t: t, clock: &clock{}, logs: &logBuffer{}, store: open(pebble.Options{})}
	h.settle()
	config := Config{
		PublicURL: testPublicURL, CDNURL: testCDNURL, Guest: []byte(testModule), FeedToken: testFeedToken,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: h.clock.Now, Master: testMasterKey,
	}
	transport := &http.Transport{DisableKeepAlives: true}
	h.judge = newContractChecker(t, transport)
	h.client = &http.Client{Transport: h.judge}
	config.Store = h.store
	h.start(config)
	theme := h.theme("brand")
	if ready, reads := h.origin.Ready(), h.origin.Reads(); ready != nil || reads != nil {
		t.Errorf("with room: Ready() = %v, Reads() = %v, want nil", ready, reads)
	}
	h.end()
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}

	h.store = open(pebble.Options{MinFreeBytes: 1 << 60, BallastBytes: -1})
	defer func() { _ = h.store.Close() }()
	config.Store = h.store
	var err error
	if h.origin, err = New(t.Context(), config); err != nil {
		t.Fatalf("an origin does not start on a full disk: %v", err)
	}
	h.base = "http://" + h.serve(h.origin.ServePublic)
	if ready, reads := h.origin.Ready(), h.origin.Reads(); !errors.Is(ready, storage.ErrNoSpace) || reads != nil {
		t.Errorf("on a full disk: Ready() = %v, Reads() = %v, want ErrNoSpace and nil", ready, reads)
	}
	h.want(200, "GET", theme, "")
	h.want(503, "PUT", theme, `{"slug":"brand","displayName":"B"}`)
	h.end()
	if ready, reads := h.origin.Ready(), h.origin.Reads(); ready == nil || reads == nil {
		t.Errorf("after Shutdown: Ready() = %v, Reads() = %v, want errors", ready, reads)
	}
}
