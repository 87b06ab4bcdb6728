package dtcg

import (
	"slices"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Override is one entry of a Variant's map.
type Override struct {
	Path  string         // dotted, as the Theme spells it
	Value *jsontree.Node // a literal, an alias, or a composite with aliases
}

// Overrides lists a flat map of paths to values, which may be nil.
func Overrides(flat *jsontree.Node) []Override {
	if flat == nil {
		return nil
	}
	list := make([]Override, len(flat.Members))
	for i, m := range flat.Members {
		list[i] = Override{Path: m.Name, Value: m.Value}
	}
	return list
}

// maxRounds bounds how often an overlay is resolved because overrides turned out not to fit. A second
// round is rare; a third follows only if taking an override back brought up the next misfit.
const maxRounds = 5

// maxOverrideBytes bounds the overrides of one Variant together, as their JSON text is written: a
// tokens.dtcg.json of the largest document has room for as many. Those that come later do not count.
const maxOverrideBytes = 12 << 20

// Overlay returns theme with overrides laid over it. Of two overrides of one path the last counts.
// An override of a path that the Theme lacks is reported and does nothing; one that does not fit
// its token's type is reported and the Theme's own value stands. An override whose alias is
// missing or in a cycle leaves its token out. theme is not changed and shares its nodes.
func Overlay(theme *Document, overrides []Override) *Document {
	d := &Document{
		Root: theme.Root, Groups: theme.Groups, byPath: theme.byPath, tooLong: theme.tooLong,
		Tokens: append([]Token(nil), theme.Tokens...),
	}
	o := overlay{theme: theme, states: states{all: d.Tokens}, doubtful: map[int32]bool{}}
	o.layAll(lastOfEach(overrides))
	d.diagnostics, d.steps = append(o.reports, o.found...), o.steps
	d.Sort(d.diagnostics)
	return d
}

// overlay is the work of Overlay.
type overlay struct {
	theme *Document
	states
	base     *Base          // of the tokens that are not resolved; nil if all are
	doubtful map[int32]bool // tokens whose overrides fit or not by what their aliases become
	reports  []Diagnostic   // about overrides that do not count
	found    []Diagnostic   // by the last round
	steps    int
	tooMuch  bool // what aliases build came to its bound
	bytes    int  // of the overrides so far
}

// layAll puts the overrides in place and resolves the tokens.
func (o *overlay) layAll(overrides []Override) {
	for _, override := range overrides {
		o.lay(override)
	}
	o.settle()
}

// lay puts one override in place, unless it can be seen at once that it does not count.
func (o *overlay) lay(override Override) {
	i := o.theme.at(override.Path)
	if i < 0 {
		o.reports = append(o.reports, Diagnostic{
			override.Path, OverrideIgnored, "the Theme has no token " + clip(override.Path),
		})
		return
	}
	if o.bytes += jsontree.Length(override.Value); o.bytes > maxOverrideBytes {
		o.reports = append(o.reports, Diagnostic{
			override.Path, OverrideIgnored, "the overrides of the Variant up to this one are longer than 12 MiB",
		})
		return
	}
	t := o.at(i)
	refs, isAlias := o.theme.appendRefsOf(nil, override.Value)
	if len(refs) > 0 {
		o.doubtful[i] = true
	} else if m := t.misfit(override.Value); m != nil {
		o.reports = append(o.reports, overrideMisfit(t, m))
		return
	}
	t.Value, t.refs, t.isAlias, t.Overridden = override.Value, refs, isAlias, true
}

// settle resolves the tokens, and again without the overrides that came to something unfit. In
// each round only those are taken back that no other misfit has spoiled, in the last one all.
func (o *overlay) settle() {
	for round := range maxRounds {
		misfits := o.resolve(round == maxRounds-1)
		if len(misfits) == 0 {
			return
		}
		for _, m := range misfits {
			own := &o.theme.Tokens[m.token]
			t := o.at(m.token)
			t.Value, t.refs, t.isAlias, t.Overridden = own.Value, own.refs, own.isAlias, false
			delete(o.doubtful, m.token)
			o.reports = append(o.reports, m.report)
		}
	}
	o.resolve(false)
}

// badOverride is an override that came to a value that does not fit.
type badOverride struct {
	token  int32
	report Diagnostic
}

// resolve resolves the tokens and returns those whose overrides do not fit.
func (o *overlay) resolve(all bool) (misfits []badOverride) {
	tokens := o.resolved()
	for i := range tokens { // types that an override brought last time may be gone with it
		own := &o.theme.Tokens[o.position(int32(i))]
		tokens[i].Resolved, tokens[i].Inferred = own.Resolved, own.Inferred
	}
	spoiled := map[int32]bool{}
	r := newResolver(o.theme, o.states)
	r.typed = true
	if o.base != nil {
		r.base, r.total = o.base, o.base.totalWithout(o.picked)
	}
	r.resolve(func(i int32) {
		t := o.at(i)
		spoiledBefore := len(spoiled) > 0 && slices.ContainsFunc(t.refs, func(ref int32) bool { return spoiled[ref] })
		if spoiledBefore {
			spoiled[i] = true
		}
		if !o.doubtful[i] || spoiledBefore && !all {
			return
		}
		if m := t.misfit(t.Served); m != nil {
			spoiled[i] = true
			misfits = append(misfits, badOverride{i, overrideMisfit(t, m)})
		}
	})
	o.found, o.steps, o.tooMuch = r.found, o.steps+r.steps, o.tooMuch || r.tooMuch
	return misfits
}

// lastOfEach drops every override that a later one of the same path replaces.
func lastOfEach(overrides []Override) []Override {
	last := make(map[string]int, len(overrides))
	for i := range overrides {
		last[overrides[i].Path] = i
	}
	if len(last) == len(overrides) {
		return overrides
	}
	kept := make([]Override, 0, len(last))
	for i := range overrides {
		if last[overrides[i].Path] == i {
			kept = append(kept, overrides[i])
		}
	}
	return kept
}

// misfit tells why a value without aliases does not fit the type of t, or nil.
func (t *Token) misfit(v *jsontree.Node) *css.Misfit {
	k, _ := KindOf(t.Resolved)
	return misfit(k, v)
}

// misfit tells why a value without aliases does not fit a kind, or nil. Typography and gradients
// are judged by all their declarations: a typography without a size has no font shorthand, and fits.
func misfit(k css.Kind, v *jsontree.Node) (m *css.Misfit) {
	if k == css.Typography || k == css.Gradient {
		_, m = css.AppendDeclarations(nil, "--", k, v)
	} else {
		_, m = css.Append(nil, k, v)
	}
	return m
}

func overrideMisfit(t *Token, misfit *css.Misfit) Diagnostic {
	d := MisfitDiagnostic(t, misfit)
	d.Message = "the override is ignored, the Theme's own value stands: " + d.Message
	return d
}

// MisfitDiagnostic reports a value of t that could not be rendered.
func MisfitDiagnostic(t *Token, misfit *css.Misfit) Diagnostic {
	kind, message := ValueMisfit, misfit.What
	if misfit.Unsafe {
		kind = ValueUnsafe
	}
	if t.Resolved != "" {
		message = clip(t.Resolved) + ": " + message
	}
	return Diagnostic{t.Path, kind, message}
}
