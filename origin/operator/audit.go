package operator

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The kinds of an Actor.
const (
	KindOperator = "operator" // through the operator socket
	KindUser     = "user"     // through the public API
	KindProgram  = "program"  // Livery itself
)

// The actions of the operator in the audit log. Those of the API's users are named by package origin.
const (
	ActionTeams     = "teams apply"
	ActionToken     = "token issue"
	ActionRotate    = "token rotate-keys"
	ActionConsole   = "console link"
	ActionServing   = "serving set"
	ActionKeyAdd    = "keys add"
	ActionKeyRemove = "keys remove"
	ActionBackup    = "backup"
	ActionRestore   = "restore"
	ActionCollect   = "collect"
)

// Behalf is on whose behalf something is changed. The zero Behalf is the program itself.
type Behalf struct {
	By          record.Actor       // the zero Actor is the program
	AuditLogged func(record.Audit) // called with each entry of the audit log that was committed; nil does nothing
}

type behalfKey struct{}

// On returns a context in which the functions of this package change things on behalf of b.
func On(ctx context.Context, b Behalf) context.Context { return context.WithValue(ctx, behalfKey{}, b) }

func behalfOf(ctx context.Context) Behalf {
	b, _ := ctx.Value(behalfKey{}).(Behalf)
	if b.By.Kind == "" {
		b.By.Kind = KindProgram
	}
	if b.AuditLogged == nil {
		b.AuditLogged = func(record.Audit) {}
	}
	return b
}

// Commit runs fn as storage.Store.Update does and writes the entries that fn logs into the audit log in the same
// commit, in the name of the Behalf of ctx, whose AuditLogged is called once they are durable.
func Commit(ctx context.Context, store storage.Store, scope string, now time.Time, fn func(tx storage.Tx, logAudit func(record.Audit)) (record.Change, error)) error {
	behalf := behalfOf(ctx)
	var pending []record.Audit
	_, err := store.Update(ctx, scope, func(tx storage.Tx) (record.Change, error) {
		pending = pending[:0] // fn may run again
		change, err := fn(tx, func(a record.Audit) { pending = append(pending, a) })
		for i := range pending {
			if err != nil {
				break
			}
			a := &pending[i]
			a.At, a.Actor = stamp(now), behalf.By
			if a.Changes == nil {
				a.Changes = []string{}
			}
			err = storage.AppendAudit(tx, scope, a)
		}
		return change, err
	})
	if err != nil {
		return err
	}
	for _, a := range pending {
		behalf.AuditLogged(a)
	}
	return nil
}

// Note writes one entry into the audit log, of what was done without a change of the store.
func Note(ctx context.Context, store storage.Store, now time.Time, a record.Audit) error {
	return Commit(ctx, store, storage.Global, now, func(_ storage.Tx, logAudit func(record.Audit)) (record.Change, error) {
		logAudit(a)
		return record.Change{At: stamp(now)}, nil
	})
}

// AuditQuery says which entries of the audit log are wanted. The zero fields exclude nothing.
type AuditQuery struct {
	Since time.Time         `json:"since,omitzero"`
	Theme string            `json:"theme,omitzero"` // id or slug
	Who   string            `json:"who,omitzero"`   // a subject, a login, the user that sudo names, or a uid
	After map[string]uint32 `json:"after,omitzero"` // the Ends of an answer before: all that came later, whatever Limit says
	Limit int               `json:"limit,omitzero"` // the newest so many; 0 means 1,000, which is the most
}

// AuditPage is the answer to an AuditQuery.
type AuditPage struct {
	Entries []record.Audit    `json:"entries"` // oldest first
	More    bool              `json:"more"`    // older ones were left out
	Ends    map[string]uint32 `json:"ends"`    // the newest number of each trail, for the next query
}

// maxEntries is the number of entries of the longest answer.
const maxEntries = 1000

// Audit returns the entries that the query wants, on one snapshot.
func Audit(ctx context.Context, store storage.Store, query AuditQuery) (AuditPage, error) {
	if query.Limit < 0 || query.Limit > maxEntries {
		return AuditPage{}, invalid([]string{fmt.Sprintf("limit: must be 1 to %d", maxEntries)})
	}
	switch {
	case query.After != nil: // a follower must miss nothing
		query.Limit = math.MaxInt - 1
	case query.Limit == 0:
		query.Limit = maxEntries
	}
	return storage.Snapshot(ctx, store, func(r storage.Reader) (AuditPage, error) {
		page := AuditPage{Entries: []record.Audit{}, Ends: map[string]uint32{}}
		trails, err := auditTrails(r)
		for _, trail := range trails {
			if err == nil {
				err = query.read(r, trail, &page)
			}
		}
		if err != nil {
			return page, fmt.Errorf("operator: read the audit log: %w", err)
		}
		slices.SortStableFunc(page.Entries, func(a, b record.Audit) int { return a.At.Compare(b.At) })
		if extra := len(page.Entries) - query.Limit; extra > 0 {
			page.Entries, page.More = page.Entries[extra:], true
		}
		return page, nil
	})
}

// auditTrails are the scopes that may have a trail.
func auditTrails(r storage.Reader) ([]string, error) {
	environments, err := storage.Environments.All(r)
	trails := []string{storage.Global}
	for _, e := range environments {
		trails = append(trails, e.ID)
	}
	return trails, err
}

// read adds what the query wants of one trail, oldest first: as many as the whole answer may have.
func (q AuditQuery) read(r storage.Reader, trail string, page *AuditPage) error {
	var matching []record.Audit
	err := storage.Audits.Scan(r, storage.Descending, func(_ []byte, a record.Audit) bool {
		if _, known := page.Ends[trail]; !known {
			page.Ends[trail] = a.Number
		}
		if a.Number <= q.After[trail] || a.At.Before(q.Since) {
			return false
		}
		if q.wants(a) {
			matching = append(matching, a)
		}
		page.More = page.More || len(matching) > q.Limit
		return len(matching) <= q.Limit
	}, trail)
	slices.Reverse(matching)
	page.Entries = append(page.Entries, matching...)
	return err
}

func (q AuditQuery) wants(a record.Audit) bool {
	return (q.Theme == "" || q.Theme == a.ThemeID || q.Theme == a.ThemeSlug) && (q.Who == "" || slices.Contains(names(a.Actor), q.Who))
}

// names are the words by which a query may name an actor.
func names(a record.Actor) []string {
	all := []string{a.Subject, a.Login, a.As, a.Kind}
	if a.UID != nil {
		all = append(all, strconv.Itoa(*a.UID))
	}
	return all
}

// Name returns an actor in a few words.
func Name(a record.Actor) string {
	switch a.Kind {
	case KindUser:
		return a.Subject
	case KindOperator:
		who := cmp.Or(a.Login, "operator")
		if a.Login == "" && a.UID != nil {
			who = "uid " + strconv.Itoa(*a.UID)
		}
		if a.As != "" && a.As != a.Login {
			who = a.As + " as " + who
		}
		return who
	}
	return "livery"
}

func (h *Handler) audit(ctx context.Context, _ call, query AuditQuery) (any, error) {
	return Audit(ctx, h.config.Store, query)
}

// maxAs is the length of the longest name that an operator may claim, in characters.
const maxAs = 64

// checkClaimedName refuses what is not a name for the audit log.
func checkClaimedName(as string) error {
	if !plainText(as, maxAs) {
		return &theming.Error{Cause: theming.Validation, Messages: []string{fmt.Sprintf("as: must have at most %d characters, none a control character", maxAs)}}
	}
	return nil
}

// becomes appends a sentence if a setting changed.
func becomes(sentences []string, name, before, after string) []string {
	if before == after {
		return sentences
	}
	return append(sentences, fmt.Sprintf("%s %s becomes %s", name, cmp.Or(before, "none"), cmp.Or(after, "none")))
}

// commaList returns a list as a sentence has it.
func commaList(items []string) string { return strings.Join(items, ", ") }
