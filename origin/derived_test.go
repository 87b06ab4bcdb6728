package origin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// lossyStore is a store that loses blobs on request, until they are put again.
type lossyStore struct {
	storage.Store

	mu   sync.Mutex // guards lost
	lost map[record.Hash]bool
}

func (f *lossyStore) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	f.mu.Lock()
	lost := f.lost[name]
	f.mu.Unlock()
	if lost {
		return nil, storage.ErrNotFound
	}
	return f.Store.Blob(ctx, name)
}

func (f *lossyStore) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	name, err := f.Store.PutBlob(ctx, blob)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.lost, name)
	return name, err
}

func (f *lossyStore) lose(names ...record.Hash) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		f.lost[name] = name != ""
	}
}

// newLossy starts an origin over a store that can lose blobs.
func newLossy(t testing.TB, change ...func(*origin.Config)) (edge, *lossyStore) {
	f := &lossyStore{lost: map[record.Hash]bool{}}
	e := newEdge(t, append(change, func(c *origin.Config) { f.Store, c.Store = c.Store, f })...)
	return e, f
}

// idOf returns the last segment of a path.
func idOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// pairRecord reads what the store has of a Variant at a version.
func (h *testOrigin) pairRecord(variant string, number uint32) (p record.Pair) {
	h.t.Helper()
	parts := strings.Split(variant, "/") // "", environments, ID, themes, ID, variants, ID
	err := h.store.View(context.Background(), func(r storage.Reader) (err error) {
		p, err = storage.Pairs.Read(r, parts[2], parts[4], parts[6], storage.Number(number))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// S177 S211: a publish is one commit with the plan of the version in it. What its Variants change is compiled
// afterwards, and named in no change, because an edge that requests it before gets it all the same.
func TestAPublishNamesItsPlan(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	e.patch(theme, red)
	var variants []string
	for _, slug := range []string{"a", "b", "c"} {
		variants = append(variants, e.variant(theme, slug))
		e.patch(variants[len(variants)-1], `[{"operation":"set","path":"red","value":"#00000`+fmt.Sprint(len(variants))+`"}]`)
	}
	e.publish(theme)
	for _, v := range variants {
		e.publish(v)
		if p := e.pairRecord(v, 1); p.Overlay == "" || !p.Published {
			t.Errorf("a published Variant's pair = %+v, want its overlay at once", p)
		}
	}
	cursor := fed[feedproto.Changes](e, "/changes").Cursor
	e.patch(theme, `[{"operation":"add","path":"/blue","value":{"$type":"color","$value":"#0000ff"}}]`)
	e.publish(theme)
	asked := e.pair(theme, idOf(variants[2]), "latest")
	if got := e.file(asked, renderer.TokensFlatJSON); got != `{"red":"#000003","blue":"#0000ff"}`+"\n" {
		t.Errorf("the Variant right after the publish = %s", got)
	}
	for _, v := range variants {
		eventually(t, "the overlay", func() bool { return e.pairRecord(v, 2).Overlay != "" })
	}
	if p := e.pairRecord(variants[2], 2); p.Overlay != asked.Overlay {
		t.Errorf("pair = %+v, want the overlay that was fed: %s", p, asked.Overlay)
	}
	changes := fed[feedproto.Changes](e, "/changes?after="+cursor).Changes
	if len(changes) != 1 || changes[0].ThemeID != idOf(theme) {
		t.Errorf("changes = %+v, want the one publish", changes)
	}
}

// The five files of a pair are the ones that the preview showed before the publish, whatever is overridden.
func TestWhatIsFedIsWhatThePreviewShowed(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	variant := e.variant(theme, "dark")
	e.patch(theme, `[{"operation":"add","path":"/color","value":{"$type":"color","base":{"$value":"#336699"},"line":{"$value":"{color.base}"}}},
		{"operation":"add","path":"/gap","value":{"$type":"dimension","$value":{"value":4,"unit":"px"}}},
		{"operation":"add","path":"/odd","value":{"$value":"{nothing}"}}]`)
	e.patch(variant, `[{"operation":"set","path":"color.base","value":"#000000"},{"operation":"set","path":"gap","value":"{odd}"},{"operation":"set","path":"later","value":1}]`)
	want := map[string]string{}
	for f := range renderer.File(renderer.FileCount) {
		want["-"+f.Name()] = e.want(200, "GET", theme+"/tokens/preview/"+f.Name(), "").body
		want[idOf(variant)+f.Name()] = e.want(200, "GET", variant+"/tokens/preview/"+f.Name(), "").body
	}
	e.publish(theme)
	e.publish(variant)
	for _, segment := range []string{"-", idOf(variant)} {
		p := e.pair(theme, segment, "1")
		for f := range renderer.File(renderer.FileCount) {
			if got := e.file(p, f); got != want[segment+f.Name()] {
				t.Errorf("%s of %s = %s, want %s", f.Name(), segment, got, want[segment+f.Name()])
			}
		}
	}
}

// So are files in modes, and stylesheets of dimensions, of the draft and then of the version.
func TestWhatIsFedInModesIsWhatThePreviewShowed(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	dark, more, own, empty := e.variant(theme, "dark"), e.variant(theme, "more"), e.variant(theme, "own"), e.variant(theme, "empty")
	e.patch(theme, `[{"operation":"add","path":"/color","value":{"$type":"color","base":{"$value":"#336699"},"line":{"$value":"{color.base}"},"low":{"$value":"#777777"}}},
		{"operation":"add","path":"/gap","value":{"$type":"dimension","$value":{"value":4,"unit":"px"}}}]`)
	e.patch(dark, `[{"operation":"set","path":"color.base","value":"#000000"}]`)
	e.patch(more, `[{"operation":"set","path":"color.line","value":"{color.low}"},{"operation":"set","path":"gap","value":"no length"}]`)
	e.patch(own, `[{"operation":"set","path":"color.low","value":"#123456"},{"operation":"set","path":"nothing","value":1}]`)
	e.want(200, "PUT", theme+"/modes", fmt.Sprintf(`{"modes":[{"dimension":"scheme","mode":"light","variant":null},
		{"dimension":"scheme","mode":"dark","variant":%q,"when":"(prefers-color-scheme: dark)"},{"dimension":"contrast","mode":"dim","variant":%q},
		{"dimension":"contrast","mode":"more","variant":%q,"when":"(prefers-contrast: more)"},{"dimension":"contrast","mode":"more","variant":null,"when":"(prefers-contrast: more)","for":%q}]}`,
		idOf(dark), idOf(empty), idOf(more), idOf(own)))
	paths := map[string]string{"-": theme, idOf(own): own}
	values := []string{"scheme", "contrast", "scheme,contrast", "scheme~light-dark,contrast", "scheme.dark", "scheme.dark,contrast.more", "contrast.dim", "contrast.more"}
	files := func(value string) int {
		if strings.Contains(value, ".") {
			return int(renderer.FileCount)
		}
		return int(renderer.TokensCSS) + 1
	}
	show := func(version string) map[string]string {
		shown := map[string]string{}
		for segment, path := range paths {
			for _, value := range values {
				for f := range renderer.File(files(value)) {
					shown[segment+value+f.Name()] = e.want(200, "GET", path+"/tokens/preview/"+f.Name()+"?modes="+value+version, "").body
				}
			}
		}
		return shown
	}
	want := show("")
	e.publish(theme)
	for _, variant := range []string{dark, more, own} {
		e.publish(variant)
	}
	again := show("&version=1")
	for segment := range paths {
		for _, value := range values {
			p := e.pair(theme, segment, "1/"+value)
			for f := range renderer.File(files(value)) {
				key := segment + value + f.Name()
				if got := e.file(p, f); got != want[key] || got != again[key] {
					t.Errorf("%s of %s in %s is fed as\n%s\nand shown before as\n%s\nafter as\n%s", f.Name(), segment, value, got, want[key], again[key])
				}
			}
		}
	}
}

// A derived blob that is lost is compiled again when an edge asks for it, under the same name; an input is not.
func TestLostDerivedBlobsAreFedAgain(t *testing.T) {
	t.Parallel()
	e, store := newLossy(t)
	theme := e.theme("brand")
	variant := e.variant(theme, "dark")
	e.patch(theme, red)
	e.publish(theme)
	e.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	e.publish(variant)
	p := e.pair(theme, idOf(variant), "1")
	css := e.file(p, renderer.TokensCSS)
	store.lose(p.Plan, p.Overlay)
	if got := e.file(p, renderer.TokensCSS); got != css {
		t.Errorf("tokens.css of rebuilt blobs = %s, want %s", got, css)
	}
	overrides := e.pairRecord(variant, 1).Overrides
	store.lose(overrides)
	if status, _ := e.ask("/blobs/" + string(overrides)); status != 404 {
		t.Errorf("lost overrides = %d, want 404", status)
	}
	if got := e.pair(theme, idOf(variant), "1"); got.Overlay != p.Overlay {
		t.Errorf("pair = %+v, want %+v: an overlay that is there needs no overrides", got, p)
	}
}

// What cannot be compiled is a failure of the one pair, without a word of why; the log has it.
func TestAPairThatCannotBeCompiledFailsAlone(t *testing.T) {
	t.Parallel()
	e, store := newLossy(t)
	theme := e.theme("brand")
	dark, light := e.variant(theme, "dark"), e.variant(theme, "light")
	e.patch(theme, red)
	e.publish(theme)
	for i, v := range []string{dark, light} {
		e.patch(v, fmt.Sprintf(`[{"operation":"set","path":"red","value":"#00000%d"}]`, i))
		e.publish(v)
	}
	pair := e.pairRecord(dark, 1)
	pair.Overlay = "" // as a publish of the Theme leaves it
	_, err := e.store.Update(context.Background(), e.sandbox, func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: e.clock.Now()}, storage.Pairs.Write(tx, pair, e.sandbox, idOf(theme), idOf(dark), storage.Number(1))
	})
	if err != nil {
		t.Fatal(err)
	}
	lost := pair.Overrides
	store.lose(lost)
	status, body := e.ask("/pairs/" + address(theme) + "/" + idOf(dark) + "/latest")
	if want := `{"status":"error","cause":"internal","messages":[]}`; status != 500 || string(body) != want {
		t.Errorf("pair without its overrides = %d %s, want 500 %s", status, body, want)
	}
	if log := e.logs.String(); !strings.Contains(log, string(lost)) || !strings.Contains(log, idOf(dark)) {
		t.Error("the log does not name the Variant and what is lost")
	}
	if got := e.file(e.pair(theme, idOf(light), "latest"), renderer.TokensFlatJSON); got != `{"red":"#000001"}`+"\n" {
		t.Errorf("the other Variant = %s", got)
	}
}

// The status lists the renderer modules.
func TestStatusListsModules(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	h.publish(theme)
	var list operator.Status
	if err := json.Unmarshal([]byte(h.operator()(200, "GET", "/status", "")), &list); err != nil {
		t.Fatal(err)
	}
	want := operator.Module{
		Digest: record.HashOf([]byte(testModule)), CoreVersion: renderer.Version, ABIVersion: 1, Size: len(testModule), Current: true,
	}
	if len(list.Modules) == 1 {
		want.RegisteredAt = list.Modules[0].RegisteredAt
	}
	if len(list.Modules) != 1 || list.Modules[0] != want || want.RegisteredAt.IsZero() {
		t.Errorf("modules = %+v, want %+v", list.Modules, want)
	}
}
