package origin_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin/api"
	"example.com/livery/origin/operator"
	"example.com/livery/renderer"
	"example.com/livery/storage/record"
)

// operate sets how a Theme is served, as the operator does.
func (h *testOrigin) operate(theme string, update operator.ServingUpdate) {
	h.t.Helper()
	id := theme[strings.LastIndex(theme, "/")+1:]
	if _, err := operator.SetServing(context.Background(), h.store, id, update, h.clock.Now()); err != nil {
		h.t.Fatal(err)
	}
}

// S55 S65 S66 S67 S68: assetSettings are what the served files were built with: a prefix that the operator sets is
// nothing but a draft until a publish, edits never move it, and an empty prefix is live only once it was published on purpose.
func TestAssetSettingsAreLiveOnly(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	want := func(when string, prefix string, live bool, version any) {
		t.Helper()
		answer := e.want(200, "GET", theme, "").object(t)
		got := answer["assetSettings"]
		if draft := e.draftOf(theme) != ""; answer["hasUnpublishedChanges"] != draft { // S55: the operator's settings are not a draft
			t.Errorf("hasUnpublishedChanges %s = %v, want %v", when, answer["hasUnpublishedChanges"], draft)
		}
		if want := map[string]any{"prefix": prefix, "isLive": live, "liveVersion": version}; !reflect.DeepEqual(got, want) {
			t.Errorf("assetSettings %s = %v, want %v", when, got, want)
		}
	}
	want("of a new Theme", "", false, nil)
	e.patch(theme, red)
	e.publish(theme)
	want("after a publish without a prefix", "", false, nil)
	e.operate(theme, operator.ServingUpdate{Prefix: ptr("p")})
	want("after the operator set one", "", false, nil)
	e.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#aa0000"}]`)
	want("after an edit", "", false, nil)
	e.want(200, "DELETE", theme+"/tokens?etag="+e.draftOf(theme), "")
	want("after a discard", "", false, nil)
	e.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#bb0000"}]`)
	e.publish(theme)
	want("after the publish", "p", true, 2.0)
	e.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	want("after a publish that changed nothing of it", "p", true, 2.0)
	e.operate(theme, operator.ServingUpdate{Prefix: ptr("")})
	want("after the operator cleared it", "p", true, 2.0)
	e.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	want("after that was published", "", true, 4.0)
	for number, name := range []string{1: "--red: #ff0000;", "--p-red: #bb0000;", "--p-red: #bb0000;", "--red: #bb0000;"} {
		if number == 0 {
			continue
		}
		css := e.file(e.pair(theme, "-", fmt.Sprint(number)), renderer.TokensCSS)
		if !strings.Contains(css, "  "+name+"\n") { // every version keeps its own prefix
			t.Errorf("version %d is served as %s, want %s", number, css, name)
		}
	}
}

// S24 S57 S90: nothing that a body carries changes what is not its endpoint's to change: serving, asset settings,
// ids, versions, counts and, but for their own endpoints, tokens and integrations.
func TestBodiesChangeNothingElse(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	smuggled := `"id":"evil","environmentID":"evil","themeID":"evil","tokenCount":99,"latestVersion":99,"publishedAt":"2001-01-01T00:00:00Z",` +
		`"hasUnpublishedChanges":true,"serving":{"mode":"signed","signingKeys":["evil"],"allowedOrigins":["https://evil.example"],"missingOrigin":"refuse","allowedIPRanges":["::/0"]},` +
		`"assetSettings":{"prefix":"evil","isLive":true,"liveVersion":99},"prefix":"evil","servingUrls":null,"tokens":[{"path":"evil","value":1}],"groups":[],"createdBy":"evil","updatedBy":"evil",` +
		`"createdAt":"2001-01-01T00:00:00Z","updatedAt":"2001-01-01T00:00:00Z","plan":"pro","role":"admin"`
	settings := func(r reply) map[string]any {
		all := r.object(t)
		for _, name := range []string{"slug", "displayName", "updatedAt", "createdAt", "id", "servingUrls", "tokenCount", "integrations", "latestVersion", "publishedAt", "hasUnpublishedChanges"} {
			delete(all, name)
		}
		return all
	}
	want := settings(h.want(201, "POST", "/environments/"+h.sandbox+"/themes", `{"slug":"plain","displayName":"P"}`))
	for _, route := range api.Routes() {
		if route.Method == "GET" {
			continue
		}
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			h := h.of(t)
			s := h.ready()
			theme, _ := s.paths()
			name := route.Method + " " + route.Path
			body := strings.Replace(strings.Replace(bodies[name], "%d", "x"+s.theme[20:], 1), "{", "{"+smuggled+",", 1)
			r := h.do(owner, route.Method, h.etagOf(route, s.spell(route.Path)), body)
			if r.status >= 300 || strings.Contains(r.body, "evil") || strings.Contains(r.body, "2001-01-01") {
				t.Fatalf("%s = %d %s, want it done without what was smuggled", name, r.status, short(r.body))
			}
			after := h.do(owner, "GET", theme, "")
			if after.status != 200 { // it was deleted
				return
			}
			if got := settings(after); !reflect.DeepEqual(got, withID(want, s.environment)) {
				t.Errorf("after %s the Theme has %v, want %v", name, got, want)
			}
			if r.status == 201 && strings.HasSuffix(route.Path, "/themes") && !reflect.DeepEqual(settings(r), want) {
				t.Errorf("%s made %v, want %v", name, settings(r), want)
			}
		})
	}
}

func withID(settings map[string]any, environment string) map[string]any {
	settings["environmentID"] = environment
	return settings
}

// S90 S206 S137: a PUT of names and labels leaves tokens, integrations and the draft of a Theme and of a Variant as they are.
func TestUpdatesTouchNamesOnly(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	theme, variant := s.paths()
	h.patch(variant, `[{"operation":"set","path":"red","value":"#123456"}]`)
	h.want(200, "PUT", theme+"/integrations", pairsBody("vue", "vuetify"))
	for _, path := range []string{theme, variant} {
		before, tokens := h.want(200, "GET", path, "").object(t), h.want(200, "GET", path+"/tokens", "")
		h.clock.move(1e9)
		after := h.want(200, "PUT", path, `{"slug":"put","displayName":"Put","integrations":[],"operations":[]}`).object(t)
		if after["slug"] != "put" || after["displayName"] != "Put" || after["updatedAt"] == before["updatedAt"] {
			t.Errorf("PUT %s = %v, want the new names and another updatedAt", path, after)
		}
		for _, name := range []string{"slug", "displayName", "updatedAt"} {
			delete(before, name)
			delete(after, name)
		}
		if !reflect.DeepEqual(after, before) {
			t.Errorf("PUT %s changed %v to %v", path, before, after)
		}
		if again := h.want(200, "GET", path+"/tokens", ""); again.body != tokens.body || again.header.Get("Etag") != tokens.header.Get("Etag") {
			t.Errorf("PUT %s changed the tokens to %s", path, again.body)
		}
	}
}

// S59 A113: a signing secret is in no answer to anybody, in no header and in no log; the key's id is.
func TestSecretsAreNeverAnswered(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	key, err := operator.AddSigningKey(context.Background(), h.store, testMaster(t), s.theme, h.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(key.Secret)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{key.Secret, base64.StdEncoding.EncodeToString(raw), hex.EncodeToString(raw), string(raw), testFeedToken}
	shown := 0
	for _, route := range slices.Concat(api.Routes(), api.Extras(), api.Open()) {
		if route.Method == "DELETE" && !strings.HasSuffix(route.Path, "/tokens") {
			continue
		}
		for _, c := range callers {
			r := h.do(c.subject, route.Method, s.spell(route.Path), strings.Replace(bodies[route.Method+" "+route.Path], "%d", c.subject, 1))
			text := r.body + fmt.Sprint(r.header)
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s %s as %q shows a secret: %s", route.Method, route.Path, c.subject, short(text))
				}
			}
			if strings.Contains(r.body, key.ID) {
				shown++
			}
		}
	}
	if shown == 0 {
		t.Error("no answer shows the key's id")
	}
	for _, secret := range append(secrets, h.token(owner)[:40]) {
		if strings.Contains(h.logs.String(), secret) {
			t.Error("the log holds a secret")
		}
	}
}

// S2 S33 S34 S35 S36 S37: an Environment reads as the operator set it, for every grant holder; each of the three kinds
// is told, a text description and labels among them, and cacheLifetime is a whole number.
func TestEnvironmentsReadAsTheyWereSet(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	labels := map[string]string{"region": "eu", "cost/centre": ""}
	var entries []operator.EnvironmentEntry
	for _, kind := range []string{"production", "sandbox", "staging"} {
		entries = append(entries, operator.EnvironmentEntry{
			Slug: "the-" + kind, DisplayName: "The " + kind, Kind: kind, CacheLifetime: 86_400, Description: ptr("For " + kind), Metadata: labels,
			Grants: map[string]record.Role{"ann": record.Viewer, "bob": record.Admin},
		})
	}
	file := operator.TeamsFile{Teams: []operator.TeamEntry{{Slug: "initech", Plan: record.Free, Members: []string{"ann", "bob"}, Environments: entries}}}
	if _, err := operator.Apply(context.Background(), h.store, file, false, h.clock.Now()); err != nil {
		t.Fatal(err)
	}
	for subject, role := range map[string]string{"ann": "viewer", "bob": "admin"} {
		list := h.do(subject, "GET", "/environments", "")
		items := list.object(t)["items"].([]any)
		if len(items) != len(entries) {
			t.Fatalf("%s sees %s, want %d Environments", subject, list.body, len(entries))
		}
		for i, item := range items {
			got, want := item.(map[string]any), entries[i]
			for name, value := range map[string]any{
				"slug": want.Slug, "displayName": want.DisplayName, "kind": want.Kind, "description": *want.Description, "cacheLifetime": 86_400.0,
				"metadata": map[string]any{"region": "eu", "cost/centre": ""}, "role": role,
			} {
				if !reflect.DeepEqual(got[name], value) {
					t.Errorf("%s of %s for %s = %v, want %v", name, want.Slug, subject, got[name], value)
				}
			}
			one := h.do(subject, "GET", "/environments/"+got["id"].(string), "")
			if !reflect.DeepEqual(one.object(t), got) {
				t.Errorf("GET one = %s, want what the list says: %v", one.body, got)
			}
			var numbers struct{ CacheLifetime json.Number }
			if err := json.Unmarshal([]byte(one.body), &numbers); err != nil || numbers.CacheLifetime != "86400" {
				t.Errorf("cacheLifetime = %q, %v, want 86400", numbers.CacheLifetime, err)
			}
		}
	}
}

// S42 S44 S45 S46 S47: the Environments are paged by slug as every list is.
func TestEnvironmentsArePaged(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for query, want := range map[string]string{
		"":                                  `[sandbox staging] 1 100 <nil> <nil>`,
		"?orderDir=ascending":               `[sandbox staging] 1 100 <nil> <nil>`,
		"?orderDir=descending":              `[staging sandbox] 1 100 <nil> <nil>`,
		"?pageSize=1":                       `[sandbox] 1 1 <nil> <nil>`,
		"?pageSize=1&pageNumber=2":          `[staging] 2 1 <nil> <nil>`,
		"?pageSize=1&orderDir=descending":   `[staging] 1 1 <nil> <nil>`,
		"?pageSize=1&includeTotals=true":    `[sandbox] 1 1 2 2`,
		"?pageSize=3&includeTotals=true":    `[sandbox staging] 1 3 2 1`,
		"?includeTotals=false&pageNumber=2": `[] 2 100 <nil> <nil>`,
	} {
		body := h.want(200, "GET", "/environments"+query, "").object(t)
		slugs := []string{}
		for _, item := range body["items"].([]any) {
			slugs = append(slugs, item.(map[string]any)["slug"].(string))
		}
		if got := fmt.Sprint(slugs, " ", body["pageNumber"], " ", body["pageSize"], " ", body["totalCount"], " ", body["totalPages"]); got != want {
			t.Errorf("environments%s = %s, want %s", query, got, want)
		}
		if body["pageCount"] != float64(len(slugs)) {
			t.Errorf("environments%s: pageCount = %v, want %d", query, body["pageCount"], len(slugs))
		}
	}
}

// S26: every time has one format, to the millisecond, whichever code wrote it.
func TestTimesHaveOneSpelling(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.variant(theme, "dark")
	h.patch(theme, red)
	h.publish(theme)
	if _, err := operator.AddSigningKey(context.Background(), h.store, testMaster(t), idOf(theme), h.clock.Now()); err != nil {
		t.Fatal(err)
	}
	call := h.operator()
	texts := []string{call(200, "GET", "/themes/"+idOf(theme)+"/keys", ""), call(200, "GET", "/status", "")}
	for _, path := range []string{"/environments", "/environments/" + h.sandbox, theme, theme + "/variants", theme + "/tokens?version=1"} {
		texts = append(texts, h.want(200, "GET", path, "").body)
	}
	spelled := regexp.MustCompile(`"(\w+At)":("[^"]*")`)
	whole := regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z"$`)
	for _, text := range texts {
		times := spelled.FindAllStringSubmatch(text, -1)
		if len(times) == 0 {
			t.Errorf("%s has no time", short(text))
		}
		for _, at := range times {
			if !whole.MatchString(at[2]) {
				t.Errorf("%s = %s in %s, want milliseconds and Z", at[1], at[2], short(text))
			}
		}
	}
}
