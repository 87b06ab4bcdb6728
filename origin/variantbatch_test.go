package origin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/livery/origin"
)

// batch sends a batch of Variants of a Theme, which must succeed, and returns what became of each, those that are new first.
func (h *testOrigin) batch(theme, body string, more ...string) (items []map[string]any) {
	h.t.Helper()
	answer := h.want(200, "POST", theme+"/variants/batch", body, more...).object(h.t)
	for _, name := range []string{"created", "changed"} {
		for _, item := range answer[name].([]any) {
			items = append(items, item.(map[string]any))
		}
	}
	return items
}

// A batch makes Variants with overrides, and changes of others what it names alone; slugs may change places. All of it is one
// commit, whose events tell what happened to each Variant; a repetition under the key is answered as the first was.
func TestABatchCreatesAndChangesVariants(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.brands("a", "b", "c")
	etag := h.patch(v[2], `[{"operation":"set","path":"red","value":"#c00"}]`)
	h.want(200, "PUT", v[2], `{"slug":"c","displayName":"C","metadata":{"k":"v"}}`)
	last := h.lastEvent()
	body := fmt.Sprintf(`{"create":[{"slug":"n","displayName":"N","metadata":{"new":"yes"},"operations":[{"operation":"set","path":"red","value":"#100"}]},{"slug":"m","displayName":"M"}],
		"change":[{"id":%q,"slug":"b"},{"id":%q,"slug":"a","etag":null},{"id":%q,"displayName":"Sea","etag":%q,"operations":[{"operation":"set","path":"red","value":"#e00"}]}]}`,
		idOf(v[0]), idOf(v[1]), idOf(v[2]), etag)
	items := h.batch(theme, body, "Idempotency-Key", "k")
	spell := func(i map[string]any) string {
		variant := i["variant"].(map[string]any)
		return strings.TrimSpace(fmt.Sprintln(i["slug"], variant["displayName"], variant["metadata"], variant["tokenCount"], i["etag"] != nil, i["added"], i["removed"], i["changed"]))
	}
	want := []string{
		"n N map[new:yes] 1 true [red] [] []", "m M map[] 0 false [] [] []", "b A variant map[] 1 false [] [] []",
		"a A variant map[] 1 false [] [] []", "c Sea map[k:v] 1 false [] [] []",
	}
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d", len(items), len(want))
	}
	for i, item := range items {
		if spell(item) != want[i] {
			t.Errorf("item %d = %q, want %q", i, spell(item), want[i])
		}
		if r := h.want(200, "GET", theme+"/variants/"+item["id"].(string), ""); r.object(t)["slug"] != item["slug"] {
			t.Errorf("item %d is read as %s", i, r.body)
		}
	}
	kinds, _, _ := h.eventPage("after=" + last)
	if got := fmt.Sprint(kinds); got != "[variant.created owner <nil> <nil> variant.drafted owner <nil> <nil> variant.created owner <nil> <nil> "+
		"variant.changed owner <nil> <nil> variant.changed owner <nil> <nil> variant.changed owner <nil> <nil> variant.discarded owner <nil> <nil>]" {
		t.Errorf("events = %s", got)
	}
	again := h.want(200, "POST", theme+"/variants/batch", body, "Idempotency-Key", "k")
	if again.header.Get("Idempotency-Replayed") != "true" || len(again.object(t)["created"].([]any)) != 2 {
		t.Errorf("again = %v %s, want the first answer", again.header, short(again.body))
	}
	h.do(owner, "POST", theme+"/variants/batch", `{"create":[]}`, "Idempotency-Key", "k").refuses(t, 409, "conflict")
	if page := h.want(200, "GET", theme+"/variants", "").object(t); len(page["items"].([]any)) != 5 {
		t.Errorf("%v Variants, want 5", len(page["items"].([]any)))
	}
	minimal := h.want(200, "POST", theme+"/variants/batch", fmt.Sprintf(`{"change":[{"id":%q,"displayName":"X"}]}`, idOf(v[0])), "Prefer", "return=minimal")
	if want := fmt.Sprintf(`{"changed":[{"id":%q,"slug":"b","etag":null}],"created":[]}`, idOf(v[0])); minimal.body != want || minimal.header.Get("Preference-Applied") != "return=minimal" {
		t.Errorf("minimal = %s, want %s", minimal.body, want)
	}
}

// A batch with anything wrong in it changes nothing, and every message says at which Variant: what is wrong with the request
// first, then the plan, then what the state does not allow.
func TestABatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.DocumentBytes = 4096 })
	theme, v := h.brands("a", "b", "c")
	a, b := idOf(v[0]), idOf(v[1])
	before := h.want(200, "GET", theme+"/variants?includeTotals=true", "").body
	changes := h.countKeys('h')
	set := func(bytes int) string {
		return `"operations":[{"operation":"set","path":"x","value":"` + strings.Repeat("x", bytes) + `"}]`
	}
	large := `{"id":"` + a + `",` + set(4000) + `},{"id":"` + b + `",` + set(4000) + `}`
	var more []string
	for n := range 8 {
		more = append(more, fmt.Sprintf(`{"slug":"n%d","displayName":"N"}`, n))
	}
	for _, c := range []struct {
		body, cause, reason string
		status              int
		messages            []string
	}{
		{`{}`, "validation", "", 400, []string{"create, change: the body must have one of the two lists"}},
		{`{"create":{},"change":[7]}`, "validation", "", 400, []string{"create: must be a list", "change[0]: must be an object"}},
		{`{"create":[{"displayName":"x"}],"change":[{"id":""},{"id":"x","etag":7},{"id":"x"}]}`, "validation", "", 400, []string{
			"change[0]: id: must be the id of a Variant", "change[1]: etag: must be a string", `change[2]: id: "x" stands in the list twice`,
		}},
		{`{"create":[{"slug":"n","displayName":"N"},{"displayName":"x"}],"change":[{"id":"var_x"},{"id":"` + a + `","slug":"A B"}]}`, "validation", "", 400, []string{
			"create[1]: slug: required", "change[1]: slug: ",
		}},
		{`{"create":[{"slug":"n","displayName":"N"}],"change":[{"id":"var_x"}]}`, "notFound", "", 404, []string{}},
		{`{"change":[{"id":"` + a + `","operations":[{"operation":"add","path":"red"}]}]}`, "validation", "", 400, []string{"change[0]: operations[0]: operation: must be one of set, unset"}},
		{`{"change":[{"id":"` + a + `","operations":[{"operation":"set","path":"/red","value":1}]}]}`, "validation", "", 400, []string{`change[0]: operations[0] (set "/red"): `}},
		{`{"change":[` + large + `],"create":[{"slug":"n","displayName":"N",` + set(4000) + `}]}`, "validation", "", 400, []string{"change[1]: the drafts up to here take "}},
		{`{"create":[` + strings.Join(more, ",") + `]}`, "planLimit", "", 402, []string{}},
		{
			`{"create":[{"slug":"n","displayName":"N"},{"slug":"n","displayName":"N"},{"slug":"c","displayName":"N"}],"change":[{"id":"` + a + `","displayName":"Z","etag":"stale"},{"id":"` + b + `","slug":"a"}]}`,
			"conflict", "staleEtag", 409,
			[]string{},
		},
		{`{"create":[{"slug":"c","displayName":"N"}]}`, "conflict", "slugTaken", 409, []string{}},
	} {
		r := h.do(owner, "POST", theme+"/variants/batch", c.body)
		var told struct {
			Cause    string
			Messages []string
		}
		if err := json.Unmarshal([]byte(r.body), &told); err != nil {
			t.Fatal(r, err)
		}
		fits := slices.EqualFunc(told.Messages, c.messages, strings.HasPrefix)
		if r.status != c.status || told.Cause != c.cause || r.header.Get("Livery-Reason") != c.reason || !fits {
			t.Errorf("%s = %d %s %q\n%q, want %d %s\n%q", short(c.body), r.status, told.Cause, r.header.Get("Livery-Reason"), told.Messages, c.status, c.cause, c.messages)
		}
	}
	for body, variant := range map[string]string{
		`{"change":[{"id":"` + b + `","displayName":"Z"},{"id":"` + a + `","etag":"stale"}]}`: a,
		`{"create":[{"slug":"c","displayName":"N"}]}`:                                         "c",
	} {
		if got := h.do(owner, "POST", theme+"/variants/batch", body).header.Get("Livery-Variant"); got != variant {
			t.Errorf("%s: Livery-Variant = %q, want %q", body, got, variant)
		}
	}
	if now := h.want(200, "GET", theme+"/variants?includeTotals=true", "").body; now != before || h.countKeys('h') != changes {
		t.Errorf("a refused batch changed something: %s", short(now))
	}
	h.batch(theme, `{"create":[],"change":[]}`)
	var thousand []string
	for n := range 1001 {
		thousand = append(thousand, fmt.Sprintf(`{"id":"v%d"}`, n))
	}
	h.do(owner, "POST", theme+"/variants/batch", `{"change":[`+strings.Join(thousand, ",")+`]}`).refuses(t, 400, "validation")
}

// Writers that send the etags that they read lose nothing: each batch adds one to a number in every Variant, and each one that
// was answered counts. No reader sees a part of a batch.
func TestConcurrentBatchesLoseNoUpdate(t *testing.T) {
	t.Parallel()
	newTestOrigin(t).checkBatches(t)
}

func (h *testOrigin) checkBatches(t *testing.T) {
	t.Helper()
	theme, _ := h.brands("a", "b", "c")
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	const writers, rounds = 16, 8
	done, wait := make([]int, writers), sync.WaitGroup{}
	for w := range writers {
		wait.Go(func() {
			for done[w] < rounds {
				n, body := h.nextNumber(theme)
				if n < 0 {
					return
				}
				switch r := h.do(designer, "POST", theme+"/variants/batch", body); r.status {
				case 200:
					done[w]++
				case 409:
				default:
					t.Errorf("a batch = %d %s", r.status, short(r.body))
					return
				}
			}
		})
	}
	wait.Wait()
	if n, _ := h.nextNumber(theme); n != writers*rounds {
		t.Errorf("the number is %d after %d batches that were answered", n, writers*rounds)
	}
}

// nextNumber reads the number that the drafts of all Variants of a Theme hold, and returns it with the batch that makes it the
// next; a negative number if something failed.
func (h *testOrigin) nextNumber(theme string) (n int, batch string) {
	review := h.do(designer, "POST", theme+"/variants/publish", `{"variants":"all","dryRun":true,"values":true}`)
	if review.status != 200 {
		h.t.Errorf("review = %d %s", review.status, short(review.body))
		return -1, ""
	}
	var numbers, items []string
	for _, item := range review.object(h.t)["published"].([]any) {
		v := item.(map[string]any)
		number := "0"
		for _, value := range v["values"].([]any) {
			if value := value.(map[string]any); value["path"] == "n" {
				number = fmt.Sprint(value["to"])
			}
		}
		numbers = append(numbers, number)
		_, _ = fmt.Sscan(number, &n)
		items = append(items, fmt.Sprintf(`{"id":%q,"etag":%q,"operations":[{"operation":"set","path":"n","value":%d}]}`, v["id"], v["etag"], n+1))
	}
	if len(numbers) != 3 || numbers[0] != numbers[1] || numbers[1] != numbers[2] {
		h.t.Errorf("the Variants hold %v: a part of a batch", numbers)
		return -1, ""
	}
	return n, `{"change":[` + strings.Join(items, ",") + `]}`
}

// TestManyVariantsAreOneEvent joins the events of more than 20 Variants, and their lines of the audit log.
func TestManyVariantsAreOneEvent(t *testing.T) {
	t.Parallel()
	purge, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	call := h.operator()
	environment := "/environments/" + h.foreign // the plan pro
	as := func(status int, method, path, body string) reply {
		t.Helper()
		r := h.do(stranger, method, path, body)
		if r.status != status {
			t.Fatal(r)
		}
		return r
	}
	theme := environment + "/themes/" + as(201, "POST", environment+"/themes", `{"slug":"t","displayName":"A theme"}`).text(t, "id")
	as(200, "PATCH", theme+"/tokens", `{"operations":`+red+`}`)
	as(200, "POST", theme+"/tokens/publish", "")
	var create []string
	for n := range 45 {
		create = append(create, fmt.Sprintf(`{"slug":"v%02d","displayName":"V","operations":[{"operation":"set","path":"red","value":"#0000%02x"}]}`, n, n))
	}
	var ids []string
	for _, item := range as(200, "POST", theme+"/variants/batch", `{"create":[`+strings.Join(create, ",")+`]}`).object(t)["created"].([]any) {
		ids = append(ids, item.(map[string]any)["id"].(string))
	}
	as(201, "POST", environment+"/webhooks", fmt.Sprintf(`{"url":%q,"format":"purge"}`, purge.url))
	as(201, "POST", environment+"/webhooks", fmt.Sprintf(`{"url":%q,"format":"chat","kinds":["variants.published","variants.discarded"]}`, purge.url))
	newest := as(200, "GET", environment+"/events?orderDir=descending&limit=1", "").object(t)["items"].([]any)[0]
	last := newest.(map[string]any)["id"].(string)
	some := func(ids []string, more string) string {
		list, _ := json.Marshal(ids)
		return `{"variants":` + string(list) + more + `}`
	}
	as(200, "POST", theme+"/variants/publish", some(ids[:20], ""))
	as(200, "POST", theme+"/variants/publish", some(ids[:43], `,"note":"many"`)) // 23 of them have a draft
	as(200, "POST", theme+"/variants/discard", some(ids[43:], ""))
	items := as(200, "GET", environment+"/events?limit=1000&after="+last, "").object(t)["items"].([]any)
	if len(items) != 23 {
		t.Fatalf("%d events, want 20 and one and 2", len(items))
	}
	for i, item := range items {
		if e := item.(map[string]any); i != 20 && (e["variant"] == nil || e["count"] != nil || e["variants"] != nil) {
			t.Errorf("event %d = %v, want that of one Variant", i, e)
		}
	}
	e := items[20].(map[string]any)
	var listed []string
	for _, id := range e["variants"].([]any) {
		listed = append(listed, id.(string))
	}
	if e["kind"] != "variants.published" || e["count"] != 23.0 || e["version"] != 1.0 || e["note"] != "many" || e["variant"] != nil || e["theme"] != idOf(theme) || !slices.Equal(listed, ids[20:40]) {
		t.Errorf("the event of 23 Variants = %v", e)
	}
	var bodies []string
	for _, m := range purge.got(t, 22) {
		bodies = append(bodies, m.body)
	}
	for _, want := range []string{`{"surrogate_keys":["` + idOf(theme) + `"]}`, `{"text":"23 Variants of Theme A theme were published as version 1: many"}`} {
		if !slices.Contains(bodies, want) {
			t.Errorf("messages = %q, want %s among them", bodies, want)
		}
	}
	page := auditOf(t, call, `{"who":"stranger"}`)
	changes := page.Entries[len(page.Entries)-1].Changes
	for _, a := range page.Entries {
		if len(a.Changes) > 20 {
			changes = a.Changes
		}
	}
	if len(changes) != 21 || changes[20] != "variants, 3 more, become 1" {
		t.Errorf("the audit log tells %q, want 20 Variants and how many more", changes)
	}
}

// The 400 of every DELETE is that of the document, which the harness compares it with.
func TestDeletesRefuseAMalformedRequest(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.brands("a")
	webhooks := "/environments/" + h.sandbox + "/webhooks"
	webhook := webhooks + "/" + h.want(201, "POST", webhooks, `{"url":"https://hook.invalid/x"}`).text(t, "id")
	for _, path := range []string{theme, theme + "/tokens", v[0], v[0] + "/tokens"} {
		h.do(owner, "DELETE", path, "", "If-Match", "bare").refuses(t, 400, "payload")
	}
	for _, path := range []string{theme, theme + "/tokens", v[0], v[0] + "/tokens", webhook} {
		h.do(owner, "DELETE", path, "", "Idempotency-Key", strings.Repeat("k", 256)).refuses(t, 400, "validation")
	}
}
