package operator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/storage/record"
)

// teamChanges says in one sentence each what is different between two states of a Team.
func teamChanges(old, team record.Team, created bool) []string {
	if created {
		return []string{fmt.Sprintf("team %s is created on plan %s with members %s", team.Slug, team.Plan, list(team.Members))}
	}
	var sentences []string
	if old.Plan != team.Plan {
		sentences = append(sentences, fmt.Sprintf("team %s: plan %s becomes %s", team.Slug, old.Plan, team.Plan))
	}
	for _, subject := range team.Members {
		if !slices.Contains(old.Members, subject) {
			sentences = append(sentences, fmt.Sprintf("team %s: %s becomes a member", team.Slug, subject))
		}
	}
	for _, subject := range old.Members {
		if !slices.Contains(team.Members, subject) {
			sentences = append(sentences, fmt.Sprintf("team %s: %s is not a member any more", team.Slug, subject))
		}
	}
	return sentences
}

// environmentChanges says in one sentence each what is different between two states of an
// Environment. previewOf is the slug of the one that it has previews of now.
func environmentChanges(team, previewOf string, old, e record.Environment, created bool) []string {
	name := "environment " + team + "/" + e.Slug
	var sentences []string
	if created {
		sentences = append(sentences, fmt.Sprintf("%s is created as %s with cacheLifetime %d", name, e.Kind, e.CacheLifetime))
		if previewOf != "" {
			sentences = append(sentences, previewChange(name, previewOf))
		}
		if e.Identities != old.Identities {
			sentences = append(sentences, name+": who made a change is told to nobody")
		}
		return append(sentences, grantChanges(name, nil, e.Grants)...)
	}
	say := func(field string, from, to any) {
		if from != to {
			sentences = append(sentences, fmt.Sprintf("%s: %s %v becomes %v", name, field, from, to))
		}
	}
	say("displayName", quoted(&old.DisplayName), quoted(&e.DisplayName))
	say("kind", old.Kind, e.Kind)
	say("cacheLifetime", old.CacheLifetime, e.CacheLifetime)
	say("description", quoted(old.Description), quoted(e.Description))
	say("identities", cmp.Or(old.Identities, "full"), cmp.Or(e.Identities, "full"))
	if old.PreviewOf != e.PreviewOf {
		sentences = append(sentences, previewChange(name, previewOf))
	}
	if !maps.Equal(old.Metadata, e.Metadata) {
		sentences = append(sentences, name+": metadata is replaced")
	}
	return append(sentences, grantChanges(name, old.Grants, e.Grants)...)
}

func previewChange(name, source string) string {
	if source == "" {
		return name + ": its Themes are previews no more"
	}
	return fmt.Sprintf("%s: its Themes are previews of those in %s", name, source)
}

func grantChanges(name string, old, grants map[string]record.Role) []string {
	var sentences []string
	for _, subject := range slices.Sorted(maps.Keys(grants)) {
		if old[subject] != grants[subject] {
			sentences = append(sentences, fmt.Sprintf("%s: %s becomes %s", name, subject, grants[subject]))
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(old)) {
		if _, ok := grants[subject]; !ok {
			sentences = append(sentences, fmt.Sprintf("%s: %s has no grant any more", name, subject))
		}
	}
	return sentences
}

func quoted(s *string) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%q", *s)
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
