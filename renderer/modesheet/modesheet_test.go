package modesheet_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/livery/renderer/modesheet"
)

// file is a tokens.css with these declarations, "name value".
func file(declarations ...string) []byte {
	text := "/* Livery design tokens, format 1 */\n:root {\n"
	for _, d := range declarations {
		name, value, _ := strings.Cut(d, " ")
		text += "  --" + name + ": " + value + ";\n"
	}
	return []byte(text + "}\n")
}

var (
	scheme   = modesheet.Dimension{Name: "scheme", Modes: []modesheet.Mode{{Name: "light"}, {Name: "dark", When: "(prefers-color-scheme: dark)", Variant: "dark"}}}
	contrast = modesheet.Dimension{Name: "contrast", Modes: []modesheet.Mode{{Name: "more", When: "(prefers-contrast: more)", Variant: "more"}}}
	layout   = modesheet.Dimension{Name: "layout", Modes: []modesheet.Mode{{Name: "flat", When: "print", Variant: "flat"}, {Name: "wide", When: "(prefers-contrast: more)", Variant: "wide"}}}
)

// What is written for one dimension, for two that change the same property, for values that refer to each other, and for
// properties that come and go. tests/browser proves in a browser that this is right on nested elements.
func TestStylesheets(t *testing.T) {
	base := file("ink #000", "gap 4px", "line 1px solid var(--ink)", "only-base 1")
	bases := map[string][]byte{"circle": file("ink #000", "gap 4px", "line 1px solid var(--ink)", "only-base var(--line)")}
	for name, tt := range map[string]struct {
		dims  []modesheet.Dimension
		flats map[string][]byte
	}{
		"one":        {[]modesheet.Dimension{scheme}, map[string][]byte{"[1]": file("ink #fff", "gap 4px", "line 1px solid var(--ink)", "only-base 1")}},
		"appearance": {[]modesheet.Dimension{contrast}, map[string][]byte{"[0]": file("ink #000", "gap 4px", "line 1px solid var(--ink)", "only-mode 2")}},
		"two": {[]modesheet.Dimension{scheme, contrast}, map[string][]byte{
			"[1 -1]": file("ink #fff", "gap 4px", "line 1px solid var(--ink)", "only-base 1"),
			"[-1 0]": file("ink #111", "gap 4px", "line 1px solid var(--ink)", "only-base 1"),
			"[1 0]":  file("ink #eee", "gap 4px", "line 1px solid var(--ink)", "only-base 1"),
		}},
		"media": {[]modesheet.Dimension{layout}, map[string][]byte{
			"[0]": file("ink #000", "gap 0px", "line 1px solid var(--ink)", "only-base 1"),
			"[1]": file("ink #000", "gap 8px", "line 1px solid var(--ink)", "only-base 1"),
		}},
		// In each scheme one property refers to the other, which is a circle in no scheme.
		"circle": {[]modesheet.Dimension{scheme}, map[string][]byte{
			"[1]": file("ink #fff", "gap 4px", "line var(--only-base)", "only-base 1px solid var(--ink)"),
		}},
		"light-dark": {[]modesheet.Dimension{{Name: scheme.Name, Modes: scheme.Modes, LightDark: true}, contrast}, map[string][]byte{
			"[1 -1]": file("ink #fff", "gap 8px", "line 1px solid var(--ink)", "only-base 1"),
			"[-1 0]": file("ink #000", "gap 4px", "line 1px solid #000", "only-base rgb(0 0 0)"),
			"[1 0]":  file("ink #fff", "gap 8px", "line 1px solid #000", "only-base rgb(0 0 0)"),
		}},
		"nothing": {[]modesheet.Dimension{contrast}, map[string][]byte{"[0]": base}},
	} {
		t.Run(name, func(t *testing.T) {
			base := cmp.Or(string(bases[name]), string(base))
			got, err := modesheet.Append(nil, []byte(base), tt.dims, func(choice []int) ([]byte, error) { return tt.flats[fmt.Sprint(choice)], nil })
			if err != nil {
				t.Fatal(err)
			}
			golden := "testdata/" + name + ".css"
			if os.Getenv("LIVERY_GOLDEN") != "" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", golden, got, want)
			}
		})
	}
}

// Every combination is asked for once, modes that override nothing never.
func TestCombinationsAreAskedForOnce(t *testing.T) {
	asked := map[string]int{}
	_, err := modesheet.Append(nil, file("a 1"), []modesheet.Dimension{scheme, contrast, layout}, func(choice []int) ([]byte, error) {
		asked[fmt.Sprint(choice)]++
		return file("a 2"), nil
	})
	if err != nil || len(asked) != 2*2*3-1 {
		t.Errorf("asked for %v, %v: want 11 combinations", asked, err)
	}
	for choice, n := range asked {
		if n != 1 || strings.HasPrefix(choice, "[0") {
			t.Errorf("asked %d times for %s", n, choice)
		}
	}
}

// An error of a combination is the result, and a text that would be longer than MaxBytes an error.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	if _, err := modesheet.Append(nil, file(), []modesheet.Dimension{scheme}, func([]int) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("Append = %v", err)
	}
	long := strings.Repeat("x", modesheet.MaxBytes/3)
	_, err := modesheet.Append(nil, file("a 1"), []modesheet.Dimension{scheme, contrast}, func(choice []int) ([]byte, error) {
		return file(fmt.Sprintf("a %s%d%d", long, choice[0]+1, choice[1]+1)), nil
	})
	if !errors.Is(err, modesheet.ErrTooLong) {
		t.Errorf("Append = %v, want ErrTooLong", err)
	}
}

// A stylesheet that is too long is refused before all combinations are asked for.
func TestTooMuchIsSeenEarly(t *testing.T) {
	asked := 0
	long := strings.Repeat("x", modesheet.MaxBytes*2/3)
	_, err := modesheet.Append(nil, file("a 1"), []modesheet.Dimension{scheme, contrast, layout}, func(choice []int) ([]byte, error) {
		asked++
		return file(fmt.Sprintf("a %s%v", long, asked)), nil
	})
	if !errors.Is(err, modesheet.ErrTooLong) || asked != 2 {
		t.Errorf("Append = %v after %d combinations, want ErrTooLong after 2", err, asked)
	}
}

// Whatever the files hold, the stylesheet stays within its length, and modes that change nothing leave the base as it is.
func FuzzAppend(f *testing.F) {
	f.Add("  --a: 1;\n", "  --a: var(--b);\n  --b: var(--a);\n")
	f.Add("", "  --a: ;\n--: x;\n  --a: 2")
	f.Fuzz(func(t *testing.T, base, other string) {
		got, err := modesheet.Append(nil, []byte(base), []modesheet.Dimension{scheme, contrast}, func([]int) ([]byte, error) { return []byte(other), nil })
		if err == nil && (other == base && !strings.HasPrefix(string(got), base) || len(got) > len(base)+modesheet.MaxBytes) {
			t.Errorf("Append = %q", got)
		}
	})
}
