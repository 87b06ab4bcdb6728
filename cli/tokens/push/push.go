package push

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
)

// pushFlags are the flags of push and watch.
type pushFlags struct {
	target.Target
	themes.NewTheme
	strict, replace, acceptLoss, create, publish, wait, dryRun, full, verbose, confirmed bool

	judged bool // what the push loses was judged before, with other parts

	patience   time.Duration
	onConflict string
	renames    string // askRenames, moveRenames or noRenames
	source.FileFlags
	variants string // one or auto
	modes    string // one of modesChoices
}

func (p *pushFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.Variant, "variant", "", "`VARIANT`, slug or id, to push overrides to (default: the Theme itself)")
	f.BoolVar(&p.strict, "strict", false, "refuse a push that would leave something out of the served files; exit code 3 if there is nothing to push")
	f.BoolVar(&p.replace, "replace", false, "also remove what the files do not have (default: leave it)")
	f.BoolVar(&p.acceptLoss, "accept-loss", false, "push also if more than 2 % of the tokens of the files are lost (default: ask; without a terminal exit code 1)")
	f.BoolVar(&p.create, "create", false, "create the Theme or Variant if it does not exist")
	f.BoolVar(&p.publish, "publish", false, "publish afterwards")
	f.BoolVar(&p.wait, "wait", false, "with --publish: wait until an edge serves the new version, also as latest")
	f.DurationVar(&p.patience, "wait-timeout", 30*time.Second, "how long to wait beyond the cache lifetime of the Environment, a `DURATION` such as 30s")
	f.BoolVar(&p.full, "full", false, "show every change, not only the first 20")
	f.BoolVar(&p.verbose, "verbose", false, "list all that is read otherwise than written or left out, not only ten lines")
	f.BoolVar(&p.confirmed, "yes", false, "merge all token sets of a file, and all files of a folder, without asking, also if they give one token several values")
	f.StringVar(&p.onConflict, "on-conflict", "", "`WHAT` to do if another client changed the draft meanwhile: merge, overwrite or fail (default: merge; fail if CI is set)")
	f.StringVar(&p.renames, "renames", askRenames, "`WHAT` to do if a token looks renamed: ask, move it and its overrides, or none (ask moves nothing without a terminal)")
	p.FileFlags.Add(cmd)
	p.Flags(cmd)
}

const pushText = `Turns token files into the smallest batch of operations on the draft of a Theme, and flat maps
(or token files, of which only the values are taken) into overrides of a Variant. Several files
count as one: a later file is laid over an earlier one, and the command names what two of them set.
A folder stands for its files of tokens; if these give more than 2 % of the tokens several values, they are likely modes,
and the push asks, or ends with exit code 1, unless --yes is given. "-" reads the standard input.

A file may be, in JSON, JSON5 (JSON with comments), YAML or CSS, whichever the push recognises and says:
  - a resolver document of DTCG: its sets and one context of each modifier, that of --input or the default;
  - a DTCG document; a document of Style Dictionary, without dollar signs;
  - an export of Tokens Studio: one file or its folder; sets merged in its tokenSetOrder, or those of --sets or of
    the theme --token-mode;
  - the response of Figma's REST API to a request for local variables (of a --token-mode), or a folder of the files
    that Figma exports for the modes of a collection (that of --token-mode);
  - tokens whose values stand in sets, as Spectrum's; an array of tokens; plain nested JSON;
  - a stylesheet of custom properties (:root, Tailwind's @theme); a theme of shadcn's registry.
Of values for several modes, such as {"light": …, "dark": …}, that of --token-mode is taken, else the usual one.
--token-mode globex,dark takes modes of several dimensions, also of mode files.

--variants auto pushes a whole design system at once: the default modes of the files are the Theme, and each other mode
(a theme of Tokens Studio, a mode of Figma, a context of a resolver document, a mode file, a mode of values or of a
stylesheet) is a Variant of only what differs. The plan is shown as a table first, and kept in livery.yaml: a push without
files in that folder repeats it. The Variants become the modes of the Theme too (livery theme modes), with the conditions
of the table, so that tokens.css?modes=… serves them in one file; that needs the role admin, and without it the push does
the rest. Modes that were set otherwise are kept, unless --modes replace is given. --modes none sets none. Brands, and
more than 4 dimensions, are Variants alone.

The token sets that a push merges are named, in their order and with the number of tokens that later sets
override. On a terminal the push asks first, unless --sets, --token-mode or --yes is given; without one, sets that
give one token several values are not merged, and the exit code is 1. Collections
of Figma whose modes differ are not combined without --token-mode: the error lists the modes.

A token that is recognisably the same at another path is moved, so that Variants keep their
overrides; that needs --replace, because without it nothing is removed. If another client changed
the draft meanwhile, the push is computed again and sent again, unless that client changed the same
tokens; in CI it ends with exit code 4.

A token in the files takes the place of the stored one as a whole. What the files do not name
stays as it is, unless --replace is given: then it is removed.

$extends and $ref of DTCG 2025.10 are applied, since no served file does: a $ref to a token becomes an alias, one into a
value that value. What cannot be applied is named. --keep-references stores them as they are written.

What is not quite right is read as it is meant if that is safe, and named with its value and the nearest known
name: an unknown $type, an alias whose type disagrees with its target, a name with a dot, a comment in a group, an odd
file among others. Ten lines tell of it, --verbose lists all.

What the API refuses after that is left out and listed. It is as little as possible:
  - a token whose value is of a JSON kind that its type never has, or null;
  - a token or group of a bad name, and a member that is neither, as a whole;
  - of a group whose $type a stored token below it cannot have, that $type and the tokens of the files that have
    their type from it;
  - a $description or $extensions of a wrong kind alone, without its token;
  - of a Variant the overrides whose path is not valid; their values are never refused.
What is left out stays as it is stored, also with --replace, unless it no longer fits there. Tokens that are stored and
that no served file has, such as an alias of a token that is missing, are listed, and count as lost. A push that would lose
more than 2 % of the tokens of its files, or a file that cannot be read, asks on a terminal; without one it ends with
exit code 1 and pushes nothing, unless --accept-loss is given. If nothing of the files is left, or nothing but empty
values, nothing is pushed and the exit code is 1. With --strict nothing is left out: the push is refused.

With --replace, a token that was removed and one that was added may be the same under another name. A move takes the overrides
of Variants along. The push moves tokens that a design tool gave one identity. Of others with equal content and the same last
name or group it asks; if nobody can be asked, it names them and moves none. --renames move moves them without asking,
--renames none neither.

A push that is too large for one request is sent as several, each on top of the one before; if one
of them is refused, those before it stay in the draft (livery discard drops it).`

func (a *app) pushCommand() *cobra.Command {
	var p pushFlags
	cmd := &cobra.Command{
		Use:   "push [FILE...]",
		Short: "Push token files to the draft of a Theme or Variant",
		Long:  pushText,
		Example: "  livery push acme.tokens.json --env sandbox --theme acme --create --integration react/plainCSS\n" +
			"  livery push dark.json --env sandbox --theme acme --variant dark --create --publish\n" +
			"  livery push acme.resolver.json --env sandbox --theme acme --input theme=dark\n" +
			"  livery push export/ --env sandbox --theme acme --variants auto --create --publish",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			decided, err := p.plan(&args)
			if err != nil {
				return err
			}
			if p.variants == "auto" {
				return a.pushSystem(cmd, &p, args, decided)
			}
			return a.push(cmd, &p, args)
		},
	}
	p.add(cmd)
	f := cmd.Flags()
	f.StringVar(&p.Theme, "theme", "", "`THEME`, slug or id (required, unless livery.yaml names it)")
	f.StringVar(&p.variants, "variants", "one", "`WHICH` modes of the files: one, or auto for a Variant of each beside the default")
	f.StringVar(&p.modes, "modes", "auto", "with --variants auto, `WHAT` becomes of the Theme's modes: auto sets them unless they were set otherwise, replace always, none never")
	target.InEnvironment(cmd, &p.Target)
	cmd.Flags().BoolVar(&p.dryRun, "dry-run", false, "show what would be sent, and send nothing; with --json the operations")
	return a.JSONFlag(cmd)
}

func (a *app) push(cmd *cobra.Command, p *pushFlags, files []string) error {
	if err := cmp.Or(p.chooseOnConflict(), p.checkRenames()); err != nil {
		return err
	}
	wanted, err := source.Read(a.App, p.Variant != "", files, p.Options())
	if err != nil {
		return err
	}
	if p.strict {
		if err := refuseFaults(wanted); err != nil {
			return err
		}
	}
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	source.PrintForms(a.App, wanted)
	source.Print(a.App, p.verbose, wanted)
	source.PrintUnapplied(a.App, p.full || p.verbose, wanted)
	refusal := cmp.Or(a.confirmMerge(cmd.Context(), wanted, p), a.confirmFolder(cmd.Context(), wanted, p))
	if refusal != nil && !p.dryRun {
		return refusal
	}
	f, err := a.target(cmd.Context(), c, *p)
	if err != nil {
		return err
	}
	return cmp.Or(a.pushTo(cmd.Context(), newPushTarget(a, c, f, *p, wanted), *p), refusal)
}

// refuseFaults returns the failure that no served file would have a token or value of the files, but perhaps a text in
// its place, or apply a reference or modifier.
func refuseFaults(all ...*source.Sources) error {
	f := term.Fail("Fix them, or push without --strict.", "no served file would have:")
	var list, unapplied []validate.Dropped
	for _, wanted := range all {
		list, unapplied = slices.Concat(list, wanted.Unread, wanted.Faults), append(unapplied, wanted.OnlyUnapplied()...)
		for _, c := range wanted.Concessions() {
			if slices.Contains(tokenfile.Quoted, c.Kind) {
				list = append(list, validate.Dropped{Path: c.Path, Reason: c.Location + ": " + c.Message})
			}
		}
	}
	if len(list) == 0 {
		f.Sentence = "no served file would apply:"
	}
	list = append(list, unapplied...)
	for _, fault := range list {
		f.Faults = append(f.Faults, fault.Path+": "+fault.Reason)
	}
	if len(list) == 0 {
		return nil
	}
	return f
}

// lookup finds the Theme or Variant of a push. missing is the kind of what is not there and --create would make; it
// stands in the result as it would be called.
func (a *app) lookup(ctx context.Context, c *client.Client, p pushFlags) (f target.Resolved, missing string, err error) {
	f, err = target.Lookup(ctx, c, p.Target)
	a.NoteGrant(f.Env)
	m, ok := errors.AsType[*target.Missing](err)
	switch {
	case !ok || m.Kind == "Environment":
		return f, "", err
	case !p.create:
		e := term.Explain(err)
		e.Next += " Or create it with --create."
		return f, "", e
	case m.Kind == "Theme":
		f.Theme = client.Theme{Slug: p.Theme, EnvironmentID: f.Env.ID}
	}
	if f.Absent = true; p.Variant != "" {
		f.Variant = &client.Variant{Slug: p.Variant}
	}
	return f, m.Kind, nil
}

// target finds the Theme or Variant of a push, and makes what is missing if --create says so.
func (a *app) target(ctx context.Context, c *client.Client, p pushFlags) (target.Resolved, error) {
	f, missing, err := a.lookup(ctx, c, p)
	if err != nil || missing == "" {
		return f, err
	}
	if p.dryRun {
		a.sayAbsent(f, missing)
		return f, nil
	}
	f.Absent = false
	if missing == "Theme" {
		if f.Theme, err = themes.MakeTheme(ctx, c, f.Env.ID, p.Theme, p.NewTheme); err != nil {
			return f, err
		}
		f.CreatedTheme = true
		a.Say("Theme %s is created: %s", f.Theme.Slug, f.Theme.ID)
	}
	if p.Variant == "" {
		return f, nil
	}
	v, err := themes.MakeVariant(ctx, c, f.Theme, p.Variant, p.Name)
	if err != nil {
		return f, err
	}
	a.Say("Variant %s is created: %s", v.Slug, v.ID)
	f.Variant, f.CreatedVariant = &v, true
	return f, nil
}

// sayAbsent tells what a push would create.
func (a *app) sayAbsent(f target.Resolved, missing string) {
	if missing == "Theme" {
		a.Say("Theme %s would be created.", f.Theme.Slug)
	}
	if f.Variant != nil {
		a.Say("Variant %s would be created.", f.Variant.Slug)
	}
}

// pushTo plans and sends a push, again if the draft changed meanwhile.
func (a *app) pushTo(ctx context.Context, t *pushTarget, p pushFlags) error {
	err := t.read(ctx)
	if err != nil {
		return err
	}
	plan := t.plan()
	if err := a.refuseLoss(ctx, t, plan); err != nil {
		a.undo(ctx, t.c, t.f, t.set)
		return err
	}
	if t.f.Variant != nil {
		t.noteUnknownOverrides()
	}
	if p.dryRun {
		a.printLeftOut(t, plan)
		a.noteGuesses(t, plan)
		return a.printPlan(plan, t.wanted, p.full)
	}
	if plan, err = a.confirmRenames(ctx, t, plan); err != nil {
		a.undo(ctx, t.c, t.f, t.set)
		return err
	}
	set, err := t.send(ctx, plan)
	for try := 1; errors.Is(err, client.ErrConflict) && set.DraftETag() == t.set.DraftETag() && try < pushTries; try++ {
		if plan, err = a.planAgain(ctx, t, p); err != nil {
			return err
		}
		set, err = t.send(ctx, plan)
	}
	if err != nil {
		a.undo(ctx, t.c, t.f, set)
		return explainPush(located(err, t.wanted), p)
	}
	if t.report != nil && plan.count > 0 && !t.f.CreatedTheme && !t.f.CreatedVariant { // of several, and not named yet
		a.Say("%s:", t.what)
	}
	a.sayChanges(plan, p.full)
	a.printLeftOut(t, plan)
	return a.finishPush(ctx, t, p, plan, set)
}

// refuseLoss returns the failure that a push makes a document that is too large, or that it loses all of the files, or
// more of them than it may. What it would leave out is listed before.
func (a *app) refuseLoss(ctx context.Context, t *pushTarget, plan pushPlan) error {
	if t.p.judged {
		return nil
	}
	if err := cmp.Or(t.refuseSize(plan), t.refuseStrict(plan)); err != nil {
		return err
	}
	err := plan.remains.refuse(t.counted)
	if err == nil && (t.p.acceptLoss || !t.loses(plan)) {
		return nil
	}
	a.listLosses(t, plan)
	if err != nil {
		return err
	}
	return a.confirmLoss(ctx, t, plan)
}

// finishPush publishes what was pushed if that is wanted, and tells what came of it.
func (a *app) finishPush(ctx context.Context, t *pushTarget, p pushFlags, plan pushPlan, set client.TokenSet) error {
	done := Result{
		ThemeID: t.f.Theme.ID, Operations: plan.count, Changes: plan.changes, ETag: set.DraftETag(), Skipped: plan.skipped,
		Unread: t.wanted.Unread, Unserved: plan.unserved, Notes: t.wanted.Notes(),
		Remains: plan.remains.ifLost(), Concessions: t.wanted.Concessions(), Merged: t.wanted.SeveralSets(), tokens: len(set.Tokens),
	}
	if t.f.Variant != nil {
		done.VariantID = t.f.Variant.ID
	}
	if p.publish && done.ETag != "" {
		version, urls, err := t.publish(ctx, done.ETag)
		if err == nil && p.wait {
			err = release.AwaitServed(ctx, t.c, t.f, urls, p.patience)
		}
		if err != nil {
			return err
		}
		done.ETag, done.Version = "", version
	}
	if t.report != nil {
		return t.report(t, done)
	}
	if err := a.reportPush(t.what, t.counted, done, t.next); err != nil {
		return err
	}
	if p.strict && done.Operations == 0 && done.Version == nil {
		return term.NothingToDo("%s holds exactly this already", t.what)
	}
	return nil
}
