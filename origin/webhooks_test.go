package origin_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// message is what a receiver got.
type message struct {
	id, signatures, at string
	body               string
	event              struct {
		ID, Kind, Theme string
		Version         int
	}
}

// receiver takes messages over HTTPS, as the receiver of a webhook does.
type receiver struct {
	url    string
	answer func(w http.ResponseWriter, m message) // nil: 204

	mu  sync.Mutex // guards all
	all []message  // that came, taken or not
}

func newReceiver(t *testing.T, answer func(w http.ResponseWriter, m message)) (*receiver, func(*origin.Config)) {
	t.Helper()
	r := &receiver{answer: answer}
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook?token=hidden-part"
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return r, func(c *origin.Config) {
		c.Roots, c.WebhookNetworks = roots, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	m := message{id: request.Header.Get("webhook-id"), signatures: request.Header.Get("webhook-signature"), at: request.Header.Get("webhook-timestamp"), body: string(body)}
	_ = json.Unmarshal(body, &m.event) // of another format it stays empty
	r.mu.Lock()
	r.all = append(r.all, m)
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(w, m)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// got returns what came, once there are n of it at least.
func (r *receiver) got(t *testing.T, n int) []message {
	t.Helper()
	var all []message
	eventually(t, fmt.Sprintf("%d messages", n), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		all = slices.Clone(r.all)
		return len(all) >= n
	})
	return all
}

// signedBy reports whether one of the message's signatures is the secret's, as the Standard Webhooks text says.
func (m message) signedBy(t *testing.T, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 || len(key) > 64 {
		t.Fatalf("secret %q: %v", secret, err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(m.id + "." + m.at + "." + m.body))
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for signature := range strings.SplitSeq(m.signatures, " ") {
		if version, text, _ := strings.Cut(signature, ","); version == "v1" && text == want {
			return true
		}
	}
	return false
}

func kindsOf(all []message) (kinds []string) {
	for _, m := range all {
		kinds = append(kinds, m.event.Kind)
	}
	return kinds
}

// addWebhook makes a webhook of the receiver, with more members, and returns its path and its secret.
func (h *testOrigin) addWebhook(r *receiver, more string) (path, secret string) {
	h.t.Helper()
	all := "/environments/" + h.sandbox + "/webhooks"
	made := h.want(201, "POST", all, fmt.Sprintf(`{"url":%q%s}`, r.url, more))
	return all + "/" + made.text(h.t, "id"), made.text(h.t, "secret")
}

// deliveries lists what a webhook was sent, the oldest first, as "kind state attempts status".
func (h *testOrigin) deliveries(webhook, query string) (lines, ids []string) {
	h.t.Helper()
	for _, item := range h.want(200, "GET", webhook+"/deliveries?"+query, "").object(h.t)["items"].([]any) {
		d := item.(map[string]any)
		kind := "-"
		if e, ok := d["event"].(map[string]any); ok {
			kind = e["kind"].(string)
		}
		lines = append(lines, fmt.Sprint(kind, " ", d["state"], " ", d["attempts"], " ", d["status"]))
		ids = append(ids, d["id"].(string))
	}
	slices.Reverse(lines)
	slices.Reverse(ids)
	return lines, ids
}

// wantDeliveries waits until the log of a webhook is this.
func (h *testOrigin) wantDeliveries(webhook string, want ...string) (ids []string) {
	h.t.Helper()
	var got []string
	defer func() {
		if h.t.Failed() {
			h.t.Logf("the log of the webhook is %q, want %q", got, want)
		}
	}()
	eventually(h.t, "the log of the webhook as it is wanted", func() bool {
		got, ids = h.deliveries(webhook, "")
		return slices.Equal(got, want)
	})
	return ids
}

// TestRetryAfter waits as the receiver asks, in seconds or until a date and at most 6 hours, before it sends anything of any
// Theme. Another webhook goes on.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	healthy, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	for name, c := range map[string]struct {
		header      string
		wait, least time.Duration // the retry comes after wait, and not after least
	}{
		"seconds":           {"600", 10 * time.Minute, 9 * time.Minute},
		"a date":            {h.clock.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Hour, 59 * time.Minute},
		"too long":          {"99999999999999999999", 6 * time.Hour, 6*time.Hour - time.Minute},
		"a date too far":    {h.clock.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat), 6 * time.Hour, 6*time.Hour - time.Minute},
		"a date gone by":    {"Mon, 02 Jan 2006 15:04:05 GMT", time.Minute, time.Second},
		"neither":           {"soon", time.Minute, time.Second},
		"a negative number": {"-1", time.Minute, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			r, trusting := newReceiver(t, func(w http.ResponseWriter, _ message) {
				if asked.Add(1) == 1 {
					w.Header().Set("Retry-After", c.header)
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			})
			h := newTestOrigin(t, trusting)
			webhook, _ := h.addWebhook(r, "")
			h.theme("t1")
			h.wantDeliveries(webhook, "theme.created retrying 1 503")
			h.clock.move(c.least)
			h.theme("t2")
			h.wantDeliveries(webhook, map[bool][]string{
				true:  {"theme.created retrying 1 503"},
				false: {"theme.created retrying 1 503", "theme.created delivered 1 200"},
			}[c.wait > time.Minute]...)
			h.clock.move(c.wait - c.least + time.Minute)
			h.wantDeliveries(webhook, "theme.created delivered 2 200", "theme.created delivered 1 200")
		})
	}
	var asked atomic.Int32
	busy := &receiver{answer: func(w http.ResponseWriter, _ message) {
		asked.Add(1)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}}
	server := httptest.NewServer(busy)
	t.Cleanup(server.Close)
	busy.url = server.URL
	webhook, _ := h.addWebhook(busy, "")
	h.addWebhook(healthy, "")
	theme := h.theme("t")
	h.wantDeliveries(webhook, "theme.created retrying 1 429")
	h.patch(theme, red)
	h.theme("other")
	healthy.got(t, 3)
	if n := asked.Load(); n != 1 {
		t.Errorf("a receiver that asks for a minute is asked %d times, want once", n)
	}
	_, ids := h.deliveries(webhook, "")
	h.want(202, "POST", webhook+"/deliveries/"+ids[0]+"/redeliver", "")
	eventually(t, "a second attempt", func() bool {
		lines, _ := h.deliveries(webhook, "")
		return lines[0] == "theme.created retrying 2 429"
	})
}

// TestGone ends a webhook whose receiver answers 410: the event and what is retried are dead letters, and nothing more is sent
// until a test is taken. Another webhook goes on.
func TestGone(t *testing.T) {
	t.Parallel()
	healthy, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	var status atomic.Int32
	status.Store(503)
	gone := &receiver{answer: func(w http.ResponseWriter, _ message) { w.WriteHeader(int(status.Load())) }}
	server := httptest.NewServer(gone)
	t.Cleanup(server.Close)
	gone.url = server.URL
	webhook, _ := h.addWebhook(gone, "")
	h.addWebhook(healthy, "")
	h.theme("t1")
	h.wantDeliveries(webhook, "theme.created retrying 1 503")
	status.Store(410)
	t2 := h.theme("t2")
	h.wantDeliveries(webhook, "theme.created dead 1 503", "theme.created dead 1 410")
	ended := func() any { return h.want(200, "GET", webhook, "").object(t)["endedAt"] }
	if ended() == nil {
		t.Error("endedAt = null, want when the receiver answered 410")
	}
	h.patch(t2, red)
	healthy.got(t, 3)
	h.clock.move(25 * time.Hour)
	h.want(202, "POST", webhook+"/test", "")
	h.wantDeliveries(webhook, "theme.created dead 1 503", "theme.created dead 1 410", "webhook.ping dead 1 410")
	status.Store(204)
	h.want(202, "POST", webhook+"/test", "")
	h.wantDeliveries(webhook, "theme.created dead 1 503", "theme.created dead 1 410", "webhook.ping dead 1 410", "webhook.ping delivered 1 204", "- missed 0 <nil>")
	if at := ended(); at != nil {
		t.Errorf("endedAt = %v of a receiver that took a test, want null", at)
	}
	h.publish(t2)
	h.wantDeliveries(webhook, "theme.created dead 1 503", "theme.created dead 1 410", "webhook.ping dead 1 410", "webhook.ping delivered 1 204", "- missed 0 <nil>",
		"theme.published delivered 1 204")
	if n := len(gone.got(t, 5)); n != 5 {
		t.Errorf("%d messages came, want 5", n)
	}
}

// Every event comes signed, as the list of events has it, with its id; the secret is answered once, and no answer, log or
// record holds it.
func TestWebhookIsSentEveryEvent(t *testing.T) {
	t.Parallel()
	r, trusting := newReceiver(t, nil)
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, trusting, func(c *origin.Config) { c.Registry = registry })
	h.theme("before")
	webhook, secret := h.addWebhook(r, `,"description":"the shop","identities":true`)
	theme := h.theme("t")
	h.patch(theme, red)
	h.publish(theme)
	got := r.got(t, 3)
	if want := []string{"theme.created", "theme.drafted", "theme.published"}; !slices.Equal(kindsOf(got), want) {
		t.Fatalf("messages = %q, want %q", kindsOf(got), want)
	}
	events := h.want(200, "GET", "/environments/"+h.sandbox+"/events", "").object(t)["items"].([]any)[1:]
	for i, m := range got {
		var body any
		if err := json.Unmarshal([]byte(m.body), &body); err != nil || fmt.Sprint(body) != fmt.Sprint(events[i]) {
			t.Errorf("body = %s, %v, want the event %v", m.body, err, events[i])
		}
		if m.id != m.event.ID || !m.signedBy(t, secret) || m.signedBy(t, "whsec_"+strings.Repeat("A", 44)) {
			t.Errorf("message %s is signed %q at %s", m.id, m.signatures, m.at)
		}
		if at, err := strconv.ParseInt(m.at, 10, 64); err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Hour {
			t.Errorf("webhook-timestamp = %q, want seconds since 1970", m.at)
		}
	}
	h.wantDeliveries(webhook, "theme.created delivered 1 204", "theme.drafted delivered 1 204", "theme.published delivered 1 204")
	for _, path := range []string{webhook, strings.TrimSuffix(webhook, "/"+lastPart(webhook)), webhook + "/deliveries"} {
		if body := h.want(200, "GET", path, "").body; strings.Contains(body, "whsec_") || strings.Contains(body, "secret") {
			t.Errorf("GET %s shows a secret: %s", path, body)
		}
	}
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	h.wantNowhere(string(key), secret)
	if logs := h.logs.String(); strings.Contains(logs, "whsec_") || strings.Contains(logs, "hidden-part") {
		t.Error("the log holds a secret")
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := 0.0
	for _, f := range families {
		if f.GetName() == "livery_webhook_attempts_total" {
			counted = f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	if counted != 3 {
		t.Errorf("livery_webhook_attempts_total = %v, want 3", counted)
	}
}

// wantNowhere fails if a record of the store holds one of the texts.
func (h *testOrigin) wantNowhere(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		texts = append(texts, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	err := h.store.View(h.t.Context(), func(r storage.Reader) error {
		return r.Scan(nil, storage.Ascending, func(key, value []byte) bool {
			for _, text := range texts {
				if strings.Contains(string(value), text) {
					h.t.Errorf("the %s holds a secret", storage.SpellKey(key))
				}
			}
			return true
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// While the receiver refuses an event, the later ones of its Theme wait for it, and other Themes go on. It is sent again with
// the same id, and then those that waited come in their order.
func TestAFailingThemeHoldsBackItselfAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	refused := map[string]bool{}
	r, trusting := newReceiver(t, func(w http.ResponseWriter, m message) {
		mu.Lock()
		defer mu.Unlock()
		if refused[m.event.Theme] {
			http.Error(w, "not \x1b[31mnow\n"+strings.Repeat("x", 1000), http.StatusServiceUnavailable)
		}
	})
	h := newTestOrigin(t, trusting)
	bad, good := h.theme("bad"), h.theme("good")
	refused[lastPart(bad)] = true
	webhook, _ := h.addWebhook(r, "")
	h.patch(bad, red)
	h.publish(bad)
	h.wantDeliveries(webhook, "theme.drafted retrying 1 503")
	h.patch(good, red)
	h.publish(good)
	h.wantDeliveries(webhook, "theme.drafted retrying 1 503", "theme.drafted delivered 1 200", "theme.published delivered 1 200")
	if late := fmt.Sprint(h.want(200, "GET", webhook, "").object(t)["lateThemes"]); late != "["+lastPart(bad)+"]" {
		t.Errorf("lateThemes = %s, want that of the Theme", late)
	}
	h.clock.move(time.Minute)
	h.wantDeliveries(webhook, "theme.drafted retrying 2 503", "theme.drafted delivered 1 200", "theme.published delivered 1 200")
	if body := h.want(200, "GET", webhook+"/deliveries", "").body; strings.Contains(body, "\x1b") || !strings.Contains(body, `"result":"not \\x1b[31mnow\\nxxx`) || len(body) > 2500 {
		t.Errorf("the log shows the answers as %s", body)
	}
	mu.Lock()
	clear(refused)
	mu.Unlock()
	h.clock.move(time.Hour)
	h.wantDeliveries(webhook, "theme.drafted delivered 3 200", "theme.drafted delivered 1 200", "theme.published delivered 1 200", "theme.published delivered 1 200")
	var ids []string
	for _, m := range r.got(t, 6) {
		if m.event.Theme == lastPart(bad) {
			ids = append(ids, m.id+" "+m.event.Kind)
		}
	}
	if len(ids) != 4 || ids[0] != ids[1] || ids[1] != ids[2] || !strings.HasSuffix(ids[3], "theme.published") {
		t.Errorf("messages of the Theme = %q, want the first three times, and then the second", ids)
	}
}

// An event that is not taken for a day is a dead letter, and the next follows. A person sends it once more.
func TestDeadLettersAreSentByHand(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	takes := false
	r, trusting := newReceiver(t, func(w http.ResponseWriter, m message) {
		mu.Lock()
		defer mu.Unlock()
		if !takes {
			http.Redirect(w, httptest.NewRequest("GET", "/", nil), "https://elsewhere.example", http.StatusFound)
		}
	})
	h := newTestOrigin(t, trusting)
	webhook, _ := h.addWebhook(r, "")
	theme := h.theme("t")
	h.wantDeliveries(webhook, "theme.created retrying 1 302")
	h.clock.move(23 * time.Hour)
	h.wantDeliveries(webhook, "theme.created retrying 2 302")
	h.patch(theme, red)
	h.clock.move(2 * time.Hour)
	ids := h.wantDeliveries(webhook, "theme.created dead 3 302", "theme.drafted retrying 1 302")
	dead, _ := h.deliveries(webhook, "state=dead")
	if !slices.Equal(dead, []string{"theme.created dead 3 302"}) {
		t.Errorf("dead letters = %q", dead)
	}
	h.want(202, "POST", webhook+"/deliveries/"+ids[0]+"/redeliver", "")
	h.wantDeliveries(webhook, "theme.created dead 4 302", "theme.drafted retrying 1 302")
	mu.Lock()
	takes = true
	mu.Unlock()
	h.want(202, "POST", webhook+"/deliveries/"+ids[0]+"/redeliver", "")
	h.wantDeliveries(webhook, "theme.created delivered 5 200", "theme.drafted retrying 1 302")
	h.want(202, "POST", webhook+"/deliveries/"+ids[1]+"/redeliver", "")
	h.wantDeliveries(webhook, "theme.created delivered 5 200", "theme.drafted delivered 2 200")
	for _, m := range r.got(t, 7) {
		if m.event.Kind == "theme.created" && m.id != r.all[0].id {
			t.Errorf("webhook-id = %q, want that of the first attempt, %q", m.id, r.all[0].id)
		}
	}
	next := h.want(200, "GET", webhook+"/deliveries?pageSize=1", "").text(t, "next")
	if rest, _ := h.deliveries(webhook, "after="+next); !slices.Equal(rest, []string{"theme.created delivered 5 200"}) {
		t.Errorf("the second page is %q", rest)
	}
}

// A test comes at once, to that webhook alone, and is not an event. After a rotation both secrets sign for a day.
func TestWebhooksAreTestedAndRotated(t *testing.T) {
	t.Parallel()
	r, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	call := h.operator()
	webhook, first := h.addWebhook(r, "")
	other, _ := h.addWebhook(r, "")
	ping := func(secrets ...string) {
		t.Helper()
		before := len(r.got(t, 0))
		h.want(202, "POST", webhook+"/test", "")
		m := r.got(t, before+1)[before]
		if m.event.Kind != "webhook.ping" || len(strings.Fields(m.signatures)) != len(secrets) {
			t.Errorf("message %s has the signatures %s, want %d", m.body, m.signatures, len(secrets))
		}
		for _, secret := range secrets {
			if !m.signedBy(t, secret) {
				t.Errorf("%s is not signed by one of %d secrets", m.signatures, len(secrets))
			}
		}
	}
	ping(first)
	made := h.want(200, "POST", webhook+"/rotate", "", "Idempotency-Key", "r")
	second := made.text(t, "secret")
	again := h.want(200, "POST", webhook+"/rotate", "", "Idempotency-Key", "r")
	if again.text(t, "secret") != second || second == first {
		t.Errorf("a replayed rotation answers another secret")
	}
	if elsewhere := h.want(200, "POST", other+"/rotate", "", "Idempotency-Key", "r").text(t, "secret"); elsewhere == second {
		t.Errorf("the key of one webhook answers for another")
	}
	h.wantNowhere(first, second)
	ping(second, first)
	h.clock.move(25 * time.Hour)
	ping(second)
	if lines, _ := h.deliveries(other, ""); len(lines) != 0 {
		t.Errorf("the other webhook has the deliveries %q", lines)
	}
	if kinds, _, _ := h.eventPage(""); len(kinds) != 0 {
		t.Errorf("events = %q, want none", kinds)
	}
	h.want(200, "DELETE", webhook, "")
	if n := h.countKeys('w'); n != 0 {
		t.Errorf("%d deliveries are left of a deleted webhook", n)
	}
	lines := auditLines(auditOf(t, call, `{"who":"owner"}`))
	id := lastPart(webhook)
	for i, want := range []string{
		"owner webhook add webhook " + id + ": " + strings.TrimPrefix(strings.Split(r.url, "/hook")[0], "https://") + " is sent what happens as event",
		"owner webhook add webhook " + lastPart(other), "owner webhook test webhook " + id + ": delivery dlv_0000000001 is due",
		"owner webhook rotate webhook " + id + ": a new secret signs, for a day beside the one before", "owner webhook rotate webhook " + lastPart(other),
		"owner webhook test webhook " + id, "owner webhook test webhook " + id, "owner webhook remove webhook " + id + ": it is deleted, and what was due is not sent",
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("the audit log tells %q, want %q as entry %d", lines, want, i)
		}
	}
}

// The bodies for CDNs and chats: keys of what changed, of the kinds that change files; and a sentence without markup.
func TestWebhookFormats(t *testing.T) {
	t.Parallel()
	purge, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	h.addWebhook(purge, `,"format":"purge"`)
	chat := &receiver{url: purge.url}
	h.addWebhook(chat, `,"format":"chat","identities":true,"kinds":["theme.published","variant.drafted"]`)
	theme := h.theme("t")
	h.want(200, "PUT", theme, `{"slug":"t","displayName":"<!channel> *b* @all [x](https://evil.example) & _it_"}`)
	v := h.variant(theme, "v")
	h.patch(theme, red)
	h.want(200, "POST", theme+"/tokens/publish", `{"note":"see <https://x|y> ~now~"}`)
	h.patch(v, `[{"operation":"set","path":"red","value":"#e00"}]`)
	h.publish(v)
	purge.got(t, 6) // names are those of the time of sending
	h.want(200, "DELETE", v, "")
	keys := func(id string) string { return `{"surrogate_keys":["` + id + `"]}` }
	tid, vid := lastPart(theme), lastPart(v)
	want := []string{
		keys(tid), keys(vid), keys(tid), keys(vid), keys(vid),
		`{"text":"Theme ＜！channel＞ ＊b＊ ＠all ［x］（https：／／evil․example） ＆ ＿it＿ was published as version 1 by owner: see ＜https：／／x｜y＞ ～now～"}`,
		`{"text":"The draft of Variant A variant of Theme ＜！channel＞ ＊b＊ ＠all ［x］（https：／／evil․example） ＆ ＿it＿ was changed by owner"}`,
	}
	var got []string
	for _, m := range purge.got(t, len(want)) {
		got = append(got, m.body)
	}
	for _, body := range want {
		i := slices.Index(got, body)
		if i < 0 {
			t.Fatalf("bodies = %q, want %s among them", got, body)
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		t.Errorf("bodies %q are too many", got)
	}
}

// What is wrong with a webhook is refused with 400 and names the member; an Environment has 20.
func TestWebhooksAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	all := "/environments/" + h.sandbox + "/webhooks"
	for body, want := range map[string]string{
		`{}`: "url: required", `{"url":"http://example.com/"}`: "url: must begin with https://", `{"url":"/x"}`: "url: must", `{"url":"https://u:p@example.com/"}`: "url: must not hold a user",
		`{"url":"https://10.1.2.3/"}`: "url: is not at an address of the public internet", `{"url":"https://x.example/#f"}`: "url: must not hold a fragment", `{"url":1}`: "url: must be a string",
		`{"url":"https://x.example/` + strings.Repeat("x", 2048) + `"}`: "url: is longer", `{"url":"https://x.example/","kinds":["theme.painted"]}`: "kinds: must be some of",
		`{"url":"https://x.example/","kinds":"all"}`: "kinds: must be a list", `{"url":"https://x.example/","format":"xml"}`: "format: must be one of event, events, purge, chat",
		`{"url":"https://x.example/","description":"a\u0007"}`: "description: must have",
	} {
		if e := h.do(owner, "POST", all, body).refuses(t, 400, "validation"); len(e.Messages) != 1 || !strings.HasPrefix(e.Messages[0], want) {
			t.Errorf("%s is refused with %q, want %q", short(body), e.Messages, want)
		}
	}
	for range 20 {
		h.want(201, "POST", all, `{"url":"https://hook.invalid/"}`)
	}
	if e := h.do(owner, "POST", all, `{"url":"https://hook.invalid/"}`).refuses(t, 400, "validation"); !strings.Contains(e.Messages[0], "20 webhooks") {
		t.Errorf("the 21st is refused with %q", e.Messages)
	}
	elsewhere := "/environments/" + h.staging + "/webhooks"
	id := h.want(201, "POST", elsewhere, `{"url":"https://hook.invalid/"}`).text(t, "id")
	for _, path := range []string{all + "/" + id, all + "/whk_x", elsewhere + "/" + id + "/deliveries/dlv_0000000001/redeliver"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if r := h.do(owner, method, path, ""); r.status != 404 && r.status != 405 {
				t.Errorf("%s %s = %d, want 404", method, path, r.status)
			}
		}
	}
	h.do(owner, "GET", elsewhere+"/"+id+"/deliveries?after=x", "").refuses(t, 400, "payload")
	h.do(owner, "GET", elsewhere+"/"+id+"/deliveries?state=x", "").refuses(t, 400, "validation")
	h.do(owner, "GET", elsewhere+"/"+id+"/deliveries?pageSize=0", "").refuses(t, 400, "validation")
	keyless := newTestOrigin(t, func(c *origin.Config) { c.Master = "" })
	keyless.do(owner, "POST", "/environments/"+keyless.sandbox+"/webhooks", `{"url":"https://hook.invalid/"}`).refuses(t, 400, "validation")
}

// A webhook goes on where it was if the origin starts anew; after a restore it goes on with the next event, and its log says
// so; and if events were dropped before they could be sent, its log says that.
func TestWebhooksGoOn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	away := false
	r, trusting := newReceiver(t, func(w http.ResponseWriter, _ message) {
		mu.Lock()
		defer mu.Unlock()
		if away {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	set := func(to bool) {
		mu.Lock()
		defer mu.Unlock()
		away = to
	}
	h := newTestOrigin(t, trusting)
	webhook, _ := h.addWebhook(r, `,"kinds":["theme.created"]`)
	h.theme("t1")
	h.wantDeliveries(webhook, "theme.created delivered 1 200")
	set(true)
	h.theme("t2")
	h.wantDeliveries(webhook, "theme.created delivered 1 200", "theme.created retrying 1 502")
	h.end()
	set(false)
	h.clock.move(time.Hour)
	h.start(h.config)
	h.wantDeliveries(webhook, "theme.created delivered 1 200", "theme.created delivered 2 200")
	set(true)
	h.theme("t3")
	h.wantDeliveries(webhook, "theme.created delivered 1 200", "theme.created delivered 2 200", "theme.created retrying 1 502")
	h.end()
	set(false)
	if err := storage.SkipDeliveries(t.Context(), h.store, h.clock.Now()); err != nil {
		t.Fatal(err)
	}
	h.start(h.config)
	h.theme("t4")
	ids := h.wantDeliveries(webhook, "theme.created delivered 1 200", "theme.created delivered 2 200", "theme.created dead 1 502", "- missed 0 <nil>", "theme.created delivered 1 200")
	h.do(owner, "POST", webhook+"/deliveries/"+ids[3]+"/redeliver", "").refuses(t, 400, "validation")
	h.end()
	_, err := h.store.Update(t.Context(), h.sandbox, func(tx storage.Tx) (record.Change, error) {
		at := h.clock.Now()
		var events []record.Event
		for range 5 {
			events = append(events, record.Event{At: at, By: owner, Kind: "theme.created", ThemeID: "thm_x"})
		}
		return record.Change{At: at}, storage.AppendEvents(tx, h.sandbox, events, func() string { return "tag" })
	})
	if err == nil {
		_, err = storage.TrimEvents(t.Context(), h.store, h.sandbox, h.clock.Now().Add(-time.Hour), h.clock.Now(), 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.start(h.config)
	eventually(t, "the rest of the events, and the entry of those that are missed", func() bool {
		lines, _ := h.deliveries(webhook, "")
		return slices.Equal(lines[5:], []string{"- missed 0 <nil>", "theme.created delivered 1 200", "theme.created delivered 1 200"})
	})
	if n := len(r.got(t, 7)); n != 7 {
		t.Errorf("%d messages came, want 7", n)
	}
}
