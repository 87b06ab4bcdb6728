package theming_test

import (
	"strings"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

func set(path, value string) patch.Operation {
	n, err := jsontree.Parse(value)
	if err != nil {
		panic(err)
	}
	return patch.Operation{Op: "set", Path: path, Value: n}
}

func unset(path string) patch.Operation {
	return patch.Operation{Op: "unset", Path: path}
}

// set adds and replaces, unset takes away, the last wins, places are kept (S214 to S217, decisions 5.1 and 5.3).
func TestEditVariant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ops  []patch.Operation
		want string
	}{
		{"set adds behind", []patch.Operation{set("c", `"x"`)}, `{"a":1,"b":2,"c":"x"}`},
		{"set replaces in place", []patch.Operation{set("a", `3`)}, `{"a":3,"b":2}`},
		{"the last set wins", []patch.Operation{set("c", `1`), set("c", `2`)}, `{"a":1,"b":2,"c":2}`},
		{"unset takes away", []patch.Operation{unset("a")}, `{"b":2}`},
		{"unset of what is not overridden", []patch.Operation{unset("x"), set("c", `1`)}, `{"a":1,"b":2,"c":1}`},
		{"unset, then set", []patch.Operation{unset("a"), set("a", `1.5`)}, `{"b":2,"a":1.5}`},
		{"set, then unset", []patch.Operation{set("c", `1`), unset("c"), unset("b")}, `{"a":1}`},
		{"an empty value, null, and any JSON", []patch.Operation{set("a", `""`), set("b", `null`), set("c", `{"x":[0.10]}`)}, `{"a":"","b":null,"c":{"x":[0.10]}}`},
		{"raw names, a group's path, a $root", []patch.Operation{set("a/b.m~n", `1`), set("g", `2`), set("g.$root", `3`)}, `{"a":1,"b":2,"a/b.m~n":1,"g":2,"g.$root":3}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t, 1)
			h.set(0, `{"a":1,"b":2}`)
			etag := h.variants[0].Draft.ETag
			if err := h.trySet(0, c.ops...); err != nil {
				t.Fatal(err)
			}
			v := h.variants[0]
			wantEqual(t, "overrides", h.overrides(0), c.want)
			wantEqual(t, "tokenCount (S191)", v.Variant.TokenCount, len(parse(t, c.want).Members))
			if v.Draft.ETag == etag || v.Draft.ETag != v.Variant.DraftETag {
				t.Errorf("etag %s after %s", v.Draft.ETag, etag)
			}
		})
	}
}

// Every fault of a batch is listed, with its operation (S103, S218, decisions 1.5 and 5.1).
func TestEditVariantRefuses(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for _, c := range []struct {
		op   patch.Operation
		text string
	}{
		{patch.Operation{Op: "add", Path: "a", Value: &jsontree.Node{}}, `(add "a"): no operation of a Variant; use set or unset`},
		{patch.Operation{Op: "remove", Path: "a"}, "use set or unset"},
		{patch.Operation{Op: "set", Path: "a"}, "set needs a value"},
		{patch.Operation{Op: "unset", Path: "a", Value: &jsontree.Node{}}, "must not carry a value"},
		{set("", `1`), "the path is empty"},
		{set("/a/b", `1`), "no leading slash"},
		{set("a..b", `1`), "empty segment"},
		{set(".a", `1`), "empty segment"},
		{set("a.", `1`), "empty segment"},
		{set("{a}", `1`), "brace"},
		{set("a.$type", `1`), `"$type" names no token`},
		{set("$root.a", `1`), `"$root" names no token`},
		{unset("a..b"), "empty segment"},
		{set(strings.Repeat("n", 257), `1`), "257 characters; the limit is 256"},
		{set("a", `{"`+strings.Repeat("n", 257)+`":1}`), "257 characters; the limit is 256"},
		{set("a", deep), "levels deep"},
		{set("a"+strings.Repeat(".a", 64), `1`), "65 levels; the limit is 64"},
	} {
		err := h.trySet(0, set("fine", `1`), c.op)
		wantRefusal(t, err, theming.Validation, c.text)
		if !strings.HasPrefix(err.(*theming.Error).Messages[0], "operations[1] (") {
			t.Errorf("%v does not name operation 1", err)
		}
	}
	wantRefusal(t, h.trySet(0, set("", `1`), patch.Operation{Op: "set", Path: "a"}, unset("x.{y}")), theming.Validation, "operations[0]", "operations[1]", "operations[2]")
	_, err := theming.EditVariant(h.theme.Theme, h.document(), h.variants[0], theming.Edit{
		Operations: []patch.Operation{set("a", `"`+strings.Repeat("x", 100)+`"`)}, Limits: patch.Limits{MaxBytes: 50},
	})
	wantRefusal(t, err, theming.Validation, "the limit is 50")
	if h.variants[0].Draft != nil {
		t.Error("a refused batch left a draft")
	}
}

// strict refuses overrides that would be ignored or do not fit; without it they are stored (S10, S11, decisions 4.5 and 5.1).
func TestStrictOverrides(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(small)
	h.set(0, `{"ignored.before":1}`)
	strict := func(ops ...patch.Operation) error {
		_, err := theming.EditVariant(h.theme.Theme, h.document(), h.variants[0], theming.Edit{
			Operations: ops, Claim: theming.Claim{ETag: h.variants[0].Draft.ETag}, Strict: true, NewETag: "e", Limits: h.limits(),
		})
		return err
	}
	wantRefusal(t, strict(set("nowhere", `1`)), theming.Validation, `strict: "nowhere": overrideIgnored`)
	wantRefusal(t, strict(set("gap", `"no length"`)), theming.Validation, `strict: "gap": valueMisfit`)
	for _, op := range []patch.Operation{set("gap", `"9px"`), set("ignored.before", `2`), unset("ignored.before")} {
		if err := strict(op); err != nil {
			t.Errorf("%v: %v", op, err)
		}
	}
}

// A batch that changes nothing changes nothing; one that takes itself back leaves no draft (S219, decisions 3.4 and 5.5).
func TestVariantDraftComesAndGoes(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	fresh := h.variants[0]
	for _, ops := range [][]patch.Operation{nil, {unset("x")}, {set("x", `1`), unset("x")}} {
		if err := h.trySet(0, ops...); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "after nothing", h.variants[0], fresh)
	}
	h.set(0, `{"gap":"1px"}`)
	if err := h.trySet(0, unset("gap")); err != nil || h.variants[0].Draft != nil || h.variants[0].Variant.DraftETag != "" {
		t.Errorf("before the first version: %v, %+v", err, h.variants[0])
	}
	h.write(small)
	h.publish()
	h.set(0, `{"gap":"1px","x":1}`)
	h.publishVariant(0)
	h.set(0, `{"gap":"2px"}`)
	h.set(0, `{"gap":"1px"}`)
	if h.variants[0].Draft != nil {
		t.Error("a draft that equals what is published is left")
	}
}

// The draft that a Theme publish left for review never ends by equality (decision 5.5).
func TestMigratedDraftStays(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 2)
	h.write(small)
	h.publish()
	h.set(0, `{"gap":"1px"}`)
	h.publishVariant(0)
	h.edit(`[{"op":"remove","path":"/color"}]`)
	h.publish()
	for i, overrides := range []string{`{"gap":"1px"}`, `{}`} {
		h.set(i, `{"x":1}`)
		if err := h.trySet(i, unset("x")); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "overrides", h.overrides(i), overrides)
		if h.variants[i].Draft == nil || h.variants[i].Draft.Addressed != 2 {
			t.Errorf("Variant %d: draft %+v, want one addressed to version 2", i, h.variants[i].Draft)
		}
	}
	v, err := theming.NewVariant("var_late", h.theme.Theme, theming.VariantInput{Slug: ptr("late"), DisplayName: ptr("Late")}, 2, record.Pro, h.now())
	if err != nil {
		t.Fatal(err)
	}
	h.variants = append(h.variants, theming.VariantState{Variant: v})
	h.set(2, `{"x":1}`)
	if err := h.trySet(2, unset("x")); err != nil || h.variants[2].Draft != nil {
		t.Errorf("a Variant that no publish has seen: %v, %+v", err, h.variants[2].Draft)
	}
}

// A Variant is published once at each Theme version, with that version's number (S192, S220 to S223, S225, decision 5.5).
func TestPublishVariant(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	publish := func(ifMatch theming.IfMatch) error {
		_, _, _, err := theming.PublishVariant(h.theme.Theme, h.variants[0], theming.Review{IfMatch: ifMatch}, at(500))
		return err
	}
	h.set(0, `{"gap":"1px"}`)
	wantRefusal(t, publish(nil), theming.Conflict) // the Theme has no version
	h.write(small)
	h.publish()
	for range 2 {
		h.theme.Theme.DraftPrefix = ptr("p")
		if _, err := h.tryPublish(true); err != nil {
			t.Fatal(err)
		}
	}
	wantPrecondition(t, publish(theming.IfMatch{"stale"}))
	v, version, blob, err := theming.PublishVariant(h.theme.Theme, h.variants[0], theming.Review{ETag: ptr(h.variants[0].Draft.ETag)}, at(500))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "blob", string(blob), `{"gap":"1px"}`)
	wantEqual(t, "remark", version.Remark, record.Remark{Added: 1})
	version.Remark = record.Remark{}
	wantEqual(t, "version", version, record.VariantVersion{Number: 3, Overrides: record.HashOf(blob), TokenCount: 1, PublishedAt: at(500)})
	want := h.variants[0].Variant
	want.LatestVersion, want.PublishedAt, want.UpdatedAt, want.DraftETag = 3, at(500), at(500), ""
	wantEqual(t, "variant", v, want)
	h.publishVariant(0)
	wantRefusal(t, publish(nil), theming.Conflict) // no draft
	wantPrecondition(t, publish(theming.IfMatch{"*"}))
	h.set(0, `{"gap":"2px"}`)
	wantRefusal(t, publish(nil), theming.Conflict) // published at 3 already
	if _, err := h.tryPublish(true); err != nil {
		t.Fatal(err)
	}
	if err := publish(nil); err != nil {
		t.Errorf("after the Theme published again: %v", err)
	}
}

// Discarding a Variant's draft falls back to what is served (S224, decisions 3.1 and 3.3).
func TestDiscardVariant(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 1)
	h.write(small)
	h.publish()
	h.set(0, `{"gap":"1px"}`)
	h.publishVariant(0)
	clean := h.variants[0]
	got, err := theming.DiscardVariant(clean, theming.Claim{}, 1, at(900))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "discarding nothing", got, clean)
	h.set(0, `{"gap":"2px","x":1}`)
	_, err = theming.DiscardVariant(h.variants[0], theming.Claim{}, 1, at(900))
	wantRefusal(t, err, theming.Conflict)
	got, err = theming.DiscardVariant(h.variants[0], theming.Claim{ETag: h.variants[0].Draft.ETag}, 1, at(900))
	if err != nil {
		t.Fatal(err)
	}
	want := clean
	want.Variant.UpdatedAt, want.Variant.Bytes = at(900), h.variants[0].Variant.Bytes
	wantEqual(t, "after discarding", got, want)
}
