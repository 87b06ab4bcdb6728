package derive

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/livery/origin/modes"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/renderer/plan"
)

// Dimension is a dimension of a conditional stylesheet, with its modes in order.
type Dimension struct {
	Name      string
	Modes     []Mode
	LightDark bool // colours are light-dark()
}

// Mode is a mode of a conditional stylesheet.
type Mode struct {
	Name string
	When string // media condition; empty: only an attribute selects it
	Pair *Pair  // what it overrides; nil: nothing
}

// inputs names what a conditional stylesheet is compiled from beside the address's own pair.
func (d Dimension) inputs() string {
	parts := []string{d.Name}
	if d.LightDark {
		parts[0] += "~"
	}
	for _, m := range d.Modes {
		overrides := "-"
		if m.Pair != nil {
			overrides = string(m.Pair.Record.Overrides)
		}
		parts = append(parts, m.Name+"="+overrides+" "+m.When)
	}
	return strings.Join(parts, ",")
}

// sheet compiles the overlay of a conditional stylesheet: the edits of the address's own pair, without the properties that
// modes change, and these at the end of tokens.css. The parts of the other files change nothing.
func (d *Deriver) sheet(ctx context.Context, with compiler, c Combination) ([]byte, error) {
	blob, err := with.plans(ctx)
	if err != nil {
		return nil, err
	}
	plans, err := openPlans(blob)
	if err != nil {
		return nil, err
	}
	s := stylesheet{ctx: ctx, compiler: with, plan: plans[renderer.TokensCSS]}
	if s.own, err = d.overridesOf(ctx, c.Pairs); err != nil {
		return nil, err
	}
	if s.modes, err = d.modeOverrides(ctx, c.Dimensions); err != nil {
		return nil, err
	}
	text, err := s.text(c.Dimensions)
	if err != nil {
		return nil, err
	}
	changes := lineChanges(s.plan.File(), text)
	parts := make([][]byte, len(plans))
	for f, p := range plans {
		if parts[f] = new(plan.Changes).Append(nil, p); renderer.File(f) == renderer.TokensCSS {
			parts[f] = changes.Append(nil, p)
		}
		if len(parts[f]) == 0 {
			return nil, ErrTooLarge
		}
	}
	return plan.AppendBundle(nil, parts), nil
}

// openPlans opens the plans of a version.
func openPlans(blob []byte) (plans [renderer.FileCount]plan.Plan, err error) {
	bundle, err := plan.OpenBundle(blob)
	for f := range plans {
		if err == nil {
			plans[f], err = plan.Open(bundle.Part(uint8(f)))
		}
	}
	return plans, err
}

// modeOverrides reads what modes override, nil for those that override nothing.
func (d *Deriver) modeOverrides(ctx context.Context, dimensions []Dimension) ([][]*jsontree.Node, error) {
	all := make([][]*jsontree.Node, len(dimensions))
	for i, dimension := range dimensions {
		all[i] = make([]*jsontree.Node, len(dimension.Modes))
		for k, m := range dimension.Modes {
			if m.Pair == nil {
				continue
			}
			maps, err := d.overridesOf(ctx, []Pair{*m.Pair})
			if err != nil {
				return nil, err
			}
			all[i][k] = modes.Merge(maps...)
		}
	}
	return all, nil
}

// stylesheet is a conditional stylesheet that is being compiled.
type stylesheet struct {
	ctx      context.Context
	compiler compiler
	plan     plan.Plan          // of tokens.css
	own      []*jsontree.Node   // overrides of the address's own pair
	modes    [][]*jsontree.Node // overrides by dimension and mode; nil: none
}

// PreviewSheet returns the conditional stylesheet of a document that need not be published, compiled natively: what edges
// serve once it is. own is what the address itself overrides, overrides what each mode of the dimensions does, nil for one
// that overrides nothing. It returns ErrTooLarge, or ctx's error.
func PreviewSheet(
	ctx context.Context, document *jsontree.Node, prefix string, own *jsontree.Node, dimensions []Dimension, overrides [][]*jsontree.Node,
) ([]byte, error) {
	compiled := renderer.Compile(document, prefix)
	p, err := plan.Open(compiled.Plan(renderer.TokensCSS))
	if err != nil {
		return nil, err
	}
	s := stylesheet{ctx: ctx, compiler: compiler{overlay: overlayOf(compiled)}, plan: p, own: []*jsontree.Node{own}, modes: overrides}
	text, err := s.text(dimensions)
	if errors.Is(err, modesheet.ErrTooLong) {
		err = ErrTooLarge
	}
	return text, err
}

// text returns the stylesheet.
func (s stylesheet) text(dimensions []Dimension) ([]byte, error) {
	overlay, err := s.overlay(nil)
	if err != nil {
		return nil, err
	}
	var named []modesheet.Dimension
	for i, d := range dimensions {
		var list []modesheet.Mode
		for k, m := range d.Modes {
			list = append(list, modesheet.Mode{Name: m.Name, When: m.When, Base: s.modes[i][k] == nil})
		}
		named = append(named, modesheet.Dimension{Name: d.Name, Modes: list, LightDark: d.LightDark})
	}
	return modesheet.Append(nil, overlay.Append(nil), named, s.flat)
}

// lineChanges returns the changes that make after of before: a line that declares the same property in both changes its
// value, another line of before goes, and what is left of after comes behind it.
func lineChanges(before, after []byte) *plan.Changes {
	var c plan.Changes
	for at := 0; at < len(before); {
		line, other := firstLine(before[at:]), firstLine(after)
		if !bytes.Equal(declared(line), declared(other)) {
			other = nil
		}
		c.Replace(at, line, other)
		at, after = at+len(line), after[len(other):]
	}
	c.Replace(len(before), nil, after)
	return &c
}

// declared returns the name of the property that a line declares, or all of a line that declares none.
func declared(line []byte) []byte {
	name, _, _ := bytes.Cut(line, []byte{':'})
	return name
}

// firstLine returns the first line of a text, with its end.
func firstLine(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// flat returns the tokens.css of a combination.
func (s stylesheet) flat(choice []int) ([]byte, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	overlay, err := s.overlay(choice)
	return overlay.Append(nil), err
}

// overlay compiles the overlay of tokens.css of a combination.
func (s stylesheet) overlay(choice []int) (plan.Overlay, error) {
	maps := slices.Clone(s.own)
	for i, k := range choice {
		if k >= 0 && s.modes[i][k] != nil {
			maps = append(maps, s.modes[i][k])
		}
	}
	part, err := s.compiler.overlay(s.ctx, modes.Merge(maps...), renderer.TokensCSS)
	if err != nil {
		return plan.Overlay{}, err
	}
	return plan.OpenOverlay(s.plan, part)
}
