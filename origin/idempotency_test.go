package origin_test

import (
	"fmt"
	"strings"
	"testing"
)

// Decision 1.8: an Idempotency-Key lets a POST happen once and gives the first answer again.
func TestIdempotencyKeyReplaysTheFirstAnswer(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	body := func(slug string) string { return `{"slug":"` + slug + `","displayName":"x"}` }
	first := h.want(201, "POST", themes, body("a"), "Idempotency-Key", "k")
	again := h.want(201, "POST", themes, body("a"), "Idempotency-Key", "k")
	if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("replay = %s %v, want %s", again.body, again.header, first.body)
	}
	noMessages(t, h.do(owner, "POST", themes, body("b"), "Idempotency-Key", "k").refuses(t, 409, "conflict"))
	h.do(owner, "POST", themes, `{}`, "Idempotency-Key", "k").refuses(t, 400, "validation")
	h.do(owner, "POST", themes, `{`, "Idempotency-Key", "k").refuses(t, 400, "payload")
	h.do(designer, "POST", themes, body("a"), "Idempotency-Key", "k").refuses(t, 409, "conflict") // another caller: the slug is taken
	h.do(reader, "POST", themes, body("a"), "Idempotency-Key", "k").refuses(t, 403, "forbidden")
	h.do(owner, "POST", themes, body("c"), "Idempotency-Key", strings.Repeat("k", 256)).refuses(t, 400, "validation")
	h.want(201, "POST", themes, body("c"), "Idempotency-Key", strings.Repeat("k", 255))

	theme := themes + "/" + first.text(t, "id")
	h.do(owner, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "p").refuses(t, 409, "conflict")
	h.patch(theme, red)
	statuses := h.race(50, func(int) (reply, error) {
		return h.try(owner, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "p")
	})
	if statuses[200] != 50 {
		t.Errorf("statuses = %v, want 50 times the first answer", statuses)
	}
	h.do(owner, "POST", theme+"/tokens/publish?unchanged=true", "", "Idempotency-Key", "p").refuses(t, 409, "conflict")
	if got := h.want(200, "GET", theme, "").object(t)["latestVersion"]; got != 1.0 {
		t.Errorf("latestVersion = %v, want 1", got)
	}
	h.clock.move(25 * 3600 * 1e9)
	h.do(owner, "POST", themes, body("a"), "Idempotency-Key", "k").refuses(t, 409, "conflict") // judged anew: the slug is taken
	h.want(201, "POST", themes, body("d"), "Idempotency-Key", "k")
}

// Decision 1.8: each POST of the API replays, also to a caller who asks while the state has moved on; another path,
// another query and another caller are other requests, and what is no POST takes no key.
func TestEveryPostReplays(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	theme, variant := s.paths()
	h.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/environments/" + s.environment + "/themes", `{"slug":"x","displayName":"X"}`, 201},
		{theme + "/variants", `{"slug":"x","displayName":"X"}`, 201},
		{variant + "/tokens/publish", "", 200},
		{theme + "/tokens/publish", "", 200},
	} {
		first := h.want(c.status, "POST", c.path, c.body, "Idempotency-Key", "one")
		h.want(200, "PUT", theme, `{"slug":"moved","displayName":"Moved `+fmt.Sprint(len(c.path))+`"}`)
		again := h.want(c.status, "POST", c.path, c.body, "Idempotency-Key", "one")
		if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("POST %s again = %s %v, want the first answer: %s", c.path, again.body, again.header, first.body)
		}
		if again.header.Get("X-Request-Id") == first.header.Get("X-Request-Id") {
			t.Errorf("POST %s again has the request id of the first", c.path)
		}
		noMessages(t, h.do(owner, "POST", c.path, c.body, "Idempotency-Key", "two").refuses(t, 409, "conflict")) // done already
		noMessages(t, h.do(designer, "POST", c.path, c.body, "Idempotency-Key", "one").refuses(t, 409, "conflict"))
		h.do("", "POST", c.path, c.body, "Idempotency-Key", "one")
		h.do(guest, "POST", c.path, c.body, "Idempotency-Key", "one").refuses(t, 403, "forbidden")
		h.do(stranger, "POST", c.path, c.body, "Idempotency-Key", "one").refuses(t, 404, "notFound")
		if again := h.want(c.status, "POST", c.path, c.body, "Idempotency-Key", "one"); again.body != first.body {
			t.Errorf("POST %s a third time = %s, want the first answer", c.path, again.body)
		}
	}
	for _, key := range []string{strings.Repeat("k", 256), ""} {
		for _, path := range []string{theme + "/tokens/publish", variant + "/tokens/publish", theme + "/variants"} {
			h.do(owner, "POST", path, `{"slug":"y","displayName":"Y"}`, "Idempotency-Key", key).refuses(t, 400, "validation")
		}
	}
	if got := h.want(200, "GET", theme, "").object(t)["latestVersion"]; got != 2.0 {
		t.Errorf("latestVersion = %v, want 2: one publish for all the retries", got)
	}
	body := `{"slug":"put","displayName":"Put"}`
	for range 2 { // no POST: the key means nothing
		if r := h.want(200, "PUT", theme, body, "Idempotency-Key", "one"); r.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("PUT replays: %v", r.header)
		}
	}
}

// Decision 9.9: PATCH and DELETE replay too, with the headers of the first answer, whatever its size and also when what the
// path names is gone; the key of one method is not that of another.
func TestEditsAndDeletionsReplay(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	replays := func(method, path, body, key string, more ...string) reply {
		t.Helper()
		more = append(more, "Idempotency-Key", key)
		first := h.want(200, method, path, body, more...)
		again := h.want(200, method, path, body, more...)
		if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s %s again = %s %v, want the first answer %s", method, path, short(again.body), again.header, short(first.body))
		}
		for _, name := range []string{"Etag", "Preference-Applied"} {
			if got, want := again.header.Get(name), first.header.Get(name); got != want {
				t.Errorf("%s %s again: %s %q, want %q", method, path, name, got, want)
			}
		}
		return first
	}
	etag := replays("PATCH", theme+"/tokens", ops(red), "k").text(t, "etag")
	h.do(owner, "DELETE", theme+"/tokens?etag="+etag, "", "Idempotency-Key", "k").conflicts(t, 409, "idempotencyKeyReused")
	etag = replays("PATCH", theme+"/tokens?etag="+etag, ops(manyTokens(400)), "large").text(t, "etag")
	etag = replays("PATCH", theme+"/tokens?etag="+etag, ops(`[{"operation":"remove","path":"/red"}]`), "small", "Prefer", "return=minimal").text(t, "etag")
	replays("DELETE", theme+"/tokens?etag="+etag, "", "discard")
	replays("PATCH", variant+"/tokens", ops(`[{"operation":"set","path":"red","value":1}]`), "k")
	replays("DELETE", variant, "", "gone")
	h.do(owner, "DELETE", variant, "").refuses(t, 404, "notFound")
	h.do(owner, "DELETE", variant, "", "Idempotency-Key", "other").refuses(t, 404, "notFound")
	h.do(designer, "DELETE", variant, "", "Idempotency-Key", "gone").refuses(t, 404, "notFound")
	h.do(reader, "DELETE", variant, "", "Idempotency-Key", "gone").refuses(t, 403, "forbidden")
	h.do(stranger, "DELETE", variant, "", "Idempotency-Key", "gone").refuses(t, 404, "notFound")
	replays("DELETE", theme, "", "gone")
	h.want(200, "DELETE", variant, "", "Idempotency-Key", "gone") // also once its Theme is gone
	h.clock.move(25 * 3600 * 1e9)
	h.do(owner, "DELETE", theme, "", "Idempotency-Key", "gone").refuses(t, 404, "notFound")
}
