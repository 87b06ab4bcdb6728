//go:build browser

package console_test

import (
	"os"
	"testing"
)

// What the page leaves to the browser, colours and the reading of stylesheets, is as the page takes it to be. make
// console-test builds the script.
func TestInBrowser(t *testing.T) {
	script, err := os.ReadFile("node_modules/.page/browser.js")
	if err != nil {
		t.Fatal(err)
	}
	p := newBrowser(t)
	if failed := evaluate[string](p, string(script)+";failed()"); failed != "" {
		t.Error(failed)
	}
}
