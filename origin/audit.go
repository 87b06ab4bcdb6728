package origin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The actions of the API's users in the audit log. Drafts, names and labels are not in it: nothing of
// them reaches anybody before a publish.
const (
	actionPublishTheme   = "theme publish"
	actionPublishVariant = "variant publish"
	actionDeleteTheme    = "theme delete"
	actionDeleteVariant  = "variant delete"
	actionIntegrations   = "integrations set"
)

// audited are the routes whose commits are in the audit log. Each returns the action, and in one
// sentence each what is different; no sentence means that nothing is. tx shows the state after.
var audited = map[string]func(tx storage.Tx, t target) (action string, changes []string, err error){
	"POST " + themeTokensPath + "/publish": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Themes.Read(tx, t.theme.EnvironmentID, t.theme.ID)
		return actionPublishTheme, latest(t.theme.LatestVersion, after.LatestVersion), err
	},
	"POST " + variantTokensPath + "/publish": func(tx storage.Tx, t target) (string, []string, error) {
		after, err := storage.Variants.Read(tx, t.variant.EnvironmentID, t.variant.ThemeID, t.variant.ID)
		return actionPublishVariant, latest(t.variant.LatestVersion, after.LatestVersion), err
	},
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

// appendAudit writes what a request's commit did into the audit log, and returns the entry; nil if the route is not
// audited, or did nothing. A replayed answer, whose log entry has no time, did nothing.
func (o *Origin) appendAudit(tx storage.Tx, q *request, t target, entry record.Change) (*record.Audit, error) {
	describe := audited[q.route.Method+" "+q.route.Path]
	if describe == nil || entry.At.IsZero() {
		return nil, nil
	}
	action, changes, err := describe(tx, t)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	a := &record.Audit{
		At: o.now(), Actor: record.Actor{Kind: operator.KindUser, Issuer: q.caller.Issuer, Subject: q.caller.Subject},
		Action: action, Target: "theme " + t.theme.Slug, EnvironmentID: t.environment.ID, ThemeID: t.theme.ID, ThemeSlug: t.theme.Slug,
		Changes: changes, RequestID: q.id,
	}
	if t.variant.ID != "" {
		a.Target, a.VariantID = "variant "+t.theme.Slug+"/"+t.variant.Slug, t.variant.ID
	}
	return a, storage.AppendAudit(tx, t.environment.ID, a)
}

// auditLogged logs and counts an entry of the audit log that was committed.
func (o *Origin) auditLogged(a record.Audit) {
	if a.Action == operator.ActionBackup {
		o.backedUp.Store(a.At.Unix())
	}
	o.metrics.audited(a)
	o.log.LogAttrs(o.ctx, slog.LevelInfo, "origin: audit", slog.String("who", operator.Name(a.Actor)), slog.String("kind", a.Actor.Kind),
		slog.String("action", a.Action), slog.String("target", a.Target), slog.String("environment", a.EnvironmentID),
		slog.String("theme", a.ThemeID), slog.Any("changes", a.Changes), slog.String("request", a.RequestID))
}

// Note writes one entry into the audit log, of what the operator did beside the operator socket, on
// whose behalf by is.
func (o *Origin) Note(ctx context.Context, by record.Actor, a record.Audit) error {
	return operator.Note(operator.On(ctx, operator.Asked{By: by, Told: o.auditLogged}), o.store, o.now(), a)
}

// lookBack is how many entries are searched for the newest backup.
const lookBack = 10_000

// findBackup looks up when the newest backup was taken.
func (o *Origin) findBackup() {
	seen := 0
	_ = o.store.View(o.ctx, func(r storage.Reader) error {
		return storage.Audits.Scan(r, storage.Descending, func(_ []byte, a record.Audit) bool {
			if a.Action == operator.ActionBackup {
				o.backedUp.Store(a.At.Unix())
			}
			seen++
			return a.Action != operator.ActionBackup && seen < lookBack
		}, storage.Global)
	}) // a log that cannot be read is for check-store to tell
}

// keepEvery is how often old entries of the audit log are looked for.
const keepEvery = time.Hour

// keepAudit drops what is older than keep from the audit log, now and then until ctx ends.
func (o *Origin) keepAudit(ctx context.Context, keep time.Duration) {
	ticker := time.NewTicker(keepEvery)
	defer ticker.Stop()
	for {
		dropped, err := o.trimAudit(ctx, keep)
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			o.log.Warn("origin: old entries of the audit log cannot be dropped", "error", err)
		case dropped > 0:
			o.log.Info("origin: old entries of the audit log are dropped", "entries", dropped, "olderThan", keep)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// trimAudit drops what is older than keep from every trail once.
func (o *Origin) trimAudit(ctx context.Context, keep time.Duration) (dropped int, err error) {
	scopes := []string{storage.Global}
	err = o.store.View(ctx, func(r storage.Reader) error {
		return storage.Environments.Scan(r, storage.Ascending, func(_ []byte, e record.Environment) bool {
			scopes = append(scopes, e.ID)
			return true
		})
	})
	for _, scope := range scopes {
		if err != nil {
			break
		}
		var n int
		n, err = storage.TrimAudit(ctx, o.store, scope, o.now().Add(-keep), o.now())
		dropped += n
	}
	return dropped, err
}
