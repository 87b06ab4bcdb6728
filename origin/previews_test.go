package origin_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage/record"
)

// previews adds an Environment to acme whose Themes are previews of those in the sandbox, in which the owner and the designer
// are editors and the reader has no grant, and returns its id. with changes it first.
func (h *testOrigin) previews(with ...func(*operator.EnvironmentEntry)) (id string, err error) {
	h.t.Helper()
	file, err := operator.Teams(context.Background(), h.store)
	if err != nil {
		h.t.Fatal(err)
	}
	at := slices.IndexFunc(file.Teams, func(t operator.TeamEntry) bool { return t.Slug == "acme" })
	entry := operator.EnvironmentEntry{
		Slug: "preview", DisplayName: "Preview", Kind: "staging", PreviewOf: "sandbox",
		Grants: map[string]record.Role{owner: record.Editor, designer: record.Editor},
	}
	for _, change := range with {
		change(&entry)
	}
	file.Teams[at].Environments = append(slices.DeleteFunc(file.Teams[at].Environments, func(e operator.EnvironmentEntry) bool { return e.Slug == entry.Slug }), entry)
	if _, err := operator.Apply(context.Background(), h.store, file, false, h.clock.Now()); err != nil {
		return "", err
	}
	file, err = operator.Teams(context.Background(), h.store)
	for _, e := range file.Teams[at].Environments {
		if e.Slug == entry.Slug {
			id = e.ID
			if e.PreviewOf != entry.PreviewOf {
				h.t.Errorf("teams show: previewOf = %q, want %q", e.PreviewOf, entry.PreviewOf)
			}
		}
	}
	return id, err
}

// A preview is served by the rules of its Theme, which are the operator's, as they are at any moment: edges hear of each
// change, and get the signing keys of the Theme. It begins with the integrations and the prefix of the Theme.
func TestAPreviewIsServedByTheRulesOfItsTheme(t *testing.T) {
	t.Parallel()
	servedByTheRulesOfItsTheme(t, newEdge(t))
}

// The same on PostgreSQL, where a commit reads the Theme of another Environment.
func TestAPreviewOnPostgreSQL(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	h := newPostgresOrigin(t, c.URL(), time.Minute)
	feed := "http://" + h.serve(h.origin.ServeFeed) + "/feed/v1"
	servedByTheRulesOfItsTheme(t, edge{h, &feed})
}

func servedByTheRulesOfItsTheme(t *testing.T, e edge) {
	t.Helper()
	theme := e.theme("brand")
	e.operate(theme, operator.ServingUpdate{Prefix: ptr("acme"), AllowedOrigins: &[]string{"https://a.example"}})
	e.patch(theme, red)
	e.publish(theme)
	environment, err := e.previews()
	if err != nil {
		t.Fatal(err)
	}
	themes := "/environments/" + environment + "/themes"
	if got := e.want(200, "GET", "/environments/"+environment, "").text(t, "previewOf"); got != e.sandbox {
		t.Errorf("previewOf of the Environment = %s, want %s", got, e.sandbox)
	}
	body := fmt.Sprintf(`{"slug":"brand-pr-1","displayName":"x","previewOf":%q}`, path.Base(theme))
	preview := themes + "/" + e.want(201, "POST", themes, body).text(t, "id")
	e.patch(preview, strings.Replace(red, "ff0000", "00ff00", 1))
	published := e.publish(preview).object(t)
	if prefix := published["assetSettings"].(map[string]any)["prefix"]; prefix != "acme" || published["previewOf"] != path.Base(theme) {
		t.Errorf("the preview is %v, want the prefix acme and its Theme", published)
	}
	fedPath := "/themes/" + environment + "/" + path.Base(preview)
	want := fed[feedproto.Theme](e, "/themes/"+e.sandbox+"/"+path.Base(theme))
	got := fed[feedproto.Theme](e, fedPath)
	if !slices.Equal(got.Files, want.Files) || !slices.Equal(got.Serving.AllowedOrigins, []string{"https://a.example"}) {
		t.Errorf("edges are told %+v, want what they are told of the Theme: %+v", got, want)
	}
	before := fed[feedproto.Changes](e, "/changes?wait=0").Cursor
	key, err := operator.AddSigningKey(context.Background(), e.store, testMaster(t), path.Base(theme), e.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	e.operate(theme, operator.ServingUpdate{Mode: ptr("signed"), AllowedIPRanges: &[]string{"192.0.2.0/24"}})
	told := fed[feedproto.Changes](e, "/changes?wait=0&after="+before)
	if !slices.ContainsFunc(told.Changes, func(c feedproto.Change) bool { return c.EnvironmentID == environment && c.ThemeID == "" }) {
		t.Errorf("edges hear of %+v, want the Environment of the preview among it", told.Changes)
	}
	got = fed[feedproto.Theme](e, fedPath)
	keys := got.Serving.SigningKeys
	if got.Serving.Mode != "signed" || len(keys) != 1 || keys[0].ID != key.ID || keys[0].Sealed || len(keys[0].Secret) != 32 {
		t.Errorf("edges are told %+v, want signed with the Theme's key", got.Serving)
	}
	shown := e.want(200, "GET", preview, "").object(t)["serving"].(map[string]any)
	if listed := e.want(200, "GET", themes, "").object(t)["items"].([]any)[0].(map[string]any)["serving"]; fmt.Sprint(listed) != fmt.Sprint(shown) || shown["mode"] != "signed" {
		t.Errorf("serving = %v, in the list %v, want that of the Theme", shown, listed)
	}
	if serving, err := operator.ShowServing(context.Background(), e.store, path.Base(preview)); err != nil || serving.Mode != "signed" || serving.Prefix != "acme" {
		t.Errorf("ShowServing() = %+v, %v", serving, err)
	}
	for what, change := range map[string]func() error{
		"serving": func() error {
			_, err := operator.SetServing(context.Background(), e.store, path.Base(preview), operator.ServingUpdate{Mode: ptr("public")}, e.clock.Now())
			return err
		},
		"a key": func() error {
			_, err := operator.AddSigningKey(context.Background(), e.store, testMaster(t), path.Base(preview), e.clock.Now())
			return err
		},
	} {
		if err := change(); err == nil || !strings.Contains(err.Error(), "is a preview") {
			t.Errorf("the operator sets %s of the preview alone: %v", what, err)
		}
	}
	e.want(200, "DELETE", theme, "")
	if status, answer := e.ask(fedPath); status != 404 {
		t.Errorf("without its Theme edges are told %d %s of the preview, want 404", status, answer)
	}
	e.want(200, "DELETE", preview, "")
}

// Every Theme of an Environment of previews is one, of a Theme that the caller may read; no other Environment has one, and
// their number is bounded. What an Environment has Themes of does not change.
func TestWhatCanBeAPreview(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := path.Base(h.theme("brand"))
	environment, err := h.previews()
	if err != nil {
		t.Fatal(err)
	}
	themes := "/environments/" + environment + "/themes"
	create := func(subject, at, slug, source string) reply {
		body := fmt.Sprintf(`{"slug":%q,"displayName":"x"`, slug)
		if source != "" {
			body += `,"previewOf":` + source
		}
		return h.do(subject, "POST", at, body+"}")
	}
	quoted := fmt.Sprintf("%q", theme)
	staged := h.want(201, "POST", "/environments/"+h.staging+"/themes", `{"slug":"other","displayName":"x"}`).text(t, "id")
	for name, c := range map[string]struct{ at, source string }{
		"not a preview": {themes, ""}, "of nothing": {themes, `""`}, "of a Theme of another Environment": {themes, fmt.Sprintf("%q", staged)},
		"of no Theme": {themes, `"thm_01kssz4tm9n8x2v1c4pbd6q7ra"`}, "a number": {themes, "7"},
		"of a Theme beside it": {"/environments/" + h.sandbox + "/themes", quoted},
	} {
		answer := create(owner, c.at, "x", c.source).refuses(t, 400, "validation")
		if len(answer.Messages) != 1 || !strings.HasPrefix(answer.Messages[0], "previewOf: ") {
			t.Errorf("%s: refused with %q", name, answer.Messages)
		}
	}
	if r := create(reader, themes, "x", quoted); r.status != 403 {
		t.Errorf("without a grant = %d %s, want 403", r.status, r.body)
	}
	first := create(owner, themes, "pr-0", quoted)
	if first.status != 201 {
		t.Fatalf("a preview = %d %s", first.status, first.body)
	}
	of := fmt.Sprintf("%q", first.text(t, "id"))
	create(owner, themes, "x", of).refuses(t, 400, "validation")
	create(owner, themes, "pr-0", quoted).refuses(t, 409, "conflict")
	for i := 1; i < theming.MaxPreviews; i++ {
		if r := create(owner, themes, fmt.Sprintf("pr-%d", i), quoted); r.status != 201 {
			t.Fatalf("preview %d = %d %s", i, r.status, r.body)
		}
	}
	if full := create(owner, themes, "pr-100", quoted).refuses(t, 400, "validation"); !strings.Contains(full.Messages[0], "cannot have more") {
		t.Errorf("one more is refused with %q", full.Messages)
	}
	for name, source := range map[string]string{"none": "", "another": "staging", "itself": "preview", "none there is": "nowhere"} {
		if _, err := h.previews(func(e *operator.EnvironmentEntry) { e.PreviewOf = source }); err == nil {
			t.Errorf("previewOf of an Environment with previews becomes %s", name)
		}
	}
	if _, err := h.previews(func(e *operator.EnvironmentEntry) { e.Slug, e.PreviewOf = "chain", "preview" }); err == nil {
		t.Error("an Environment has previews of previews")
	}
}

// A caller without a grant where the Theme is cannot make a preview of it, and is not told whether it exists.
func TestAPreviewNeedsARoleOnItsTheme(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := path.Base(h.theme("brand"))
	environment, err := h.previews(func(e *operator.EnvironmentEntry) { e.Grants = map[string]record.Role{guest: record.Editor} })
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{}
	for _, id := range []string{theme, "thm_01kssz4tm9n8x2v1c4pbd6q7ra"} {
		r := h.do(guest, "POST", "/environments/"+environment+"/themes", fmt.Sprintf(`{"slug":"x","displayName":"x","previewOf":%q}`, id))
		r.refuses(t, 400, "validation")
		refused[id] = r.body
	}
	if refused[theme] != refused["thm_01kssz4tm9n8x2v1c4pbd6q7ra"] {
		t.Errorf("the answers differ: %q", refused)
	}
}
