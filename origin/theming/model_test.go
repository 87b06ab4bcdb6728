package theming_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
	"pgregory.net/rapid"
)

// The reference: a Theme is a flat map of dotted path to token, two levels deep, and a Variant a map
// of path to value. It knows no trees, pointers or patches; renames are followed token by token.

type refToken struct{ typ, value string } // value as JSON

type refVariant struct {
	created   int               // the Theme's version when it was created
	draft     map[string]string // nil: none
	served    map[string]string // nil: none
	published int
}

type reference struct {
	version       int
	base, current map[string]refToken
	groups        map[string]bool
	baseGroups    map[string]bool
	whereabouts   map[string]string // token of base -> where moves took it
	dead          map[string]bool   // tokens of base that were removed, or moved onto
	hasDraft      bool
	variants      []*refVariant
}

func (r *reference) beginDraft() {
	r.whereabouts, r.dead = map[string]string{}, map[string]bool{}
	for path := range r.base {
		r.whereabouts[path] = path
	}
}

// kill marks the tokens of base that stand at path as gone.
func (r *reference) kill(path string) {
	for from, to := range r.whereabouts {
		if to == path && !r.dead[from] {
			r.dead[from] = true
		}
	}
}

// newcomer reports whether the token at path is none of base. One that is moved onto a token of base
// replaces it; whether later renames then are those of the replaced token is left open here.
func (r *reference) newcomer(path string) bool {
	for from, to := range r.whereabouts {
		if to == path && !r.dead[from] {
			return false
		}
	}
	return true
}

// haunted reports whether a token of base was lost at this place; whether what is put there again is
// that token when it moves on is left open here (the tables have it).
func (r *reference) haunted(path string) bool {
	for from, to := range r.whereabouts {
		if to == path && r.dead[from] {
			return true
		}
	}
	return false
}

func (r *reference) moveToken(from, to string) {
	r.kill(to)
	for token, at := range r.whereabouts {
		if at == from && !r.dead[token] {
			r.whereabouts[token] = to
		}
	}
	r.current[to] = r.current[from]
	delete(r.current, from)
}

func (r *reference) moveGroup(from, to string) {
	for token, at := range r.whereabouts {
		if rest, ok := strings.CutPrefix(at, from+"."); ok {
			r.whereabouts[token] = to + "." + rest
		}
	}
	for _, path := range slices.Collect(maps.Keys(r.current)) {
		if rest, ok := strings.CutPrefix(path, from+"."); ok {
			r.current[to+"."+rest] = r.current[path]
			delete(r.current, path)
		}
	}
	delete(r.groups, from)
	r.groups[to] = true
}

// settle ends the draft if it equals the version beneath.
func (r *reference) settle() {
	if maps.Equal(r.base, r.current) && maps.Equal(r.baseGroups, r.groups) {
		r.hasDraft = false
		r.beginDraft()
		return
	}
	r.hasDraft = true
}

// renames returns where the tokens of base are now, by moves and then by content.
func (r *reference) renames() map[string]string {
	renamed, targets := map[string]string{}, map[string]bool{}
	for from, to := range r.whereabouts {
		if _, stands := r.current[to]; stands && !r.dead[from] && from != to {
			renamed[from], targets[to] = to, true
		}
	}
	removed, added := map[refToken][]string{}, map[refToken][]string{}
	for path, token := range r.base {
		if _, stands := r.current[path]; !stands && renamed[path] == "" {
			removed[token] = append(removed[token], path)
		}
	}
	for path, token := range r.current {
		if _, stood := r.base[path]; !stood && !targets[path] {
			added[token] = append(added[token], path)
		}
	}
	for token, paths := range removed {
		if len(paths) == 1 && len(added[token]) == 1 {
			renamed[paths[0]] = added[token][0]
		}
	}
	return renamed
}

// carry is decision 5.4 word for word.
func (r *reference) carry(overrides, renamed map[string]string) map[string]string {
	carried := map[string]string{}
	for path, value := range overrides { // those that stay where they are
		value = follow(value, renamed)
		old, had := r.base[path]
		if !had {
			carried[path] = value
		} else if token, stands := r.current[path]; stands && renamed[path] == "" && r.keeps(old, token, value) {
			carried[path] = value
		}
	}
	for path, value := range overrides { // those that move, if nothing stands
		value = follow(value, renamed)
		if to := renamed[path]; to != "" && r.keeps(r.base[path], r.current[to], value) {
			if _, taken := carried[to]; !taken {
				carried[to] = value
			}
		}
	}
	return carried
}

func follow(value string, renamed map[string]string) string {
	if path, ok := strings.CutPrefix(value, `"{`); ok {
		if to := renamed[strings.TrimSuffix(path, `}"`)]; to != "" {
			return `"{` + to + `}"`
		}
	}
	return value
}

func (r *reference) keeps(old, token refToken, value string) bool {
	return old.typ == token.typ || r.fits(token.typ, value)
}

func (r *reference) fits(typ, value string) bool {
	if path, ok := strings.CutPrefix(value, `"{`); ok {
		target, stands := r.current[strings.TrimSuffix(path, `}"`)]
		return !stands || target.typ == typ
	}
	return slices.Contains(refValues[typ], value)
}

var refValues = map[string][]string{
	"color":     {`"#112233"`, `"#445566"`},
	"dimension": {`"1px"`, `"2px"`},
	"boolean":   {`true`, `false`},
}

var (
	refGroups = []string{"g", "h", "k"}
	refNames  = []string{"a", "b", "c", "d"}
)

// world holds the reference beside the real thing and compares them after every step.
type world struct {
	t     *rapid.T
	h     *fixture
	r     *reference
	etags map[string]string // every etag seen, and the content it stood for

	first *jsontree.Node    // the first version; nil before it
	since []record.Move     // from the first version to the newest
	at    map[string]string // where each token of the first version is that no publish removed
}

func TestThemesAndVariantsAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, h: newFixture(t, 0), etags: map[string]string{}}
		w.r = &reference{base: map[string]refToken{}, current: map[string]refToken{}, groups: map[string]bool{}, baseGroups: map[string]bool{}}
		w.r.beginDraft()
		w.furnish()
		t.Repeat(map[string]func(*rapid.T){
			"edit":           func(*rapid.T) { w.editTheme() },
			"edit again":     func(*rapid.T) { w.editTheme() },
			"edit once more": func(*rapid.T) { w.editTheme() },
			"discard":        func(*rapid.T) { w.discardTheme() },
			"publish":        func(*rapid.T) { w.publishTheme() },
			"set":            func(*rapid.T) { w.editVariant() },
			"set again":      func(*rapid.T) { w.editVariant() },
			"publishVariant": func(*rapid.T) { w.publishVariant() },
			"discardVariant": func(*rapid.T) { w.discardVariant() },
			"addVariant":     func(*rapid.T) { w.addVariant() },
			"":               func(*rapid.T) { w.compare() },
		})
	})
}

// furnish publishes a Theme of some tokens and overrides some of them, so that there is something to lose.
func (w *world) furnish() {
	var ops []patch.Operation
	for _, group := range refGroups[:rapid.IntRange(0, 2).Draw(w.t, "groups")] {
		w.r.groups[group] = true
		ops = append(ops, w.op("add", "", group, "{}"))
		for _, name := range refNames {
			token := w.token()
			w.r.current[group+"."+name] = token
			ops = append(ops, w.op("add", "", group+"."+name, tokenJSON(token)))
		}
	}
	if err := w.h.tryOperations(ops); err != nil {
		w.t.Fatal(err)
	}
	w.r.settle()
	w.addVariant()
	w.publishTheme()
	w.editVariant()
	w.editVariant()
	w.editVariant()
}

func (w *world) pick(from []string, what string) string {
	return rapid.SampledFrom(from).Draw(w.t, what)
}

func (w *world) path() string {
	return w.pick(refGroups, "group") + "." + w.pick(refNames, "name")
}

func (w *world) token() refToken {
	typ := w.pick([]string{"color", "dimension", "boolean"}, "type")
	return refToken{typ, w.pick(refValues[typ], "value")}
}

func pointer(path string) string { return "/" + strings.ReplaceAll(path, ".", "/") }

func tokenJSON(token refToken) string {
	return fmt.Sprintf(`{"$type":%q,"$value":%s}`, token.typ, token.value)
}

func (w *world) op(op, from, path, value string) patch.Operation {
	o := patch.Operation{Op: op, Path: pointer(path)}
	if from != "" {
		o.From = pointer(from)
	}
	if value != "" {
		o.Value = parse(w.t, value)
	}
	return o
}

// editTheme sends a batch of some operations.
func (w *world) editTheme() {
	var ops []patch.Operation
	for range rapid.IntRange(1, 4).Draw(w.t, "operations") {
		if op, ok := w.operation(); ok {
			ops = append(ops, op)
		}
	}
	if err := w.h.tryOperations(ops); err != nil {
		w.t.Fatal(err)
	}
	w.r.settle()
}

// operation draws one operation that the Theme accepts and does it to the reference.
func (w *world) operation() (patch.Operation, bool) {
	r, path, group := w.r, w.path(), w.pick(refGroups, "group")
	switch kind := w.pick([]string{"add", "replace", "remove", "move", "move", "group", "newGroup"}, "kind"); kind {
	case "newGroup":
		if r.groups[group] {
			return patch.Operation{}, false
		}
		r.groups[group] = true
		return w.op("add", "", group, "{}"), true
	case "group":
		from := w.pick(refGroups, "from")
		if !r.groups[from] || r.groups[group] {
			return patch.Operation{}, false
		}
		r.moveGroup(from, group)
		return w.op("move", from, group, ""), true
	case "move":
		from := w.path()
		if _, ok := r.current[from]; !ok || !r.groups[path[:1]] || from == path || r.haunted(path) {
			return patch.Operation{}, false
		}
		if _, stands := r.current[path]; stands && r.newcomer(from) {
			return patch.Operation{}, false
		}
		r.moveToken(from, path)
		return w.op("move", from, path, ""), true
	default:
		return w.tokenOperation(kind, path)
	}
}

func (w *world) tokenOperation(kind, path string) (patch.Operation, bool) {
	token := w.token()
	_, stands := w.r.current[path]
	if !w.r.groups[path[:1]] || stands == (kind == "add") || kind == "add" && w.r.haunted(path) {
		return patch.Operation{}, false
	}
	if kind == "remove" {
		w.r.kill(path)
		delete(w.r.current, path)
		return w.op("remove", "", path, ""), true
	}
	w.r.current[path] = token
	return w.op(kind, "", path, tokenJSON(token)), true
}

func (w *world) discardTheme() {
	got, err := theming.DiscardTheme(w.h.theme, theming.Claim{ETag: w.h.theme.Theme.DraftETag}, len(w.r.base), w.h.now())
	if err != nil {
		w.t.Fatal(err)
	}
	w.h.theme = got
	w.r.current, w.r.groups, w.r.hasDraft = maps.Clone(w.r.base), maps.Clone(w.r.baseGroups), false
	w.r.beginDraft()
}

func (w *world) publishTheme() {
	r, unchanged := w.r, rapid.Bool().Draw(w.t, "unchanged")
	before := orEmpty(w.h.theme.Base)
	p, err := w.h.tryPublish(unchanged)
	if !r.hasDraft && (!unchanged || r.version == 0) {
		wantRefusal(w.t, err, theming.Conflict)
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	renamed := r.renames()
	w.compareRenames(before, p.Version.Moves, renamed)
	for _, v := range r.variants {
		current := v.draft
		if current == nil {
			current = v.served
		}
		v.draft = r.carry(current, renamed)
		if v.served != nil {
			v.served = r.carry(v.served, renamed)
		}
	}
	r.version++
	r.base, r.baseGroups, r.hasDraft = maps.Clone(r.current), maps.Clone(r.groups), false
	r.beginDraft()
}

// compareRenames holds the renames of a publish, and of all publishes since the first one after another, there and back,
// against what the reference says of each token.
func (w *world) compareRenames(before *jsontree.Node, moves []record.Move, renamed map[string]string) {
	after := w.h.theme.Base
	wantEqual(w.t, "renames", renamesOf(before, after, moves), renamed)
	wantEqual(w.t, "renames taken back", renamesOf(after, before, patch.Invert(moves)), inverse(renamed))
	if w.first == nil {
		w.first, w.since, w.at = after, nil, map[string]string{}
		for path := range w.r.current {
			w.at[path] = path
		}
		return
	}
	w.since = patch.Compose(w.since, moves)
	there, back := renamesOf(w.first, after, w.since), renamesOf(after, w.first, patch.Invert(w.since))
	for path, at := range w.at {
		if to, moved := renamed[at]; moved {
			at = to
		} else if _, stands := w.r.current[at]; !stands || inverse(renamed)[at] != "" {
			delete(w.at, path) // what comes to such a place later may count for it or not
			continue
		}
		w.at[path] = at
		if to, moved := there[path]; moved != (at != path) || moved && to != at {
			w.t.Errorf("since the first version %s became %q, want %s; renames: %v", path, to, at, w.since)
		}
		if from, moved := back[at]; moved != (at != path) || moved && from != path {
			w.t.Errorf("back to the first version %s becomes %q, want %s; renames: %v", at, from, path, w.since)
		}
	}
}

func renamesOf(before, after *jsontree.Node, moves []record.Move) map[string]string {
	renamed := map[string]string{}
	for _, r := range theming.CompareThemes(theming.Edition{before, ""}, theming.Edition{after, ""}, moves).Renamed {
		renamed[r.From] = r.To
	}
	return renamed
}

func inverse(renamed map[string]string) map[string]string {
	back := map[string]string{}
	for from, to := range renamed {
		back[to] = from
	}
	return back
}

func (w *world) addVariant() {
	if len(w.r.variants) == 3 {
		return
	}
	name := fmt.Sprint("v", len(w.r.variants))
	v, err := theming.NewVariant(name, w.h.theme.Theme, theming.VariantInput{Slug: &name, DisplayName: &name}, 0, "free", w.h.now())
	if err != nil {
		w.t.Fatal(err)
	}
	w.h.variants = append(w.h.variants, theming.VariantState{Variant: v})
	w.r.variants = append(w.r.variants, &refVariant{created: w.r.version})
}

func (w *world) variant() (int, *refVariant) {
	i := rapid.IntRange(0, len(w.r.variants)-1).Draw(w.t, "variant")
	return i, w.r.variants[i]
}

func (w *world) editVariant() {
	i, v := w.variant()
	before := v.draft
	if before == nil {
		before = v.served
	}
	after := maps.Clone(before)
	if after == nil {
		after = map[string]string{}
	}
	var ops []patch.Operation
	for range rapid.IntRange(1, 3).Draw(w.t, "operations") {
		path, value := w.path(), w.token().value
		switch rapid.IntRange(0, 3).Draw(w.t, "what") {
		case 0:
			delete(after, path)
			ops = append(ops, unset(path))
			continue
		case 1:
			value = `"{` + w.path() + `}"`
		}
		after[path] = value
		ops = append(ops, set(path, value))
	}
	if err := w.h.trySet(i, ops...); err != nil {
		w.t.Fatal(err)
	}
	switch mayEnd := v.published == w.r.version || v.created == w.r.version; {
	case maps.Equal(before, after):
	case mayEnd && maps.Equal(v.served, after):
		v.draft = nil
	default:
		v.draft = after
	}
}

func (w *world) publishVariant() {
	i, v := w.variant()
	_, _, _, err := theming.PublishVariant(w.h.theme.Theme, w.h.variants[i], theming.Review{}, w.h.now())
	if w.r.version == 0 || v.draft == nil || v.published == w.r.version {
		wantRefusal(w.t, err, theming.Conflict)
		return
	}
	w.h.publishVariant(i)
	v.served, v.draft, v.published = v.draft, nil, w.r.version
}

func (w *world) discardVariant() {
	i, v := w.variant()
	got, err := theming.DiscardVariant(w.h.variants[i], theming.Claim{ETag: w.h.variants[i].Variant.DraftETag}, len(v.served), w.h.now())
	if err != nil {
		w.t.Fatal(err)
	}
	w.h.variants[i], v.draft = got, nil
}

// compare checks everything that can be seen of both.
func (w *world) compare() {
	theme, document := w.h.theme.Theme, w.h.document()
	got := map[string]refToken{}
	tokens, _ := theming.TokenSet(document)
	for _, e := range tokens {
		got[e.Path] = refToken{*e.Type, spell(e.Value)}
	}
	if !maps.Equal(got, w.r.current) || theme.TokenCount != len(w.r.current) || int(theme.LatestVersion) != w.r.version {
		w.t.Fatalf("the Theme at version %d has %d tokens %v, want version %d and %v", theme.LatestVersion, theme.TokenCount, got, w.r.version, w.r.current)
	}
	if (w.h.theme.Draft != nil) != w.r.hasDraft || (theme.DraftETag != "") != w.r.hasDraft {
		w.t.Fatalf("draft %+v, want one: %v", w.h.theme.Draft, w.r.hasDraft)
	}
	w.knowEtag("theme", theme.DraftETag, document)
	for i, v := range w.r.variants {
		w.compareVariant(i, v)
	}
}

func (w *world) compareVariant(i int, v *refVariant) {
	state, want := w.h.variants[i], v.draft
	if want == nil {
		want = v.served
	}
	overrides, err := state.Overrides()
	if err != nil {
		w.t.Fatal(err)
	}
	if got := flat(overrides); !maps.Equal(got, want) || state.Variant.TokenCount != len(want) {
		w.t.Fatalf("Variant %d overrides %d: %v, want %v", i, state.Variant.TokenCount, got, want)
	}
	if (state.Draft != nil) != (v.draft != nil) || int(state.Variant.LatestVersion) != v.published {
		w.t.Fatalf("Variant %d: draft %+v, version %d, want draft %v, version %d", i, state.Draft, state.Variant.LatestVersion, v.draft, v.published)
	}
	if got := flat(orEmpty(state.Served)); !maps.Equal(got, v.served) {
		w.t.Fatalf("Variant %d serves %v, want %v", i, got, v.served)
	}
	if state.Draft != nil && int(state.Draft.Addressed) != w.r.version {
		w.t.Fatalf("Variant %d: draft addressed to %d at version %d", i, state.Draft.Addressed, w.r.version)
	}
	w.knowEtag(fmt.Sprint("variant", i), state.Variant.DraftETag, overrides)
}

// knowEtag checks that an etag never stands for two contents (decision 3.4).
func (w *world) knowEtag(of, etag string, content *jsontree.Node) {
	if etag == "" {
		return
	}
	is := of + " " + spell(content)
	if was, known := w.etags[etag]; known && was != is {
		w.t.Fatalf("etag %s stands for %s and for %s", etag, was, is)
	}
	w.etags[etag] = is
}

// orEmpty is the document or map n, the empty object if there is none.
func orEmpty(n *jsontree.Node) *jsontree.Node {
	if n == nil {
		return jsontree.NewObject()
	}
	return n
}

func flat(n *jsontree.Node) map[string]string {
	m := map[string]string{}
	for _, o := range n.Members {
		m[o.Name] = spell(o.Value)
	}
	return m
}
