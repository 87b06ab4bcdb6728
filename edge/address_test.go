package edge

import (
	"strings"
	"testing"

	"example.com/livery/wasm/abi"
)

const (
	testEnv     = "env_0123456789abcdefghijklmnop"
	testTheme   = "thm_0123456789abcdefghijklmnop"
	testVariant = "var_0123456789abcdefghijklmnop"
)

func TestAddressesHaveOneSpelling(t *testing.T) { // S227, S228, S230, S231, A63, A64
	const base = "/" + testEnv + "/" + testTheme
	for _, tt := range []struct {
		path string
		ok   bool
	}{
		{base + "/-/latest/tokens.css", true},
		{base + "/-/1/tokens.css", true},
		{base + "/-/4294967295/tokens.flat.json", true},
		{base + "/" + testVariant + "/latest/tokens.values.json", true},
		{base + "/" + testVariant + "/12/tokens.dtcg.json", true},

		{"", false},
		{"/", false},
		{base, false},
		{base + "/", false},
		{base + "/-", false},
		{base + "/-/latest", false},
		{base + "/-/latest/", false},
		{base + "/-/latest/tokens.css/", false},
		{base + "//-/latest/tokens.css", false},
		{"/" + base + "/-/latest/tokens.css", false},
		{base + "/-/latest/tokens.CSS", false},
		{base + "/-/latest/tokens.scss", false},
		{base + "/-/latest/tokens.css;x=1", false},
		{base + "/-/Latest/tokens.css", false},
		{base + "/-/0/tokens.css", false},
		{base + "/-/01/tokens.css", false},
		{base + "/-/+1/tokens.css", false},
		{base + "/-/-1/tokens.css", false},
		{base + "/-/1.0/tokens.css", false},
		{base + "/-/1e2/tokens.css", false},
		{base + "/-/4294967296/tokens.css", false},
		{base + "/-/99999999999999999999/tokens.css", false},
		{base + "/--/latest/tokens.css", false},
		{base + "//latest/tokens.css", false},
		{base + "/" + testTheme + "/latest/tokens.css", false},
		{base + "/" + strings.ToUpper(testVariant) + "/latest/tokens.css", false},
		{base + "/" + testVariant[:29] + "/latest/tokens.css", false},
		{base + "/" + testVariant + "q/latest/tokens.css", false},
		{base + "/" + testVariant[:29] + "\x80/latest/tokens.css", false},
		{base + "/" + testVariant[:29] + "%/latest/tokens.css", false},
		{base + "/%2d/latest/tokens.css", false},
		{base + "/-/latest/tokens%2ecss", false},
		{base + "/-/../-/latest/tokens.css", false},
		{base + `/..\/latest/tokens.css`, false},
		{"/" + testTheme + "/" + testEnv + "/-/latest/tokens.css", false},
		{"/sandbox/brand/-/latest/tokens.css", false},
		{"/env_../../../../../../../../etc/" + testTheme + "/-/latest/tokens.css", false},
	} {
		if _, ok := parseAddress([]byte(tt.path)); ok != tt.ok {
			t.Errorf("parseAddress(%q) ok = %t, want %t", tt.path, ok, tt.ok)
		}
	}
}

func TestAddressIsTakenApart(t *testing.T) {
	const pairKey = testEnv + "/" + testTheme + "/" + testVariant + "/12"
	a, ok := parseAddress([]byte("/" + pairKey + "/tokens.flat.json"))
	if !ok || string(a.theme) != testEnv+"/"+testTheme || string(a.key) != pairKey || a.version != 12 || a.file != abi.TokensFlatJSON {
		t.Errorf("parseAddress = %q %q %d %d, %t", a.theme, a.key, a.version, a.file, ok)
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("/" + testEnv + "/" + testTheme + "/-/latest/tokens.css")
	f.Add("/" + testEnv + "/" + testTheme + "/" + testVariant + "/7/tokens.json")
	f.Fuzz(func(t *testing.T, path string) {
		a, ok := parseAddress([]byte(path))
		if ok && path != "/"+string(a.key)+"/"+a.file.Name() {
			t.Errorf("parseAddress(%q) names %q and %q", path, a.key, a.file.Name())
		}
	})
}
