package origin_test

import (
	"errors"
	"log/slog"
	"testing"

	"example.com/livery/origin"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// A full disk makes the origin unready, with the reason, while everything that changes nothing is answered.
func TestAFullDiskIsNotReadyAndReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(o pebble.Options) storage.Store {
		o.Logger = slog.New(slog.DiscardHandler)
		store, err := pebble.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	h := openTestOrigin(t, open(pebble.Options{}))
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
	config := h.config
	config.Store = h.store
	var err error
	if h.origin, err = origin.New(t.Context(), config); err != nil {
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
