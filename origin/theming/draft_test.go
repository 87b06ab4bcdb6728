package theming_test

import (
	"strconv"
	"strings"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

const small = `{"color":{"$type":"color","red":{"$value":"#f00"},"blue":{"$value":"#00f"}},"gap":{"$type":"dimension","$value":"4px"}}`

// The first effective batch makes a draft; taking it back leaves none (S166, S167, S52, S55, decision 4.11).
func TestDraftComesAndGoes(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.edit(`[{"op":"add","path":"/gap","value":{"$type":"dimension","$value":"4px"}}]`)
	if s := h.theme; s.Draft == nil || s.Draft.ETag != s.Theme.DraftETag || s.Theme.TokenCount != 1 || s.Draft.Base != 0 || s.Theme.UpdatedAt != at(2) {
		t.Fatalf("after the first edit: %+v %+v", s.Theme, s.Draft)
	}
	h.edit(`[{"op":"remove","path":"/gap"}]`)
	if s := h.theme; s.Draft != nil || s.Theme.DraftETag != "" || s.Theme.TokenCount != 0 || s.Theme.UpdatedAt != at(3) {
		t.Fatalf("after taking it back: %+v %+v", s.Theme, s.Draft)
	}
	h.write(small)
	h.publish()
	h.edit(`[{"op":"replace","path":"/gap/$value","value":"8px"}]`)
	wantEqual(t, "the stored patch", string(h.theme.Draft.Patch), `[{"op":"replace","path":"/gap/$value","value":"8px"}]`)
	h.edit(`[{"op":"replace","path":"/gap","value":{"$value":"4px","$type":"dimension"}}]`)
	if h.theme.Draft != nil {
		t.Errorf("a draft that equals the version beneath but for order is left: %s", h.theme.Draft.Patch)
	}
}

// A batch that changes nothing answers the state as it is (decision 3.4).
func TestBatchThatChangesNothing(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	for _, ops := range []string{
		`[]`, `[{"op":"replace","path":"/gap/$value","value":"4px"}]`,
		`[{"op":"move","from":"/gap","path":"/t"},{"op":"move","from":"/t","path":"/gap"}]`,
		`[{"op":"add","path":"/x","value":{}},{"op":"remove","path":"/x"}]`,
	} {
		before := h.theme
		h.edit(ops)
		wantEqual(t, ops, h.theme, before)
	}
	h.publish()
	h.edit(`[]`)
	if h.theme.Draft != nil {
		t.Error("an empty batch made a draft")
	}
}

// A draft keeps order and spelling, and reads the same once it was stored (S6, S7, S21, decision 4.1).
func TestDraftKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(`{"b":{"$value":0.10},"a":{"$value":12345678901234567890,"$extensions":{"x":[1.0]},"$ref":"#/b"},"g":{"$extends":"{b}","c":{"$value":"{a}"}}}`)
	h.publish()
	after, err := theming.EditTheme(h.theme, theming.Edit{
		Operations: operations(t, `[
		{"op":"move","from":"/b","path":"/first"},{"op":"add","path":"/z","value":{"$value":1.50}},{"op":"move","from":"/z","path":"/g/z"}]`),
		NewETag: "e", Limits: h.limits(),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"first":{"$value":0.10},"a":{"$value":12345678901234567890,"$extensions":{"x":[1.0]},"$ref":"#/b"},"g":{"$extends":"{b}","c":{"$value":"{a}"},"z":{"$value":1.50}}}`
	for _, s := range []theming.ThemeState{after, stored(after)} {
		document, err := s.Document()
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "document", spell(document), want)
	}
	wantEqual(t, "moves", after.Draft.Moves, []record.Move{{From: "/b", To: "/first"}})
}

// The draft remembers renames over all its edits, those of $-members not among them (decision 4.8).
func TestDraftComposesRenames(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	h.publish()
	for _, step := range []struct{ ops, want string }{
		{`[{"op":"move","from":"/color","path":"/c"}]`, "/color>/c"},
		{`[{"op":"move","from":"/c/red","path":"/c/t"}]`, "/color>/c /color/red>/c/t"},
		{`[{"op":"move","from":"/c/blue","path":"/c/red"}]`, "/color>/c /color/blue>/c/red /color/red>/c/t"},
		{`[{"op":"move","from":"/c/t","path":"/c/blue"}]`, "/color>/c /color/blue>/c/red /color/red>/c/blue"},
		{`[{"op":"add","path":"/color","value":{"red":{"$value":"#fff"}}}]`, "/color>/c /color/blue>/c/red /color/red>/c/blue"},
		{`[{"op":"move","from":"/gap/$type","path":"/gap/$description"}]`, "/color>/c /color/blue>/c/red /color/red>/c/blue"},
		{`[{"op":"remove","path":"/c/blue"}]`, "/color>/c /color/blue>/c/red"},
		{`[{"op":"remove","path":"/c"}]`, ""},
	} {
		h.edit(step.ops)
		var words []string
		for _, m := range h.theme.Draft.Moves {
			words = append(words, m.From+">"+m.To)
		}
		wantEqual(t, step.ops, strings.Join(words, " "), step.want)
	}
}

// Faults of the batch and of the document it makes are listed at once, with the operation and the
// place (S103, S162, decisions 4.2 to 4.4, attack A36).
func TestEditThemeRefuses(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	before := h.theme
	for _, c := range []struct {
		ops   string
		texts []string
	}{
		{`[{"op":"test","path":"/gap","value":1},{"op":"remove","path":"/gone"}]`, []string{`operations[0] (test "/gap"): "test" is not an operation`, `operations[1] (remove "/gone"): at the root`}},
		{`[{"op":"set","path":"/gap","value":1}]`, []string{`"set" is not an operation`}},
		{`[{"op":"replace","path":"","value":{}}]`, []string{"whole document"}},
		{`[{"op":"add","path":"/gap/$type","value":"dimenson"}]`, []string{`operations[0]: "/gap/$type": "dimenson" is not a known $type; the standard ones are color`}},
		{`[{"op":"add","path":"/a.b","value":{}},{"op":"add","path":"/","value":{}},{"op":"add","path":"/{x}","value":{}}]`, []string{`operations[0]: "/a.b"`, `operations[1]: "/"`, `operations[2]: "/{x}"`}},
		{`[{"op":"add","path":"/$value","value":1}]`, []string{`operations[0]: "/$value"`}},
		{`[{"op":"add","path":"/x","value":"text"}]`, []string{`operations[0]: "/x"`}},
		{`[{"op":"add","path":"/gap/$description","value":1},{"op":"add","path":"/gap/$extensions","value":[]}]`, []string{"$description is a string", "$extensions is an object"}},
		{`[{"op":"replace","path":"/gap/$value","value":null}]`, []string{`operations[0]: "/gap/$value": `}},
		{`[{"op":"add","path":"/` + strings.Repeat("n", 257) + `","value":{}}]`, []string{"257 characters; the limit is 256"}},
		{`[{"op":"add","path":"/x","value":` + strings.Repeat(`{"x":`, 64) + `{}` + strings.Repeat("}", 64) + `}]`, []string{"66 levels deep; the limit is 64"}},
	} {
		wantRefusal(t, h.tryEdit(c.ops), theming.Validation, c.texts...)
	}
	wantEqual(t, "the state", h.theme, before)
}

// An answer is bounded: past a thousand the faults are only counted.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	bad := jsontree.NewObject()
	for i := range 1200 {
		bad.Members = append(bad.Members, jsontree.Member{Name: "a." + strconv.Itoa(i), Value: jsontree.NewObject()})
	}
	bad.Index()
	err := h.tryOperations([]patch.Operation{{Op: "add", Path: "/g", Value: bad}})
	refusal, ok := err.(*theming.Error)
	if !ok || len(refusal.Messages) != 1001 || refusal.Messages[1000] != "and 200 more faults" {
		t.Errorf("error %.200v", err)
	}
}

// The order of rules: a claim that contradicts itself, the operations on their own, the claim, and then what they make of
// the document (decisions 1.4 and 9.1).
func TestEditThemeOrderOfRules(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	edit := func(ops string, c theming.Claim) error {
		_, err := theming.EditTheme(h.theme, theming.Edit{Operations: operations(t, ops), Claim: c, NewETag: "e", Limits: h.limits()})
		return err
	}
	bad, good := `[{"op":"remove","path":"/gone"}]`, `[{"op":"remove","path":"/gap"}]`
	wantRefusal(t, edit(bad, theming.Claim{ETag: "a", IfMatch: theming.IfMatch{"b"}}), theming.Payload, "If-Match")
	wantRefusal(t, edit(bad, theming.Claim{ETag: "stale"}), theming.Conflict)
	wantRefusal(t, edit(bad, theming.Claim{ETag: h.theme.Draft.ETag}), theming.Validation, "gone")
	wantRefusal(t, edit(`[{"op":"remove","path":"gone"}]`, theming.Claim{ETag: "stale"}), theming.Validation, "begins with '/'")
	wantRefusal(t, edit(good, theming.Claim{ETag: "stale"}), theming.Conflict)
	wantRefusal(t, edit(good, theming.Claim{}), theming.Conflict)
	if err := edit(good, theming.Claim{ETag: h.theme.Draft.ETag}); err != nil { // S172
		t.Error(err)
	}
}

// strict refuses what would add a diagnostic of any kind, and nothing else (decision 4.5).
func TestStrictEdits(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(`{"a":{"$type":"color","$value":"{gone}"},"b":{"$type":"color","$value":"#fff"}}`)
	strict := func(ops string) error {
		_, err := theming.EditTheme(h.theme, theming.Edit{Operations: operations(t, ops), Claim: theming.Claim{ETag: h.theme.Theme.DraftETag}, Strict: true, NewETag: "e", Limits: h.limits()})
		return err
	}
	wantRefusal(t, strict(`[{"op":"replace","path":"/b/$value","value":"{nowhere}"}]`), theming.Validation, `strict: "b": aliasMissing`)
	wantRefusal(t, strict(`[{"op":"replace","path":"/b/$value","value":"no colour"},{"op":"add","path":"/c","value":{"$value":"{c}"}}]`), theming.Validation, `"b": valueMisfit`, `"c": aliasCycle`)
	for _, ops := range []string{
		`[{"op":"replace","path":"/b/$value","value":"#000"}]`,
		`[{"op":"move","from":"/a","path":"/renamed"}]`, // what was wrong before may be renamed
		`[{"op":"add","path":"/gone","value":{"$type":"color","$value":"#123456"}}]`,
	} {
		if err := strict(ops); err != nil {
			t.Errorf("%s: %v", ops, err)
		}
	}
	h.edit(`[{"op":"replace","path":"/b/$value","value":"no colour"}]`) // without strict it is stored
}

// A document that grows past its limit by copies is refused (decision 1.5, attack A28).
func TestEditThemeRefusesCopyBombs(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	ops := `[{"op":"add","path":"/a","value":{"$extensions":{"x":"` + strings.Repeat("x", 1000) + `"}}}`
	for i := range 30 {
		ops += `,{"op":"copy","from":"/a","path":"/a/` + strconv.Itoa(i) + `"}`
	}
	wantRefusal(t, h.tryEdit(ops+"]"), theming.Validation, "operations[13]")
	if h.theme.Draft != nil {
		t.Error("a copy bomb left a draft")
	}
}

// Discarding needs the claim, except if there is nothing to discard (S173, S174, decision 3.3).
func TestDiscardTheme(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(small)
	h.publish()
	clean := h.theme
	got, err := theming.DiscardTheme(clean, theming.Claim{}, 3, at(99))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "discarding nothing", got, clean)
	_, err = theming.DiscardTheme(clean, theming.Claim{ETag: "e"}, 3, at(99))
	wantRefusal(t, err, theming.Conflict)
	h.edit(`[{"op":"remove","path":"/gap"}]`)
	_, err = theming.DiscardTheme(h.theme, theming.Claim{ETag: "stale"}, 3, at(99))
	wantRefusal(t, err, theming.Conflict)
	got, err = theming.DiscardTheme(h.theme, theming.Claim{ETag: h.theme.Draft.ETag}, 3, at(99))
	if err != nil {
		t.Fatal(err)
	}
	want := clean
	want.Theme.UpdatedAt = at(99)
	wantEqual(t, "after discarding", got, want)
}

// A draft that cannot be read is a failure, not a refusal: it names the Theme.
func TestBrokenDraft(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{`[`, `[{"op":"remove","path":"/gone"}]`} {
		s := theming.ThemeState{Theme: record.Theme{ID: "thm_1"}, Draft: &record.ThemeDraft{Patch: []byte(stored)}}
		if _, err := s.Document(); err == nil || !strings.Contains(err.Error(), "thm_1") {
			t.Errorf("%s: %v", stored, err)
		}
		if _, err := theming.EditTheme(s, theming.Edit{}); err == nil {
			t.Errorf("%s: EditTheme found no error", stored)
		}
		if _, err := theming.PublishTheme(s, nil, theming.Publication{}); err == nil {
			t.Errorf("%s: PublishTheme found no error", stored)
		}
	}
}

// Entries say what a token is and what it inherits (S141 to S152).
func TestTokenSet(t *testing.T) {
	t.Parallel()
	document := parse(t, `{
		"z":{"$value":"{g.a}","$description":"first"},
		"g":{"$type":"color","$description":"a group","a":{"$value":"#fff","$extensions":{"x":1}},"h":{"b":{"$type":"dimension","$value":"1px"}}},
		"implied":{"c":{"$value":{"value":2,"unit":"px"}}},
		"r":{"$ref":"#/g"},"u":{"$value":{"odd":true}}}`)
	tokens, groups := theming.TokenSet(document)
	type row struct {
		path, own, resolved string
		inferred            bool
		value, note, extra  string
	}
	var got []row
	for _, e := range tokens {
		r := row{path: e.Path, inferred: e.Inferred, value: spell(e.Value)}
		if e.Type != nil {
			r.own = *e.Type
		}
		if e.ResolvedType != nil {
			r.resolved = *e.ResolvedType
		}
		if e.Description != nil {
			r.note = e.Description.Text
		}
		if e.Extensions != nil {
			r.extra = spell(e.Extensions)
		}
		got = append(got, r)
	}
	wantEqual(t, "tokens", got, []row{
		{path: "z", resolved: "color", value: `"{g.a}"`, note: "first"},
		{path: "g.a", resolved: "color", value: `"#fff"`, extra: `{"x":1}`},
		{path: "g.h.b", own: "dimension", resolved: "dimension", value: `"1px"`},
		{path: "implied.c", resolved: "dimension", inferred: true, value: `{"value":2,"unit":"px"}`},
		{path: "u", value: `{"odd":true}`},
	})
	if len(groups) != 1 || groups[0].Path != "g" || *groups[0].Type != "color" || groups[0].Description.Text != "a group" {
		t.Errorf("groups = %+v", groups)
	}
	wantEqual(t, "CountTokens", theming.CountTokens(document), len(tokens))
	overrides := theming.OverrideSet(parse(t, `{"b.c":null,"a":"{x}"}`))
	var rows []row
	for _, e := range overrides {
		rows = append(rows, row{path: e.Path, value: spell(e.Value)})
	}
	wantEqual(t, "OverrideSet", rows, []row{{path: "b.c", value: "null"}, {path: "a", value: `"{x}"`}})
}

// Retyping a group retypes the tokens that have no type of their own (S152, S175).
func TestRetypingAGroup(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	h.write(`{"g":{"$type":"dimension","a":{"$value":"200ms"},"b":{"$type":"dimension","$value":"1px"}}}`)
	h.edit(`[{"op":"replace","path":"/g/$type","value":"duration"}]`)
	tokens, _ := theming.TokenSet(h.document())
	wantEqual(t, "types", []string{*tokens[0].ResolvedType, *tokens[1].ResolvedType}, []string{"duration", "dimension"})
}

func TestCompareThemes(t *testing.T) {
	t.Parallel()
	before := parse(t, `{"a":{"$type":"color","$value":"#111111"},"b":{"$value":"1px"},"c":{"$value":"2px"},"d":{"$value":"3px","$description":"x"},"e":{"$value":"4px"},"same":{"$value":1}}`)
	after := parse(t, `{"a":{"$type":"string","$value":"#111111"},"b2":{"$value":"9px"},"c2":{"$value":"2px"},"d":{"$value":"3px","$description":"y"},"new":{"$value":7},"same":{"$value":1.0}}`)
	moves := theming.Renames(before, after, []record.Move{{From: "/b", To: "/b2"}})
	wantEqual(t, "Renames", moves, []record.Move{{From: "/b", To: "/b2"}, {From: "/c", To: "/c2", Inferred: true}})
	got := theming.CompareThemes(theming.Edition{before, ""}, theming.Edition{after, ""}, moves)
	if len(got.Retyped) != 1 || *got.Retyped[0].From != "color" || *got.Retyped[0].To != "string" {
		t.Fatalf("Retyped = %+v", got.Retyped)
	}
	wantEqual(t, "CompareThemes", got, theming.Comparison{
		Added: []string{"new"}, Removed: []string{"e"}, Renamed: []theming.Rename{{"b", "b2", false}, {"c", "c2", true}},
		Retyped: got.Retyped, Changed: []string{"b2"}, Described: []string{"d"}, Breaking: true,
		Properties: renderer.PropertyChanges{Added: []string{"--b2", "--c2", "--new"}, Removed: []string{"--b", "--c", "--e"}},
	})
	wantEqual(t, "of a document with itself", theming.CompareThemes(theming.Edition{after, "p"}, theming.Edition{after, "p"}, nil), theming.Comparison{})
	wantEqual(t, "of Variants", theming.CompareVariants(parse(t, `{"a":1,"b":2,"c":3}`), parse(t, `{"d":4,"c":3.0,"b":1}`)),
		theming.Comparison{Added: []string{"d"}, Removed: []string{"a"}, Changed: []string{"b"}})
}

// Names decide what breaks a consumer: those of the custom properties, not those of tokens (decision 8.1b).
func TestWhatBreaksAConsumer(t *testing.T) {
	t.Parallel()
	const before = `{"a":{"$type":"number","$root":{"$value":1},"b":{"$value":2}},"c":{"$type":"number","$value":3},"dead":{"$value":"{gone}"}}`
	for name, c := range map[string]struct {
		after  string
		prefix string
		moves  []record.Move
		want   bool
	}{
		"nothing changed":                                   {before, "p", nil, false},
		"a value":                                           {strings.Replace(before, "2", "7", 1), "p", nil, false},
		"another prefix":                                    {before, "q", nil, true},
		"no prefix":                                         {before, "", nil, true},
		"a prefix that spells alike":                        {strings.Replace(before, `"c"`, `"x-c"`, 1), "p", nil, true},
		"a token removed":                                   {`{"a":{"$type":"number","$root":{"$value":1},"b":{"$value":2}}}`, "p", nil, true},
		"a token that was never served removed":             {strings.Replace(before, `,"dead":{"$value":"{gone}"}`, "", 1), "p", nil, false},
		"a token that is not served any more":               {strings.Replace(before, `"$value":3`, `"$value":"{gone}"`, 1), "p", nil, true},
		"a token of another type":                           {strings.Replace(before, `{"$type":"number","$value":3}`, `{"$type":"opacity","$value":3}`, 1), "p", nil, true},
		"a rename":                                          {strings.Replace(before, `"b"`, `"d"`, 1), "p", []record.Move{{From: "/a/b", To: "/a/d"}}, true},
		"a rename that keeps the property's name":           {strings.Replace(before, `{"$type":"number","$root":{"$value":1},"b":{"$value":2}}`, `{"$type":"number","$value":1},"a-b":{"$type":"number","$value":2}`, 1), "p", []record.Move{{From: "/a/$root", To: "/a"}, {From: "/a/b", To: "/a-b"}}, false},
		"a token that takes another's property":             {strings.Replace(before, `"dead"`, `"a-b":{"$type":"number","$value":2},"dead"`, 1), "p", nil, true},
		"a token with another's property that stands first": {strings.Replace(before, `{"a"`, `{"a-b":{"$type":"number","$value":9},"a"`, 1), "p", nil, false},
		"a token in the place of one that moved":            {strings.Replace(before, `"dead"`, `"d":{"$type":"number","$value":4},"dead"`, 1), "p", []record.Move{{From: "/c", To: "/d"}}, true},
		"a token in the place of one that is gone":          {strings.Replace(before, `,"b":{"$value":2}}`, `},"a-b":{"$type":"number","$value":5}`, 1), "p", nil, false},
		"a description":                                     {strings.Replace(before, `"$value":3`, `"$value":3,"$description":"x"`, 1), "p", nil, false},
		"a token added":                                     {strings.Replace(before, `"dead"`, `"new":{"$value":4},"dead"`, 1), "p", nil, false},
	} {
		if got := theming.CompareThemes(theming.Edition{parse(t, before), "p"}, theming.Edition{parse(t, c.after), c.prefix}, c.moves); got.Breaking != c.want {
			t.Errorf("%s: CompareThemes = %+v, want breaking %t", name, got, c.want)
		}
	}
}

// One draft may move thousands of tokens; every edit of it stays quick and the patch small.
func TestDraftOfManyRenames(t *testing.T) {
	t.Parallel()
	h := newFixture(t, 0)
	var ops []patch.Operation
	document := jsontree.NewObject()
	for i := range 2000 {
		name := "t" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		document.Members = append(document.Members, jsontree.Member{Name: name, Value: parse(t, `{"$value":1}`)})
		ops = append(ops, patch.Operation{Op: "move", From: "/" + name, Path: "/" + name + "y"})
	}
	document.Index()
	h.write(spell(document))
	h.publish()
	if err := h.tryOperations(ops); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "moves", len(h.theme.Draft.Moves), 2000)
	if stored := operations(t, string(h.theme.Draft.Patch)); len(stored) != 2000 {
		t.Errorf("%d stored operations, want 2000", len(stored))
	}
}
