package api

import (
	"context"
	"strings"
	"sync"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// target is what a request's path names, as far as it goes.
type target struct {
	environment record.Environment
	role        record.Role // the caller's on the Environment
	theme       record.Theme
	variant     record.Variant
}

// themeKey is the key of the Theme's record.
func (t target) themeKey() []byte { return storage.Themes.Key(t.theme.EnvironmentID, t.theme.ID) }

// variantsPrefix is what the keys of the Theme's Variants begin with.
func (t target) variantsPrefix() []byte {
	return storage.Variants.Key(t.theme.EnvironmentID, t.theme.ID)
}

// variantKey is the key of the Variant's record.
func (t target) variantKey() []byte {
	return storage.Variants.Key(t.variant.EnvironmentID, t.variant.ThemeID, t.variant.ID)
}

// resolve reads what the path names: errNotFound or auth.ErrForbidden if the caller may not know of it or not do this,
// in the order that the API promises.
func resolve(r storage.Reader, q *request) (t target, err error) {
	if q.route.Path == environmentsPath || q.route.Path == mePath {
		return t, nil
	}
	if !isID(q.environmentID, "env_") {
		return t, errNotFound
	}
	granted, err := q.caller.Environment(r, q.environmentID)
	if err != nil {
		return t, orNotFound(err)
	}
	t.environment, t.role = granted.Environment, granted.Role
	if q.route.Role != "" && !t.role.Allows(q.route.Role) {
		return t, auth.ErrForbidden
	}
	if q.themeID == "" {
		return t, nil
	}
	if !isID(q.themeID, "thm_") {
		return t, errNotFound
	}
	if err := storage.Prefetch(r, childKeys(q)...); err != nil {
		return t, err
	}
	if t.theme, err = storage.Themes.Read(r, q.environmentID, q.themeID); err != nil || q.variantID == "" {
		return t, orNotFound(err)
	}
	if !isID(q.variantID, "var_") {
		return t, errNotFound
	}
	t.variant, err = storage.Variants.Read(r, q.environmentID, q.themeID, q.variantID)
	return t, orNotFound(err)
}

// reading is the context of what reads the records that the path names, the newest version of the Theme in t, which may
// be none yet, and reads. Of the records below the Environment it names those alone that the caller
// was shown before: what others ask for takes as long whether it exists or not.
func (h *Handler) reading(q *request, t target, reads storage.Reads) context.Context {
	if !isID(q.environmentID, "env_") {
		return h.config.Context
	}
	keys := append(reads.Keys, storage.Environments.Key(q.environmentID))
	if team, shown := h.teams.get(q); !shown {
		reads.All = false
	} else {
		keys = append(keys, storage.Memberships.Key(team, q.caller.Subject))
		if isID(q.themeID, "thm_") {
			keys = append(keys, childKeys(q)...)
		}
	}
	if t.theme.LatestVersion > 0 {
		keys = append(keys, storage.ThemeVersions.Key(q.environmentID, q.themeID, storage.Number(t.theme.LatestVersion)))
	}
	reads.Keys = keys
	return storage.WithReads(h.config.Context, reads)
}

// shownTeams are the Teams of Environments that callers were shown. They say what to read at once, and allow nothing.
type shownTeams struct {
	mu    sync.Mutex // guards below
	teams map[shownTo]string
}

// shownTo is an Environment and a caller.
type shownTo struct{ environment, subject string }

// mostShown bounds what is noted; all is forgotten beyond it.
const mostShown = 4096

func (s *shownTeams) get(q *request) (team string, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	team, shown = s.teams[shownTo{q.environmentID, q.caller.Subject}]
	return team, shown
}

func (s *shownTeams) add(q *request, t target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.teams == nil || len(s.teams) >= mostShown {
		s.teams = map[shownTo]string{}
	}
	s.teams[shownTo{strings.Clone(q.environmentID), strings.Clone(q.caller.Subject)}] = t.environment.TeamID
}

// childKeys are those of what a path names below its Environment, and of the draft that most requests go on with.
func childKeys(q *request) [][]byte {
	theme := []string{q.environmentID, q.themeID}
	keys := [][]byte{storage.Themes.Key(theme...)}
	if !isID(q.variantID, "var_") {
		return append(keys, storage.ThemeDrafts.Key(theme...))
	}
	variant := append(theme, q.variantID)
	return append(keys, storage.Variants.Key(variant...), storage.VariantDrafts.Key(variant...))
}

// isID reports whether s has the form of an id: the prefix and 26 digits or lower-case letters.
func isID(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != 26 {
		return false
	}
	for i := range len(rest) {
		if (rest[i] < '0' || rest[i] > '9') && (rest[i] < 'a' || rest[i] > 'z') {
			return false
		}
	}
	return true
}
