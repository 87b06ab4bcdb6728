package edge_test

import (
	"slices"
	"testing"

	"example.com/livery/feedproto"
)

// toldWhole is a published Theme with a Variant on a feed that tells a changed Theme with all that is asked
// for, and an edge that serves both.
func toldWhole(t *testing.T, options ...option) (f *feed, r *running, latest []string) {
	f = publishedFeed(t)
	f.whole = true
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	r = run(t, f, options...)
	r.settle()
	latest = []string{path("-", "latest", "tokens.css"), path(brand, "latest", "tokens.css")}
	want(t, r.get(latest[0]), 200, "4px")
	want(t, r.get(latest[1]), 200, "9px")
	return f, r, latest
}

// refreshes waits until the changes up to now are made ready.
func (r *running) refreshes(f *feed, publish func()) {
	r.t.Helper()
	before := r.counted("livery_edge_refreshes_total")
	publish()
	eventually(r.t, "the refresh", func() bool { return r.counted("livery_edge_refreshes_total") > before })
}

// One question brings all that is new of a Theme after a publish, with the cursor that was heard of.
func TestAPublishIsAskedForAtOnce(t *testing.T) {
	f, r, latest := toldWhole(t)
	asked := func() [4]int {
		return [4]int{f.count("refresh/"), f.count("themes/"), f.count("pairs/"), f.count("blobs/")}
	}
	before := asked()
	r.refreshes(f, func() { f.publish(thm, biggerTheme) })
	r.refreshes(f, func() { f.override(thm, brand, 2, `{"space.small":"11px"}`, true) })
	want(t, r.get(latest[0]), 200, "5px")
	want(t, r.get(latest[1]), 200, "11px")
	before[0] += 2
	if got := asked(); got != before {
		t.Errorf("refreshes, Themes, pairs and blobs were asked for %v times, want %v", got, before)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if newest := f.cursor(len(f.log)); !slices.Contains(f.since, newest) {
		t.Errorf("asked since %v, want one since %s", f.since, newest)
	}
}

// What cannot be believed of an answer, or is not in it, is asked for on its own.
func TestARefreshIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(r *feedproto.Refresh){
		"no blobs": func(r *feedproto.Refresh) { r.Blobs = nil },
		"blobs of other content": func(r *feedproto.Refresh) {
			for i := range r.Blobs {
				r.Blobs[i].Bytes = []byte("x")
			}
		},
		"no pairs":                  func(r *feedproto.Refresh) { r.Pairs = nil },
		"a pair of another version": func(r *feedproto.Refresh) { r.Pairs[0].Pair.Version = 0 },
		"a pair without a plan":     func(r *feedproto.Refresh) { r.Pairs[0].Pair.Plan = "" },
		"a pair not asked for":      func(r *feedproto.Refresh) { r.Pairs[0].Address = "../latest" },
		"another Theme":             func(r *feedproto.Refresh) { r.Theme.ThemeID = "thm_99999999999999999999999999" },
	} {
		t.Run(name, func(t *testing.T) {
			f, r, latest := toldWhole(t)
			f.mu.Lock()
			f.spoil = spoil
			f.mu.Unlock()
			r.refreshes(f, func() { f.publish(thm, biggerTheme) })
			want(t, r.get(latest[0]), 200, "5px")
			want(t, r.get(latest[1]), 200, "5px")
		})
	}
}

// What a refresh brought is on disk when the edge was stopped, however soon that was.
func TestARefreshIsOnDiskAfterAStop(t *testing.T) {
	f, first, latest := toldWhole(t)
	first.refreshes(f, func() { f.publish(thm, biggerTheme) })
	first.refreshes(f, func() { f.override(thm, brand, 2, `{"space.small":"11px"}`, true) })
	first.stop()
	f.stop()
	second := run(t, f, ownRuntime(t), at(first.dir))
	want(t, second.get(latest[0]), 200, "5px")
	want(t, second.get(latest[1]), 200, "11px")
}
