package color

import (
	"strings"
	"testing"
)

// Every space is sampled, and every sample is served as six digits.
func TestSamplesAreServed(t *testing.T) {
	const each = 20
	colors := samples(each)
	if len(colors) != len(spaces)*(8+each) || len(spaces) != 14 {
		t.Fatalf("%d samples of %d spaces", len(colors), len(spaces))
	}
	ours, err := render(colors)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range colors {
		if c.Space == "srgb" && c.Components == [3]float64{1, 1, 0} && ours[i] != (rgb{255, 255, 0}) {
			t.Errorf("%v is rendered as %v", c, ours[i])
		}
	}
}

// A colour counts as wrong if it differs from both libraries by more than the tolerance, and only there.
func TestCompare(t *testing.T) {
	colors := []sample{{Space: "lab"}, {Space: "lab"}, {Space: "lab"}}
	ours := []rgb{{10, 10, 10}, {10, 10, 10}, {10, 10, 10}}
	theirs := answer{Colors: []reference{
		{true, rgb{10, 11, 10}, rgb{50, 10, 10}},
		{true, rgb{12, 10, 10}, rgb{10, 10, 7}},
		{false, rgb{12, 10, 10}, rgb{10, 10, 7}},
	}}
	got := compare(colors, ours, theirs)
	if got.wrong != 1 || len(got.rows) != 2 {
		t.Fatalf("%d are wrong in %d rows", got.wrong, len(got.rows))
	}
	if r := got.rows[0]; r.count != 2 || r.colorjs != (difference{most: 2}) || r.culori != (difference{most: 40}) {
		t.Errorf("the row of what is shown = %+v", r)
	}
	if text := got.text(versions{"1", "2"}); !strings.Contains(text, "| lab   | mapped  |") {
		t.Errorf("the table is %s", text)
	}
}

func TestReadHex(t *testing.T) {
	if got, err := readHex("#0aff80"); err != nil || got != (rgb{10, 255, 128}) {
		t.Errorf("readHex = %v, %v", got, err)
	}
	for _, bad := range []string{"", "#fff", "rgba(0, 0, 0, 0)", "#gggggg"} {
		if _, err := readHex(bad); err == nil {
			t.Errorf("readHex(%q) reads", bad)
		}
	}
}
