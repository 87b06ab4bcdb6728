package feed

import (
	"errors"
	"testing"

	"example.com/livery/storage/record"
)

// S230: a version has one spelling.
func TestVersionSegments(t *testing.T) {
	theme := record.Theme{LatestVersion: 7}
	for segment, want := range map[string]uint32{"latest": 7, "1": 1, "4294967295": 4294967295} {
		if got, err := (address{version: segment}).number(theme); got != want || err != nil {
			t.Errorf("number(%q) = %d, %v, want %d", segment, got, err, want)
		}
	}
	for _, segment := range []string{"", "0", "01", "+1", "-1", "1.0", " 1", "Latest", "4294967296", "１"} {
		if got, err := (address{version: segment}).number(theme); !errors.Is(err, missingVersion) {
			t.Errorf("number(%q) = %d, %v, want a missing version", segment, got, err)
		}
	}
	if _, err := (address{version: "latest"}).number(record.Theme{}); !errors.Is(err, missingVersion) {
		t.Errorf("number(latest) before the first publish = %v, want a missing version", err)
	}
}
