package origin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/livery/feedproto"
	"example.com/livery/internal/test/race"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/origin/api"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/operator"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/dump"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// sealedWorld is one Theme, to which anything is done but its deletion, and the sealed addresses that it had.
type sealedWorld struct {
	edge
	theme    string
	variants []string          // paths of those that exist
	created  int               // Variants so far
	sealed   map[string]string // by address "{-|variant}/{version}[/{modes}]", what it is made from
	seen     map[string]bool   // routes that were requested
}

// Decision 10.7: no sequence of calls but the deletion of the Theme changes or removes a sealed address. A deleted Variant's
// own addresses are gone. The addresses are asked for as an edge without a cache asks.
func TestSealedAddressesNeverChange(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	e := newEdge(t)
	seen := map[string]bool{}
	themes := 0
	rapid.Check(t, func(rt *rapid.T) {
		themes++
		w := &sealedWorld{edge: e, theme: e.theme(fmt.Sprint("brand-", themes)), sealed: map[string]string{}, seen: seen}
		w.do(owner, "PATCH", w.theme+"/tokens", `{"operations":[{"operation":"add","path":"/a","value":{"$value":"0"}},{"operation":"add","path":"/b","value":{"$value":"{a}"}}]}`)
		for range 2 {
			w.createVariant()
		}
		w.putModes(rt)
		w.publishTheme(rt)
		for i, v := range w.variants {
			w.patch(v, fmt.Sprintf(`[{"operation":"set","path":"a","value":"%d"}]`, 10+i))
			w.publish(v)
		}
		names := make([]string, 0, len(sealedSteps))
		for name := range sealedSteps {
			names = append(names, name)
		}
		slices.Sort(names)
		steps := rapid.SliceOfN(rapid.SampledFrom(names), 1, 10).Draw(rt, "steps")
		for _, name := range append(steps, "delete a Variant", "collect blobs") {
			sealedSteps[name](w, rt)
			e.clock.move(time.Second)
			w.look(rt, name)
		}
	})
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		name := route.Method + " " + route.Path
		if route.Method != "GET" && !strings.Contains(route.Path, "/webhooks") && name != "DELETE "+themeRoute && !seen[name] {
			t.Errorf("no step requests %s: add one to sealedSteps", name)
		}
	}
}

// themeRoute is the path of a Theme, as routes have it.
const themeRoute = apiPath + "/environments/{environmentID}/themes/{themeID}"

// request sends a request, which may be refused, to a path below the Theme; variant is the Variant that it names, or empty.
func (w *sealedWorld) request(method, variant, rest, query, body string) reply {
	route, path := themeRoute, w.theme
	if variant != "" {
		route, path = themeRoute+"/variants/{variantID}", variant
	}
	w.seen[method+" "+route+rest] = true
	return w.do(owner, method, path+rest+query, body)
}

func (w *sealedWorld) createVariant() {
	w.seen["POST "+themeRoute+"/variants"] = true
	if w.created++; w.created > 8 {
		return
	}
	w.variants = append(w.variants, w.variant(w.theme, fmt.Sprint("v", w.created)))
}

// anyVariant draws a Variant that exists, or "" for the Theme itself if there is none.
func (w *sealedWorld) anyVariant(rt *rapid.T) string {
	if len(w.variants) == 0 {
		return ""
	}
	return rapid.SampledFrom(w.variants).Draw(rt, "variant")
}

func (w *sealedWorld) putModes(rt *rapid.T) {
	var entries []string
	for _, mode := range []string{"scheme.light", "scheme.dark", "contrast.more"} {
		dimension, name, _ := strings.Cut(mode, ".")
		if !rapid.Bool().Draw(rt, mode) {
			continue
		}
		variant := "null"
		if v := w.anyVariant(rt); v != "" && name != "light" {
			variant = `"` + idOf(v) + `"`
		}
		entries = append(entries, fmt.Sprintf(`{"dimension":%q,"mode":%q,"variant":%s}`, dimension, name, variant))
		if brand := w.anyVariant(rt); brand != "" && rapid.Bool().Draw(rt, "for") {
			entries = append(entries, fmt.Sprintf(`{"dimension":%q,"mode":%q,"variant":%q,"for":%q}`, dimension, name, idOf(w.anyVariant(rt)), idOf(brand)))
		}
	}
	w.request("PUT", "", "/modes", "", `{"modes":[`+strings.Join(entries, ",")+`]}`)
}

func (w *sealedWorld) publishTheme(rt *rapid.T) {
	w.request("POST", "", "/tokens/publish", rapid.SampledFrom([]string{"", "?unchanged=true", "?unchanged=true&renames=moves"}).Draw(rt, "query"), "")
}

// draftOf returns the query that claims the draft of a Theme or a Variant.
func (w *sealedWorld) draftOf(path string) string {
	etag, _ := w.want(200, "GET", path+"/tokens", "").object(w.t)["etag"].(string)
	return "?etag=" + etag
}

// sealedSteps are what is done to the Theme. Each may be refused.
var sealedSteps = map[string]func(w *sealedWorld, rt *rapid.T){
	"edit the Theme": func(w *sealedWorld, rt *rapid.T) {
		operation := rapid.SampledFrom([]string{
			`{"operation":"replace","path":"/a/$value","value":"1"}`, `{"operation":"add","path":"/c","value":{"$value":"2"}}`, `{"operation":"remove","path":"/a"}`,
			`{"operation":"move","from":"/a","path":"/d"}`, `{"operation":"add","path":"/a","value":{"$value":"3"}}`, `{"operation":"move","from":"/d","path":"/a"}`,
		}).Draw(rt, "operation")
		w.request("PATCH", "", "/tokens", w.draftOf(w.theme), `{"operations":[`+operation+`]}`)
	},
	"publish the Theme":         func(w *sealedWorld, rt *rapid.T) { w.publishTheme(rt) },
	"discard the Theme's draft": func(w *sealedWorld, _ *rapid.T) { w.request("DELETE", "", "/tokens", w.draftOf(w.theme), "") },
	"restore the Theme": func(w *sealedWorld, _ *rapid.T) {
		w.request("POST", "", "/tokens/restore", w.draftOf(w.theme)+"&version=1", "")
	},
	"rename the Theme": func(w *sealedWorld, rt *rapid.T) {
		slug := rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "slug") + idOf(w.theme)
		w.request("PUT", "", "", "", `{"slug":"`+slug+`","displayName":"Another"}`)
	},
	"set integrations": func(w *sealedWorld, rt *rapid.T) {
		list := rapid.SampledFrom([]string{`[]`, `[{"framework":"react","library":"plainCSS"}]`, `[{"framework":"react","library":"tailwindCSS"}]`}).Draw(rt, "list")
		w.request("PUT", "", "/integrations", "", `{"integrations":`+list+`}`)
	},
	"set modes": func(w *sealedWorld, rt *rapid.T) { w.putModes(rt) },
	"set the prefix or serving": func(w *sealedWorld, rt *rapid.T) {
		update := operator.ServingUpdate{Prefix: ptr(rapid.SampledFrom([]string{"", "p", "q"}).Draw(rt, "prefix"))}
		if rapid.Bool().Draw(rt, "signed") {
			update.Mode = ptr("signed")
		}
		_, _ = operator.SetServing(context.Background(), w.store, idOf(w.theme), update, w.clock.Now())
	},
	"create a Variant": func(w *sealedWorld, _ *rapid.T) { w.createVariant() },
	"change a Variant": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			w.request("PUT", v, "", "", `{"slug":"s`+idOf(v)+`","displayName":"Another"}`)
		}
	},
	"delete a Variant": func(w *sealedWorld, rt *rapid.T) {
		v := w.anyVariant(rt)
		if rapid.Bool().Draw(rt, "without modes") {
			w.request("PUT", "", "/modes", "", `{"modes":[]}`)
		}
		if v == "" || w.request("DELETE", v, "", "", "").status != 200 {
			return
		}
		w.variants = slices.DeleteFunc(w.variants, func(other string) bool { return other == v })
		for at := range w.sealed {
			if strings.HasPrefix(at, idOf(v)+"/") {
				delete(w.sealed, at)
			}
		}
	},
	"edit a Variant": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			path := rapid.SampledFrom([]string{"a", "b", "d"}).Draw(rt, "path")
			w.request("PATCH", v, "/tokens", w.draftOf(v), fmt.Sprintf(`{"operations":[{"operation":"set","path":%q,"value":"%d"}]}`, path, rapid.IntRange(5, 9).Draw(rt, "value")))
		}
	},
	"publish a Variant": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			w.request("POST", v, "/tokens/publish", "", "")
		}
	},
	"discard a Variant's draft": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			w.request("DELETE", v, "/tokens", w.draftOf(v), "")
		}
	},
	"restore a Variant": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			w.request("POST", v, "/tokens/restore", w.draftOf(v)+"&version=1", "")
		}
	},
	"publish all Variants": func(w *sealedWorld, _ *rapid.T) { w.request("POST", "", "/variants/publish", "", `{"variants":"all"}`) },
	"discard all drafts":   func(w *sealedWorld, _ *rapid.T) { w.request("POST", "", "/variants/discard", "", `{"variants":"all"}`) },
	"change Variants together": func(w *sealedWorld, rt *rapid.T) {
		if v := w.anyVariant(rt); v != "" {
			body := fmt.Sprintf(`{"change":[{"id":%q,"operations":[{"operation":"unset","path":"a"},{"operation":"set","path":"c","value":"x"}]}]}`, idOf(v))
			w.request("POST", "", "/variants/batch", "", body)
		}
	},
	"create another Theme": func(w *sealedWorld, _ *rapid.T) {
		w.seen["POST "+strings.TrimSuffix(themeRoute, "/{themeID}")] = true
		w.do(owner, "DELETE", w.edge.theme("other-"+idOf(w.theme)+fmt.Sprint(w.clock.Now().UnixNano())), "")
	},
	"collect blobs": func(w *sealedWorld, rt *rapid.T) {
		for _, after := range []time.Duration{time.Hour, 72 * time.Hour} { // beyond storage.PutWindow, and beyond the grace
			if _, err := w.origin.Collect(context.Background(), storage.Collection{Now: time.Now().Add(after)}); err != nil {
				rt.Fatal(err)
			}
		}
	},
}

// look compares every sealed address with what it was, and notes those that are new.
func (w *sealedWorld) look(rt *rapid.T, step string) {
	for at, was := range w.sealed {
		if p, answer := w.made(at); !p.Sealed || answer != was {
			rt.Fatalf("after %q: %s = %s, sealed %t; it was %s", step, at, answer, p.Sealed, was)
		}
	}
	for _, at := range w.addresses(rt) {
		if _, known := w.sealed[at]; known {
			continue
		}
		if p, answer := w.made(at); p.Sealed {
			w.sealed[at] = answer
		}
	}
}

// made reads what an address is rendered from and its tokens.css, or why there is nothing.
func (w *sealedWorld) made(at string) (p feedproto.Pair, answer string) {
	status, body := w.ask("/pairs/" + address(w.theme) + "/" + at)
	if err := json.Unmarshal(body, &p); err != nil || status != 200 {
		return p, fmt.Sprint(status, " ", string(body))
	}
	return p, fmt.Sprint(p.Version, p.Module, p.Plan, p.Overlay, w.file(p, renderer.TokensCSS))
}

// addresses lists the pinned addresses of every version, with the modes that it froze.
func (w *sealedWorld) addresses(rt *rapid.T) (all []string) {
	var versions []record.ThemeVersion
	err := w.store.View(context.Background(), func(r storage.Reader) error {
		return storage.ThemeVersions.Scan(r, storage.Ascending, func(_ []byte, v record.ThemeVersion) bool {
			versions = append(versions, v)
			return true
		}, w.sandbox, idOf(w.theme))
	})
	if err != nil {
		rt.Fatal(err)
	}
	for _, brand := range append([]string{"/-"}, w.variants...) {
		for _, v := range versions {
			at := fmt.Sprint(idOf(brand), "/", v.Number)
			all = append(all, at)
			var single, conditional []string
			for _, d := range modes.Of(v.Modes, strings.TrimPrefix(idOf(brand), "-")) {
				single, conditional = append(single, d.Name+"."+d.Modes[len(d.Modes)-1].Name), append(conditional, d.Name)
			}
			if len(single) > 0 {
				all = append(all, at+"/"+strings.Join(single, ","), at+"/"+strings.Join(conditional, ","))
			}
		}
	}
	return all
}

// Decision 10.7: what the modes of a version serve of a deleted Variant stays for the Theme and for every brand, for an origin
// that starts anew, after a collection, and in a copy of the store. It goes with the Theme.
func TestModesOutliveTheirVariants(t *testing.T) {
	t.Parallel()
	newEdge(t).checkModesOutlive(t)
}

// The same on a real PostgreSQL.
func TestCallersReadModesOfDeletedVariants(t *testing.T) {
	t.Parallel()
	h := newPostgresOrigin(t, startCluster(t).URL(), time.Minute)
	feed := "http://" + h.serve(h.origin.ServeFeed) + "/feed/v1"
	edge{h, &feed}.checkModesOutlive(t)
}

func (e edge) checkModesOutlive(t *testing.T) {
	t.Helper()
	theme := e.theme("kept")
	dark, acme := e.variant(theme, "dark"), e.variant(theme, "acme")
	e.patch(theme, red)
	e.want(200, "PUT", theme+"/modes", darkModes(dark))
	e.publish(theme)
	for variant, value := range map[string]string{dark: "#000001", acme: "#00000a"} {
		e.patch(variant, `[{"operation":"set","path":"red","value":"`+value+`"}]`)
		e.publish(variant)
	}
	e.want(200, "POST", theme+"/tokens/publish?unchanged=true", "") // carries what the Variants serve
	e.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	e.want(200, "PUT", theme+"/modes", `{"modes":[]}`)
	e.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	w := &sealedWorld{edge: e, theme: theme, sealed: map[string]string{}}
	for _, at := range []string{"-/1/scheme", "-/1/scheme.dark", "-/2/scheme.dark", idOf(acme) + "/1/scheme", idOf(acme) + "/2/scheme.dark", "-/3/scheme"} {
		p, answer := w.made(at)
		if w.sealed[at] = answer; !p.Sealed || !strings.Contains(answer, "#000001") {
			t.Fatalf("%s = %s, sealed %t", at, answer, p.Sealed)
		}
	}
	e.want(200, "DELETE", dark, "")
	look := func(after string) {
		t.Helper()
		for at, was := range w.sealed {
			if p, answer := w.made(at); answer != was || !p.Sealed {
				t.Errorf("%s: %s = %s, sealed %t; it was %s", after, at, answer, p.Sealed, was)
			}
		}
		for _, own := range []string{idOf(dark) + "/1", idOf(dark) + "/1/scheme.dark", idOf(dark) + "/latest"} {
			if _, answer := w.made(own); answer != `404 {"missing":"variant"}` {
				t.Errorf("%s: the deleted Variant's own address %s = %s", after, own, answer)
			}
		}
		kept := 0
		err := e.store.View(context.Background(), func(r storage.Reader) error {
			return storage.Pairs.Scan(r, storage.Ascending, func([]byte, record.Pair) bool { kept++; return true }, e.sandbox, idOf(theme), idOf(dark))
		})
		if err != nil || kept != 3 {
			t.Errorf("%s: %d pairs of the Variant are kept, %v, want those of the versions 1 to 3, whose modes name it", after, kept, err)
		}
		if _, err := storage.CheckStore(context.Background(), e.store, nil, func(f storage.Finding) { t.Errorf("%s: the check finds %s", after, f) }); err != nil {
			t.Error(err)
		}
	}
	look("after the deletion")
	for _, ahead := range []time.Duration{time.Hour, 72 * time.Hour} {
		if _, err := e.origin.Collect(context.Background(), storage.Collection{Now: time.Now().Add(ahead)}); err != nil {
			t.Fatal(err)
		}
	}
	e.restart()
	look("after a collection and a restart")

	var copied bytes.Buffer
	if _, err := dump.Write(context.Background(), e.store, &copied, nil); err != nil {
		t.Fatal(err)
	}
	e.want(200, "DELETE", theme, "")
	if n := e.countKeys('P'); n != 0 {
		t.Errorf("%d pairs outlive the Theme", n)
	}
	e.end()
	loaded, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = loaded.Close() })
	if _, err := dump.Load(context.Background(), &copied, loaded, nil); err != nil {
		t.Fatal(err)
	}
	e.store, e.config.Store = loaded, loaded
	e.start(e.config)
	*e.feed = "http://" + e.serve(e.origin.ServeFeed) + "/feed/v1"
	look("in a store that was loaded")
}
