package cmdline

import (
	"slices"
	"testing"
)

// Days are a unit too: 400 days are hard to count in hours.
func TestLongDurationsTakeDays(t *testing.T) {
	for text, want := range map[string]string{"400d": "9600h0m0s", "90m": "1h30m0s", "0": "0s"} {
		if d, err := LongDuration("x", text); err != nil || d.String() != want {
			t.Errorf("longDuration(%q) = %v, %v, want %s", text, d, err, want)
		}
	}
	refused := slices.DeleteFunc([]string{"", "d", "-1d", "1.5d", "400", "99999999d", "-1h", "x"}, func(text string) bool {
		_, err := LongDuration("x", text)
		return err != nil
	})
	if len(refused) > 0 {
		t.Errorf("longDuration takes %q", refused)
	}
}
