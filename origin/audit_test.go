package origin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// auditOf asks for entries of the audit log through the operator socket.
func auditOf(t *testing.T, call func(int, string, string, string) string, query string) operator.AuditPage {
	t.Helper()
	var page operator.AuditPage
	if err := json.Unmarshal([]byte(call(200, "POST", "/audit/query", query)), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// auditLines returns entries as "who action target: changes".
func auditLines(page operator.AuditPage) (lines []string) {
	for _, a := range page.Entries {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", operator.Name(a.Actor), a.Action, a.Target, strings.Join(a.Changes, "; ")))
	}
	return lines
}

// What users publish, delete and serve as is in the audit log with who it was; drafts, names, what changed
// nothing, what was refused and what was replayed are not.
func TestAuditTellsWhatUsersDid(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	call := h.operator()
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, red)
	publish := h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "once")
	h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "once")
	h.want(409, "POST", theme+"/tokens/publish", "")
	h.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"react","library":"plainCSS"}]}`)
	h.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"react","library":"plainCSS"}]}`)
	h.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"vue","library":"plainCSS"}]}`)
	h.want(200, "PUT", theme+"/modes", `{"modes":[{"dimension":"scheme","mode":"dark","variant":"`+idOf(variant)+`","when":"print"}]}`)
	h.want(200, "PUT", theme+"/modes", `{"modes":[]}`)
	h.want(200, "PUT", theme+"/modes", `{"modes":[]}`)
	h.patch(variant, `[{"operation":"set","path":"red","value":"#aa0000"}]`)
	h.publish(variant)
	h.want(200, "DELETE", variant, "")
	h.want(200, "DELETE", theme, "")
	page := auditOf(t, call, `{"who":"owner"}`)
	want := []string{
		"owner theme publish theme brand: latest none becomes 1",
		"owner integrations set theme brand: integrations react/plainCSS becomes vue/plainCSS",
		"owner modes set theme brand: modes none becomes scheme.dark=" + idOf(variant) + " when print",
		"owner modes set theme brand: modes scheme.dark=" + idOf(variant) + " when print becomes none",
		"owner variant publish variant brand/dark: latest none becomes 1",
		"owner variant delete variant brand/dark: it is deleted with all its versions",
		"owner theme delete theme brand: it is deleted with all its Variants and versions",
	}
	if got := auditLines(page); !slices.Equal(got, want) {
		t.Errorf("the audit log tells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	first := page.Entries[0]
	if first.RequestID != publish.header.Get("X-Request-Id") || first.Actor.Issuer != testPublicURL || first.EnvironmentID != h.sandbox || first.ThemeID != idOf(theme) {
		t.Errorf("the publish is logged as %+v, want its request, its issuer and its Theme", first)
	}
	if by := auditOf(t, call, `{"theme":"brand"}`); !slices.Equal(auditLines(by), want) {
		t.Errorf("by its slug the Theme has %q", auditLines(by))
	}
	for _, none := range []string{`{"theme":"other"}`, `{"who":"nobody"}`, `{"who":"owner","since":"2999-01-01T00:00:00Z"}`} {
		if got := auditLines(auditOf(t, call, none)); len(got) != 0 {
			t.Errorf("%s finds %q, want nothing", none, got)
		}
	}
	if log := h.logs.String(); !strings.Contains(log, `msg="origin: audit" who=owner`) {
		t.Error("the log does not tell of the publish")
	}
}

// What the operator does is logged with the process of the request and the name it claims; what changes nothing, a
// dry run and a read are not.
func TestAuditTellsWhatTheOperatorDid(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	call := h.operator()
	theme := h.theme("brand")
	begin := auditOf(t, call, `{}`).Ends
	after, err := json.Marshal(map[string]any{"after": begin})
	if err != nil {
		t.Fatal(err)
	}
	serving := "/themes/" + idOf(theme) + "/serving"
	call(200, "PUT", serving, `{"mode":"signed","allowedOrigins":["https://a.example"]}`)
	call(200, "PUT", serving, `{"mode":"signed"}`)
	call(400, "PUT", serving, `{"mode":"open"}`)
	call(200, "PUT", serving, `{"prefix":""}`)
	call(200, "PUT", serving, `{"prefix":""}`)
	call(200, "GET", serving, "")
	var key operator.NewSigningKey
	if err := json.Unmarshal([]byte(call(200, "POST", "/themes/"+idOf(theme)+"/keys", "")), &key); err != nil {
		t.Fatal(err)
	}
	call(200, "DELETE", "/themes/"+idOf(theme)+"/keys/"+key.ID, "")
	call(404, "DELETE", "/themes/"+idOf(theme)+"/keys/"+key.ID, "")
	call(200, "POST", "/token", `{"subject":"ci","ttlSeconds":60}`)
	call(400, "POST", "/token", `{"subject":""}`)
	var rotated operator.Rotated
	if err := json.Unmarshal([]byte(call(200, "POST", "/token-keys/rotate", `{"dropOld":true}`)), &rotated); err != nil {
		t.Fatal(err)
	}
	teams := `{"teams":[{"slug":"initech","plan":"free","members":["peter"],"environments":[]}]}`
	call(200, "POST", "/teams?dryRun=true", teams)
	call(200, "POST", "/teams", teams)
	call(200, "POST", "/teams", teams)
	page := auditOf(t, call, string(after))
	who := operator.Name(page.Entries[0].Actor)
	want := []string{
		" serving set theme brand: mode public becomes signed; allowedOrigins none becomes https://a.example",
		` serving set theme brand: the CSS prefix of the next publish none becomes ""`,
		" keys add theme brand: signing key " + key.ID + " is made",
		" keys remove theme brand: signing key " + key.ID + " is removed: what it signed is refused",
		" token issue subject ci: a token for the public API is valid until ",
		" token rotate-keys token keys: token key " + rotated.ID + " signs from now on, and every token before is refused",
		" teams apply team initech: team initech is created on plan free with members peter",
	}
	got := auditLines(page)
	slices.Sort(want) // Environments and what stands above them have trails of their own, which no millisecond orders
	slices.Sort(got)
	for i, line := range got {
		if i >= len(want) || !strings.HasPrefix(line, who+want[i]) {
			t.Errorf("entry %d is %q", i, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for _, a := range page.Entries {
		if a.Actor.Kind != operator.KindOperator || a.Actor.UID == nil || *a.Actor.UID != os.Getuid() || a.Actor.PID != os.Getpid() {
			t.Errorf("%s was done by %+v, want this process", a.Action, a.Actor)
		}
	}
	if shown := fmt.Sprint(page); strings.Contains(shown, key.Secret) {
		t.Error("the audit log shows a secret")
	}
}

// A follower of the log misses nothing, however much comes at once; a single query is given the newest.
func TestAuditFollowersMissNothing(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	call := h.operator()
	after, err := json.Marshal(map[string]any{"after": auditOf(t, call, `{}`).Ends})
	if err != nil {
		t.Fatal(err)
	}
	const many = 1100
	_, err = h.store.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		for i := range many {
			if err := storage.AppendAudit(tx, storage.Global, &record.Audit{At: h.clock.Now(), Action: fmt.Sprint(i)}); err != nil {
				return record.Change{}, err
			}
		}
		return record.Change{At: h.clock.Now()}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	news := auditOf(t, call, string(after))
	if n := len(news.Entries); n != many || news.More || news.Entries[0].Action != "0" {
		t.Errorf("a follower gets %d entries, more %t, want all %d in order", n, news.More, many)
	}
	if page := auditOf(t, call, `{"limit":3}`); len(page.Entries) != 3 || !page.More || page.Entries[2].Action != fmt.Sprint(many-1) {
		t.Errorf("the newest 3 are %q, more %t", auditLines(page), page.More)
	}
	call(400, "POST", "/audit/query", `{"limit":1001}`)
}

// Old entries are dropped while the origin runs; without a limit none are.
func TestAuditIsKeptAsLongAsIsSaid(t *testing.T) {
	t.Parallel()
	for keep, want := range map[time.Duration]int{0: 2, 24 * time.Hour: 1} {
		var scope string
		h := newTestOrigin(t, func(c *origin.Config) {
			c.AuditKeep, scope = keep, environmentsOf(t, c.Store)[0]
			_, err := c.Store.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
				old, recent := record.Audit{At: c.Now().Add(-48 * time.Hour), Action: "old"}, record.Audit{At: c.Now(), Action: "new"}
				return record.Change{At: c.Now()}, errors.Join(storage.AppendAudit(tx, scope, &old), storage.AppendAudit(tx, scope, &recent))
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		eventually(t, fmt.Sprintf("an audit log with %d entries, with a limit of %v", want, keep), func() bool {
			n := 0
			err := h.store.View(context.Background(), func(r storage.Reader) error {
				return storage.Audits.Scan(r, storage.Ascending, func([]byte, record.Audit) bool {
					n++
					return true
				}, scope)
			})
			return err == nil && n == want
		})
	}
}

// The metrics that say how an origin is doing, from what happens to it; no label is a caller's text.
func TestMetricsTellHowTheOriginIsDoing(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) { c.Registry = registry })
	theme := h.theme("brand")
	h.patch(theme, red)
	h.publish(theme)
	h.do(owner, "GET", "/environments", "", "Authorization", "Bearer x.y.z")
	if err := h.origin.Note(context.Background(), record.Actor{Kind: operator.KindOperator}, record.Audit{Action: operator.ActionBackup, Target: "x"}); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		fmt.Fprintln(&text, f)
	}
	for _, want := range []string{
		`livery_origin_commit_seconds`, `livery_origin_unauthorized_total`, `value:"malformed"`, `livery_origin_feed_sequence`, `livery_origin_feed_clients`,
		`livery_origin_feed_lag`, `livery_origin_derived_waiting`, `livery_origin_derived_blobs_total`, `livery_origin_rate_limited_total`,
		`livery_origin_audit_entries_total`, `value:"theme publish"`, `livery_origin_backup_timestamp_seconds`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the metrics lack %s:\n%s", want, text.String())
		}
	}
	const backup = "livery_origin_backup_timestamp_seconds"
	at := gauge(t, registry, backup)
	if at == 0 {
		t.Error("the origin does not know of its backup")
	}
	h.end()
	next := h.config
	next.Registry = prometheus.NewRegistry()
	h.start(next)
	if again := gauge(t, next.Registry, backup); again != at {
		t.Errorf("after the next start the newest backup is of %v, want %v", again, at)
	}
	for _, id := range []string{idOf(theme), h.sandbox, "x.y.z", owner} {
		if strings.Contains(text.String(), id) {
			t.Errorf("A114: the metrics hold %s", id)
		}
	}
}
