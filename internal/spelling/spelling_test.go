package spelling_test

import (
	"testing"

	"example.com/livery/internal/spelling"
)

func TestNearest(t *testing.T) {
	all := []string{"sandbox", "staging", "production", "tidewater"}
	cases := map[string]string{"sandbx": "sandbox", "Staging": "staging", "prod": "", "tidewatre": "tidewater", "zzz": "", "": ""}
	for name, want := range cases {
		if got := spelling.Nearest(name, all); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
