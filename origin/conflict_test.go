package origin_test

import (
	"testing"
)

// conflicts fails the test unless the answer is the conflict of that status and reason.
func (r reply) conflicts(t testing.TB, status int, reason string) {
	t.Helper()
	noMessages(t, r.refuses(t, status, "conflict"))
	if got := r.header.Get("Livery-Reason"); got != reason {
		t.Errorf("Livery-Reason = %q, want %q", got, reason)
	}
}

// Decision 9.1: a claim that is stale is a conflict whatever the batch would make of the document; what is wrong with the
// operations on their own is 400 all the same.
func TestAStaleClaimComesBeforeTheDocument(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	variant := h.variant(theme, "dark")
	h.patch(variant, `[{"operation":"set","path":"red","value":"#00f"}]`)
	for name, c := range map[string]struct{ path, batch string }{
		"a pointer that is gone":             {theme + "/tokens?", `[{"operation":"remove","path":"/gone"}]`},
		"a misfit under strict":              {theme + "/tokens?strict=true&", `[{"operation":"add","path":"/bad","value":{"$type":"color","$value":"{gone}"}}]`},
		"an unknown type":                    {theme + "/tokens?", `[{"operation":"add","path":"/bad","value":{"$type":"colour","$value":1}}]`},
		"a misfit of a Variant under strict": {variant + "/tokens?strict=true&", `[{"operation":"set","path":"gone","value":1}]`},
	} {
		h.do(owner, "PATCH", c.path+"etag=stale", ops(c.batch)).conflicts(t, 409, "staleEtag")
		h.do(owner, "PATCH", c.path, ops(c.batch), "If-Match", `"stale"`).conflicts(t, 412, "ifMatchFailed")
		if e := h.do(owner, "PATCH", c.path, ops(c.batch), "If-Match", "*").refuses(t, 400, "validation"); len(e.Messages) == 0 {
			t.Errorf("%s under a claim that holds: no messages", name)
		}
	}
	h.do(owner, "PATCH", theme+"/tokens?etag=stale", ops(`[{"operation":"remove","path":"red"}]`)).refuses(t, 400, "validation")
	h.do(owner, "PATCH", variant+"/tokens?etag=stale", ops(`[{"operation":"set","path":"/red","value":1}]`)).refuses(t, 400, "validation")
}

// Decision 9.2: publish takes etag as PATCH does; left out, it claims nothing.
func TestPublishTakesTheETagOfTheDraft(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	etag := h.patch(theme, red)
	variant := h.variant(theme, "dark")
	for _, query := range []string{"?etag=stale", "?etag=", "?etag=null", "?unchanged=true&etag=stale"} {
		h.do(owner, "POST", theme+"/tokens/publish"+query, "").conflicts(t, 409, "staleEtag")
	}
	h.do(owner, "POST", theme+"/tokens/publish?etag="+etag, "", "If-Match", `"other"`).refuses(t, 400, "payload")
	if got := h.want(200, "GET", theme, "").object(t)["latestVersion"]; got != nil {
		t.Fatalf("latestVersion = %v after refusals, want none", got)
	}
	h.want(200, "POST", theme+"/tokens/publish?etag="+etag, "")
	h.want(200, "POST", theme+"/tokens/publish?etag=null&unchanged=true", "") // it saw no draft, and there is none
	draft := h.want(200, "GET", variant+"/tokens", "").text(t, "etag")
	h.do(owner, "POST", variant+"/tokens/publish?etag="+etag, "").conflicts(t, 409, "staleEtag")
	h.want(200, "POST", variant+"/tokens/publish?etag="+draft, "", "If-Match", `"`+draft+`"`)
}

// Decision 9.6: Livery-Reason says which conflict a 409 or 412 is, and nothing else carries it.
func TestConflictsSayTheirReason(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	other := h.theme("other")
	variant := h.variant(theme, "dark")
	themes := "/environments/" + h.sandbox + "/themes"
	taken := `{"slug":"brand","displayName":"A"}`
	h.do(owner, "POST", themes, taken).conflicts(t, 409, "slugTaken")
	h.do(owner, "PUT", other, taken).conflicts(t, 409, "slugTaken")
	h.do(owner, "POST", theme+"/variants", `{"slug":"dark","displayName":"A"}`).conflicts(t, 409, "slugTaken")
	h.want(201, "POST", themes, `{"slug":"new","displayName":"A"}`, "Idempotency-Key", "k")
	h.do(owner, "POST", themes, `{"slug":"newer","displayName":"A"}`, "Idempotency-Key", "k").conflicts(t, 409, "idempotencyKeyReused")
	h.do(owner, "POST", theme+"/tokens/publish", "").conflicts(t, 409, "noDraft")
	h.do(owner, "POST", theme+"/tokens/publish?unchanged=true", "").conflicts(t, 409, "noDraft")
	h.patch(variant, `[{"operation":"set","path":"red","value":"#00f"}]`)
	h.do(owner, "POST", variant+"/tokens/publish", "").conflicts(t, 409, "themeUnpublished")
	h.patch(theme, red)
	h.publish(theme)
	h.publish(variant)
	h.do(owner, "POST", variant+"/tokens/publish", "").conflicts(t, 409, "alreadyPublished")
	h.patch(variant, `[{"operation":"set","path":"red","value":"#0ff"}]`)
	h.do(owner, "POST", variant+"/tokens/publish", "").conflicts(t, 409, "alreadyPublished")
	fresh := h.variant(theme, "fresh")
	h.do(owner, "POST", fresh+"/tokens/publish", "").conflicts(t, 409, "noDraft")
	h.do(owner, "PATCH", variant+"/tokens", ops(`[]`)).conflicts(t, 409, "staleEtag")
	h.do(owner, "DELETE", variant+"/tokens", "", "If-Match", `"x"`).conflicts(t, 412, "ifMatchFailed")
	for _, r := range []reply{h.want(200, "GET", theme, ""), h.do(owner, "GET", theme+"x", ""), h.do(owner, "PATCH", theme+"/tokens?strict=x", "")} {
		if got := r.header.Get("Livery-Reason"); got != "" {
			t.Errorf("answer %d carries Livery-Reason %q", r.status, got)
		}
	}
}
