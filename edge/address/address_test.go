package address

import (
	"strings"
	"testing"

	"example.com/livery/wasm/abi"
)

const (
	env     = "env_0123456789abcdefghijklmnop"
	thm     = "thm_0123456789abcdefghijklmnop"
	variant = "var_0123456789abcdefghijklmnop"
)

func TestAddressesHaveOneSpelling(t *testing.T) { // S227, S228, S230, S231, A63, A64
	const base = "/" + env + "/" + thm
	for _, tt := range []struct {
		path string
		ok   bool
	}{
		{base + "/-/latest/tokens.css", true},
		{base + "/-/1/tokens.css", true},
		{base + "/-/4294967295/tokens.flat.json", true},
		{base + "/" + variant + "/latest/tokens.values.json", true},
		{base + "/" + variant + "/12/tokens.dtcg.json", true},

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
		{base + "/" + thm + "/latest/tokens.css", false},
		{base + "/" + strings.ToUpper(variant) + "/latest/tokens.css", false},
		{base + "/" + variant[:29] + "/latest/tokens.css", false},
		{base + "/" + variant + "q/latest/tokens.css", false},
		{base + "/" + variant[:29] + "\x80/latest/tokens.css", false},
		{base + "/" + variant[:29] + "%/latest/tokens.css", false},
		{base + "/%2d/latest/tokens.css", false},
		{base + "/-/latest/tokens%2ecss", false},
		{base + "/-/latest/scheme.dark/tokens.css", false},
		{base + "/-/../-/latest/tokens.css", false},
		{base + `/..\/latest/tokens.css`, false},
		{"/" + thm + "/" + env + "/-/latest/tokens.css", false},
		{"/sandbox/brand/-/latest/tokens.css", false},
		{"/env_../../../../../../../../etc/" + thm + "/-/latest/tokens.css", false},
	} {
		if _, ok := Parse([]byte(tt.path), nil, nil); ok != tt.ok {
			t.Errorf("parseAddress(%q) ok = %t, want %t", tt.path, ok, tt.ok)
		}
	}
}

func TestAddressIsTakenApart(t *testing.T) {
	const pairKey = env + "/" + thm + "/" + variant + "/12"
	a, ok := Parse([]byte("/"+pairKey+"/tokens.flat.json"), nil, nil)
	if !ok || string(a.Theme) != env+"/"+thm || string(a.Key) != pairKey || a.Version != 12 || a.File != abi.TokensFlatJSON {
		t.Errorf("parseAddress = %q %q %d %d, %t", a.Theme, a.Key, a.Version, a.File, ok)
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("/" + env + "/" + thm + "/-/latest/tokens.css")
	f.Add("/" + env + "/" + thm + "/" + variant + "/7/tokens.json")
	f.Fuzz(func(t *testing.T, path string) {
		a, ok := Parse([]byte(path), nil, nil)
		if ok && path != "/"+string(a.Key)+"/"+a.File.Name() {
			t.Errorf("parseAddress(%q) names %q and %q", path, a.Key, a.File.Name())
		}
	})
}
