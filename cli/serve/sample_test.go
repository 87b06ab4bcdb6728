package serve

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
)

// sampleSets are the sample Theme alone and with each of its Variants.
func sampleSets(t *testing.T) map[string]*renderer.Set {
	t.Helper()
	theme, err := sampleFile(sampleSlug + ".tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string]*renderer.Set{sampleSlug: renderer.LoadTree(theme, nil, "")}
	for _, v := range sampleVariants {
		overrides, err := sampleFile(v[0] + ".variant.json")
		if err != nil {
			t.Fatal(err)
		}
		sets[v[0]] = renderer.LoadTree(theme, overrides, "")
	}
	return sets
}

// TestSampleRendersWhole: nothing of the sample is left out of any file.
func TestSampleRendersWhole(t *testing.T) {
	for name, set := range sampleSets(t) {
		for _, d := range set.Diagnostics() {
			t.Errorf("%s: %s %s: %s", name, d.Path, d.Kind, d.Message)
		}
	}
}

// TestSampleHasEveryType: a newcomer finds an example of each type of the standard, and some of the
// extension types.
func TestSampleHasEveryType(t *testing.T) {
	theme, err := sampleFile(sampleSlug + ".tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	if faults := dtcg.Check(theme); len(faults) > 0 {
		t.Errorf("Check(sample) = %v", faults)
	}
	document := dtcg.Read(theme)
	var types []string
	aliases := 0
	for _, token := range document.Tokens {
		types = append(types, token.Resolved)
		if token.Inferred {
			t.Errorf("the type of %s is only inferred", token.Path)
		}
		if token.Value.IsString() && token.Value.Text[0] == '{' {
			aliases++
		}
	}
	for _, want := range append(dtcg.TypeNames(), "string", "boolean", "opacity", "mediaQuery", "textCase") {
		if !slices.Contains(types, want) {
			t.Errorf("no token of type %s", want)
		}
	}
	if aliases < 15 || len(document.Tokens) < 80 {
		t.Errorf("%d tokens, of them %d aliases; want a sample worth looking at", len(document.Tokens), aliases)
	}
}

// TestSampleVariantsOverrideWhatThereIs: every override names a token of the Theme.
func TestSampleVariantsOverrideWhatThereIs(t *testing.T) {
	theme, err := sampleFile(sampleSlug + ".tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	document := dtcg.Read(theme)
	for _, v := range sampleVariants {
		overrides, err := sampleFile(v[0] + ".variant.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range overrides.Members {
			if document.Token(m.Name) == nil {
				t.Errorf("%s overrides %s, which the Theme lacks", v[0], m.Name)
			}
		}
	}
}

// TestSampleIsReadable holds the sample and its Variants to the contrasts of WCAG 2.2: 4.5 for text,
// 7 for the main text, 3 for the focus ring.
func TestSampleIsReadable(t *testing.T) {
	pairs := []struct {
		front, back string
		least       float64
	}{
		{"color.text.default", "color.background.canvas", 7},
		{"color.text.default", "color.background.raised", 7},
		{"color.text.muted", "color.background.canvas", 4.5},
		{"color.text.muted", "color.background.sunken", 4.5},
		{"color.text.link", "color.background.raised", 4.5},
		{"color.text.on-accent", "color.accent.$root", 4.5},
		{"color.text.on-accent", "color.accent.hover", 4.5},
		{"color.status.danger", "color.background.raised", 4.5},
		{"color.status.success", "color.background.raised", 4.5},
		{"color.line.focus", "color.background.canvas", 3},
	}
	for name, set := range sampleSets(t) {
		colors := changeset.Primitives(set.Append(nil, renderer.TokensValuesJSON))
		for _, p := range pairs {
			if got := contrast(t, colors[p.front], colors[p.back]); got < p.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, p.front, p.back, got, p.least)
			}
		}
	}
}

// contrast is the contrast ratio of two colours "#rrggbb" as WCAG 2.2 defines it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) != 7 {
		t.Fatalf("%q is no opaque colour", hex)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		channel := float64(n) / 255
		if channel <= 0.04045 {
			channel /= 12.92
		} else {
			channel = math.Pow((channel+0.055)/1.055, 2.4)
		}
		sum += weight * channel
	}
	return sum
}
