package origin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// decide sends a request for a Theme that is judged as j says.
func (h *house) decide(theme string, j judgement) (answer, error) {
	h.t.Helper()
	caller, err := h.origin.keys.Verify([]string{"Bearer " + h.token(owner)})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.origin.run(&request{
		caller: caller, environmentID: h.sandbox, themeID: theme[strings.LastIndex(theme, "/")+1:],
		route: Route{Path: themePath, Role: record.Editor, write: func(o *Origin, q *request) (write, error) { return o.ahead(q, j) }},
	})
}

// inTransaction reports whether a judgement is made while other writers wait.
func inTransaction(r storage.Reader) bool {
	_, ok := r.(storage.Tx)
	return ok
}

// A judgement holds up nobody: while one is made, the same Environment and the same Theme are written to; and as the Theme
// is another then, it is judged once more, in the transaction, and what was judged first is not written.
func TestJudgementsHoldUpNobody(t *testing.T) {
	h := newHouse(t)
	theme, other := h.theme("brand"), h.theme("other")
	var judged []string
	a, err := h.decide(theme, judgement{byTheme, func(r storage.Reader, p place) (verdict, error) {
		judged = append(judged, fmt.Sprint(inTransaction(r), " ", p.theme.TokenCount))
		if !inTransaction(r) {
			h.patch(other, red)
			h.patch(theme, red)
		}
		after := p.theme
		after.DisplayName = fmt.Sprint("judged of ", p.theme.TokenCount)
		a, err := bare(200, map[string]string{"name": after.DisplayName})
		write := func(tx storage.Tx) error { return storage.Themes.Write(tx, after, after.EnvironmentID, after.ID) }
		return verdict{answer: a, change: h.origin.unseen(), write: write}, err
	}})
	if err != nil || string(a.body) != `{"name":"judged of 1"}` {
		t.Errorf("answer = %s, %v, want that of the second judgement", a.body, err)
	}
	if want := []string{"false 0", "true 1"}; !slices.Equal(judged, want) {
		t.Errorf("judged in a transaction, of tokens: %q, want %q", judged, want)
	}
	if got := h.want(200, "GET", theme, "").object(t); got["displayName"] != "judged of 1" || got["tokenCount"] != 1.0 {
		t.Errorf("Theme = %v, want what the second judgement wrote over the edit", got)
	}
}

// A judgement that nothing overtook is made once, and one that refuses never waits for its turn.
func TestJudgementsAreMadeOnce(t *testing.T) {
	h := newHouse(t)
	theme := h.theme("brand")
	judged, refused := 0, 0
	_, err := h.decide(theme, judgement{byTheme, func(storage.Reader, place) (verdict, error) {
		judged++
		return verdict{}, nil
	}})
	if err != nil {
		t.Error(err)
	}
	_, err = h.decide(theme, judgement{byTheme, func(r storage.Reader, _ place) (verdict, error) {
		refused++
		if inTransaction(r) {
			t.Error("a refusal waited for its turn")
		}
		return verdict{}, errConflict
	}})
	if !errors.Is(err, errConflict) {
		t.Errorf("a refusal = %v, want the conflict", err)
	}
	if judged != 1 || refused != 1 {
		t.Errorf("judged %d and refused %d times, want once each", judged, refused)
	}
}

// Decision 1.8: where the key is known the first answer comes back, though the state would refuse the request by now.
func TestKnownKeysAreNotJudgedBySnapshots(t *testing.T) {
	h := newHouse(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	first := h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "k")
	if again := h.want(200, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "k"); again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the second answer = %v %s, want the first", again.header, again.body)
	}
	h.do(owner, "POST", theme+"/tokens/publish", "", "Idempotency-Key", "").refuses(t, 400, "validation") // before the state (decision 1.4)
	h.do(owner, "POST", theme+"/tokens/publish", "").refuses(t, 409, "conflict")
}
