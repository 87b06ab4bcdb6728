//go:build browser

package browser

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/livery/renderer"
)

var picturePath = flag.String("picture", "", "write the picture of the sample to this PNG file")

//go:embed testdata/panel.html
var panel string

// maxPictureBytes keeps the picture small enough to live beside the code.
const maxPictureBytes = 200 << 10

// One page, three stylesheets: the sample Theme and its Variants dress the same page differently,
// and every one of them dresses it.
func TestSamplePicture(t *testing.T) {
	files := map[string]string{}
	var frames strings.Builder
	for i, variant := range sampleVariants {
		files[fmt.Sprintf("%d.css", i)] = sampleFile(t, variant, renderer.TokensCSS)
		files[fmt.Sprintf("%d.html", i)] = strings.Replace(panel, "tokens.css", fmt.Sprintf("%d.css", i), 1)
		fmt.Fprintf(&frames, "<iframe src=%d.html></iframe>", i)
	}
	files["page.html"] = "<!doctype html><style>body{margin:0;display:flex}iframe{border:0;width:400px;height:510px}</style>" + frames.String()
	picture := photograph(t, tab.pages.serveFiles(files)+"page.html", 1200, 510)
	if len(picture) > maxPictureBytes {
		t.Errorf("the picture has %d bytes, more than %d", len(picture), maxPictureBytes)
	}
	checkPanels(t, picture)
	if *picturePath != "" {
		if err := os.WriteFile(*picturePath, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkPanels wants three panels that show what their stylesheet says: the corner at the bottom is the canvas.
func checkPanels(t *testing.T, picture []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"#faf8f5", "#081520", "#fff9f0"} {
		r, g, b, _ := img.At(400*i+3, 506).RGBA()
		if got := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8); got != want {
			t.Errorf("Variant %q: the canvas is %s, want %s", sampleVariants[i], got, want)
		}
	}
}

// photograph opens an address in a window of that size and returns a PNG of it.
func photograph(t *testing.T, address string, width, height int64) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab.tab, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	if err := tab.open(ctx, address); err != nil {
		t.Fatal(err)
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.ResetViewport()); err != nil {
		t.Fatal(err)
	}
	return picture
}
