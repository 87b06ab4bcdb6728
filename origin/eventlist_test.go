package origin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// lastEvent returns the id of the newest event; empty if there is none.
func (h *testOrigin) lastEvent() (id string) {
	h.t.Helper()
	for _, item := range h.want(200, "GET", "/environments/"+h.sandbox+"/events?orderDir=descending&limit=1", "").object(h.t)["items"].([]any) {
		id = item.(map[string]any)["id"].(string)
	}
	return id
}

// eventPage reads events, each as "kind by version note", and the cursor of the next page.
func (h *testOrigin) eventPage(query string) (kinds []string, next string, missed bool) {
	h.t.Helper()
	page := h.want(200, "GET", "/environments/"+h.sandbox+"/events?"+query, "").object(h.t)
	for _, item := range page["items"].([]any) {
		e := item.(map[string]any)
		kinds = append(kinds, strings.TrimSpace(fmt.Sprintln(e["kind"], e["by"], e["version"], e["note"])))
	}
	next, _ = page["next"].(string)
	return kinds, next, page["missed"].(bool)
}

// Every change is one event, told by who made it; a request that changes nothing, is refused or is replayed, is none.
func TestEveryChangeIsOneEvent(t *testing.T) {
	t.Parallel()
	newTestOrigin(t).checkEvents(t)
}

func (h *testOrigin) checkEvents(t *testing.T) {
	t.Helper()
	for _, order := range []string{"", "orderDir=descending"} {
		if kinds, next, missed := h.eventPage(order); len(kinds) != 0 || next != "" || missed {
			t.Fatalf("events of a new Environment = %q, %q, %v", kinds, next, missed)
		}
	}
	theme := h.theme("t")
	v := h.variant(theme, "v")
	details := `{"slug":"t","displayName":"T"}`
	h.want(200, "PUT", theme, details)
	h.want(200, "PUT", v, `{"slug":"v","displayName":"V"}`)
	h.patch(theme, red)
	h.patch(theme, `[]`)
	h.patch(theme, `[{"operation":"remove","path":"/red"}]`)
	h.do(owner, "POST", theme+"/tokens/publish", "").refuses(t, 409, "conflict")
	h.patch(theme, red)
	for range 2 {
		h.want(200, "POST", theme+"/tokens/publish", `{"note":"one"}`, "Idempotency-Key", "k")
	}
	h.patch(v, `[{"operation":"set","path":"red","value":"#e00"}]`)
	h.want(200, "POST", v+"/tokens/publish", "")
	if r := h.do(designer, "POST", theme+"/tokens/publish?unchanged=true", ""); r.status != 200 {
		t.Fatal(r)
	}
	h.want(200, "POST", theme+"/variants/publish", `{"variants":"all","dryRun":true}`)
	h.want(200, "POST", theme+"/variants/discard", `{"variants":"all"}`)
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	h.want(200, "POST", theme+"/variants/publish", `{"variants":"all","note":"all"}`)
	h.want(200, "DELETE", v, "")
	h.want(200, "DELETE", theme, "")
	want := []string{
		"theme.created owner <nil> <nil>", "variant.created owner <nil> <nil>", "theme.changed owner <nil> <nil>", "variant.changed owner <nil> <nil>",
		"theme.drafted owner <nil> <nil>", "theme.discarded owner <nil> <nil>", "theme.drafted owner <nil> <nil>", "theme.published owner 1 one",
		"variant.drafted owner <nil> <nil>", "variant.published owner 1 <nil>", "theme.published designer 2 <nil>", "variant.discarded owner <nil> <nil>",
		"theme.published owner 3 <nil>", "variant.published owner 3 all", "variant.deleted owner <nil> <nil>", "theme.deleted owner <nil> <nil>",
	}
	if kinds, _, _ := h.eventPage(""); !slices.Equal(kinds, want) {
		t.Errorf("events = %q, want %q", kinds, want)
	}
	var all []string
	for after, pages := "", 0; pages == 0 || after != ""; pages++ {
		kinds, next, _ := h.eventPage("limit=4&after=" + after)
		if all, after = append(all, kinds...), next; len(kinds) == 0 || pages > len(want) {
			t.Fatalf("page %d has %d events", pages+1, len(kinds))
		}
	}
	if !slices.Equal(all, want) {
		t.Errorf("events from page to page = %q, want %q", all, want)
	}
	slices.Reverse(want)
	var back []string
	for after, pages := "", 0; pages == 0 || after != ""; pages++ {
		kinds, next, _ := h.eventPage("orderDir=descending&limit=4&after=" + after)
		if back, after = append(back, kinds...), next; len(kinds) == 0 || pages > len(want) {
			t.Fatalf("page %d, newest first, has %d events", pages+1, len(kinds))
		}
	}
	if !slices.Equal(back, want) {
		t.Errorf("events newest first = %q, want %q", back, want)
	}
	if kinds, _, missed := h.eventPage("orderDir=descending&after=evt_0000000003_anothertag"); !missed || len(kinds) != len(want) {
		t.Errorf("newest first, a cursor of another history is missed: %v, with %d events; want all", missed, len(kinds))
	}
	for query, cause := range map[string]string{"after=x": "payload", "orderDir=x": "payload", "after=evt_1_x": "payload", "limit=x": "payload", "limit=0": "validation", "limit=1001": "validation"} {
		h.do(owner, "GET", "/environments/"+h.sandbox+"/events?"+query, "").refuses(t, 400, cause)
	}
	_, _, missed := h.eventPage("after=evt_0000000003_anothertag")
	if kinds, _, far := h.eventPage("after=evt_4000000000_x"); !missed || !far || len(kinds) != len(want) {
		t.Errorf("a cursor of another history is missed: %v, %v, with %d events; want both and all", missed, far, len(kinds))
	}
}

// Events that are trimmed are missed by the cursors before them, and by no other; what is too old is not shown.
func TestOldEventsAreMissed(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	var cursors []string
	for n := range 6 {
		h.theme(fmt.Sprintf("t%d", n))
		cursors = append(cursors, h.lastEvent())
	}
	dropped, err := storage.TrimEvents(context.Background(), h.store, h.sandbox, h.clock.Now().Add(-time.Hour), h.clock.Now(), 3)
	if err != nil || dropped != 3 {
		t.Fatalf("TrimEvents() = %d, %v, want 3", dropped, err)
	}
	for n, want := range []bool{true, true, false, false, false, false} {
		kinds, _, missed := h.eventPage("after=" + cursors[n])
		if wanted := min(3, 5-n); missed != want || len(kinds) != wanted {
			t.Errorf("after event %d: %d events, missed %v; want %d, %v", n+1, len(kinds), missed, wanted, want)
		}
	}
	h.clock.move(31 * 24 * time.Hour)
	if kinds, _, _ := h.eventPage(""); len(kinds) != 0 {
		t.Errorf("events of 31 days ago = %q, want none", kinds)
	}
}

// eventStream follows the events of the sandbox.
type eventStream struct {
	body  *http.Response
	lines *bufio.Scanner
	data  string // of the event that was told last
}

func (h *testOrigin) streamEvents(ctx context.Context, subject, query string, more ...string) (*eventStream, *http.Response) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(ctx, "GET", h.base+apiPath+"/environments/"+h.sandbox+"/events?"+query, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if subject != "" {
		request.Header.Set("Authorization", "Bearer "+h.token(subject))
	}
	request.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(more); i += 2 {
		request.Header.Set(more[i], more[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = answer.Body.Close() })
	return &eventStream{body: answer, lines: bufio.NewScanner(answer.Body)}, answer
}

// next returns the id and the kind of the next event; empty at the end of the stream.
func (s *eventStream) next(t *testing.T) (id, kind string) {
	t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		switch name, value, _ := strings.Cut(line, ": "); {
		case name == "id":
			id = value
		case name == "event":
			kind = value
		case name == "data" && kind != "missed":
			s.data = value
			var e map[string]any
			if err := json.Unmarshal([]byte(value), &e); err != nil || e["id"] != id || e["kind"] != kind {
				t.Fatalf("data %q of event %q %q: %v", value, id, kind, err)
			}
		case line == "" && kind != "":
			return id, kind
		}
	}
	return "", ""
}

// A stream tells each event as it comes, begins after Last-Event-ID, ends with the caller's grant and the origin, and
// when the caller opens the eighth after it.
func TestEventsAreStreamed(t *testing.T) {
	t.Parallel()
	newTestOrigin(t).checkStreams(t)
}

func (h *testOrigin) checkStreams(t *testing.T) {
	t.Helper()
	before := h.lastEvent()
	theme := h.theme("t")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	live, answer := h.streamEvents(ctx, reader, "")
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || kind != "text/event-stream" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("stream = %d %v", answer.StatusCode, answer.Header)
	}
	h.patch(theme, red)
	first, kind := live.next(t)
	if kind != "theme.drafted" {
		t.Errorf("first event = %q, want theme.drafted", kind)
	}
	h.publish(theme)
	if _, kind := live.next(t); kind != "theme.published" {
		t.Errorf("second event = %q, want theme.published", kind)
	}
	again, _ := h.streamEvents(ctx, reader, "after=", "Last-Event-ID", first)
	if _, kind := again.next(t); kind != "theme.published" {
		t.Errorf("first event after %q = %q, want theme.published", first, kind)
	}
	whole, _ := h.streamEvents(ctx, reader, "after="+before)
	if _, kind := whole.next(t); kind != "theme.created" {
		t.Errorf("first of all = %q, want theme.created", kind)
	}
	strange, _ := h.streamEvents(ctx, reader, "", "Last-Event-ID", "evt_0000000002_another")
	if _, kind := strange.next(t); kind != "missed" {
		t.Errorf("first event after another history = %q, want missed", kind)
	}
	for n := range 5 {
		if _, r := h.streamEvents(ctx, reader, ""); r.StatusCode != 200 {
			t.Fatalf("stream %d = %d, want 200", 5+n, r.StatusCode)
		}
	}
	if _, kind := live.next(t); kind != "" {
		t.Errorf("the oldest of nine streams goes on with %q", kind)
	}
	if _, r := h.streamEvents(ctx, owner, ""); r.StatusCode != 200 {
		t.Errorf("a stream of another caller = %d, want 200", r.StatusCode)
	}
	if _, r := h.streamEvents(ctx, guest, ""); r.StatusCode != 403 {
		t.Errorf("a stream without a grant = %d, want 403", r.StatusCode)
	}
	h.revoke(reader)
	if _, kind := again.next(t); kind != "" {
		t.Errorf("a stream goes on with %q after the grant was taken", kind)
	}
}

// revoke takes the subject's grant on the sandbox.
func (h *testOrigin) revoke(subject string) {
	h.t.Helper()
	_, err := h.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		e, err := storage.Environments.Read(tx, h.sandbox)
		if err != nil {
			return record.Change{}, err
		}
		delete(e.Grants, subject)
		return record.Change{At: h.clock.Now()}, storage.Environments.Write(tx, e, h.sandbox)
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// checkTwoOrigins has writers change one Environment through two origins of one store, and wants each change once and in one
// order from both, in a stream too.
func checkTwoOrigins(t *testing.T, a, b *testOrigin) {
	t.Helper()
	start := a.lastEvent()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	live, _ := b.streamEvents(ctx, designer, "after="+start)
	const writers, themes = 4, 10
	var wait sync.WaitGroup
	for w := range writers {
		h := []*testOrigin{a, b}[w%2]
		wait.Go(func() {
			for n := range themes {
				if r := h.do(owner, "POST", "/environments/"+h.sandbox+"/themes", fmt.Sprintf(`{"slug":"w%d-%d","displayName":"W"}`, w, n)); r.status != 201 {
					t.Errorf("create = %d %s", r.status, r.body)
				}
			}
		})
	}
	wait.Wait()
	ids := func(h *testOrigin) (all []string) {
		page := h.want(200, "GET", "/environments/"+h.sandbox+"/events?limit=1000&after="+start, "").object(t)
		for _, item := range page["items"].([]any) {
			all = append(all, item.(map[string]any)["id"].(string))
		}
		return all
	}
	one, two := ids(a), ids(b)
	if len(one) != writers*themes || !slices.Equal(one, two) || !slices.IsSorted(one) {
		t.Errorf("%d events by one origin and %d by the other, want the same %d in order", len(one), len(two), writers*themes)
	}
	for n, want := range one {
		if id, _ := live.next(t); id != want {
			t.Fatalf("event %d of the stream = %q, want %q", n, id, want)
		}
	}
}
