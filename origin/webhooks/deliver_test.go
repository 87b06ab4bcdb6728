package webhooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/internal/test/postgrestest"
	"example.com/livery/internal/test/storagetest"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/webhooks"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/postgres"
	"example.com/livery/storage/record"
)

// world is a store with webhooks, and what delivers them.
type world struct {
	t       testing.TB
	store   *storagetest.DeletedCounter
	master  *auth.Master
	metrics *prometheus.Registry
}

func newWorld(t testing.TB) *world {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return newWorldOn(t, store)
}

// newWorldOn is newWorld on a store, which it closes.
func newWorldOn(t testing.TB, store storage.Store) *world {
	t.Helper()
	t.Cleanup(func() { _ = store.Close() })
	master, err := auth.ParseMaster("a master key of the tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, storagetest.NewDeletedCounter(store), master, prometheus.NewRegistry()}
}

// deliver delivers until the test ends.
func (w *world) deliver() {
	d := webhooks.New(webhooks.Config{
		Store: w.store, Sender: webhooks.NewSender(webhooks.SenderConfig{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: time.Minute}),
		Master: w.master, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Metrics: webhooks.NewMetrics(w.metrics),
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { d.Run(ctx) })
	w.t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
}

func (w *world) update(environment string, fn func(tx storage.Tx) error) {
	w.t.Helper()
	if _, err := w.store.Update(w.t.Context(), environment, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: time.Now(), Internal: true}, fn(tx)
	}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) add(id, environment, url, format string) {
	w.t.Helper()
	w.update(environment, func(tx storage.Tx) error {
		hook, _, err := webhooks.Create(tx, w.master, id, environment, webhooks.Input{URL: url, Format: format}, time.Now())
		if err != nil {
			return err
		}
		return storage.Webhooks.Write(tx, hook, environment, id)
	})
}

// happen writes an event of each of the Themes.
func (w *world) happen(environment string, themes ...string) {
	w.t.Helper()
	var all []record.Event
	for _, theme := range themes {
		all = append(all, record.Event{At: time.Now(), By: "ada", Kind: "theme.drafted", ThemeID: theme})
	}
	w.update(environment, func(tx storage.Tx) error {
		return storage.AppendEvents(tx, environment, all, func() string { return "tag" })
	})
}

// webhook reads a webhook.
func (w *world) webhook(environment, id string) (hook record.Webhook) {
	w.t.Helper()
	if err := w.store.View(w.t.Context(), func(r storage.Reader) (err error) {
		hook, err = storage.Webhooks.Read(r, environment, id)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return hook
}

// eventually waits until something holds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s did not come about", what)
		}
	}
}

// serve starts a receiver, and returns its address.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func themes(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("thm_", i))
	}
	return all
}

// TestSlowReceiversDelayNobodyElse fills one Environment with webhooks whose receiver does not answer. Another Environment's is
// delivered, and the metrics tell which is behind.
func TestSlowReceiversDelayNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := make(chan struct{})
	var waiting, taken atomic.Int32
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		waiting.Add(1)
		<-release
	})
	quick := serve(t, func(http.ResponseWriter, *http.Request) { taken.Add(1) })
	t.Cleanup(func() { close(release) }) // before the servers close
	for n := range 20 {
		w.add(fmt.Sprintf("whk_%02d", n), "env_1", slow, webhooks.FormatEvent)
	}
	w.add("whk_z", "env_2", quick, webhooks.FormatEvent)
	w.deliver()
	for range 10 {
		w.happen("env_1", themes(8)...)
	}
	w.eventually("as many messages as one Environment may have under way", func() bool { return waiting.Load() == 16*8 })
	for n := range int32(5) {
		w.happen("env_2", "thm_x")
		w.eventually("the message of another Environment", func() bool { return taken.Load() == n+1 })
	}
	w.eventually("a metric that names the Environment that is behind", func() bool {
		return w.gauge("livery_webhook_behind_events", "env_1") == 80 && w.gauge("livery_webhook_behind_events", "env_2") == 0
	})
}

// gauge returns the value of a metric of an Environment.
func (w *world) gauge(name, environment string) float64 {
	families, err := w.metrics.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && m.GetLabel()[0].GetValue() == environment {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}

// TestRoundsOfSlowReceiversAreShort lets a webhook of 40 Themes, whose receiver takes long, have another turn after a few
// messages, and not after all.
func TestRoundsOfSlowReceiversAreShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int32
	slow := serve(t, func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		time.Sleep(1200 * time.Millisecond) // longer than a round begins messages
	})
	w.add("whk_a", "env_1", slow, webhooks.FormatEvent)
	w.happen("env_1", themes(40)...)
	w.deliver()
	w.eventually("the end of the first round", func() bool { return w.webhook("env_1", "whk_a").Commits > 0 })
	if sent := 40 - len(w.webhook("env_1", "whk_a").Late); sent < 1 || sent > 8 {
		t.Errorf("the first round sent %d messages, want those that it begins at once, 8 at most", sent)
	}
}

// TestConnectionsAreKept sends the messages of a Theme over one connection, and a message whose connection the receiver
// closed meanwhile over another, at the first attempt.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var taken, connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { taken.Add(1) }))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	w.add("whk_a", "env_1", server.URL, webhooks.FormatEvent)
	w.happen("env_1", slices.Repeat([]string{"thm_a"}, 300)...)
	w.deliver()
	w.eventually("all messages", func() bool { return taken.Load() == 300 })
	if n := connections.Load(); n != 1 {
		t.Errorf("300 messages took %d connections, want 1", n)
	}
	for n := range int32(20) {
		w.eventually("the end of the round", func() bool { return w.webhook("env_1", "whk_a").Last == uint32(300+n) })
		server.CloseClientConnections()
		w.happen("env_1", "thm_a")
		w.eventually("the message after a connection was closed", func() bool { return taken.Load() >= 301+n })
	}
	w.eventually("the end of the last round", func() bool { return w.webhook("env_1", "whk_a").Last == 320 })
	if late := w.webhook("env_1", "whk_a").Late; len(late) > 0 {
		t.Errorf("a closed connection made the Theme late: %+v", late)
	}
}

// TestSeveralEventsInOneMessage sends what waits of a Theme together, in its order, and after a failure the first alone.
func TestSeveralEventsInOneMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type message struct {
		id     string
		themes string
		events []string
	}
	var mu sync.Mutex
	var got []message
	fail := 0
	receiver := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		var body struct{ Events []struct{ ID, Theme string } }
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &body); err != nil || len(body.Events) == 0 {
			t.Errorf("body = %s, %v", text, err)
			return
		}
		m := message{id: r.Header.Get("webhook-id"), themes: body.Events[0].Theme}
		for _, e := range body.Events {
			m.events = append(m.events, e.ID)
			if e.Theme != m.themes {
				t.Errorf("a message has events of %s and of %s", m.themes, e.Theme)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, m)
		if fail++; fail == 1 {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.add("whk_a", "env_1", receiver, webhooks.FormatEvents)
	w.happen("env_1", slices.Repeat([]string{"thm_a"}, 100)...)
	w.deliver()
	messages := func() []message {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
	w.eventually("the first failure", func() bool { return len(w.webhook("env_1", "whk_a").Late) == 1 })
	w.update("env_1", func(tx storage.Tx) error { // do not wait for the time of the retry
		hook, err := storage.Webhooks.Read(tx, "env_1", "whk_a")
		if err != nil {
			return err
		}
		hook.Late[0].NextAt = time.Now()
		return storage.Webhooks.Write(tx, hook, "env_1", "whk_a")
	})
	w.eventually("all events", func() bool { return w.webhook("env_1", "whk_a").Last == 100 })
	all := messages()
	var sizes []int
	var ids []string
	for i, m := range all {
		sizes = append(sizes, len(m.events))
		if m.id != m.events[len(m.events)-1] {
			t.Errorf("message %d is called %s, want the id of its last event, %s", i, m.id, m.events[len(m.events)-1])
		}
		if i > 0 {
			ids = append(ids, m.events...)
		}
	}
	if want := []int{64, 1, 64, 35}; !slices.Equal(sizes, want) {
		t.Errorf("messages have %d events, want %d", sizes, want)
	}
	for i, id := range ids {
		if want := fmt.Sprintf("evt_%010d_tag", i+1); id != want {
			t.Fatalf("event %d that was taken is %s, want %s", i, id, want)
		}
	}
	w.update("env_1", func(tx storage.Tx) error {
		hook, err := storage.Webhooks.Read(tx, "env_1", "whk_a")
		if err != nil {
			return err
		}
		due, _ := webhooks.Ping(hook, "ada", "tag", time.Now())
		return due.Write(tx)
	})
	w.eventually("a test", func() bool { return len(messages()) == len(all)+1 })
}

// TestDeliveriesCostNoMoreWithTheirNumber sends more messages than the log keeps, after many events were trimmed: what was
// deleted is read over a fixed number of times at most.
func TestDeliveriesCostNoMoreWithTheirNumber(t *testing.T) {
	t.Parallel()
	t.Run("Pebble", func(t *testing.T) {
		t.Parallel()
		newWorld(t).checkDeliveries(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		if why := postgrestest.Why(); why != "" {
			t.Skip(why)
		}
		n, err := postgrestest.Start("alone")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		store, err := postgres.Open(t.Context(), n.URL(""), postgres.Options{Logger: slog.New(slog.DiscardHandler), Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		newWorldOn(t, store).checkDeliveries(t)
	})
}

func (w *world) checkDeliveries(t *testing.T) {
	t.Helper()
	w.happen("env_1", slices.Repeat([]string{"thm_a"}, 2000)...)
	if _, err := storage.TrimEvents(t.Context(), w.store, "env_1", time.Time{}, time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	receiver := serve(t, func(http.ResponseWriter, *http.Request) {})
	w.add("whk_a", "env_1", receiver, webhooks.FormatEvents)
	w.deliver()
	const all = 3000
	for range all / 500 {
		w.happen("env_1", slices.Repeat([]string{"thm_a"}, 500)...)
	}
	w.eventually("all events", func() bool { return w.webhook("env_1", "whk_a").Last == all })
	deleted, crossed := w.store.Counts()
	if deleted != 1999+all-storage.KeepDeliveries || crossed > deleted {
		t.Errorf("scans read over %d deleted keys, of which there are %d", crossed, deleted)
	}
	kept := 0
	if err := w.store.View(t.Context(), func(r storage.Reader) error {
		return storage.Deliveries.Scan(r, storage.Ascending, func(_ []byte, d record.Delivery) bool {
			kept++
			return true
		}, "env_1", "whk_a")
	}); err != nil || kept != storage.KeepDeliveries {
		t.Errorf("%d deliveries are kept, %v, want %d", kept, err, storage.KeepDeliveries)
	}
}

// TestAddressesThatCannotWork refuses them when they are stored.
func TestAddressesThatCannotWork(t *testing.T) {
	t.Parallel()
	s := webhooks.NewSender(webhooks.SenderConfig{})
	own := webhooks.NewSender(webhooks.SenderConfig{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	for _, address := range []string{
		"https://", "https:///x", "https:x.example", "//x.example/", "x.example", " https://x.example/", "https://x.example/%zz", "https://x.example/\n", "ftp://x.example/",
		"https://@x.example/", "https://u@x.example/", "https://:@x.example/", "https://x.example/#", "https://x.example/a#b",
		"https://x.example:0/", "https://x.example:00/", "https://x.example:65536/", "https://x.example:-1/", "https://x.example:https/",
		"https://-a.example/", "https://a-.example/", "https://a..example/", "https://.example/", "https://./", "https://*.example/", "https://a b.example/", "https://a%20b.example/",
		"https://a\\b.example/", "https://x.example\\@y.example/", "https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 127) + "example/",
		"https://xn--a.example/", "https://xn--zz--.example/", "https://a\u200db.example/", "https://[::1/", "https://[1.1.1.1]/", "https://[::g]/",
		"https://2130706433/", "https://127.1/", "https://127.0.1/", "https://0x7f.1/", "https://0x7f000001/", "https://017700000001/", "https://0177.0.0.1/", "https://127.0.0.1./",
		"https://1.1.1/", "https://256.1.1.1/", "https://1.1.1.1.1/", "https://08.8.8.8/", "https://x.0/", "https://x.0x1/",
	} {
		if s.CheckURL(address) == "" || own.CheckURL(address) == "" {
			t.Errorf("CheckURL(%q) = %q, with a network %q, want it refused", address, s.CheckURL(address), own.CheckURL(address))
		}
	}
	for _, address := range []string{"https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://１２７.０.０.１/", "https://127。0。0。1/", "https://①②⑦.0.0.1/", "https://[::ffff:7f00:1]/"} {
		if s.CheckURL(address) == "" || own.CheckURL(address) != "" {
			t.Errorf("CheckURL(%q) = %q, with the network %q, want it allowed then", address, s.CheckURL(address), own.CheckURL(address))
		}
	}
	for _, address := range []string{
		"https://x.example", "HTTPS://X.EXAMPLE./", "https://x.example:8443/a?b=c", "https://x.example:/", "https://bücher.example/", "https://xn--bcher-kva.example/",
		"https://a_b.example/", "https://0x.example/", "https://1.example/", "https://x.example/a b",
	} {
		if fault := s.CheckURL(address); fault != "" {
			t.Errorf("CheckURL(%q) = %q, want it allowed", address, fault)
		}
	}
}

// BenchmarkDeliver sends events of 1 and of 8 Themes to a receiver that answers after some time.
func BenchmarkDeliver(b *testing.B) {
	for _, format := range []string{webhooks.FormatEvent, webhooks.FormatEvents} {
		for _, delay := range []time.Duration{0, 100 * time.Millisecond} {
			for _, count := range []int{1, 8} {
				b.Run(fmt.Sprintf("%s/%v/themes=%d", format, delay, count), func(b *testing.B) {
					w := newWorld(b)
					var taken atomic.Int64
					receiver := serve(b, func(_ http.ResponseWriter, r *http.Request) {
						text, _ := io.ReadAll(r.Body)
						time.Sleep(delay)
						taken.Add(int64(bytes.Count(text, []byte(`"kind"`))))
					})
					w.add("whk_a", "env_1", receiver, format)
					for left := b.N; left > 0; left -= 1000 {
						var list []string
						for i := range min(left, 1000) {
							list = append(list, fmt.Sprint("thm_", i%count))
						}
						w.happen("env_1", list...)
					}
					b.ResetTimer()
					w.deliver()
					for taken.Load() < int64(b.N) {
						time.Sleep(time.Millisecond)
					}
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
				})
			}
		}
	}
}
