//go:build browser

package console_test

import (
	"fmt"
	"strings"
	"testing"
)

// The preview draws in the page what the origin would serve, draft and version, Theme and Variant, in modes.
func TestPreview(t *testing.T) {
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	tokens := fmt.Sprintf("/environments/%s/themes/%s/tokens", s.environment, s.theme)
	d.api("PATCH", tokens, map[string]any{"operations": []map[string]any{{"operation": "replace", "path": "/palette/coral/500/$value", "value": "#123456"}}}, nil)
	p.view(s.address("e/:environment/t/:theme/preview"))
	same := func(panes int) {
		t.Helper()
		p.until(fmt.Sprintf(`[...document.querySelectorAll(".look-state .badge")].filter((b) => b.textContent === "same bytes as the origin's").length === %d`, panes))
	}
	same(2)
	p.says("What differs between pane 1 and pane 2")
	for _, size := range []int64{360, 1280, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			p.screen(size, 1200, scheme)
			p.picture(fmt.Sprintf("preview-%s-%d", scheme, size))
		}
	}
	p.screen(1280, 1200, "light")
	for _, preset := range []string{"Brand | Brand", "Light | Dark", "Published | Draft"} {
		p.click("button", preset)
		same(2)
		p.picture("preview-" + strings.ReplaceAll(preset, " | ", "-"))
	}
	p.write("Show", "tokens")
	p.picture("preview-tokens")
	p.click("summary", "Files")
	p.until(`[...document.querySelectorAll("td .badge.success")].length === 5`)
	p.picture("preview-files")
}
