//go:build browser

package examples_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestAPublishIsShownAtOnce: pages of one browser follow a Theme by one stream. A publish changes all of them without a
// question, the stream goes over to another page when its own is closed, and comes back by itself after it broke.
func TestAPublishIsShownAtOnce(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	other, closeOther := chromedp.NewContext(s.tab)
	defer closeOther()
	if err := chromedp.Do(other, chromedp.Navigate(s.page+"/")); err != nil {
		t.Fatal(err)
	}
	shown := func(tab context.Context, color string) {
		t.Helper()
		eventually(t, tab, `getComputedStyle(document.getElementById("buy")).backgroundColor`, color)
	}
	publish := func(color string) {
		t.Helper()
		s.livery("edit", "color.brand", color, "--env", "sandbox", "--theme", "acme")
		s.livery("publish", "--env", "sandbox", "--theme", "acme")
	}
	shown(other, acmeButton)
	s.haveStreams(1)
	publish("#c2410c")
	shown(s.tab, "rgb(194, 65, 12)")
	shown(other, "rgb(194, 65, 12)")
	s.haveStreams(1)
	s.whole()

	if err := chromedp.Do(s.tab, chromedp.Navigate("about:blank")); err != nil { // the page that has the stream
		t.Fatal(err)
	}
	s.haveStreams(1)
	publish("#166534")
	shown(other, "rgb(22, 101, 52)")

	s.gate.CloseClientConnections()
	publish("#6b21a8")
	shown(other, "rgb(107, 33, 168)")
	s.haveStreams(1)
	eventually(t, other, `shop.set({ version: 1 }), String(shop.text.includes("#0055aa"))`, "true")
	s.haveStreams(0) // a version does not change
}

// haveStreams waits until so many event streams are open.
func (s *shop) haveStreams(count int32) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for s.gate.streams.Load() != count {
		if time.Now().After(deadline) {
			s.t.Fatalf("%d event streams are open, want %d", s.gate.streams.Load(), count)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
