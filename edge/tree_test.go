package edge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

func behind(urls ...string) option { return func(c *edge.Config) { c.Upstreams = urls } }

// serveFeed has the edge answer other edges, at the address that is returned.
func (r *running) serveFeed(addr string) string {
	r.t.Helper()
	var l net.Listener
	eventually(r.t, "the listener", func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", addr)
		return err == nil
	})
	served := make(chan error, 1)
	go func() { served <- r.edge.ServeFeed(l) }()
	r.t.Cleanup(func() {
		r.stop()
		if err := <-served; err != nil {
			r.t.Errorf("ServeFeed = %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// A publish reaches an edge behind an edge within a second; deletions and serving settings too.
func TestTreeSeesChanges(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	middle := run(t, f)
	leaf := run(t, f, behind(middle.serveFeed("127.0.0.1:0")))
	latest, branded := path("-", "latest", "tokens.css"), path(brand, "latest", "tokens.css")
	leaf.settle()
	leaf.warm(latest, branded)
	want(t, leaf.get(latest), 200, "4px")
	want(t, leaf.get(branded), 200, "9px")
	want(t, leaf.get(path("-", "2", "tokens.css")), 404, "notFound")

	f.publish(thm, biggerTheme)
	within(t, seen, "the publish", func() bool { return strings.Contains(leaf.get(latest).body, "5px") })
	within(t, seen, "the new number", func() bool { return leaf.get(path("-", "2", "tokens.css")).status == 200 })
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"})
	within(t, seen, "the origin list", func() bool { return leaf.get(latest).status == 403 })
	f.serving(thm, record.Serving{Mode: "public"})
	within(t, seen, "public again", func() bool { return leaf.get(latest).status == 200 })
	f.removeVariant(thm, brand)
	within(t, seen, "the deleted Variant", func() bool { return leaf.get(branded).status == 404 })
	f.removeTheme(thm)
	within(t, seen, "the deleted Theme", func() bool { return leaf.get(latest).status == 404 })
}

// The leaf asks the middle, never the origin; what the middle holds is asked for once for all behind it.
func TestTreeAsksTheOriginOnce(t *testing.T) {
	f := publishedFeed(t)
	middle := run(t, f)
	url := middle.serveFeed("127.0.0.1:0")
	for range 3 {
		leaf := run(t, f, behind(url))
		leaf.settle()
		want(t, leaf.get(path("-", "latest", "tokens.css")), 200, "4px")
	}
	for kind, most := range map[string]int{"themes/": 1, "pairs/": 1, "blobs/": 2} {
		if asked := f.count(kind); asked > most {
			t.Errorf("the origin was asked %d times for %s, want %d", asked, kind, most)
		}
	}
}

// Without its middle a leaf serves on; with the middle back, restarted even, it catches up exactly.
func TestTreeHeals(t *testing.T) {
	t.Parallel()
	for name, emptied := range map[string]bool{"with its disk": false, "empty": true} {
		t.Run(name, func(t *testing.T) {
			f := publishedFeed(t)
			middle := run(t, f, ownRuntime(t))
			url := middle.serveFeed("127.0.0.1:0")
			leaf := run(t, f, ownRuntime(t), behind(url))
			latest := path("-", "latest", "tokens.css")
			leaf.settle()
			leaf.warm(latest)
			want(t, leaf.get(latest), 200, "4px")

			middle.stop()
			leaf.clock.add(2 * time.Hour)
			got := leaf.get(latest)
			want(t, got, 200, "4px")
			if got.header.Get("Cache-Status") != "livery; hit; detail=stale" {
				t.Errorf("Cache-Status = %q", got.header.Get("Cache-Status"))
			}
			f.publish(thm, biggerTheme)
			f.publish("thm_00000000000000000000000002", smallTheme)

			var again *running
			if emptied {
				again = run(t, f, ownRuntime(t))
			} else {
				again = run(t, f, ownRuntime(t), at(middle.dir))
			}
			again.serveFeed(strings.TrimPrefix(url, "http://"))
			eventually(t, "catching up", func() bool { return strings.Contains(leaf.get(latest).body, "5px") })
			eventually(t, "a current answer", func() bool { return leaf.get(latest).header.Get("Cache-Status") == "livery; hit" })
		})
	}
}

// Where the middle itself is cut off nobody behind it takes what it says for current, but a leaf that
// holds nothing is given what the middle holds.
func TestTreeSaysHowOldItIs(t *testing.T) {
	f := publishedFeed(t)
	middle := run(t, f)
	middle.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, middle.get(latest), 200, "4px")
	url := middle.serveFeed("127.0.0.1:0")
	f.stop()
	eventually(t, "the middle cut off", func() bool { return middle.counted("livery_edge_feed_connected") == 0 })
	middle.clock.add(100 * time.Second)

	leaf := run(t, f, behind(url))
	eventually(t, "an answer", func() bool { return leaf.get(latest).status == 200 })
	got := leaf.get(latest)
	want(t, got, 200, "4px")
	if got.header.Get("Cache-Status") != "livery; hit; detail=stale" || len(got.header.Get("Age")) < 3 {
		t.Errorf("what is 100 seconds old: %v", got.header)
	}
	if leaf.edge.Ready() != nil && leaf.counted("livery_edge_feed_connected") == 1 {
		t.Error("the leaf follows an edge that is cut off")
	}
	f.restart()
	f.publish(thm, biggerTheme)
	eventually(t, "catching up", func() bool { return strings.Contains(leaf.get(latest).body, "5px") })
}

// askFeed asks as an edge does.
func askFeed(t *testing.T, url, secret string) (status int, header http.Header, body []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, body
}

// What an edge feeds is for who has the token, and says what is missing as an origin does.
func TestFeedOfAnEdge(t *testing.T) {
	f := publishedFeed(t)
	middle := run(t, f)
	middle.settle()
	url := middle.serveFeed("127.0.0.1:0") + "/feed/v1/"
	for _, tt := range []struct {
		path, secret string
		status       int
		body         string
	}{
		{"themes/" + env + "/" + thm, "", 401, ""},
		{"themes/" + env + "/" + thm, "wrong", 401, ""},
		{"themes/" + env + "/" + thm, token, 200, `"themeID":"` + thm + `"`},
		{"themes/" + env + "/thm_99999999999999999999999999", token, 404, `"missing":"theme"`},
		{"themes/" + env, token, 404, `"missing":"theme"`},
		{"pairs/" + env + "/" + thm + "/-/latest", token, 200, `"version":1`},
		{"pairs/" + env + "/" + thm + "/-/7", token, 404, `"missing":"version"`},
		{"pairs/" + env + "/" + thm + "/" + brand + "/1", token, 404, `"missing":"variant"`},
		{"blobs/" + string(f.module), token, 200, "\x00asm"},
		{"blobs/none", token, 404, `"missing":"blob"`},
		{"modules", token, 200, string(f.module)},
		{"refresh/" + env + "/" + thm, "", 401, ""},
		{"refresh/" + env + "/" + thm + "?pair=-/latest&pair=-/7&pair=x", token, 200, `"address":"-/latest"`},
		{"refresh/" + env + "/thm_99999999999999999999999999", token, 404, `"missing":"theme"`},
		{"refresh/" + env + "/" + thm + "/-/latest", token, 404, `"missing":"theme"`},
		{"refresh/" + env + "/" + thm + "?since=9.of-another", token, 503, ""},
		{"refresh/" + env + "/" + thm + "?" + strings.Repeat("&pair=-/1", 65), token, 400, "payload"},
		{"changes?wait=99", token, 400, "payload"},
		{"changes?limit=0", token, 400, "payload"},
		{"changes", token, 200, `"reset":true`},
		{"changes?after=999.zz", token, 200, `"reset":true`},
	} {
		status, header, body := askFeed(t, url+tt.path, tt.secret)
		if status != tt.status || !strings.Contains(string(body), tt.body) {
			t.Errorf("%s = %d %.200q, want %d with %q", tt.path, status, body, tt.status, tt.body)
		}
		if status == 200 && !strings.HasPrefix(tt.path, "blobs") && header.Get("Livery-Age") == "" {
			t.Errorf("%s does not say how old it is", tt.path)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// The log that an edge relays goes on where an asker stopped, in pages.
func TestFeedOfAnEdgeGoesOn(t *testing.T) {
	f := publishedFeed(t)
	middle := run(t, f)
	middle.settle()
	url := middle.serveFeed("127.0.0.1:0") + "/feed/v1/changes"
	var first feedproto.Changes
	_, _, body := askFeed(t, url, token)
	if err := json.Unmarshal(body, &first); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		f.edit(fmt.Sprintf("thm_%026d", i), func(*fedTheme) {})
	}
	cursor, heard := first.Cursor, 0
	for heard < 5 {
		var fed feedproto.Changes
		_, _, body := askFeed(t, url+"?wait=5&limit=2&after="+cursor, token)
		if err := json.Unmarshal(body, &fed); err != nil || fed.Reset || len(fed.Changes) == 0 || len(fed.Changes) > 2 {
			t.Fatalf("after %s: %s, %v", cursor, body, err)
		}
		for _, c := range fed.Changes {
			if c.ThemeID != fmt.Sprintf("thm_%026d", heard) {
				t.Errorf("entry %d is %+v", heard, c)
			}
			heard++
		}
		cursor = fed.Cursor
	}
	http.DefaultClient.CloseIdleConnections()
}

// kinds counts what an edge asked its upstream for.
func (r *running) kinds() map[string]float64 {
	r.t.Helper()
	families, err := r.counts.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	asked := map[string]float64{}
	for _, family := range families {
		if family.GetName() == "livery_edge_upstream_requests_total" {
			for _, m := range family.GetMetric() {
				for _, label := range m.GetLabel() {
					if label.GetName() == "kind" {
						asked[label.GetValue()] += m.GetCounter().GetValue()
					}
				}
			}
		}
	}
	return asked
}

// A publish costs an edge behind an edge one question, and the edge between one as well, though nobody asks it
// for a file.
func TestTreeTellsAPublishAtOnce(t *testing.T) {
	f := publishedFeed(t)
	f.whole = true
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	middle := run(t, f)
	leaf := run(t, f, behind(middle.serveFeed("127.0.0.1:0")))
	leaf.settle()
	latest := []string{path("-", "latest", "tokens.css"), path(brand, "latest", "tokens.css")}
	leaf.warm(latest...)
	want(t, leaf.get(latest[0]), 200, "4px")
	want(t, leaf.get(latest[1]), 200, "9px")

	wantMiddle, wantLeaf := middle.kinds(), leaf.kinds()
	leaf.refreshes(f, func() { f.publish(thm, biggerTheme) })
	leaf.refreshes(f, func() { f.override(thm, brand, 2, `{"space.small":"11px"}`, true) })
	want(t, leaf.get(latest[0]), 200, "5px")
	want(t, leaf.get(latest[1]), 200, "11px")
	wantMiddle["refresh"] += 2
	wantLeaf["refresh"] += 2
	if got := leaf.kinds(); !maps.Equal(got, wantLeaf) {
		t.Errorf("the leaf asked for %v, want %v", got, wantLeaf)
	}
	if got := middle.kinds(); !maps.Equal(got, wantMiddle) {
		t.Errorf("the edge between asked for %v, want %v", got, wantMiddle)
	}
}

// An edge that is cut off tells nothing at once, as nothing it has is known to be current; each part says how
// old it is. Once it is back it tells again.
func TestACutOffEdgeTellsNothingAtOnce(t *testing.T) {
	f := publishedFeed(t)
	f.whole = true
	middle := run(t, f)
	middle.settle()
	want(t, middle.get(path("-", "latest", "tokens.css")), 200, "4px")
	url := middle.serveFeed("127.0.0.1:0") + "/feed/v1/"
	at := "/" + env + "/" + thm
	f.stop()
	eventually(t, "the middle cut off", func() bool { return middle.counted("livery_edge_feed_connected") == 0 })
	if status, header, body := askFeed(t, url+"refresh"+at, token); status != 503 || header.Get("Livery-Cover") != "aside" {
		t.Errorf("all at once = %d %v %q", status, header, body)
	}
	if status, header, body := askFeed(t, url+"themes"+at, token); status != 200 || header.Get("Livery-Age") == "" {
		t.Errorf("the Theme = %d %v %q", status, header, body)
	}
	f.restart()
	eventually(t, "being told again", func() bool {
		status, header, body := askFeed(t, url+"refresh"+at+"?pair=-/latest", token)
		if status != 200 {
			return false
		}
		fed, err := feedproto.ParseRefresh(body)
		if err != nil || len(fed.Pairs) != 1 || len(fed.Blobs) != 1 || fed.Theme.LatestVersion != 1 || header.Get("Livery-Age") == "" {
			t.Fatalf("all at once = %+v, %v, %v", fed, header, err)
		}
		_, _, body = askFeed(t, url+"refresh"+at+"?pair=-/latest&has="+string(fed.Blobs[0].Name), token)
		if fed, err = feedproto.ParseRefresh(body); err != nil || len(fed.Pairs) != 1 || len(fed.Blobs) != 0 {
			t.Errorf("what is there already is told again: %+v, %v", fed, err)
		}
		return true
	})
	http.DefaultClient.CloseIdleConnections()
}

// An edge whose upstream is cut off asks it no more than that one asks the origin that it lost: what is held is served, by an
// edge that was restarted too, and a question now and then finds that the origin is back.
func TestTreeAsksLittleWhileCutOff(t *testing.T) {
	f := publishedFeed(t)
	addresses := f.variants(150)
	middle := run(t, f, ownRuntime(t))
	url := middle.serveFeed("127.0.0.1:0")
	leaf := run(t, f, ownRuntime(t), behind(url))
	leaf.settle()
	leaf.warm(addresses...)
	f.stop()
	middle.lose()
	leaf.lose()
	asks := func(who string, r *running) {
		t.Helper()
		r.clock.add(time.Hour)
		before := r.counted("livery_edge_upstream_requests_total")
		began := time.Now()
		for range 2 {
			for _, address := range addresses {
				got := r.get(address)
				want(t, got, 200, "px")
				header(t, got, "Cache-Status", "livery; hit; detail=stale")
			}
		}
		most := 20 + float64(time.Since(began)/(250*time.Millisecond))
		if asked := r.counted("livery_edge_upstream_requests_total") - before; asked > most {
			t.Errorf("%s asked %v times for %d files, want at most %v", who, asked, len(addresses), most)
		}
	}
	asks("the edge that lost its origin", middle)
	asks("the edge behind it", leaf)
	leaf.stop()
	again := run(t, f, ownRuntime(t), behind(url), at(leaf.dir))
	asks("the edge behind it, restarted", again)
	empty := run(t, f, behind(url))
	empty.lose()
	want(t, empty.get(addresses[0]), 200, "px")

	f.restart()
	f.publish(thm, biggerTheme)
	latest := path("-", "latest", "tokens.css")
	eventually(t, "catching up", func() bool { return strings.Contains(again.get(latest).body, "5px") })
	eventually(t, "a current answer", func() bool { return again.get(addresses[0]).header.Get("Cache-Status") == "livery; hit" })
}
