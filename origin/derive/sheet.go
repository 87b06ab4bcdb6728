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

// dimensionInputs names what the conditional stylesheet of a dimension is compiled from beside the address's own pair.
func (c Combination) dimensionInputs(d modesheet.Dimension) string {
	parts := []string{d.Name}
	if d.LightDark {
		parts[0] += "~"
	}
	for _, m := range d.Modes {
		overrides := "-"
		if m.Variant != "" {
			overrides = string(c.Modes[m.Variant].Record.Overrides)
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
	s := stylesheet{ctx: ctx, compiler: with, plan: plans[renderer.TokensCSS], dimensions: c.Dimensions, modes: map[string]*jsontree.Node{}}
	if s.own, err = d.overridesOf(ctx, c.Pairs); err != nil {
		return nil, err
	}
	for variant, pair := range c.Modes {
		maps, err := d.overridesOf(ctx, []Pair{pair})
		if err != nil {
			return nil, err
		}
		s.modes[variant] = modes.Merge(maps...)
	}
	text, err := s.text()
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

// stylesheet is a conditional stylesheet that is being compiled.
type stylesheet struct {
	ctx        context.Context
	compiler   compiler
	plan       plan.Plan        // of tokens.css
	own        []*jsontree.Node // overrides of the address's own pair
	dimensions []modesheet.Dimension
	modes      map[string]*jsontree.Node // overrides of the modes by their Variants
}

// PreviewSheet returns the conditional stylesheet of a document that need not be published, compiled natively: what edges
// serve once it is. own is what the address itself overrides, and overrides what the Variants of the modes do. It returns
// ErrTooLarge, or ctx's error.
func PreviewSheet(
	ctx context.Context, document *jsontree.Node, prefix string, own *jsontree.Node, dimensions []modesheet.Dimension, overrides map[string]*jsontree.Node,
) ([]byte, error) {
	compiled := renderer.Compile(document, prefix)
	p, err := plan.Open(compiled.Plan(renderer.TokensCSS))
	if err != nil {
		return nil, err
	}
	s := stylesheet{
		ctx: ctx, compiler: compiler{overlay: overlayOf(compiled)}, plan: p, own: []*jsontree.Node{own}, dimensions: dimensions, modes: overrides,
	}
	text, err := s.text()
	if errors.Is(err, modesheet.ErrTooLong) {
		err = ErrTooLarge
	}
	return text, err
}

// text returns the stylesheet.
func (s stylesheet) text() ([]byte, error) {
	overlay, err := s.overlay(nil)
	if err != nil {
		return nil, err
	}
	return modesheet.Append(nil, overlay.Append(nil), s.dimensions, s.flat)
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
		if k >= 0 {
			maps = append(maps, s.modes[s.dimensions[i].Modes[k].Variant])
		}
	}
	part, err := s.compiler.overlay(s.ctx, modes.Merge(maps...), renderer.TokensCSS)
	if err != nil {
		return plan.Overlay{}, err
	}
	return plan.OpenOverlay(s.plan, part)
}
