package theming_test

import (
	"strings"
	"testing"

	"example.com/livery/origin/theming"
	"example.com/livery/storage/record"
)

// A publish freezes the draft as the next version and makes the prefix live (S176 to S179, S188,
// decisions 4.9, 6.5 and 8.4).
func TestPublishTheme(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	h.theme.Theme.DraftPrefix = ptr("acme")
	p := h.publish()
	wantEqual(t, "remark", p.Version.Remark, record.Remark{Added: 3})
	p.Version.Remark = record.Remark{}
	wantEqual(t, "version", p.Version, record.ThemeVersion{
		Number: 1, Document: record.HashOf([]byte(small)), TokenCount: 3, Prefix: "acme", Module: "module", PublishedAt: at(h.clock),
	})
	wantEqual(t, "document", string(p.Document), small)
	theme := p.Theme
	if theme.LatestVersion != 1 || theme.DraftETag != "" || theme.TokenCount != 3 || theme.PublishedAt != at(h.clock) || theme.UpdatedAt != at(h.clock) {
		t.Errorf("theme = %+v", theme)
	}
	wantEqual(t, "assetSettings", theme.AssetSettings, record.AssetSettings{Prefix: "acme", IsLive: true, LiveVersion: 1})
	h.edit(`[{"op":"remove","path":"/gap"}]`)
	p = h.publish()
	wantEqual(t, "the second remark", p.Version.Remark, record.Remark{Removed: 1})
	wantEqual(t, "the second version", []any{p.Version.Number, p.Version.Prefix, p.Version.TokenCount}, []any{uint32(2), "acme", 2})
	wantEqual(t, "assetSettings", p.Theme.AssetSettings, record.AssetSettings{Prefix: "acme", IsLive: true, LiveVersion: 1})
	h.theme.Theme.DraftPrefix = ptr("")
	h.edit(`[{"op":"remove","path":"/color/red"}]`)
	wantEqual(t, "an empty prefix is live too (S67)", h.publish().Theme.AssetSettings, record.AssetSettings{IsLive: true, LiveVersion: 3})
}

// Without a draft there is nothing to publish, unless the newest version is frozen once more (decision 4.9).
func TestPublishWithoutDraft(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	_, err := h.tryPublish(false)
	wantRefusal(t, err, theming.Conflict)
	_, err = h.tryPublish(true) // without a version to freeze
	wantRefusal(t, err, theming.Conflict)
	h.write(small)
	h.set(0, `{"gap":"1px","gone":2}`)
	h.publish()
	_, err = h.tryPublish(false)
	wantRefusal(t, err, theming.Conflict)
	p, err := h.tryPublish(true)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "version", []any{p.Version.Number, string(p.Document)}, []any{uint32(2), small})
	wantEqual(t, "the Variant's draft", []any{h.overrides(0), h.variants[0].Draft.Addressed}, []any{`{"gap":"1px","gone":2}`, uint32(2)})
}

// A version remembers the renames that its publish carried overrides by: the draft's, a group's as one, and those found by
// content (decision 4.8).
func TestVersionsRememberRenames(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(`{"g":{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}},"d":{"$value":4}}`)
	h.set(0, `{"g.a":9,"g.c":9,"d":9}`)
	if p := h.publish(); len(p.Version.Moves) > 0 {
		t.Errorf("the first version has the renames %v", p.Version.Moves)
	}
	h.edit(`[{"op":"move","from":"/g","path":"/h"},{"op":"remove","path":"/h/c"},{"op":"add","path":"/h/e","value":{"$value":3}},{"op":"remove","path":"/d"},{"op":"add","path":"/f","value":{"$value":4}}]`)
	wantEqual(t, "moves", h.publish().Version.Moves,
		[]record.Move{{From: "/d", To: "/f", Inferred: true}, {From: "/g", To: "/h"}, {From: "/g/c", To: "/h/e", Inferred: true}})
	wantEqual(t, "overrides", h.overrides(0), `{"h.a":9,"h.e":9,"f":9}`)
	p, err := h.tryPublish(true)
	if err != nil || len(p.Version.Moves) > 0 {
		t.Errorf("a version that is frozen once more has the renames %v, %v", p.Version.Moves, err)
	}
}

// If-Match publishes exactly the draft that was reviewed, else 412 (decision 3.2).
func TestPublishIfMatch(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	for _, ifMatch := range []string{"*", "e"} {
		_, err := theming.PublishTheme(h.theme, nil, theming.Publication{Review: theming.Review{IfMatch: theming.IfMatch{ifMatch}}, NewETag: h.etag})
		wantPrecondition(t, err)
	}
	h.write(small)
	_, err := theming.PublishTheme(h.theme, nil, theming.Publication{Review: theming.Review{IfMatch: theming.IfMatch{"stale"}}, NewETag: h.etag})
	wantPrecondition(t, err)
	for _, ifMatch := range []string{"*", h.theme.Draft.ETag} {
		if _, err := theming.PublishTheme(h.theme, nil, theming.Publication{Review: theming.Review{IfMatch: theming.IfMatch{ifMatch}}, NewETag: h.etag}); err != nil {
			t.Error(err)
		}
	}
}

func wantPrecondition(t *testing.T, err error) {
	t.Helper()
	wantRefusal(t, err, theming.Conflict)
	if err.(*theming.Error).Reason != theming.IfMatchFailed {
		t.Errorf("%v is no failed precondition", err)
	}
}

// No content stops a publish: cycles, dangling aliases, misfits, an empty document (S180).
func TestNoContentStopsAPublish(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(`{"a":{"$value":"{b}"},"b":{"$value":"{a}"},"c":{"$value":"{gone}"},"d":{"$type":"color","$value":"no colour"},"e":{"$value":null}}`)
	h.set(0, `{"a":"{a}","b":"{gone}","x":null}`)
	h.publish()
	h.edit(`[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"},{"op":"remove","path":"/c"},{"op":"remove","path":"/d"},{"op":"remove","path":"/e"}]`)
	p := h.publish()
	wantEqual(t, "an empty document", []any{string(p.Document), p.Version.TokenCount, h.overrides(0)}, []any{"{}", 0, `{"x":null}`})
}

// Every Variant has a draft at the new version, untouched ones too; none is published (S185, S186, decision 5.4).
func TestPublishLeavesVariantDrafts(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 3)
	h.write(small)
	h.publish()
	for i, v := range h.variants {
		if v.Draft == nil || v.Draft.Addressed != 1 || string(v.Draft.Overrides) != "{}" || v.Variant.LatestVersion != 0 || v.Variant.DraftETag != v.Draft.ETag || v.Served != nil {
			t.Errorf("Variant %d: %+v %+v", i, v.Variant, v.Draft)
		}
	}
	if a, b := h.variants[0].Draft.ETag, h.variants[1].Draft.ETag; a == b {
		t.Error("two drafts have one etag")
	}
	h.set(0, `{"gap":"1px"}`)
	h.publishVariant(0)
	h.set(1, `{"gap":"2px"}`)
	etag := h.variants[1].Draft.ETag
	h.edit(`[{"op":"replace","path":"/gap/$value","value":"9px"}]`)
	p := h.publish()
	wantEqual(t, "published overrides become the draft", []any{h.overrides(0), string(p.Variants[0].NewBlob)}, []any{`{"gap":"1px"}`, `{"gap":"1px"}`})
	wantEqual(t, "a draft stays, and is not served", []any{h.overrides(1), p.Variants[1].NewBlob == nil}, []any{`{"gap":"2px"}`, true})
	wantEqual(t, "the etag of a draft whose content stays (decision 3.4)", h.variants[1].Draft.ETag, etag)
	h.edit(`[{"op":"move","from":"/gap","path":"/space"}]`)
	h.publish()
	if h.variants[1].Draft.ETag == etag {
		t.Error("the content of a draft changed and its etag did not")
	}
}

// What a publish of a Theme does to overrides (S168, S169, S184, S226, decisions 4.8, 5.4 and 5.6).
// The same rule makes the drafts and what is served.
func TestMigration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, edits, overrides, want string }{
		{"nothing the Variant knows of", `{"a":{"$value":1},"b":{"$value":2}}`, `[{"op":"remove","path":"/b"}]`, `{"a":5}`, `{"a":5}`},
		{"a renamed key is renamed at its place", `{"a":{"$value":1},"b":{"$value":2}}`, `[{"op":"move","from":"/a","path":"/c"}]`, `{"a":5,"b":6}`, `{"c":5,"b":6}`},
		{"a rename with another value", `{"a":{"$value":1},"b":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/c"},{"op":"replace","path":"/c/$value","value":9},{"op":"move","from":"/b","path":"/d"}]`, `{"a":5,"b":6}`, `{"c":5,"d":6}`},
		{"two renamed tokens of equal values", `{"a":{"$value":1},"b":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/c"},{"op":"move","from":"/b","path":"/d"}]`, `{"a":5,"b":6}`, `{"c":5,"d":6}`},
		{"a swap through a third name", `{"a":{"$value":1},"b":{"$value":2}}`, `[{"op":"move","from":"/a","path":"/t"},{"op":"move","from":"/b","path":"/a"},{"op":"move","from":"/t","path":"/b"}]`, `{"a":5,"b":6}`, `{"b":5,"a":6}`},
		{"a chain", `{"a":{"$value":1},"b":{"$value":2}}`, `[{"op":"move","from":"/b","path":"/c"},{"op":"move","from":"/a","path":"/b"}]`, `{"a":5,"b":6}`, `{"b":5,"c":6}`},
		{"a whole group", `{"g":{"a":{"$value":1},"h":{"b":{"$value":2}}}}`, `[{"op":"move","from":"/g","path":"/k"},{"op":"move","from":"/k/h/b","path":"/k/h/c"}]`, `{"g.a":5,"g.h.b":6}`, `{"k.a":5,"k.h.c":6}`},
		{"a group into another", `{"g":{"a":{"$value":1}},"k":{}}`, `[{"op":"move","from":"/g","path":"/k/g"}]`, `{"g.a":5}`, `{"k.g.a":5}`},
		{"a token becomes its group's root", `{"a":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/t"},{"op":"add","path":"/a","value":{}},{"op":"move","from":"/t","path":"/a/$root"}]`, `{"a":5}`, `{"a.$root":5}`},
		{"a name with a slash", `{"a/b":{"m~n":{"$value":1}}}`, `[{"op":"move","from":"/a~1b","path":"/~0"}]`, `{"a/b.m~n":5}`, `{"~.m~n":5}`},
		{"an override at the new name wins", `{"a":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/c"}]`, `{"a":5,"c":6}`, `{"c":6}`},
		{"a removed key is dropped", `{"a":{"$value":1},"b":{"$value":2}}`, `[{"op":"remove","path":"/a"}]`, `{"a":5,"b":6}`, `{"b":6}`},
		{"a removed group", `{"g":{"a":{"$value":1},"h":{"b":{"$value":2}}},"x":{"$value":1}}`, `[{"op":"remove","path":"/g"}]`, `{"g.a":5,"g.h.b":6,"g.never":7}`, `{"g.never":7}`},
		{"moved and then removed", `{"a":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/b"},{"op":"remove","path":"/b"}]`, `{"a":5}`, `{}`},
		{"renamed, and new at the old place", `{"a":{"$value":1}}`, `[{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/a","value":{"$value":7}}]`, `{"a":5}`, `{"b":5}`},
		{"removed and added again", `{"a":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":{"$value":7}}]`, `{"a":5}`, `{"a":5}`},
		{"a token becomes a group", `{"a":{"$value":1}}`, `[{"op":"replace","path":"/a","value":{"b":{"$value":2}}}]`, `{"a":5}`, `{}`},
		{"keys that the Theme never had stay", `{"g":{"a":{"$value":1}}}`, `[{"op":"move","from":"/g","path":"/k"}]`, `{"g":5,"g.b":6,"x":7}`, `{"g":5,"g.b":6,"x":7}`},
		{"a token moved into a moved group, onto one of its own", `{"g":{"x":{"$value":1}},"k":{"$value":2}}`, `[{"op":"move","from":"/g","path":"/h"},{"op":"move","from":"/k","path":"/h/x"}]`, `{"k":6,"g.x":5}`, `{"h.x":6}`},
		{"what a move brought is not added", `{"a":{"$value":1},"b":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"move","from":"/b","path":"/d"}]`, `{"a":5,"b":6}`, `{"d":6}`},
		{"remove and add of equal content", `{"a":{"$value":{"x":1,"y":2.0}}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"$value":{"y":2,"x":1},"$description":"new"}}]`, `{"a":5}`, `{"b":5}`},
		{"remove and add of another value", `{"a":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"$value":2}}]`, `{"a":5}`, `{}`},
		{"remove and add of another type", `{"a":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"$type":"number","$value":1}}]`, `{"a":5}`, `{}`},
		{"two removed of equal content", `{"a":{"$value":1},"b":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"},{"op":"add","path":"/c","value":{"$value":1}}]`, `{"a":5,"b":6}`, `{}`},
		{"two added of equal content", `{"a":{"$value":1}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"$value":1}},{"op":"add","path":"/c","value":{"$value":1}}]`, `{"a":5}`, `{}`},
		{"numbers that only begin alike", `{"a":{"$value":12345678901234567890}}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"$value":12345678901234567891}}]`, `{"a":5}`, `{}`},
		{"a token whose equal was there before is not new", `{"a":{"$value":1},"b":{"$value":1}}`, `[{"op":"remove","path":"/a"}]`, `{"a":5}`, `{}`},
		{"retyped past fitting", `{"a":{"$type":"color","$value":"#fff"}}`, `[{"op":"replace","path":"/a","value":{"$type":"dimension","$value":"1px"}}]`, `{"a":"#000"}`, `{}`},
		{"retyped and still fitting", `{"a":{"$type":"dimension","$value":"1px"}}`, `[{"op":"replace","path":"/a/$type","value":"string"}]`, `{"a":"2px"}`, `{"a":"2px"}`},
		{"retyped by its group", `{"g":{"$type":"color","a":{"$value":"{none}"}}}`, `[{"op":"replace","path":"/g/$type","value":"dimension"}]`, `{"g.a":"#000"}`, `{}`},
		{"a misfit that is none of the publish's stays", `{"a":{"$type":"color","$value":"#fff"},"b":{"$value":1}}`, `[{"op":"remove","path":"/b"}]`, `{"a":"no colour"}`, `{"a":"no colour"}`},
		{"retyped, an alias of the new type", `{"a":{"$type":"color","$value":"#fff"},"b":{"$type":"dimension","$value":"1px"}}`, `[{"op":"replace","path":"/a","value":{"$type":"dimension","$value":"1px"}}]`, `{"a":"{b}"}`, `{"a":"{b}"}`},
		{"retyped, an alias of the old type", `{"a":{"$type":"color","$value":"#fff"},"b":{"$type":"color","$value":"#eee"}}`, `[{"op":"replace","path":"/a","value":{"$type":"dimension","$value":"1px"}}]`, `{"a":"{b}"}`, `{}`},
		{"retyped, an alias of nothing", `{"a":{"$type":"color","$value":"#fff"}}`, `[{"op":"replace","path":"/a","value":{"$type":"dimension","$value":"1px"}}]`, `{"a":"{none}"}`, `{"a":"{none}"}`},
		{"retyped to a type that is not known", `{"a":{"$type":"color","$value":"#fff"}}`, `[{"op":"replace","path":"/a","value":{"$value":{"odd":1}}}]`, `{"a":"#000"}`, `{"a":"#000"}`},
		{"renamed and retyped", `{"a":{"$type":"color","$value":"#fff"}}`, `[{"op":"move","from":"/a","path":"/b"},{"op":"replace","path":"/b","value":{"$type":"dimension","$value":"1px"}}]`, `{"a":"#000"}`, `{}`},
		{"aliases follow renamed tokens", `{"a":{"$value":"1px"},"b":{"$value":"2px"}}`, `[{"op":"move","from":"/a","path":"/n"}]`, `{"b":"{a}","x":"calc({a} + {b} * {a})","y":["{a}",{"k":"{ a }"}],"z":"{a.b} { a: 1 } {{a}"}`, `{"b":"{n}","x":"calc({n} + {b} * {n})","y":["{n}",{"k":"{n}"}],"z":"{a.b} { a: 1 } {{n}"}`},
		{"aliases follow a swap once", `{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}}`, `[{"op":"move","from":"/a","path":"/t"},{"op":"move","from":"/b","path":"/a"},{"op":"move","from":"/t","path":"/b"}]`, `{"c":["{a}","{b}"]}`, `{"c":["{b}","{a}"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t, 2)
			h.write(c.before)
			h.publish()
			h.set(0, c.overrides)
			h.publishVariant(0)
			h.set(1, c.overrides)
			h.edit(c.edits)
			p := h.publish()
			wantEqual(t, "the draft that was published overrides", h.overrides(0), c.want)
			wantEqual(t, "the draft that was a draft", h.overrides(1), c.want)
			wantEqual(t, "tokenCount", h.variants[1].Variant.TokenCount, len(parse(t, c.want).Members))
			served := string(p.Variants[0].NewBlob)
			if served == "" {
				served = "{}"
			}
			wantEqual(t, "what is served", served, c.want)
		})
	}
}

// Renames made in many edits of one draft are one renaming, whatever the edits (decision 4.8).
func TestMigrationOverManyEdits(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(`{"g":{"a":{"$value":1},"b":{"$value":2}}}`)
	h.publish()
	h.set(0, `{"g.a":5,"g.b":6}`)
	for _, ops := range []string{
		`[{"op":"move","from":"/g/a","path":"/g/t"}]`, `[{"op":"move","from":"/g","path":"/h"}]`, `[{"op":"move","from":"/h/b","path":"/h/a"}]`,
		`[{"op":"replace","path":"/h/a/$value","value":9}]`, `[{"op":"move","from":"/h/t","path":"/h/b"}]`, `[{"op":"replace","path":"/h/b","value":{"$value":8}}]`,
	} {
		h.edit(ops)
	}
	h.publish()
	wantEqual(t, "overrides", h.overrides(0), `{"h.b":5,"h.a":6}`)
}

// A swap of two tokens that are equal leaves the document as it is, and is a rename all the same.
func TestSwapOfEqualTokensInADraft(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(`{"a":{"$value":1},"b":{"$value":1},"c":{"$value":1}}`)
	h.publish()
	h.set(0, `{"a":5,"b":6}`)
	h.edit(`[{"op":"replace","path":"/c/$value","value":2}]`)
	etag := h.theme.Draft.ETag
	h.edit(`[{"op":"move","from":"/a","path":"/t"},{"op":"move","from":"/b","path":"/a"},{"op":"move","from":"/t","path":"/b"}]`)
	if h.theme.Draft.ETag == etag {
		t.Error("the draft's renames changed and its etag did not")
	}
	h.publish()
	wantEqual(t, "overrides", h.overrides(0), `{"b":5,"a":6}`)
}

// A rename that was discarded is forgotten.
func TestDiscardedRenames(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(`{"a":{"$value":1},"b":{"$value":2}}`)
	h.publish()
	h.set(0, `{"a":5}`)
	h.edit(`[{"op":"move","from":"/a","path":"/c"}]`)
	discarded, err := theming.DiscardTheme(h.theme, theming.Claim{ETag: h.theme.Draft.ETag}, 2, h.now())
	if err != nil {
		t.Fatal(err)
	}
	h.theme = discarded
	h.edit(`[{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":{"$value":7}}]`)
	h.publish()
	wantEqual(t, "overrides", h.overrides(0), `{}`)
}

// A draft that cannot be read is a failure that names the Variant.
func TestPublishWithABrokenVariantDraft(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(small)
	for _, stored := range []string{`{`, `[]`} {
		h.variants[0].Draft = &record.VariantDraft{Overrides: []byte(stored)}
		_, err := h.tryPublish(false)
		if err == nil || !strings.Contains(err.Error(), "var_v0") {
			t.Errorf("%s: %v", stored, err)
		}
	}
}
