package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// notesName is the file of the notes.
const notesName = "CHANGES.md"

// writeNotes writes the changelog's section of the release.
func (r *release) writeNotes(context.Context) error {
	changelog, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	section, err := sectionOf(string(changelog), r.notes)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, notesName), []byte("# Livery "+r.version+"\n\n"+section+"\n"), 0o644)
}

var heading = regexp.MustCompile(`(?m)^## (.+)$`)

// sectionOf returns the text under the heading of a version, which may stand in brackets and have a date after it.
func sectionOf(changelog, version string) (string, error) {
	headings := heading.FindAllStringSubmatchIndex(changelog, -1)
	for i, at := range headings {
		name, _, _ := strings.Cut(changelog[at[2]:at[3]], " - ")
		if strings.Trim(name, "[]") != version {
			continue
		}
		end := len(changelog)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		if section := strings.TrimSpace(changelog[at[1]:end]); section != "" {
			return section, nil
		}
		return "", fmt.Errorf("CHANGELOG.md says nothing under %q: write what changed for users", version)
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %q: write what changed for users", version)
}
