package events_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// receiver takes what a webhook is sent. It refuses one of five messages until the rounds are over.
type receiver struct {
	url string

	mu       sync.Mutex // guards all below
	asked    int
	over     bool
	byTheme  map[string][]string // ids, each once, in the order in which they were taken first
	taken    map[string]int      // how often, by id
	unsigned int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{byTheme: map[string][]string{}, taken: map[string]int{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var e events.Body
	err := json.UnmarshalRead(request.Body, &e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked++; r.asked%5 == 0 && !r.over {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if err != nil || e.Theme == nil || request.Header.Get("webhook-id") != e.ID || request.Header.Get("webhook-signature") == "" {
		r.unsigned++
		return
	}
	if r.taken[e.ID]++; r.taken[e.ID] == 1 {
		r.byTheme[*e.Theme] = append(r.byTheme[*e.Theme], e.ID)
	}
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.taken)
}

// wantEveryEvent lets an origin send what is left, and compares what was taken with the log of events. It returns how many
// events there are, and how many were taken more than once.
func (r *receiver) wantEveryEvent(t *testing.T, dir string) (all, again int) {
	t.Helper()
	store, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	want := map[string][]string{}
	err = store.View(context.Background(), func(view storage.Reader) error {
		return storage.Events.Scan(view, storage.Ascending, func(_ []byte, e record.Event) bool {
			want[e.ThemeID] = append(want[e.ThemeID], events.IDOf(e))
			all++
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	o, err := serve(context.Background(), store, func() time.Time { return time.Now().Add(10 * time.Hour) })
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); r.count() < all && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
	if err := o.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsigned > 0 || len(r.byTheme) != len(want) {
		t.Errorf("%d messages are malformed; %d Themes have messages, want %d", r.unsigned, len(r.byTheme), len(want))
	}
	for theme, ids := range want {
		if !slices.Equal(r.byTheme[theme], ids) {
			t.Errorf("the messages of Theme %s are\n%q, want\n%q", theme, r.byTheme[theme], ids)
		}
	}
	for _, times := range r.taken {
		if times > 1 {
			again++
		}
	}
	return all, again
}
