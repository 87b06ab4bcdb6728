package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/livery/origin/events"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The actions of the API's users in the audit log. Drafts, names and labels are not in it: nothing of
// them is served before a publish.
const (
	actionPublishTheme    = "theme publish"
	actionPublishVariant  = "variant publish"
	actionPublishVariants = "variants publish"
	actionDeleteTheme     = "theme delete"
	actionDeleteVariant   = "variant delete"
	actionIntegrations    = "integrations set"
	actionModes           = "modes set"
)

// audit returns what a commit of a route is called in the audit log, and in one sentence each what is different; no
// sentence means that nothing is. tx shows the state after, and t that before.
type audit func(tx storage.Tx, t target) (action string, changes []string, err error)

// audited are the routes whose commits are in the audit log.
var audited = map[string]audit{
	"POST " + themeTokensPath + "/publish": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Themes.Read(tx, t.theme.EnvironmentID, t.theme.ID)
		return actionPublishTheme, latest(t.theme.LatestVersion, after.LatestVersion), err
	},
	"POST " + variantTokensPath + "/publish": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Variants.Read(tx, t.variant.EnvironmentID, t.variant.ThemeID, t.variant.ID)
		return actionPublishVariant, latest(t.variant.LatestVersion, after.LatestVersion), err
	},
	"POST " + variantsPath + "/publish": func(storage.Tx, target) (string, []string, error) { return actionPublishVariants, nil, nil },
	"DELETE " + themePath: func(storage.Tx, target) (string, []string, error) {
		return actionDeleteTheme, []string{"it is deleted with all its Variants and versions"}, nil
	},
	"DELETE " + variantPath: func(storage.Tx, target) (string, []string, error) {
		return actionDeleteVariant, []string{"it is deleted with all its versions"}, nil
	},
	"PUT " + themePath + "/integrations": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Themes.Read(tx, t.theme.EnvironmentID, t.theme.ID)
		if slices.Equal(t.theme.Integrations, after.Integrations) {
			return actionIntegrations, nil, err
		}
		return actionIntegrations, []string{fmt.Sprintf("integrations %s becomes %s", pairs(t.theme.Integrations), pairs(after.Integrations))}, err
	},

	"PUT " + themePath + "/modes": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Themes.Read(tx, t.theme.EnvironmentID, t.theme.ID)
		if slices.Equal(t.theme.Modes, after.Modes) {
			return actionModes, nil, err
		}
		return actionModes, []string{fmt.Sprintf("modes %s becomes %s", modes.Describe(t.theme.Modes), modes.Describe(after.Modes))}, err
	},
}

func latest(before, after uint32) []string {
	if before == 0 {
		return []string{fmt.Sprintf("latest none becomes %d", after)}
	}
	return []string{fmt.Sprintf("latest %d becomes %d", before, after)}
}

func pairs(list []record.Integration) string {
	if len(list) == 0 {
		return "none"
	}
	var names []string
	for _, i := range list {
		names = append(names, i.Framework+"/"+i.Library)
	}
	return strings.Join(names, ", ")
}

// appendAudit writes what a request's commit did into the audit log, and returns the entry; nil if it did nothing.
func (h *Handler) appendAudit(tx storage.Tx, q *request, t target, d decision) (*record.Audit, error) {
	if d.audit != nil {
		return d.audit, storage.AppendAudit(tx, t.environment.ID, q.signed(d.audit, h.config.Now()))
	}
	action, changes, err := q.audit(tx, t)
	for _, slug := range d.changes[:min(len(d.changes), events.MostListed)] {
		changes = append(changes, fmt.Sprintf("variant %s becomes %d", slug, t.theme.LatestVersion))
	}
	if more := len(d.changes) - events.MostListed; more > 0 {
		changes = append(changes, fmt.Sprintf("variants, %d more, become %d", more, t.theme.LatestVersion))
	}
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	a := &record.Audit{Action: action, Target: "theme " + t.theme.Slug, ThemeID: t.theme.ID, ThemeSlug: t.theme.Slug, Changes: changes}
	if t.variant.ID != "" {
		a.Target, a.VariantID = "variant "+t.theme.Slug+"/"+t.variant.Slug, t.variant.ID
	}
	return a, storage.AppendAudit(tx, t.environment.ID, q.signed(a, h.config.Now()))
}

// signed adds to an entry who did it, when and by which request, and returns it.
func (q *request) signed(a *record.Audit, now time.Time) *record.Audit {
	a.At, a.Actor = now, record.Actor{Kind: operator.KindUser, Issuer: q.caller.Issuer, Subject: q.caller.Subject}
	a.EnvironmentID, a.RequestID = q.environmentID, q.id
	return a
}

// event is one that tells of a decision; the commit adds who, when and which Theme.
func event(kind string) []record.Event { return []record.Event{{Kind: kind}} }

// draftEvent is the event that tells of a draft with that entity tag, or, if it is empty, that a draft is gone.
func draftEvent(drafted, discarded, variantID, etag string) []record.Event {
	if etag == "" {
		return []record.Event{{Kind: discarded, VariantID: variantID}}
	}
	return []record.Event{{Kind: drafted, VariantID: variantID, ETag: etag}}
}

// appendEvents writes the events of a decision, in the commit of what they tell of.
func (h *Handler) appendEvents(tx storage.Tx, q *request, t target, list []record.Event) error {
	now := h.config.Now()
	written := make([]record.Event, len(list))
	for i, e := range list {
		e.At, e.By = now, q.caller.Subject
		e.ThemeID = cmp.Or(e.ThemeID, t.theme.ID)
		e.VariantID = cmp.Or(e.VariantID, t.variant.ID)
		written[i] = e
	}
	return storage.AppendEvents(tx, t.environment.ID, written, newETag)
}
