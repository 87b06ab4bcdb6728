//go:build browser

package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// look is what a frame shows, or what a brand looks like: red, green and blue of the button, then of the page.
type look [6]float64

// Looks of the brands of the examples.
var (
	acmeLook     = look{0, 85, 170, 255, 255, 255}
	midnightLook = look{255, 180, 84, 11, 16, 32}
)

// blur is how far a channel of a screenshot may be from the colour of the page: a JPEG is not exact.
const blur = 16

// mix is the look between two, at a part of the way.
func mix(from, to look, part float64) look {
	for i := range from {
		from[i] += part * (to[i] - from[i])
	}
	return from
}

func (l look) like(other look) bool {
	for i := range l {
		if math.Abs(l[i]-other[i]) > blur {
			return false
		}
	}
	return true
}

func (l look) String() string {
	return fmt.Sprintf("a button of %.0f on a page of %.0f", l[:3], l[3:])
}

// frame is one picture of a trace.
type frame struct {
	number int // how many frames the page had drawn
	look
}

// beside is how many frames a film has at least before the first frame of the new brand, and from it on.
const beside = 3

// judge says what a film of a switch shows that is of neither brand, or in no order; "": nothing. It is proven if no frame is
// missing between the last of the old brand and the first of the new one. A blend is a frame between both, later in time.
func judge(film []frame, from, to look, blend bool) (flash string, proven bool) {
	next, part := 0, 0.0 // how many frames are of the old brand; how far a blend is
	for i, f := range film {
		switch old := f.like(from); {
		case old && part == 0:
			next = i + 1
		case f.like(to):
			part = 1
		case blend && !old && f.like(mix(from, to, f.part(from, to))) && f.part(from, to) > part-0.1:
			part = max(part, f.part(from, to))
		default:
			return fmt.Sprintf("frame %d of %d: %s", i+1, len(film), f.look), false
		}
	}
	if next < beside || len(film)-next < beside {
		return "", false
	}
	return "", blend || film[next].number == film[next-1].number+1
}

// part is how far a look is on the way between two.
func (l look) part(from, to look) float64 {
	sum, whole := 0.0, 0.0
	for i := range l {
		sum += (l[i] - from[i]) * (to[i] - from[i])
		whole += (to[i] - from[i]) * (to[i] - from[i])
	}
	return min(max(sum/whole, 0), 1)
}

// The stage of a film is a page of this size: the button stands at one place, the page counts its frames in black and white
// squares at its left end, and the rest is the page.
const (
	filmWidth, filmHeight = 400, 300
	square, digits        = 16, 12
	stage                 = `(async () => {
		const square = 16, digits = 12, button = (document.querySelector("livery-shop")?.shadowRoot ?? document).getElementById("buy");
		const place = { position: "fixed", left: "40px", top: "40px", width: "240px", height: "160px", margin: 0, transition: "none", animation: "none" };
		for (const [name, value] of Object.entries(place)) button.style.setProperty(name, String(value), "important");
		const squares = [];
		for (let i = 0; i < digits; i++) {
			const one = document.createElement("i");
			Object.assign(one.style, { position: "fixed", zIndex: 9999, width: square + "px", height: square + "px", bottom: 0, left: i * square + "px" });
			document.body.append(one);
			squares.push(one);
		}
		window.drawn = 0;
		await new Promise((go) => (function draw() {
			if (++drawn === 10) go();
			squares.forEach((one, i) => { one.style.background = drawn >> i & 1 ? "#fff" : "#000"; });
			requestAnimationFrame(draw);
		})());
		return "";
	})()`
)

// camera films the page of a tab.
type camera struct {
	t     *testing.T
	tab   context.Context
	ended chan *tracing.EventTracingComplete
}

// newCamera sets the stage in the page that the tab shows.
func newCamera(t *testing.T, tab context.Context) *camera {
	t.Helper()
	c := &camera{t: t, tab: tab, ended: make(chan *tracing.EventTracingComplete, 1)}
	if err := chromedp.Listen(tab, func(event any) {
		if e, ok := event.(*tracing.EventTracingComplete); ok {
			c.ended <- e
		}
	}); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.EmulateViewport(filmWidth, filmHeight))
	if _, err := chromedp.Run(tab, chromedp.Evaluate[string](stage, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	return c
}

// rolls waits until the page has drawn more frames.
func (c *camera) rolls(more int) {
	c.t.Helper()
	drawn, err := chromedp.Run(c.tab, chromedp.Evaluate[int]("drawn"))
	if err != nil {
		c.t.Fatal(err)
	}
	eventually(c.t, c.tab, fmt.Sprintf("String(drawn >= %d)", drawn+more), "true")
}

// film records a trace while during runs and some frames before and after, and returns every frame of it.
func (c *camera) film(during func()) []frame {
	c.t.Helper()
	_, err := chromedp.Call(c.tab, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, ScreenshotMaxSize: filmWidth,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"disabled-by-default-devtools.screenshot"}},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.rolls(3 * beside)
	during()
	c.rolls(3 * beside)
	if _, err := chromedp.Call(c.tab, tracing.End, struct{}{}); err != nil {
		c.t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name string
			Args struct{ Snapshot []byte }
		}
	}
	if err := json.Unmarshal(c.text(), &trace); err != nil {
		c.t.Fatal(err)
	}
	var list []frame
	for _, event := range trace.TraceEvents {
		if event.Name == "Screenshot" {
			list = append(list, c.develop(event.Args.Snapshot))
		}
	}
	return list
}

// text is the trace.
func (c *camera) text() []byte {
	c.t.Helper()
	var text []byte
	select {
	case e := <-c.ended:
		for {
			piece, err := chromedp.Call(c.tab, cdpio.Read, cdpio.ReadParams{Handle: e.Stream})
			if err != nil {
				c.t.Fatal(err)
			}
			if text = append(text, piece.Data...); piece.EOF {
				return text
			}
		}
	case <-time.After(patience):
		c.t.Fatal("the trace does not end")
	}
	return nil
}

// develop reads a picture.
func (c *camera) develop(picture []byte) (f frame) {
	c.t.Helper()
	shot, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		c.t.Fatal(err)
	}
	if size := shot.Bounds().Size(); size != image.Pt(filmWidth, filmHeight) {
		c.t.Fatalf("a screenshot has the size %v", size)
	}
	for i := range digits {
		if bit := mean(shot, square*i+5, filmHeight-square+5, 6, 6); bit[0] > 127 {
			f.number |= 1 << i
		}
	}
	button, page := mean(shot, 60, 60, 60, 30), mean(shot, 320, 220, 60, 60) // beside the text, below it
	copy(f.look[:3], button[:])
	copy(f.look[3:], page[:])
	return f
}

// mean is the colour of a part of a picture.
func mean(shot image.Image, left, top, width, height int) (color [3]float64) {
	for x := left; x < left+width; x++ {
		for y := top; y < top+height; y++ {
			r, g, b, _ := shot.At(x, y).RGBA()
			for i, channel := range []uint32{r, g, b} {
				color[i] += float64(channel>>8) / float64(width*height)
			}
		}
	}
	return color
}

// side is a brand: what it looks like, and the script that chooses it.
type side struct {
	look
	choose string
}

// neverFlashes films a switch to another brand, and back and again until a trace has the very frame of it and the page is of
// that brand. No frame may show anything else.
func (c *camera) neverFlashes(from, to side, blend bool) {
	c.t.Helper()
	proven, end := false, to.look
	for range 20 {
		film := c.switches(to, func() {})
		flash, whole := judge(film, from.look, to.look, blend)
		if flash != "" {
			c.t.Fatalf("the switch from %s to %s flashes: %s", from.look, to.look, flash)
		}
		proven = proven || whole
		if proven && to.look == end {
			c.t.Logf("a trace of %d frames shows the switch", len(film))
			return
		}
		from, to = to, from
	}
	c.t.Fatal("no trace has the frames beside a switch")
}

// switches films one switch, and what is done meanwhile.
func (c *camera) switches(to side, meanwhile func()) []frame {
	c.t.Helper()
	return c.film(func() {
		eventually(c.t, c.tab, to.choose+`, ""`, "")
		meanwhile()
		eventually(c.t, c.tab, `getComputedStyle(buy()).backgroundColor`, fmt.Sprintf("rgb(%.0f, %.0f, %.0f)", to.look[0], to.look[1], to.look[2]))
		c.rolls(beside)
		eventually(c.t, c.tab, `String(document.getAnimations().length)`, "0") // a View Transition has ended
	})
}

// TestAFilmShowsEveryFlash: the method sees a page that takes the old stylesheet out before the new one is there, also if it
// does so for a single frame, and a page whose parts change one after the other; it does not see a flash that is not there.
func TestAFilmShowsEveryFlash(t *testing.T) {
	sheets := map[string]string{"/acme.css": ":root { --brand: #0055aa; --page: #ffffff; }", "/midnight.css": ":root { --brand: #ffb454; --page: #0b1020; }"}
	var slow chan struct{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if css, ok := sheets[r.URL.Path]; ok {
			if r.URL.RawQuery == "slow" {
				<-slow
			}
			w.Header().Set("Content-Type", "text/css")
			_, _ = w.Write([]byte(css))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><link rel="stylesheet" href="/acme.css"><body style="background: var(--page)"><button id="buy" style="border: 0; background: var(--brand)">Buy</button>
			<script>
				const buy = () => document.getElementById("buy"), link = () => document.querySelector("link"), root = document.documentElement.style;
				const frame = () => new Promise(requestAnimationFrame);
				const add = (href) => document.head.insertAdjacentHTML("beforeend", '<link rel="stylesheet" href="' + href + '">');
			</script>`))
	}))
	t.Cleanup(site.Close)
	const done = `root.cssText = "--brand: #ffb454; --page: #0b1020"`
	for name, choose := range map[string]string{
		"removed and added":  `link().remove(), add("/midnight.css?slow")`,
		"for a single frame": `(async () => { link().remove(); await frame(); await frame(); ` + done + ` })()`,
		"one by one":         `(async () => { root.cssText = "--brand: #ffb454"; await frame(); await frame(); ` + done + ` })()`,
		"at once":            done,
	} {
		t.Run(name, func(t *testing.T) {
			flash, proven := "", false
			for take := 0; take < 20 && flash == "" && !proven; take++ {
				slow = make(chan struct{})
				tab := newTab(t)
				do(t, tab, chromedp.Navigate(site.URL))
				c := newCamera(t, tab)
				film := c.switches(side{midnightLook, choose}, func() {
					c.rolls(beside)
					close(slow)
				})
				flash, proven = judge(film, acmeLook, midnightLook, false)
			}
			if flashes := name != "at once"; flashes != (flash != "") || flashes == proven {
				t.Errorf("the film shows the flash %q, and is proven %t", flash, proven)
			}
		})
	}
}
