package edge_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// eventsPath is the address of an event stream.
func eventsPath(theme, variant string) string {
	return "/" + env + "/" + theme + "/" + variant + "/latest/events"
}

// page is an event stream of a browser's page.
type page struct {
	t      testing.TB
	answer *http.Response
	events chan event // closed at the end of the stream
	cancel context.CancelFunc
}

// event is one event as a page gets it.
type event struct{ name, id, data string }

// follow opens an event stream, whose answer must have the status.
func (r *running) follow(address string, status int, lines ...string) *page {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+address, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	answer, err := r.client.Do(req)
	if err != nil {
		cancel()
		r.t.Fatalf("%s: %v", address, err)
	}
	p := &page{r.t, answer, make(chan event, 16), cancel}
	if answer.StatusCode != status {
		r.t.Errorf("%s: status %d, want %d", address, answer.StatusCode, status)
	}
	go p.read()
	r.t.Cleanup(p.leave)
	return p
}

func (p *page) leave() {
	p.cancel()
	for range p.events {
	}
}

func (p *page) read() {
	defer close(p.events)
	defer p.answer.Body.Close()
	var e event
	for s := bufio.NewScanner(p.answer.Body); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.data != "" {
				p.events <- e
			}
			e = event{}
		}
	}
}

// next returns the next event, which says that the version is one.
func (p *page) next(version int) event {
	p.t.Helper()
	select {
	case e, ok := <-p.events:
		if want := fmt.Sprintf(`{"version":%d}`, version); !ok || e.name != "change" || e.data != want || len(e.id) != 24 {
			p.t.Fatalf("event %+v (%v), want a change to %s", e, ok, want)
		}
		return e
	case <-time.After(time.Minute):
		p.t.Fatalf("no event of version %d came", version)
	}
	return event{}
}

// ends waits for the end of the stream.
func (p *page) ends(why string) {
	p.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case _, ok := <-p.events:
			if !ok {
				return
			}
		case <-late:
			p.t.Fatalf("%s: the stream goes on", why)
		}
	}
}

// TestPagesFollowChanges holds pages open in every protocol and has each told of a publish and of a change of the Variant,
// though nothing asks for files: what they ask for then is a hit. A page that comes back with what it has is told nothing.
func TestPagesFollowChanges(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, smallTheme)
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	s := runSecured(t, f)
	other := secure(t, s.running, func(l net.Listener) net.Listener { return struct{ net.Listener }{l} }) // by goroutines
	s.settle()
	clients := map[string]*running{"plain": s.running, "TLS": s.h1, "HTTP/2": s.h2, "TLS by goroutines": other.h1, "HTTP/2 by goroutines": other.h2}
	own, brands, last := map[string]*page{}, map[string]*page{}, map[string]string{}
	for name, c := range clients {
		own[name], brands[name] = c.follow(eventsPath(thm, "-"), 200), c.follow(eventsPath(thm, brand), 200)
		for header, value := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
			"Access-Control-Allow-Origin": "*", "Timing-Allow-Origin": "*", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin",
		} {
			if got := own[name].answer.Header.Get(header); got != value {
				t.Errorf("%s: %s %q, want %q", name, header, got, value)
			}
		}
		if a, b := own[name].next(1), brands[name].next(1); a.id == b.id {
			t.Errorf("%s: the Theme and its Variant have the same ID", name)
		}
	}
	f.publish(thm, biggerTheme)
	f.override(thm, brand, 2, `{"space.small":"9px"}`, true)
	for name, c := range clients {
		last[name] = own[name].next(2).id
		brands[name].next(2)
		eventually(t, "the Variant", func() bool { return strings.Contains(c.get(path(brand, "latest", "tokens.css")).body, "9px") })
	}
	want(t, s.get(path("-", "latest", "tokens.css")), 200, "")
	f.override(thm, brand, 2, `{"space.small":"11px"}`, true)
	eventually(t, "the Variant's change", func() bool { return strings.Contains(s.get(path(brand, "latest", "tokens.css")).body, "11px") })
	changed := s.follow(eventsPath(thm, brand), 200).next(2).id
	var back []*page
	for name, c := range clients {
		for brands[name].next(2).id != changed {
		}
		back = append(back, c.follow(eventsPath(thm, "-"), 200, "Last-Event-ID: "+last[name]))
		f.publishQuietly()
	}
	f.publish(thm, numbered(3))
	for _, p := range back {
		p.next(3) // nothing comes before it
	}
	eventually(t, "the count of streams", func() bool { return s.counted("livery_edge_event_streams") == float64(3*len(clients)+1) })
	for _, p := range own {
		p.leave()
	}
	eventually(t, "the pages that left", func() bool { return s.counted("livery_edge_event_streams") <= float64(2*len(clients)+1) })
	s.stop()
	for name := range clients {
		brands[name].ends("shutdown, " + name)
	}
}

// TestEventStreamsHaveTheRulesOfTheirTheme: a stream is refused as a file is, and ends when the rules change, when its
// signature does, and with its Variant or Theme.
func TestEventStreamsHaveTheRulesOfTheirTheme(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	address := eventsPath(thm, "-")
	for _, missing := range []string{
		path("-", "1", "events"), path("-", "latest", "events/"), path("-", "latest", "event"), eventsPath("thm_99999999999999999999999999", "-"),
		eventsPath(thm, "var_99999999999999999999999999"), "/" + address,
	} {
		want(t, r.get(missing), 404, "notFound")
	}
	want(t, r.do("POST", address), 405, "payload")
	want(t, r.do("OPTIONS", address), 204, "")
	want(t, r.do("HEAD", address), 200, "")
	open := r.follow(address, 200)
	open.next(1)

	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"})
	open.ends("a list of origins")
	r.follow(address, 403)
	r.follow(address, 403, "Origin: https://bad.example")
	listed := r.follow(address, 200, "Origin: https://good.example")
	listed.next(1)
	if got := listed.answer.Header.Get("Access-Control-Allow-Origin"); got != "https://good.example" {
		t.Errorf("Access-Control-Allow-Origin %q", got)
	}

	key := record.SigningKey{ID: "k1", Secret: []byte("secret")}
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}})
	listed.ends("signed addresses")
	r.follow(address, 403)
	r.follow(address+"?"+policy.Sign(path("-", "latest", "tokens.css"), time.Now().Add(time.Hour), key), 403)
	folder := r.follow(address+"?"+policy.SignFolder("/"+env+"/"+thm+"/-/latest/", time.Now().Add(time.Hour), key), 200)
	folder.next(1)
	short := r.follow(address+"?"+policy.Sign(address, time.Now().Add(5*time.Second-policy.ClockSkew), key), 200)
	short.next(1)
	short.ends("the signature's end")
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{{ID: "k2", Secret: []byte("secret")}}})
	folder.ends("another key")

	f.serving(thm, record.Serving{Mode: "public"})
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	eventually(t, "the public Theme", func() bool { return r.get(path(brand, "latest", "tokens.css")).status == 200 })
	variant, theme := r.follow(eventsPath(thm, brand), 200), r.follow(address, 200)
	variant.next(1)
	theme.next(1)
	f.removeTheme(thm)
	variant.ends("the end of the Variant")
	theme.ends("the end of the Theme")
	eventually(t, "its streams", func() bool { return r.get(address).status == 404 })
}

// TestEventStreamsAreBounded: a client has as many streams as connections, and all clients half of the connections; what is
// beyond is told to come again.
func TestEventStreamsAreBounded(t *testing.T) {
	f := publishedFeed(t)
	few := runSecured(t, f, func(c *edge.Config) { c.MaxConnsPerClient = 3 })
	few.settle()
	for range 3 {
		few.h2.follow(eventsPath(thm, "-"), 200).next(1)
	}
	few.h2.follow(eventsPath(thm, "-"), 503)
	if got := few.h2.get(path("-", "latest", "tokens.css")); got.status != 200 {
		t.Errorf("a file: %d", got.status)
	}
	full := run(t, f, func(c *edge.Config) { c.MaxConnections = 8 })
	full.settle()
	var first *page
	for range 4 {
		first = full.follow(eventsPath(thm, "-"), 200)
		first.next(1)
	}
	full.follow(eventsPath(thm, "-"), 503)
	first.leave()
	eventually(t, "room for another", func() bool { return full.counted("livery_edge_event_streams") == 3 })
	full.follow(eventsPath(thm, "-"), 200).next(1)
}

// TestPagesHearOfWhatUpstreamDidNotSay: an upstream that knows of a change and does not answer is asked again for the pages
// that follow, though no request asks.
func TestPagesHearOfWhatUpstreamDidNotSay(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	p := r.follow(eventsPath(thm, "-"), 200)
	p.next(1)
	f.stop()
	f.publish(thm, biggerTheme)
	r.lose()
	if n := len(p.events); n > 0 {
		t.Errorf("%d events came while upstream is away", n)
	}
	f.restart()
	p.next(2)
}
