package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheNotesAreTheSectionOfTheVersion(t *testing.T) {
	const changelog = "# Changelog\n\n## Unreleased\n\n## [1.1.0] - 2026-02-01\n\n- newer\n\n### Fixed\n\n- a fault\n\n## 1.0.0\n\n- first\n"
	for version, want := range map[string]string{"1.1.0": "- newer\n\n### Fixed\n\n- a fault", "1.0.0": "- first"} {
		if got, err := sectionOf(changelog, version); got != want || err != nil {
			t.Errorf("sectionOf(%s) = %q, %v, want %q", version, got, err, want)
		}
	}
	for version, want := range map[string]string{"1.2.0": "make cut VERSION=1.2.0", "Unreleased": "says nothing"} {
		if _, err := sectionOf(changelog, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("sectionOf(%s) = %v, want an error with %q", version, err, want)
		}
	}
}

func TestACutNamesWhatWasUnreleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(path, []byte("# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0\n\n- first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for version, refused := range map[string]bool{"v2": true, "1.0.0": true} {
		if err := cut(path, version, at); (err != nil) != refused {
			t.Errorf("cut(%s) = %v", version, err)
		}
	}
	if err := cut(path, "1.1.0", at); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if section, err := sectionOf(string(text), "1.1.0"); section != "- new" || !strings.Contains(string(text), "## [1.1.0] - 2026-03-01\n") {
		t.Errorf("the section after the cut is %q, %v of\n%s", section, err, text)
	}
	if err := cut(path, "1.2.0", at); err == nil {
		t.Error("an empty section Unreleased was cut")
	}
}
