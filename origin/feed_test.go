package origin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"github.com/prometheus/client_golang/prometheus"
)

// edge is a client of the feed.
type edge struct {
	*testOrigin
	feed *string
}

func newEdge(t testing.TB, change ...func(*origin.Config)) edge {
	h := newTestOrigin(t, change...)
	feed := "http://" + h.serve(h.origin.ServeFeed) + "/feed/v1"
	return edge{h, &feed}
}

// restart ends the origin and starts another one over the same store.
func (e edge) restart() {
	e.t.Helper()
	e.end()
	e.start(e.config)
	*e.feed = "http://" + e.serve(e.origin.ServeFeed) + "/feed/v1"
}

// ask reads one answer of the feed.
func (e edge) ask(path string) (status int, body []byte) {
	e.t.Helper()
	return e.askAs("Bearer "+testFeedToken, path)
}

func (e edge) askAs(authorization, path string) (status int, body []byte) {
	e.t.Helper()
	request, err := http.NewRequest("GET", *e.feed+path, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	answer, err := e.client.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return answer.StatusCode, body
}

// fed reads an answer into a record, and fails the test unless it is 200.
func fed[T any](e edge, path string) T {
	e.t.Helper()
	var v T
	status, body := e.ask(path)
	if err := json.Unmarshal(body, &v); status != 200 || err != nil {
		e.t.Fatalf("GET %s = %d %s, %v", path, status, body, err)
	}
	return v
}

// address spells a Theme's path of the API as the feed does: environment/theme.
func address(theme string) string {
	return strings.Replace(strings.TrimPrefix(theme, "/environments/"), "/themes/", "/", 1)
}

func (e edge) pair(theme, variant, version string) feedproto.Pair {
	e.t.Helper()
	return fed[feedproto.Pair](e, "/pairs/"+address(theme)+"/"+variant+"/"+version)
}

// file renders one file from the blobs that a pair names, as an edge does.
func (e edge) file(p feedproto.Pair, f renderer.File) string {
	e.t.Helper()
	opened, err := plan.Open(e.part(p.Plan, f))
	if err != nil {
		e.t.Fatal(err)
	}
	if p.Overlay == "" {
		return string(opened.File())
	}
	overlay, err := plan.OpenOverlay(opened, e.part(p.Overlay, f))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(overlay.Append(nil))
}

// part fetches a bundle and returns what it has for a file.
func (e edge) part(bundle record.Hash, f renderer.File) []byte {
	e.t.Helper()
	status, blob := e.ask("/blobs/" + string(bundle))
	if status != 200 || record.HashOf(blob) != bundle {
		e.t.Fatalf("blob %s = %d with %d bytes of %s", bundle, status, len(blob), record.HashOf(blob))
	}
	opened, err := plan.OpenBundle(blob)
	if err != nil {
		e.t.Fatal(err)
	}
	return opened.Part(uint8(f))
}

// A112: only who carries the token is answered.
func TestFeedNeedsItsToken(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer x", "Basic " + testFeedToken, "Bearer " + testFeedToken + "x", "Bearer " + e.token(owner)} {
		for _, path := range []string{"/changes", "/modules", "/themes/a/b", "/nothing"} {
			if status, body := e.askAs(authorization, path); status != 401 || len(body) != 0 {
				t.Errorf("GET %s as %q = %d %s, want 401 without a body", path, authorization, status, body)
			}
		}
	}
	h := newTestOrigin(t, func(c *origin.Config) { c.FeedToken = "" })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.origin.ServeFeed(l); err == nil {
		t.Error("ServeFeed() without a token = nil, want an error")
	}
}

// S38 S227 S229: what an edge needs to decide any request for a Theme's files.
func TestFeedTellsOfThemes(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	id := theme[strings.LastIndex(theme, "/")+1:]
	got := fed[feedproto.Theme](e, "/themes/"+address(theme))
	want := feedproto.Theme{
		EnvironmentID: e.sandbox, ThemeID: id, CacheLifetime: 2, Files: []string{"tokens.css"}, Cursor: got.Cursor,
		Serving: record.Serving{Mode: "public", SigningKeys: []record.SigningKey{}, AllowedOrigins: []string{}, MissingOrigin: "allowNonBrowsers", AllowedIPRanges: []string{}},
	}
	if !reflect.DeepEqual(got, want) || got.Cursor == "" {
		t.Errorf("theme = %+v, want %+v", got, want)
	}
	key, err := operator.AddSigningKey(context.Background(), e.store, testMaster(t), id, e.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	e.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"vue","library":"vuetify"},{"framework":"vue","library":"buildTimeTokens"}]}`)
	got = fed[feedproto.Theme](e, "/themes/"+address(theme))
	if fmt.Sprint(got.Files) != "[tokens.dtcg.json tokens.flat.json tokens.json tokens.values.json]" {
		t.Errorf("files = %v, want the four sorted", got.Files)
	}
	if len(got.Serving.SigningKeys) != 1 || got.Serving.SigningKeys[0].ID != key.ID || len(got.Serving.SigningKeys[0].Secret) != 32 {
		t.Errorf("signing keys = %v, want the one with its secret", got.Serving.SigningKeys)
	}
	for _, path := range []string{e.staging + "/" + id, e.sandbox + "/thm_0", "x/" + id, "%00/x"} {
		if status, body := e.ask("/themes/" + path); status != 404 || string(body) != `{"missing":"theme"}` {
			t.Errorf("GET theme %s = %d %s, want a missing theme", path, status, body)
		}
	}
}

// S15 S69-S73 S187 S230 S232 S233, decisions 5.6 5.7 6.5: what each address is rendered from, and when it is sealed.
func TestFeedTellsOfPairs(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	variant := e.variant(theme, "dark")
	id := variant[strings.LastIndex(variant, "/")+1:]
	for path, missing := range map[string]string{
		address(theme) + "/-/latest": "version", address(theme) + "/-/1": "version", address(theme) + "/" + id + "/latest": "version",
		address(theme) + "/var_0/latest": "variant", e.sandbox + "/thm_0/-/latest": "theme", e.staging + "/" + address(theme)[len(e.sandbox)+1:] + "/-/1": "theme",
	} {
		if status, body := e.ask("/pairs/" + path); status != 404 || string(body) != `{"missing":"`+missing+`"}` {
			t.Errorf("GET pair %s = %d %s, want a missing %s", path, status, body, missing)
		}
	}
	if _, err := operator.SetServing(context.Background(), e.store, theme[strings.LastIndex(theme, "/")+1:], operator.ServingUpdate{Prefix: ptr("brand")}, e.clock.Now()); err != nil {
		t.Fatal(err)
	}
	e.patch(theme, red)
	e.publish(theme)
	own := e.pair(theme, "-", "latest")
	module := record.HashOf([]byte(testModule))
	if own.Version != 1 || own.Overlay != "" || own.Module != module || !own.Sealed {
		t.Errorf("pair of the Theme = %+v, want version 1 without overlay, sealed", own)
	}
	if got := e.file(own, renderer.TokensCSS); !strings.Contains(got, "--brand-red: #ff0000;") {
		t.Errorf("tokens.css = %s, want red with the prefix", got)
	}
	if _, blob := e.ask("/blobs/" + string(module)); string(blob) != testModule {
		t.Errorf("module = %q", blob)
	}
	if p := e.pair(theme, id, "1"); p.Overlay != "" || p.Sealed {
		t.Errorf("pair of an unpublished Variant = %+v, want the Theme's own values, not sealed", p)
	}
	e.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	if p := e.pair(theme, id, "1"); p.Overlay != "" {
		t.Errorf("pair = %+v: unpublished edits are never served", p)
	}
	e.publish(variant)
	published := e.pair(theme, id, "latest")
	if !published.Sealed || published.Plan != own.Plan || published.Version != 1 {
		t.Errorf("pair of a published Variant = %+v, want sealed", published)
	}
	if got := e.file(published, renderer.TokensFlatJSON); got != `{"red":"#000000"}`+"\n" {
		t.Errorf("the Variant's tokens.flat.json = %s", got)
	}
	e.patch(theme, `[{"operation":"move","from":"/red","path":"/crimson"}]`)
	e.publish(theme)
	carried := e.pair(theme, id, "2")
	if got := e.file(carried, renderer.TokensFlatJSON); got != `{"crimson":"#000000"}`+"\n" || carried.Sealed {
		t.Errorf("carried pair = %+v with %s, want the renamed override, not sealed", carried, got)
	}
	if again := e.pair(theme, id, "1"); again.Overlay != published.Overlay || again.Plan != published.Plan || !again.Sealed {
		t.Errorf("pair at 1 = %+v after version 2, want %+v", again, published)
	}
	later := e.variant(theme, "later")
	if p := e.pair(theme, later[strings.LastIndex(later, "/")+1:], "1"); p.Overlay != "" || !p.Sealed {
		t.Errorf("pair of a later Variant at an old version = %+v, want the Theme's own values, sealed", p)
	}
	for _, version := range []string{"0", "01", "+1", "1.0", "3", "-1", "LATEST", "4294967297", "%20"} {
		if status, body := e.ask("/pairs/" + address(theme) + "/-/" + version); status != 404 || string(body) != `{"missing":"version"}` {
			t.Errorf("version %s = %d %s, want a missing version", version, status, body)
		}
	}
	modules := fed[struct{ Modules []record.Module }](e, "/modules").Modules
	if len(modules) != 1 || modules[0].Digest != module || modules[0].ABIVersion != 1 || modules[0].CoreVersion != renderer.Version || modules[0].Size != 16 {
		t.Errorf("modules = %+v", modules)
	}
	for _, digest := range []string{"x", strings.Repeat("0", 64), strings.ToUpper(string(module)), "..%2f"} {
		if status, _ := e.ask("/blobs/" + digest); status != 404 {
			t.Errorf("blob %s = %d, want 404", digest, status)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// S126 S127: every commit that an edge must know of is one entry that names the Theme, and no other is.
func TestFeedNamesWhatChanged(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	cursor := fed[feedproto.Changes](e, "/changes").Cursor
	next := func(what string, want ...string) {
		t.Helper()
		got := fed[feedproto.Changes](e, "/changes?after="+cursor)
		cursor = got.Cursor
		var names []string
		for _, c := range got.Changes {
			names = append(names, c.EnvironmentID+"/"+c.ThemeID)
		}
		if fmt.Sprint(names) != fmt.Sprint(want) || got.Reset {
			t.Errorf("after %s: changes = %v, want %v", what, names, want)
		}
	}
	theme := e.theme("brand")
	name := address(theme)
	next("a create", name)
	variant := e.variant(theme, "dark")
	next("a Variant's create", name)
	e.patch(theme, red)
	e.patch(theme, red)
	next("edits and an edit that changes nothing")
	e.want(200, "PUT", theme, `{"slug":"b","displayName":"B"}`)
	next("a rename", name)
	e.want(200, "PUT", theme, `{"slug":"b","displayName":"B","metadata":{"team":"a"}}`)
	next("a label")
	e.publish(theme)
	next("a publish", name)
	e.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	e.publish(variant)
	next("a Variant's publish", name)
	e.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"vue","library":"vuetify"}]}`)
	next("integrations", name)
	e.want(200, "PUT", theme+"/modes", `{"modes":[{"dimension":"scheme","mode":"light","variant":null}]}`)
	next("modes", name)
	if _, err := operator.SetServing(context.Background(), e.store, name[len(e.sandbox)+1:], operator.ServingUpdate{Mode: ptr("signed")}, e.clock.Now()); err != nil {
		t.Fatal(err)
	}
	next("a serving change", name)
	file, err := operator.Teams(context.Background(), e.store)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Teams {
		for j := range file.Teams[i].Environments {
			if file.Teams[i].Environments[j].ID == e.sandbox {
				file.Teams[i].Environments[j].CacheLifetime = 9
			}
		}
	}
	if _, err := operator.Apply(context.Background(), e.store, file, false, e.clock.Now()); err != nil {
		t.Fatal(err)
	}
	next("a cacheLifetime", e.sandbox+"/")
	e.want(200, "DELETE", variant, "")
	next("a Variant's delete", name)
	e.want(200, "DELETE", theme, "")
	next("a delete", name)
}

// A poll waits for a change and no longer, and an unknown cursor starts anew.
func TestFeedPolls(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	start := fed[feedproto.Changes](e, "/changes?after=")
	got := make(chan feedproto.Changes, 1)
	go func() { got <- fed[feedproto.Changes](e, "/changes?wait=50&after="+start.Cursor) }()
	theme := e.theme("brand")
	select {
	case changes := <-got:
		if len(changes.Changes) != 1 || changes.Changes[0].EnvironmentID+"/"+changes.Changes[0].ThemeID != address(theme) || changes.Cursor != changes.Changes[0].Cursor {
			t.Errorf("poll = %+v, want the one change", changes)
		}
	case <-time.After(time.Minute):
		t.Fatal("the poll did not end with the change")
	}
	idle := fed[feedproto.Changes](e, "/changes?wait=1&after="+fed[feedproto.Changes](e, "/changes").Cursor)
	if len(idle.Changes) != 0 || idle.Reset {
		t.Errorf("idle poll = %+v, want nothing", idle)
	}
	e.patch(theme, red)
	moved := fed[feedproto.Changes](e, "/changes?after="+idle.Cursor)
	if len(moved.Changes) != 0 || moved.Cursor == idle.Cursor {
		t.Errorf("after an edit = %+v, want no change and a moved cursor", moved)
	}
	one := fed[feedproto.Changes](e, "/changes?limit=1")
	if len(one.Changes) > 1 {
		t.Errorf("limit=1 gave %d changes", len(one.Changes))
	}
	for _, other := range []string{"1.0000000000000000", "99999.0123456789abcdef"} {
		reset := fed[feedproto.Changes](e, "/changes?after="+other)
		if !reset.Reset || reset.Cursor != moved.Cursor || len(reset.Changes) != 0 {
			t.Errorf("cursor %s = %+v, want a reset to %s", other, reset, moved.Cursor)
		}
	}
	for _, query := range []string{"after=x", "wait=56", "wait=-1", "wait=x", "limit=0", "limit=10001"} {
		if status, body := e.ask("/changes?" + query); status != 400 || !bytes.Contains(body, []byte(`"payload"`)) {
			t.Errorf("changes?%s = %d %s, want 400 payload", query, status, body)
		}
	}
}

// A poll does not hold up a shutdown.
func TestShutdownEndsPolls(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	e := newEdge(t, func(c *origin.Config) { c.Registry = registry })
	cursor := fed[feedproto.Changes](e, "/changes").Cursor
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fed[feedproto.Changes](e, "/changes?wait=55&after="+cursor)
	}()
	eventually(t, "the poll", func() bool { return gauge(t, registry, "livery_origin_feed_clients") == 1 })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := e.origin.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown() = %v, want nil while a poll waits", err)
	}
	<-ended
}

// operator serves the operator's socket and returns what calls it and wants a status.
func (h *testOrigin) operator() func(status int, method, path, body string) string {
	h.t.Helper()
	path := h.t.TempDir() + "/operator.sock"
	listener, err := operator.Listen(path)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := operator.Listen(path); err == nil {
		h.t.Error("a second Listen() on a live socket = nil, want an error")
	}
	served := make(chan error, 1)
	h.served = append(h.served, served)
	go func() { served <- h.origin.ServeOperator(listener) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	return func(status int, method, path, body string) string {
		h.t.Helper()
		request, err := http.NewRequest(method, "http://operator/operator/v1"+path, strings.NewReader(body))
		if err != nil {
			h.t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err != nil {
			h.t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != status {
			h.t.Fatalf("%s %s = %d %s, %v, want %d", method, path, answer.StatusCode, text, err, status)
		}
		return string(text)
	}
}

// The operator's socket: teams, tokens, serving and keys, with errors in the API's shape.
func TestOperatorSocket(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	call := h.operator()
	file := `{"teams":[{"slug":"initech","plan":"pro","members":["bill","bob"],"environments":[{"slug":"dev","displayName":"Dev","kind":"sandbox","cacheLifetime":0,"grants":{"bill":"admin"}}]}]}`
	if dry := call(200, "POST", "/teams?dryRun=true", file); !strings.Contains(dry, "team initech is created") || strings.Contains(call(200, "GET", "/teams", ""), "initech") {
		t.Errorf("dry run = %s, want what would be done and nothing done", dry)
	}
	call(200, "POST", "/teams", file)
	if again := call(200, "POST", "/teams", file); again != `{"changes":[]}` {
		t.Errorf("second apply = %s, want no changes", again)
	}
	if bad := call(400, "POST", "/teams", `{"teams":[{"slug":"","plan":"x","members":[""],"environments":[]}]}`); !strings.Contains(bad, `"cause":"validation"`) || strings.Count(bad, "teams[0]") != 3 {
		t.Errorf("bad file = %s, want three messages", bad)
	}
	for _, body := range []string{``, `{`, `{"team":[]}`, `{"teams":[{"slug":"a","slug":"b"}]}`} {
		if r := call(400, "POST", "/teams", body); !strings.Contains(r, `"cause":"payload"`) {
			t.Errorf("file %q = %s, want payload", body, r)
		}
	}
	var token operator.Token
	if err := json.Unmarshal([]byte(call(200, "POST", "/token", `{"subject":"bill","ttlSeconds":60}`)), &token); err != nil {
		t.Fatal(err)
	}
	if caller, err := h.origin.Keys().Verify([]string{"Bearer " + token.Token}); err != nil || caller.Subject != "bill" {
		t.Errorf("token speaks for %v, %v, want bill", caller, err)
	}
	for _, body := range []string{`{"subject":""}`, `{"subject":"a","ttlSeconds":-1}`, `{"subject":"a","ttlSeconds":99999999999999}`} {
		call(400, "POST", "/token", body)
	}
	if r := h.do("bill", "GET", "/environments", ""); strings.Count(r.body, `"role":"admin"`) != 1 {
		t.Errorf("bill sees %s, want the one Environment", r.body)
	}

	theme := h.theme("brand")
	id := "/themes/" + theme[strings.LastIndex(theme, "/")+1:]
	shown := call(200, "PUT", id+"/serving", `{"mode":"signed","allowedOrigins":["https://*.example.com","http://localhost:3000"],"missingOrigin":"refuse","allowedIPRanges":["10.0.0.0/8","::1/128"],"manifest":true,"prefix":"x"}`)
	want := `{"mode":"signed","signingKeys":[],"allowedOrigins":["https://*.example.com","http://localhost:3000"],"missingOrigin":"refuse","allowedIPRanges":["10.0.0.0/8","::1/128"],"manifest":true,"prefix":"","nextPrefix":"x"}`
	if shown != want || call(200, "GET", id+"/serving", "") != want {
		t.Errorf("serving = %s, want %s", shown, want)
	}
	call(200, "PUT", id+"/serving", `{"allowedIPRanges":[]}`)
	bad := call(400, "PUT", id+"/serving", `{"mode":"x","missingOrigin":"y","allowedOrigins":["null","ftp://a","https://a/","https://a.*.b","https://u@a"],"allowedIPRanges":["10.0.0.1","x"],"prefix":"1 2"}`)
	if n := strings.Count(bad, `","`) - 2; !strings.Contains(bad, "validation") || n < 9 {
		t.Errorf("bad serving = %s, want ten messages", bad)
	}
	var key operator.NewSigningKey
	if err := json.Unmarshal([]byte(call(200, "POST", id+"/keys", "")), &key); err != nil || len(key.Secret) != 43 {
		t.Fatalf("key = %+v, %v", key, err)
	}
	if list := call(200, "GET", id+"/keys", ""); !strings.Contains(list, key.ID) || strings.Contains(list, key.Secret) {
		t.Errorf("keys = %s, want the id without the secret", list)
	}
	r := h.want(200, "GET", theme, "") // S59: key ids, and never a secret
	if serving := r.object(t)["serving"].(map[string]any); fmt.Sprint(serving["signingKeys"]) != "["+key.ID+"]" || serving["mode"] != "signed" || strings.Contains(r.body, key.Secret) {
		t.Errorf("serving of the Theme = %v", serving)
	}
	call(404, "DELETE", id+"/keys/key_x", "")
	call(200, "DELETE", id+"/keys/"+key.ID, "")
	if list := call(200, "GET", id+"/keys", ""); list != `{"keys":[]}` {
		t.Errorf("keys = %s, want none", list)
	}
	call(404, "GET", "/themes/thm_x/serving", "")
	call(404, "GET", "/nothing", "")
	call(404, "PATCH", "/teams", "")
	if strings.Contains(h.logs.String(), key.Secret) {
		t.Error("the log holds a secret")
	}
}
