package main

import (
	"strings"
	"testing"
)

func TestTheNotesAreTheSectionOfTheVersion(t *testing.T) {
	const changelog = "# Changelog\n\n## 1.3.0\n\n## [1.1.0] - 2026-02-01\n\n- newer\n\n### Fixed\n\n- a fault\n\n## 1.0.0\n\n- first\n"
	for version, want := range map[string]string{"1.1.0": "- newer\n\n### Fixed\n\n- a fault", "1.0.0": "- first"} {
		if got, err := sectionOf(changelog, version); got != want || err != nil {
			t.Errorf("sectionOf(%s) = %q, %v, want %q", version, got, err, want)
		}
	}
	for version, want := range map[string]string{"1.2.0": "no section", "1.3.0": "says nothing"} {
		if _, err := sectionOf(changelog, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("sectionOf(%s) = %v, want an error with %q", version, err, want)
		}
	}
}
