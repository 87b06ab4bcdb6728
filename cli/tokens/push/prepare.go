package push

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
)

// part is a Variant, and what the push would send to it.
type part struct {
	target *pushTarget
	plan   pushPlan
}

// prepare plans the Theme and each Variant on top of what stands there, and refuses all of it for what the API would
// refuse of a part, or for what the parts lose. Nothing is sent.
func (a *app) prepare(ctx context.Context, c *client.Client, p *pushFlags, s *system) error {
	if err := s.refuseModes(); err != nil {
		return err
	}
	f, missing, err := a.lookup(ctx, c, *p)
	if err != nil {
		return err
	}
	if p.dryRun && missing != "" {
		a.sayAbsent(f, missing)
	}
	theme := newPushTarget(a, c, f, *p, s.theme.With(s.plan.Theme, s.plan.Added, slices.Concat(s.modes, s.ofElements)))
	if err := theme.read(ctx); err != nil {
		return err
	}
	plan := theme.plan()
	if err := a.refuseLoss(ctx, theme, plan); err != nil {
		return err
	}
	present, err := s.present(ctx, c, f)
	if err != nil {
		return err
	}
	one, made := *p, 0
	one.replace = true
	for i, v := range s.plan.Variants {
		f.Variant, f.Absent = present[v.Slug], present[v.Slug] == nil
		if f.Absent {
			f.Variant = &client.Variant{Slug: v.Slug}
		}
		t := newPushTarget(a, c, f, one, s.modes[i].Of(v.Overrides))
		t.theme = plan.wanted
		if err := t.read(ctx); err != nil {
			return err
		}
		s.parts = append(s.parts, part{t, t.plan()})
		if err := cmp.Or(t.refuseSize(s.parts[i].plan), t.refuseStrict(s.parts[i].plan)); err != nil {
			return err
		}
		if s.makes(i) {
			made++
		}
		if removed := s.parts[i].removed(); removed > 0 && !s.decided.has(v.Slug) {
			a.Warn("Note: Variant %s is there already, and loses %s that the files do not have. Give the mode another slug in %s to keep it.",
				v.Slug, term.Plural(removed, "override"), planName)
		}
	}
	if err := a.refuseCount(ctx, c.Scope(f.Env.ID, f.Theme.ID), p, s, len(present), made); err != nil {
		return err
	}
	return a.refuseLossOfModes(ctx, p, s, plan)
}

// removed counts the overrides that the push takes from the Variant.
func (p part) removed() (count int) {
	for _, o := range p.plan.variant {
		if o.Operation == "unset" {
			count++
		}
	}
	return count
}

// present has the Variants of a Theme, which may be one that is not there, by their slugs.
func (s *system) present(ctx context.Context, c *client.Client, f target.Resolved) (map[string]*client.Variant, error) {
	present := map[string]*client.Variant{}
	if f.Absent {
		return present, nil
	}
	for v, err := range c.EveryVariant(ctx, f.Env.ID, f.Theme.ID) {
		if err != nil {
			return nil, err
		}
		present[v.Slug] = &v
	}
	return present, nil
}

// makes reports whether the push makes a Variant for a mode: it has none, and says something that is left.
func (s *system) makes(i int) bool { return s.parts[i].target.f.Absent && s.parts[i].plan.count > 0 }

// refuseCount returns the failure that the Theme would have more Variants than the plan of its Team allows. What the
// push decided is written, so that it can be changed.
func (a *app) refuseCount(ctx context.Context, scope client.ThemeScope, p *pushFlags, s *system, present, made int) error {
	if made == 0 {
		return nil
	}
	most, err := scope.VariantAllowance(ctx)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return nil
	case err != nil || present+made <= most:
		return err
	}
	if !p.dryRun {
		if err := a.writePlan(s.file(p)); err != nil {
			return err
		}
	}
	return term.Fail("Leave modes out with skip: true in "+planName+", name fewer files, delete Variants with livery variant delete, or ask the operator for a larger plan.",
		"nothing is pushed: Theme %s would have %d Variants, %d of them new, and its plan allows %d", p.Theme, present+made, made, most)
}

// refuseLossOfModes returns the failure that the Variants would together lose more of the files than a push may.
func (a *app) refuseLossOfModes(ctx context.Context, p *pushFlags, s *system, theme pushPlan) error {
	if theme.remains == nil {
		return nil
	}
	tokens := len(dtcg.Read(s.plan.Theme).Tokens)
	all := &remainder{Of: tokens, Pushed: tokens}
	var lossy []part
	unread := false
	for _, one := range s.parts {
		all.Of, all.Pushed, all.Unserved = all.Of+one.plan.remains.Of, all.Pushed+one.plan.remains.Pushed, all.Unserved+one.plan.remains.Unserved
		if one.plan.remains.lost() > 0 || len(one.target.wanted.Unread) > 0 {
			lossy, unread = append(lossy, one), unread || len(one.target.wanted.Unread) > 0
		}
	}
	if p.acceptLoss || len(lossy) == 0 || !all.isTooMuch() && !unread {
		return nil
	}
	for _, one := range lossy {
		a.listLosses(one.target, one.plan)
	}
	first := lossy[0]
	first.plan.remains, first.target.counted = all, "value"
	return term.In("push of Variant "+first.target.f.Variant.Slug, a.confirmLoss(ctx, first.target, first.plan))
}
