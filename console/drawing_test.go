//go:build browser

package console_test

import (
	"os"
	"testing"
)

// What is drawn over something else is what is drawn on nothing, for random trees of elements and components; keys, the
// focus, events, effects and references are as they should be. make console-test builds the script.
func TestDrawing(t *testing.T) {
	script, err := os.ReadFile("node_modules/.page/drawing.js")
	if err != nil {
		t.Fatal(err)
	}
	p := newBrowser(t)
	if said := evaluate[string](p, string(script)+";drawing(60)"); said != "" {
		t.Error(said)
	}
}
