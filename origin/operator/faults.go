package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/livery/origin/auth"
	"example.com/livery/storage/record"
)

// The bounds of what a teams file holds. They are those of the public API if it has the field.
const (
	maxSlug          = 64
	maxDisplayName   = 256
	maxDescription   = 4096
	maxCacheLifetime = 365 * 24 * 3600 // seconds
	maxLabels        = 50
	maxLabelKey      = 64
	maxLabelValue    = 256
)

// faults lists everything in which the file breaks a rule.
func (file TeamsFile) faults() []string {
	var faults []string
	seen := map[string]bool{}
	for i, team := range file.Teams {
		at := fmt.Sprintf("teams[%d]", i)
		if seen[team.Slug] {
			faults = append(faults, fmt.Sprintf("%s: the slug %q stands twice in the file", at, team.Slug))
		}
		seen[team.Slug] = true
		faults = append(faults, team.faults(at)...)
	}
	return append(faults, file.issuerFaults()...)
}

func (team TeamEntry) faults(at string) []string {
	var faults []string
	if !validSlug(team.Slug) {
		faults = append(faults, at+".slug: "+slugRule)
	}
	if team.Plan != record.Free && team.Plan != record.Pro {
		faults = append(faults, fmt.Sprintf("%s.plan: %q is neither free nor pro", at, team.Plan))
	}
	for _, subject := range team.Members {
		if !auth.ValidSubject(subject) {
			faults = append(faults, fmt.Sprintf("%s.members: %q is not a valid token subject", at, subject))
		}
	}
	seen := map[string]bool{}
	for i, e := range team.Environments {
		at := fmt.Sprintf("%s.environments[%d]", at, i)
		if seen[e.Slug] {
			faults = append(faults, fmt.Sprintf("%s: the slug %q stands twice in the Team", at, e.Slug))
		}
		seen[e.Slug] = true
		faults = append(faults, e.faults(at, team.Members)...)
	}
	return faults
}

func (entry EnvironmentEntry) faults(at string, members []string) []string {
	var faults []string
	if !validSlug(entry.Slug) {
		faults = append(faults, at+".slug: "+slugRule)
	}
	if name := strings.TrimSpace(entry.DisplayName); name == "" || !plainText(entry.DisplayName, maxDisplayName) {
		faults = append(faults, fmt.Sprintf("%s.displayName: must have 1 to %d characters, none a control character", at, maxDisplayName))
	}
	if !slices.Contains([]string{"sandbox", "staging", "production"}, entry.Kind) {
		faults = append(faults, fmt.Sprintf("%s.kind: %q is neither sandbox, staging nor production", at, entry.Kind))
	}
	if !slices.Contains([]string{"", "full", "none"}, entry.Identities) {
		faults = append(faults, fmt.Sprintf("%s.identities: %q is neither full nor none", at, entry.Identities))
	}
	if entry.CacheLifetime > maxCacheLifetime {
		faults = append(faults, fmt.Sprintf("%s.cacheLifetime: must be at most %d seconds", at, maxCacheLifetime))
	}
	if entry.Description != nil && (!utf8.ValidString(*entry.Description) || utf8.RuneCountInString(*entry.Description) > maxDescription) {
		faults = append(faults, fmt.Sprintf("%s.description: must have at most %d characters", at, maxDescription))
	}
	faults = append(faults, labelFaults(at, entry.Metadata)...)
	for _, subject := range slices.Sorted(maps.Keys(entry.Grants)) {
		if !slices.Contains(members, subject) {
			faults = append(faults, fmt.Sprintf("%s.grants: %q is not a member of the Team", at, subject))
		}
	}
	return append(faults, unknownRoles(at+".grants", entry.Grants)...)
}

func labelFaults(at string, labels map[string]string) []string {
	var faults []string
	if len(labels) > maxLabels {
		faults = append(faults, fmt.Sprintf("%s.metadata: must have at most %d keys", at, maxLabels))
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if !wordOf(key, "._:/-", maxLabelKey) {
			faults = append(faults, fmt.Sprintf("%s.metadata: key %q must have 1 to %d letters, digits, '.', '_', ':', '/' or '-', the first a letter or digit", at, key, maxLabelKey))
		}
		if !utf8.ValidString(labels[key]) || utf8.RuneCountInString(labels[key]) > maxLabelValue {
			faults = append(faults, fmt.Sprintf("%s.metadata: the value of %q must have at most %d characters", at, key, maxLabelValue))
		}
	}
	return faults
}

const slugRule = "must have 1 to 64 letters, digits, '-', '_' or '.', the first a letter or digit"

func validSlug(s string) bool { return wordOf(s, "-_.", maxSlug) }

// wordOf reports whether s has 1 to limit characters, each an ASCII letter, a digit or one of marks, and
// begins with a letter or digit.
func wordOf(s, marks string, limit int) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		plain := c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9'
		if !plain && (i == 0 || strings.IndexByte(marks, s[i]) < 0) {
			return false
		}
	}
	return len(s) > 0 && len(s) <= limit
}

func plainText(s string, limit int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= limit && !strings.ContainsFunc(s, unicode.IsControl)
}
