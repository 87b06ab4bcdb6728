package tokens

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
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
	loss                                                    string // askUser, failLoss or dropLoss
	renames                                                 string // askUser, moveRenames or noRenames
}

// What a push does about declarations that it would lose, and about tokens that look renamed.
const (
	askUser     = "ask"
	failLoss    = "fail"
	dropLoss    = "drop"
	moveRenames = "move"
	noRenames   = "none"
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
	f.StringVar(&p.loss, "loss", askUser, "`WHAT` to do if more than 2 % of the values would be lost: ask (on a terminal, else fail), fail or drop")
	f.StringVar(&p.renames, "renames", askUser, "`WHAT` to do with tokens that look renamed: ask, move (with their overrides) or none")
	f.BoolVar(&p.isWatch, "watch", false, "push again whenever a file changes, until Ctrl-C")
	p.Flags.Add(cmd)
	target.InEnvironment(cmd, &p.Target)
	return a.JSONFlag(cmd)
}

// check refuses values that flags do not have, and flags that contradict each other or the files.
func (p *pushFlags) check(files []string) error {
	switch {
	case !slices.Contains([]string{askUser, failLoss, dropLoss}, p.loss):
		return term.UsageError("Valid values: ask, fail, drop.", "--loss cannot be %q", p.loss)
	case !slices.Contains([]string{askUser, moveRenames, noRenames}, p.renames):
		return term.UsageError("Valid values: ask, move, none.", "--renames cannot be %q", p.renames)
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
	theme   client.Theme              // without an id until it exists
	present map[string]client.Variant // by slug
	parts   []*part                   // the Theme first, unless one Variant is pushed alone
	modes   modeChange
	done    Done
}

// push pushes files, or those of livery.yaml. It returns what they say, if they could be read.
func (a *app) push(ctx context.Context, files []string, p pushFlags) (*source.Source, error) {
	if err := p.check(files); err != nil {
		return nil, err
	}
	if err := source.Target("push", &p.Target); err != nil {
		return nil, err
	}
	s, err := source.Read(a.App, files, p.Flags)
	if err != nil {
		return nil, err
	}
	s.Print(a.App, false)
	r := &run{app: a, p: p, source: s, present: map[string]client.Variant{}, done: Done{Variants: []*Result{}, Files: s.Report()}}
	for _, step := range []func(context.Context) error{r.lookUp, r.plan, r.refuseLoss, r.confirmRenames} {
		if err := step(ctx); err != nil {
			return s, err
		}
	}
	r.announce()
	if p.dryRun {
		if err := r.planModes(ctx); err != nil {
			return s, err
		}
		return s, r.report()
	}
	for _, step := range []func(context.Context) error{r.send, r.setModes, r.publish} {
		if err := step(ctx); err != nil {
			return s, r.tellSent(err)
		}
	}
	return s, r.report()
}

// watch pushes, and pushes again whenever a file changes, until ctx ends. It reports a push that fails and goes on, unless the files cannot
// be read at first.
func (a *app) watch(ctx context.Context, files []string, p pushFlags) error {
	s, err := a.push(ctx, files, p)
	if s == nil {
		return err
	}
	for {
		f, ok := errors.AsType[*term.Failure](err)
		if err != nil && ctx.Err() == nil && !(ok && f.Code == term.ExitNothing) {
			a.Report(err)
		}
		if !s.Changed(ctx) {
			return nil
		}
		var again *source.Source
		if again, err = a.push(ctx, files, p); again != nil {
			s = again
		}
	}
}

// announce says what livery.yaml sends, and where.
func (r *run) announce() {
	if !r.source.Mapped {
		return
	}
	var counts []string
	for _, t := range r.parts {
		counts = append(counts, fmt.Sprintf("%s (%s)", t.what, term.Plural(t.remains.Pushed, t.counted)))
	}
	r.Warn("%s sends to Environment %s: %s.", intake.MappingName, r.env.Slug, escape.Line(strings.Join(counts, ", ")))
}

// lookUp finds the Environment, the Theme, its Variants and the parts. Without --create the first that is missing is a failure.
func (r *run) lookUp(ctx context.Context) (err error) {
	if r.client, err = r.Client(ctx); err != nil {
		return err
	}
	f, err := target.Lookup(ctx, r.client, target.Target{Env: r.p.Env, Theme: r.p.Theme})
	r.env, r.theme = f.Env, f.Theme
	r.NoteGrant(r.env)
	if missing, ok := errors.AsType[*target.Missing](err); ok && missing.Kind == "Theme" && r.p.Variant == "" {
		r.theme = client.Theme{Slug: r.p.Theme, EnvironmentID: r.env.ID}
		err = r.unlessCreated(err)
	}
	if err != nil {
		return err
	}
	wanted := r.source.Slugs()
	if r.theme.ID != "" {
		for v, err := range r.client.EveryVariant(ctx, r.env.ID, r.theme.ID) {
			if err != nil {
				return err
			}
			if r.present[v.Slug] = v; v.ID == r.p.Variant {
				r.p.Variant = v.Slug
			}
		}
	}
	if r.p.Variant != "" {
		wanted = []string{r.p.Variant}
	}
	for _, slug := range wanted {
		if _, known := r.present[slug]; !known {
			if err := r.unlessCreated(target.NotFound("Variant", slug, " of Theme "+r.theme.Slug, term.Keys(r.present))); err != nil {
				return err
			}
		}
	}
	parts, err := r.source.Parts(r.p.Variant)
	for _, part := range parts {
		r.parts = append(r.parts, r.newPart(part))
	}
	return err
}

// unlessCreated returns the failure that something is missing, unless --create makes it.
func (r *run) unlessCreated(err error) error {
	if r.p.create {
		return nil
	}
	f := *term.Explain(err)
	f.Next = strings.TrimSpace(f.Next + " Or create it with --create.")
	return &f
}

// mostLost is the share of the values, in hundredths, that a push may lose without being asked for it.
const mostLost = 2

// refuseLoss returns the failure that nothing is left of the files, that something is lost under --strict, or that too much is.
func (r *run) refuseLoss(ctx context.Context) error {
	lost, of, strict := 0, 0, []string{}
	for _, t := range r.parts {
		lost, of = lost+t.remains.lost(), of+t.remains.Of
		for _, d := range slices.Concat(t.Skipped, t.newlyUnserved) {
			strict = append(strict, d.Path+": "+d.String())
		}
	}
	for _, u := range r.source.Unsent {
		strict = append(strict, "the mode "+u.Line)
	}
	if r.p.strict && len(strict) > 0 {
		f := term.Fail("Fix them, or push without --strict.", "nothing is pushed: --strict, and these would be left out:")
		f.Faults = strict
		return f
	}
	first := r.parts[0]
	isNothing := first.remains.Pushed == 0 && (first.variant == nil || first.remains.Of > 0) // a Variant may have no override
	if !isNothing && (r.p.loss == dropLoss || 100*lost <= mostLost*of) {
		return nil
	}
	for _, t := range r.parts {
		r.listLosses(t)
	}
	if isNothing {
		return term.Fail("The lines above say why the others are refused: fix the files and push again.", "nothing is left to push: 0 of %s are valid", term.Plural(first.remains.Of, first.counted))
	}
	what := fmt.Sprintf("%d of %s", lost, term.Plural(of, "value"))
	if r.p.loss == askUser && r.CanAsk() && !r.p.dryRun {
		if ok, err := r.Confirm(ctx, "The push would lose "+what+". Push the rest?"); ok || err != nil {
			return err
		}
	}
	return term.Fail("The lines above say why. Fix the files, or push the rest with --loss drop.", "nothing is pushed: %s would be lost", what)
}

// confirmRenames names the tokens that look renamed, asks whether they shall be moved, and plans that. If nobody can be asked, it moves none.
func (r *run) confirmRenames(ctx context.Context) error {
	t := r.parts[0]
	if len(t.guessed) == 0 || r.p.renames == noRenames {
		return nil
	}
	isAsked := r.p.renames == askUser && r.CanAsk()
	what := "This is a guess"
	switch {
	case r.p.renames == moveRenames:
		what += ", and --renames move takes it for true"
	case !isAsked:
		what += ", and nothing is moved: the next publish drops the overrides of the old names. --renames move moves them"
	}
	r.Warn("Likely renamed: %s. %s:", term.Plural(len(t.guessed), "token"), what)
	for _, pair := range t.guessed {
		r.Warn("  %s -> %s", escape.Line(pair[0]), escape.Line(pair[1]))
	}
	if !isAsked || r.p.dryRun {
		return nil
	}
	ok, err := r.Confirm(ctx, "Move them, and the overrides of Variants with them?")
	if ok {
		t.planOperations(true)
	}
	return err
}
