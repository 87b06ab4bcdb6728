package origin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/origin/api"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/record"
)

// setIdentities changes the policy of the sandbox, as the operator does.
func (h *testOrigin) setIdentities(t *testing.T, policy string) {
	t.Helper()
	file, err := operator.Teams(context.Background(), h.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, team := range file.Teams {
		for i := range team.Environments {
			if e := &team.Environments[i]; e.ID == h.sandbox {
				e.Identities = policy
			}
		}
	}
	changes, err := operator.Apply(context.Background(), h.store, file, false, h.clock.Now())
	if err != nil || len(changes) != 1 || !strings.Contains(changes[0], "identities") {
		t.Fatalf("Apply() = %q, %v, want one change of identities", changes, err)
	}
}

// No answer of any route names who made a change to a viewer, or to anybody where the operator says so; editors and admins
// are told otherwise.
func TestIdentitiesAreForThoseWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	receiver, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	webhook, _ := h.addWebhook(receiver, "")
	named, _ := h.addWebhook(receiver, `,"identities":true,"kinds":["theme.published"]`)
	theme := h.theme("t")
	variant := h.variant(theme, "v")
	h.patch(theme, red)
	as := func(method, path, body string) {
		t.Helper()
		if r := h.do(designer, method, path, body); r.status >= 300 {
			t.Fatalf("%s %s = %d %s", method, path, r.status, r.body)
		}
	}
	as("POST", theme+"/tokens/publish", `{"note":"first"}`)
	as("PATCH", theme+"/tokens", `{"operations":[{"operation":"add","path":"/green","value":{"$value":"#00ff00"}}]}`)
	as("POST", theme+"/tokens/publish", "")
	as("POST", variant+"/tokens/publish", "")
	receiver.got(t, 8)
	s := subject{h.sandbox, idOf(theme), idOf(variant)}
	name := fmt.Sprintf("%q", designer)
	read := func(caller, path string) (routes []string) {
		t.Helper()
		for _, route := range slices.Concat(api.Routes(), api.Extras()) {
			at := strings.NewReplacer("{webhookID}", idOf(path)).Replace(s.spell(route.Path))
			if route.Method != "GET" {
				continue
			}
			r := h.do(caller, "GET", at, "")
			if r.status != 200 && !(r.status == 403 && caller == reader && roles["GET "+route.Path] == record.Admin) {
				t.Errorf("%s: GET %s = %d %s", caller, at, r.status, r.body)
			}
			if strings.Contains(r.body, name) {
				routes = append(routes, strings.TrimPrefix(route.Path, apiPath+"/environments/{environmentID}"))
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stream, _ := h.streamEvents(ctx, caller, "after=evt_0000000000_")
		for kind := ""; kind != "variant.published"; {
			if _, kind = stream.next(t); strings.Contains(stream.data, name) {
				routes = append(routes, "stream")
				break
			}
		}
		slices.Sort(routes)
		return routes
	}
	want := []string{"/events", "/themes/{themeID}/tokens/versions", "/themes/{themeID}/variants/{variantID}/tokens/versions", "stream"}
	if got := read(reader, webhook); len(got) > 0 {
		t.Errorf("a viewer is told who made a change by %q", got)
	}
	if got := read(owner, webhook); !slices.Equal(got, want) {
		t.Errorf("an admin is told who made a change by %q, want %q", got, want)
	}
	if got := read(owner, named); !slices.Contains(got, "/webhooks/{webhookID}/deliveries") {
		t.Errorf("the deliveries of a webhook that asked for identities have none: %q", got)
	}
	if r := h.do(designer, "GET", "/environments/"+h.sandbox+"/events", ""); !strings.Contains(r.body, name) {
		t.Errorf("an editor is not told who made a change: %s", r.body)
	}
	told := 0
	for _, m := range receiver.got(t, 8) {
		var body struct{ By *string }
		if err := json.Unmarshal([]byte(m.body), &body); err != nil {
			t.Fatal(err)
		}
		if body.By != nil {
			told++
		}
	}
	if told != 2 {
		t.Errorf("%d messages name who made a change, want the 2 of the webhook that asked for it", told)
	}
	h.setIdentities(t, "none")
	as("PATCH", theme+"/tokens", `{"operations":[{"operation":"remove","path":"/green"}]}`)
	as("POST", theme+"/tokens/publish", "")
	for _, path := range []string{webhook, named} {
		if got := read(owner, path); len(got) > 0 {
			t.Errorf("with identities: none an admin is told who made a change by %q", got)
		}
	}
	for _, m := range receiver.got(t, 11)[8:] {
		if strings.Contains(m.body, name) {
			t.Errorf("with identities: none a message is %s", m.body)
		}
	}
	h.setIdentities(t, "full")
	if got := read(owner, webhook); !slices.Equal(got, want) {
		t.Errorf("with identities: full an admin is told who made a change by %q, want %q", got, want)
	}
}
