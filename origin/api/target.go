package api

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// target is what a request's path names, as far as it goes.
type target struct {
	team        string // that the request counts for
	environment record.Environment
	role        record.Role // the caller's on the Environment
	theme       record.Theme
	serving     record.Serving // of the Theme, or of the one that it is a preview of
	variant     record.Variant
	webhook     record.Webhook
	delivery    record.Delivery
	first       record.Replay // the answer to the first request with the Idempotency-Key; zero if there was none

	themeRecord, variantRecord []byte // theme and variant as they are stored
}

// identifies reports whether the caller is told who made a change in the Environment.
func (t target) identifies() bool {
	return auth.Granted{Environment: t.environment, Role: t.role}.Identifies()
}

// variantsPrefix is what the keys of the Theme's Variants begin with.
func (t target) variantsPrefix() []byte {
	return storage.Variants.Key(t.theme.EnvironmentID, t.theme.ID)
}

// resolve reads what the request names: errNotFound or auth.ErrForbidden if the caller may not know of it or not do this,
// in the order that the API promises. The first answer to its key is looked up before what a repeated deletion deleted.
func resolve(r storage.Reader, q *request) (t target, err error) {
	if q.route.Path == environmentsPath || q.route.Path == mePath {
		t.team, err = q.caller.FirstTeam(r)
		return t, err
	}
	if !isID(q.environmentID, "env_") {
		return t, errNotFound
	}
	granted, err := q.caller.Environment(r, q.environmentID)
	if err != nil {
		return t, orNotFound(err)
	}
	t.environment, t.role, t.team = granted.Environment, granted.Role, granted.Environment.TeamID
	if q.route.Role != "" && !t.role.Allows(q.route.Role) {
		return t, auth.ErrForbidden
	}
	if !q.namesIDs() {
		return t, errNotFound
	}
	if q.commits && q.key != "" {
		if t.first, err = storage.Replays.Read(r, q.environmentID, q.replayName()); err != nil && !isMissing(err) {
			return t, err
		}
	}
	switch {
	case q.webhookID != "":
		err = t.findWebhook(r, q)
		return t, err
	case q.themeID == "":
		return t, nil
	}
	if err := storage.Prefetch(r, childKeys(q)...); err != nil {
		return t, err
	}
	if t.theme, t.themeRecord, err = storage.Themes.ReadStored(r, q.environmentID, q.themeID); err != nil {
		return t, orNotFound(err)
	}
	if t.serving, err = servingOf(r, t.environment, t.theme); err != nil || q.variantID == "" {
		return t, err
	}
	t.variant, t.variantRecord, err = storage.Variants.ReadStored(r, q.environmentID, q.themeID, q.variantID)
	return t, orNotFound(err)
}

// namesIDs reports whether all that the path names below its Environment has the form of an id.
func (q *request) namesIDs() bool {
	return (q.themeID == "" || isID(q.themeID, "thm_")) && (q.variantID == "" || isID(q.variantID, "var_")) && (q.webhookID == "" || isID(q.webhookID, "whk_"))
}

// servingOf returns how the Theme is served. A preview outlives its Theme, to be deleted, and is not served then.
func servingOf(r storage.Reader, e record.Environment, t record.Theme) (record.Serving, error) {
	served, err := storage.ServedAs(r, e, t)
	if isMissing(err) {
		return t.Serving, nil
	}
	return served.Serving, err
}

// findWebhook reads the webhook that the path names, and its delivery.
func (t *target) findWebhook(r storage.Reader, q *request) (err error) {
	if t.webhook, err = storage.Webhooks.Read(r, q.environmentID, q.webhookID); err != nil || q.deliveryID == "" {
		return orNotFound(err)
	}
	number, err := parseDeliveryID(q.deliveryID)
	if err == nil {
		t.delivery, err = storage.Deliveries.Read(r, q.environmentID, q.webhookID, storage.Number(number))
	}
	return orNotFound(err)
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

// tree reads a stored document or map of overrides; the empty name is the empty tree nil.
func (h *Handler) tree(name record.Hash) (*jsontree.Node, error) {
	if name == "" {
		return nil, nil
	}
	blob, err := h.config.Store.Blob(h.config.Context, name)
	if err != nil {
		return nil, fmt.Errorf("origin: document %s: %w", name, err)
	}
	root, err := jsontree.ParseDepth(string(blob), h.config.Limits.Depth+wrapping)
	if err != nil {
		return nil, fmt.Errorf("origin: document %s: %w: %w", name, storage.ErrCorrupt, err)
	}
	return root, nil
}

// themeVersion reads a published version: errNotFound if there is none of that number.
func themeVersion(r storage.Reader, t record.Theme, number uint32) (record.ThemeVersion, error) {
	v, err := storage.ThemeVersions.Read(r, t.EnvironmentID, t.ID, storage.Number(number))
	return v, orNotFound(err)
}

// variantVersion reads a published version: errNotFound if there is none of that number.
func variantVersion(r storage.Reader, v record.Variant, number uint32) (record.VariantVersion, error) {
	version, err := storage.VariantVersions.Read(r, v.EnvironmentID, v.ThemeID, v.ID, storage.Number(number))
	return version, orNotFound(err)
}

// themeState reads what the rules of a Theme need to see.
func (h *Handler) themeState(r storage.Reader, t record.Theme) (theming.ThemeState, error) {
	s, newest, err := draftState(r, t)
	if err == nil {
		s.Base, err = h.tree(newest.Document)
	}
	return s, err
}

// draftState reads a Theme's state without its document, and the newest version, the zero one if
// there is none.
func draftState(r storage.Reader, t record.Theme) (s theming.ThemeState, newest record.ThemeVersion, err error) {
	s.Theme = t
	if t.DraftETag != "" {
		draft, err := storage.ThemeDrafts.Read(r, t.EnvironmentID, t.ID)
		if err != nil {
			return s, newest, err
		}
		s.Draft = &draft
	}
	if t.LatestVersion > 0 {
		newest, err = storage.ThemeVersions.Read(r, t.EnvironmentID, t.ID, storage.Number(t.LatestVersion))
	}
	return s, newest, err
}

// variantState reads what the rules of a Variant of t need to see.
func (h *Handler) variantState(r storage.Reader, t record.Theme, v record.Variant) (theming.VariantState, error) {
	s, err := variantRecords(r, t, v)
	if err == nil {
		s.Served, err = h.tree(s.ServedBlob)
	}
	return s, err
}

// variantRecords is variantState with what the Variant serves by its name alone.
func variantRecords(r storage.Reader, t record.Theme, v record.Variant) (theming.VariantState, error) {
	s := theming.VariantState{Variant: v}
	if v.DraftETag != "" {
		draft, err := storage.VariantDrafts.Read(r, v.EnvironmentID, v.ThemeID, v.ID)
		if err != nil {
			return s, err
		}
		s.Draft = &draft
	}
	if t.LatestVersion == 0 {
		return s, nil
	}
	pair, err := storage.Pairs.Read(r, v.EnvironmentID, v.ThemeID, v.ID, storage.Number(t.LatestVersion))
	if isMissing(err) {
		return s, nil
	}
	s.ServedBlob = pair.Overrides
	return s, err
}

// variantsOf reads the state of every Variant of t, by id, as far as the release needs it.
func (h *Handler) variantsOf(r storage.Reader, t record.Theme, release *theming.Release) ([]theming.VariantState, error) {
	var variants []record.Variant
	err := storage.Variants.Scan(r, storage.Ascending, func(_ []byte, v record.Variant) bool {
		variants = append(variants, v)
		return true
	}, t.EnvironmentID, t.ID)
	if err != nil {
		return nil, err
	}
	var states []theming.VariantState
	for _, v := range variants {
		s, err := variantRecords(r, t, v)
		if err == nil && release.NeedsServed(v) {
			s.Served, err = h.tree(s.ServedBlob)
		}
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, nil
}

// writeThemeState stores a Theme and its draft after a rule made them.
func writeThemeState(tx storage.Tx, s theming.ThemeState) error {
	t := s.Theme
	if s.Draft == nil {
		if err := storage.ThemeDrafts.Delete(tx, t.EnvironmentID, t.ID); err != nil {
			return err
		}
	} else if err := storage.ThemeDrafts.Write(tx, *s.Draft, t.EnvironmentID, t.ID); err != nil {
		return err
	}
	return storage.Themes.Write(tx, t, t.EnvironmentID, t.ID)
}

// writeVariantState stores a Variant and its draft after a rule made them.
func writeVariantState(tx storage.Tx, s theming.VariantState) error {
	v := s.Variant
	if s.Draft == nil {
		if err := storage.VariantDrafts.Delete(tx, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
			return err
		}
	} else if err := storage.VariantDrafts.Write(tx, *s.Draft, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
		return err
	}
	return storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID)
}
