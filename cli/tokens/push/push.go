package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake"
)

// pushFlags are the flags of push.
type pushFlags struct {
	target.Target
	source.Flags
	integrations                                            []string
	strict, replace, create, publish, wait, dryRun, isWatch bool
	loss                                                    string // askLoss, failLoss or dropLoss
	renames                                                 string // askRenames, moveRenames or noRenames
}

// What a push does about declarations that it would lose.
const (
	askLoss  = "ask"
	failLoss = "fail"
	dropLoss = "drop"
)

const pushText = `Without files, pushes the Theme and the Variants that livery.yaml describes; livery init writes livery.yaml.
With files, pushes their default modes to the Theme or to --variant. A later file wins over an earlier one. The files of a folder or
pattern have no order: if two of them give a token different values, nothing is sent.`

func (a *app) pushCommand() *cobra.Command {
	var p pushFlags
	cmd := &cobra.Command{
		Use:   "push [FILE...]",
		Short: "Push token files to the drafts of a Theme and its Variants",
		Long:  pushText,
		Example: "  livery push tokens.json --env sandbox --theme acme --create --integration react/plainCSS --publish\n" +
			"  livery push --create --publish",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if p.isWatch {
				return a.watch(cmd.Context(), files, p)
			}
			_, err := a.push(cmd.Context(), files, p)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.Theme, "theme", "", "`THEME`, slug or id (default: that of livery.yaml)")
	f.StringVar(&p.Variant, "variant", "", "`VARIANT`, slug or id, to push to alone")
	f.BoolVar(&p.create, "create", false, "create a missing Theme and missing Variants")
	f.StringArrayVar(&p.integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of a new Theme, for example react/plainCSS; may be repeated")
	f.BoolVar(&p.publish, "publish", false, "publish the Theme, then its Variants")
	f.BoolVar(&p.wait, "wait", false, "with --publish: wait until an edge serves the new version")
	f.BoolVar(&p.replace, "replace", false, "also remove tokens and overrides that the files do not have")
	f.BoolVar(&p.dryRun, "dry-run", false, "show the changes and send nothing")
	f.BoolVar(&p.strict, "strict", false, "refuse any loss and modes that are not sent; exit code 3 if nothing changes")
	f.StringVar(&p.loss, "loss", askLoss, "`WHAT` to do if more than 2 % of the values would be lost: ask (on a terminal, else fail), fail or drop")
	f.StringVar(&p.renames, "renames", askRenames, "`WHAT` to do with tokens that look renamed: ask, move (with their overrides) or none")
	f.BoolVar(&p.isWatch, "watch", false, "push again whenever a file changes, until Ctrl-C")
	p.Flags.Add(cmd)
	target.InEnvironment(cmd, &p.Target)
	return a.JSONFlag(cmd)
}

// check refuses values that flags do not have, and flags that contradict each other or the files.
func (p *pushFlags) check(files []string) error {
	if !slices.Contains([]string{askLoss, failLoss, dropLoss}, p.loss) {
		return term.UsageError("Valid values: ask, fail, drop.", "--loss cannot be %q", p.loss)
	}
	if !slices.Contains([]string{askRenames, moveRenames, noRenames}, p.renames) {
		return term.UsageError("Valid values: ask, move, none.", "--renames cannot be %q", p.renames)
	}
	switch {
	case p.wait && !p.publish:
		return term.UsageError("Add --publish.", "--wait waits for what --publish publishes")
	case p.isWatch && slices.ContainsFunc(files, term.IsStream):
		return term.UsageError("Name files.", "--watch cannot read the standard input again")
	}
	return nil
}

// run is one push.
type run struct {
	*app
	p       pushFlags
	source  *source.Source
	client  *client.Client
	env     client.Environment
	theme   *client.Theme              // nil until it exists
	present map[string]*client.Variant // by slug and by id
	parts   []*pushTarget              // the Theme first, unless one Variant is pushed alone
	modes   modeChange
	done    Done
}

// Done is what push prints under --json.
type Done struct {
	Theme        *Result       `json:"theme,omitempty"`
	Variants     []*Result     `json:"variants"`
	ModesChanged bool          `json:"modesChanged,omitempty"` // the Theme has another list of modes than before
	Files        source.Report `json:"files"`

	modesRefused bool // for want of the role admin
}

// push pushes files, or those of livery.yaml. It returns what they say, if they could be read.
func (a *app) push(ctx context.Context, files []string, p pushFlags) (*source.Source, error) {
	if err := p.check(files); err != nil {
		return nil, err
	}
	if err := source.Target(&p.Theme, &p.Env); err != nil {
		return nil, err
	}
	if p.Theme == "" {
		return nil, term.UsageError("See livery push --help.", "livery push needs --theme, or a %s that names the Theme", intake.MappingName)
	}
	s, err := source.Read(a.App, files, p.Flags)
	if err != nil {
		return nil, err
	}
	s.Print(a.App, p.Verbose)
	r := &run{app: a, p: p, source: s, done: Done{Variants: []*Result{}, Files: s.Report()}}
	if err := r.refuseUnsent(); err != nil {
		return s, err
	}
	if r.client, err = a.Client(ctx); err != nil {
		return s, err
	}
	for _, step := range []func(context.Context) error{r.lookUp, r.plan, r.refuseCount, r.judge, r.planModes} {
		if err := step(ctx); err != nil {
			return s, err
		}
	}
	r.announce()
	if p.dryRun {
		return s, r.printPlan()
	}
	for _, step := range []func(context.Context) error{r.send, r.setModes, r.publish} {
		if err := step(ctx); err != nil {
			return s, r.explainPart(err)
		}
	}
	return s, r.report()
}

// announce says what livery.yaml sends, and where.
func (r *run) announce() {
	if !r.source.Mapped {
		return
	}
	var counts []string
	for _, t := range r.parts {
		counts = append(counts, fmt.Sprintf("%s (%s)", t.what, term.Plural(t.planned.remains.Pushed, t.counted)))
	}
	r.Warn("%s sends to Environment %s: %s.", intake.MappingName, r.env.Slug, escape.Line(strings.Join(counts, ", ")))
}

// refuseUnsent returns the failure under --strict that declarations are lost or modes are not sent.
func (r *run) refuseUnsent() error {
	lost := r.source.Lost()
	if !r.p.strict || len(lost)+len(r.source.Unsent) == 0 {
		return nil
	}
	f := term.Fail("Fix them, or push without --strict.", "nothing is pushed: --strict, and these would be left out:")
	for _, one := range lost {
		f.Faults = append(f.Faults, one.Path+": "+one.Said())
	}
	for _, u := range r.source.Unsent {
		f.Faults = append(f.Faults, "the mode "+u.Line)
	}
	return f
}

// lookUp finds the Environment, the Theme and its Variants. Without --create the first that is missing is a failure.
func (r *run) lookUp(ctx context.Context) (err error) {
	if r.env, err = target.FindEnvironment(ctx, r.client, r.p.Env); err != nil {
		return err
	}
	r.NoteGrant(r.env)
	f, err := target.Lookup(ctx, r.client, target.Target{Env: r.env.ID, Theme: r.p.Theme})
	if missing, ok := errors.AsType[*target.Missing](err); ok && missing.Kind == "Theme" && r.p.Variant == "" {
		return r.refuseMissing(err)
	}
	if err != nil {
		return err
	}
	r.theme, r.present = &f.Theme, map[string]*client.Variant{}
	for v, err := range r.client.EveryVariant(ctx, r.env.ID, r.theme.ID) {
		if err != nil {
			return err
		}
		r.present[v.ID], r.present[v.Slug] = &v, &v
	}
	if v := r.present[r.p.Variant]; v != nil {
		r.p.Variant = v.Slug
	}
	for _, slug := range r.slugs() {
		if r.present[slug] == nil {
			if err := r.refuseMissing(target.NotFound("Variant", slug, " of Theme "+r.theme.Slug, r.knownSlugs())); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseMissing returns the failure that something is missing, unless --create makes it.
func (r *run) refuseMissing(err error) error {
	if r.p.create {
		return nil
	}
	f := *term.Explain(err)
	f.Next = strings.TrimSpace(f.Next + " Or create it with --create.")
	return &f
}

// slugs lists the Variants that are pushed.
func (r *run) slugs() []string {
	if r.p.Variant != "" {
		return []string{r.p.Variant}
	}
	return r.mappedSlugs()
}

// mappedSlugs lists the Variants that livery.yaml names.
func (r *run) mappedSlugs() (slugs []string) {
	for _, v := range r.source.Variants {
		slugs = append(slugs, v.Slug)
	}
	return slugs
}

func (r *run) knownSlugs() (slugs []string) {
	for _, v := range r.present {
		if !slices.Contains(slugs, v.Slug) {
			slugs = append(slugs, v.Slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// resolved returns the place of the Theme, or of a Variant. What is missing stands there as it will be called.
func (r *run) resolved(variant string) target.Resolved {
	f := target.Resolved{Env: r.env, Absent: r.theme == nil}
	if r.theme != nil {
		f.Theme = *r.theme
	} else {
		f.Theme = client.Theme{Slug: r.p.Theme, EnvironmentID: r.env.ID}
	}
	if variant != "" {
		if f.Variant = r.present[variant]; f.Variant == nil {
			f.Variant, f.Absent = &client.Variant{Slug: variant}, true
		}
	}
	return f
}

// plan reads the current content of the Theme and of each Variant, and plans what to send.
func (r *run) plan(ctx context.Context) error {
	variants, err := r.variants()
	if err != nil {
		return err
	}
	if r.p.Variant == "" {
		r.parts = append(r.parts, newTarget(r, r.resolved(""), wanted{tree: r.source.Theme.Tree, locate: r.source.ThemeLocation}))
	}
	for _, v := range variants {
		t := newTarget(r, r.resolved(v.slug), v.wanted)
		t.name = v.name
		r.parts = append(r.parts, t)
	}
	r.parts[0].wanted.lost = r.source.Lost()
	for i, t := range r.parts {
		if i > 0 && r.p.Variant == "" {
			t.theme = r.parts[0].planned.wanted
		}
		if err := t.read(ctx); err != nil {
			return err
		}
		t.plan()
	}
	return nil
}

// variant is a Variant as the files give it.
type variant struct {
	slug, name string
	wanted
}

// variants lists the Variants that are pushed.
func (r *run) variants() (list []variant, err error) {
	if !r.source.Mapped {
		if r.p.Variant == "" {
			return nil, nil
		}
		return []variant{{r.p.Variant, "", wanted{tree: source.Values(r.source.Theme.Tree), locate: r.source.ThemeLocation}}}, nil
	}
	for _, v := range r.source.Variants {
		if r.p.Variant == "" || r.p.Variant == v.Slug {
			locate := func(path string) string { return v.Places[path].String() }
			list = append(list, variant{v.Slug, v.Name, wanted{tree: v.Values, locate: locate}})
		}
	}
	if len(list) == 0 && r.p.Variant != "" {
		return nil, target.NotFound("Variant", r.p.Variant, " in "+intake.MappingName, r.mappedSlugs())
	}
	return list, nil
}

// refuseCount returns the failure that the Theme would have more Variants than the plan of its Team allows.
func (r *run) refuseCount(ctx context.Context) error {
	isMissing := func(t *pushTarget) bool { return t.f.Variant == nil || !t.f.Absent }
	missing := len(slices.DeleteFunc(slices.Clone(r.parts), isMissing))
	if missing == 0 {
		return nil
	}
	most, err := r.client.Scope(r.env.ID, r.parts[0].f.Theme.ID).VariantAllowance(ctx)
	if has := len(r.knownSlugs()); err != nil || has+missing <= most {
		return err
	}
	return term.Fail("Remove some from "+intake.MappingName+", delete others with livery variant delete, or ask the operator for a larger plan.",
		"nothing is pushed: Theme %s would have %d Variants, %d of them new, and its plan allows %d", r.p.Theme, len(r.knownSlugs())+missing, missing, most)
}

// judge returns the failure that the API would refuse a part, that nothing is left of the files, or that too many of their values would be
// lost.
func (r *run) judge(ctx context.Context) error {
	all := &remainder{}
	for _, t := range r.parts {
		if err := cmp.Or(t.refuseSize(), t.refuseStrict()); err != nil {
			return err
		}
		all.add(t.planned.remains)
	}
	nothingLeft := r.parts[0].planned.remains.refuse(r.parts[0].counted)
	if nothingLeft == nil && (r.p.loss == dropLoss || !all.isTooMuch()) {
		return nil
	}
	for _, t := range r.parts {
		t.listLosses()
	}
	if nothingLeft != nil {
		return nothingLeft
	}
	lost := fmt.Sprintf("%d of %s", all.lost(), term.Plural(all.Of, "value"))
	if r.p.loss == askLoss && r.CanAsk() {
		if r.p.dryRun {
			r.Warn("A push would lose %s, and ask before.", lost)
			return nil
		}
		if ok, err := r.Confirm(ctx, "The push would lose "+lost+". Push the rest?"); ok || err != nil {
			return err
		}
	}
	return term.Fail("The lines above say why. Fix the files, or push the rest with --loss drop.", "nothing is pushed: %s would be lost", lost)
}

// send creates what is missing and sends each part. What the origin refuses right after it was created is deleted again.
func (r *run) send(ctx context.Context) error {
	for _, t := range r.parts {
		if err := r.create(ctx, t); err != nil {
			return err
		}
		result, err := t.push(ctx)
		if err != nil {
			return err
		}
		if t.f.Variant == nil {
			r.done.Theme = result
		} else {
			r.done.Variants = append(r.done.Variants, result)
		}
	}
	return nil
}

// create makes the Theme or Variant of a part if it is missing.
func (r *run) create(ctx context.Context, t *pushTarget) error {
	if r.theme == nil {
		made := themes.NewTheme{Name: r.source.Mapping.Name, Integrations: r.p.integrations}
		if len(made.Integrations) == 0 {
			made.Integrations = r.source.Mapping.Integrations
		}
		theme, err := themes.MakeTheme(ctx, r.client, r.env.ID, r.p.Theme, made)
		if err != nil {
			return err
		}
		r.Say("Theme %s is created: %s", theme.Slug, theme.ID)
		r.theme, t.f.CreatedTheme = &theme, t.f.Variant == nil
	}
	t.f.Theme = *r.theme
	if !t.f.Absent {
		return nil
	}
	t.f.Absent = false
	if t.f.Variant == nil {
		return nil
	}
	v, err := themes.MakeVariant(ctx, r.client, *r.theme, t.f.Variant.Slug, t.name)
	if err != nil {
		return term.In("Variant "+t.f.Variant.Slug, err)
	}
	r.Say("Variant %s is created: %s", v.Slug, v.ID)
	t.f.Variant, t.f.CreatedVariant = &v, true
	return nil
}

// explainPart adds to a failure what was sent before it.
func (r *run) explainPart(err error) error {
	if r.done.Theme == nil && len(r.done.Variants) == 0 {
		return err
	}
	f := *term.Explain(err)
	f.Next = strings.TrimSpace(f.Next + " Sent so far: " + r.sent() + ". Push again to do the rest.")
	return &f
}

func (r *run) sent() string {
	variants := term.Plural(len(r.done.Variants), "Variant")
	if r.done.Theme == nil {
		return variants
	}
	return "the Theme and " + variants
}

// watch pushes, and pushes again whenever a file changes, until ctx ends. It reports a push that fails and goes on, unless the files cannot
// be read at first.
func (a *app) watch(ctx context.Context, files []string, p pushFlags) error {
	s, err := a.push(ctx, files, p)
	if s == nil {
		return err
	}
	a.reportWatched(ctx, err)
	tick := time.NewTicker(source.WatchPause)
	defer tick.Stop()
	for seen := s.Fingerprint(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if now := s.Fingerprint(); now != seen {
			again, err := a.push(ctx, files, p)
			if again != nil {
				s, now = again, again.Fingerprint()
			}
			seen = now
			a.reportWatched(ctx, err)
		}
	}
}

// reportWatched prints the failure of a push, unless there was nothing to do or ctx has ended.
func (a *app) reportWatched(ctx context.Context, err error) {
	f, ok := errors.AsType[*term.Failure](err)
	if err != nil && ctx.Err() == nil && !(ok && f.Code == term.ExitNothing) {
		a.Report(err)
	}
}
