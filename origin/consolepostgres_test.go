package origin_test

import (
	"testing"
	"time"
)

// Origins that share a PostgreSQL share codes and sessions, and each tells the people at its console what happens at the
// other.
func TestCallersOfSeveralConsoles(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	h := newPostgresOrigin(t, c.URL(), time.Minute)
	h.end()
	config := h.config
	config.Console = consoleFiles()
	h.start(config)
	config.Store = openPostgres(t, c.URL(), time.Minute)
	other := &testOrigin{t: t, clock: h.clock, store: config.Store}
	other.start(config)
	t.Cleanup(other.end)
	code := linkTo(t, h.operator(), designer)
	b := &browser{h: h, base: other.base}
	if got := []int{b.useCode(code), b.useCode(code), (&browser{h: h}).useCode(code)}; got[0] != 204 || got[1] != 401 || got[2] != 401 {
		t.Fatalf("a code at the other origin, there again and at this one = %v, want 204, 401, 401", got)
	}
	if r := (&browser{h: h, cookie: b.cookie}).ask("GET", apiPath+"/me", ""); r.status != 200 {
		t.Errorf("a session of the other origin = %d, want 200", r.status)
	}
	live, _ := h.streamEvents(t.Context(), "", "", "X-Livery-Console", "1", "Cookie", b.cookie)
	b.ask("POST", apiPath+"/environments/"+h.sandbox+"/themes", `{"slug":"t","displayName":"T"}`)
	if _, kind := live.next(t); kind != "theme.created" {
		t.Errorf("this origin tells %q, want what was made at the other", kind)
	}
}
