//go:build browser

package console_test

import "testing"

// TestPictures takes the pictures of docs/console.md: go test -tags browser -run TestPictures ./console -args -pictures ../docs/console
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no folder for pictures is given")
	}
	d := startDev(t)
	s := sampleOf(d)
	th := theme{environment: s.environment, id: s.theme}
	d.api("PATCH", th.path()+"/tokens", map[string]any{"operations": []any{
		map[string]any{"operation": "replace", "path": "/palette/ocean/600/$value", "value": "#7c3aed"},
		map[string]any{"operation": "add", "path": "/palette/moss", "value": map[string]any{"$value": "#4d7c0f"}},
		map[string]any{"operation": "remove", "path": "/palette/kelp"},
	}}, nil)
	p := newBrowser(t)
	p.screen(1280, 900, "light")
	p.visit(d.origin + "/console/")
	p.says("Access token")
	p.picture("login")
	p.logInAs(d, "dev")
	p.open(th, "palette.ocean.400")
	p.write("Value of palette.ocean.400: colour", "#22a7c9")
	p.enter("Value of palette.ocean.400: colour")
	for _, c := range []struct {
		name, address, scheme string
		width                 int64
	}{
		{"themes", s.address("e/:environment"), "dark", 1280},
		{"tokens", s.address("e/:environment/t/:theme") + "?token=palette.ocean.600", "light", 1280},
		{"group", s.address("e/:environment/t/:theme") + "?token=palette.ocean", "dark", 1280},
		{"tokens-narrow", s.address("e/:environment/t/:theme"), "dark", 360},
		{"curve", s.address("e/:environment/t/:theme") + "?token=motion.easing.drift", "dark", 1280},
		{"overrides", s.address("e/:environment/t/:theme/v/:variant"), "light", 1280},
		{"variants", s.address("e/:environment/t/:theme/variants"), "light", 1280},
		{"matrix", s.address("e/:environment/t/:theme/matrix"), "dark", 1280},
		{"preview", s.address("e/:environment/t/:theme/preview"), "light", 1280},
		{"changes", s.address("e/:environment/t/:theme/diff"), "light", 1280},
		{"versions", s.address("e/:environment/t/:theme/versions"), "dark", 1280},
		{"settings", s.address("e/:environment/t/:theme/settings"), "light", 1280},
		{"events", s.address("e/:environment/events"), "dark", 1280},
		{"webhooks", s.address("e/:environment/webhooks"), "light", 1280},
		{"requests", "/console/calls", "light", 1280},
	} {
		p.screen(c.width, 900, c.scheme)
		p.view(c.address)
		p.quiet()
		p.until(`document.getAnimations().every((a) => a.playState !== "running")`)
		p.picture(c.name)
	}
	p.view(s.address("e/:environment/t/:theme"))
	p.quiet()
	p.click("button", "Replace …")
	p.write("Where", "names")
	p.write("Find", "ocean")
	p.write("Replace with", "sea")
	p.until(`document.querySelector("dialog input[type=checkbox]")`)
	p.picture("replace")
}
