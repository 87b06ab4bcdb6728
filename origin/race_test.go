package origin_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"example.com/livery/origin"
)

// race sends n equal requests at once and counts the statuses.
func (h *testOrigin) race(n int, send func(i int) (reply, error)) map[int]int {
	h.t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r, err := send(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				h.t.Errorf("request %d: %v", i, err)
			}
			statuses[r.status]++
		})
	}
	all.Wait()
	return statuses
}

// A44: of 1,000 parallel edits with one etag exactly one is taken.
func TestOneOfParallelEditsWins(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.ConnectionsPerIP = -1 })
	theme := h.theme("brand")
	etag := h.patch(theme, red)
	statuses := h.race(1000, func(i int) (reply, error) {
		return h.try(owner, "PATCH", theme+"/tokens?etag="+etag, ops(fmt.Sprintf(`[{"operation":"add","path":"/t%d","value":{"$value":%d}}]`, i, i)))
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusConflict] != 999 {
		t.Errorf("statuses = %v, want one 200 and 999 409", statuses)
	}
	if n := len(h.want(200, "GET", theme+"/tokens", "").object(t)["tokens"].([]any)); n != 2 {
		t.Errorf("%d tokens, want 2", n)
	}
}

// S178 A45 and decision 4.9: of 50 racing publishes one makes a version, and numbers never skip.
func TestOneOfRacingPublishesWins(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for version := 1; version <= 3; version++ {
		h.patch(theme, fmt.Sprintf(`[{"operation":"add","path":"/t%d","value":{"$value":1}}]`, version))
		statuses := h.race(50, func(int) (reply, error) { return h.try(owner, "POST", theme+"/tokens/publish", "") })
		if statuses[200] != 1 || statuses[409] != 49 {
			t.Errorf("statuses = %v, want one 200 and 49 409", statuses)
		}
	}
	if got := h.want(200, "GET", theme+"/tokens?includeVersions=true", "").object(t)["versions"]; fmt.Sprint(got) != "[3 2 1]" {
		t.Errorf("versions = %v, want 3 2 1", got)
	}
}

// S199 S200 S201 S202 S203, decision 5.8: the plan's allowance is exact, also under 100 parallel creates.
func TestPlanLimitIsExact(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	create := func(i int) (reply, error) {
		return h.try(owner, "POST", theme+"/variants", fmt.Sprintf(`{"slug":"v%d","displayName":"V"}`, i))
	}
	if statuses := h.race(100, create); statuses[201] != 10 || statuses[402] != 90 {
		t.Errorf("statuses = %v, want 10 201 and 90 402", statuses)
	}
	noMessages(t, h.do(owner, "POST", theme+"/variants", `{"slug":"more","displayName":"V"}`).refuses(t, 402, "planLimit"))
	h.do(owner, "POST", theme+"/variants", `{"slug":"","displayName":"V"}`).refuses(t, 400, "validation") // comes before the plan
	list := h.want(200, "GET", theme+"/variants?includeTotals=true", "").object(t)
	if list["totalCount"] != 10.0 {
		t.Fatalf("totalCount = %v, want 10", list["totalCount"])
	}
	first := list["items"].([]any)[0].(map[string]any)["id"].(string)
	h.want(200, "DELETE", theme+"/variants/"+first, "")
	h.want(201, "POST", theme+"/variants", `{"slug":"more","displayName":"V"}`)
	h.variant(h.theme("other"), "v0")

	themes := "/environments/" + h.foreign + "/themes"
	pro := themes + "/" + h.do(stranger, "POST", themes, `{"slug":"t","displayName":"T"}`).text(t, "id") + "/variants"
	for i := range 101 {
		want := 201
		if i == 100 {
			want = 402
		}
		if r := h.do(stranger, "POST", pro, fmt.Sprintf(`{"slug":"v%d","displayName":"V"}`, i)); r.status != want {
			t.Fatalf("Variant %d on plan pro = %d, want %d", i+1, r.status, want)
		}
	}
}
