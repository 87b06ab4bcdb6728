package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/designsystem"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// system is a design system on its way to a Theme and its Variants.
type system struct {
	files   []string
	decided *planFile // before; nil without such a file
	source  *source.System
	theme   *source.Sources
	modes   []*source.Sources // of each Variant of plan
	unmade  []*source.Sources // what files of a brand in a mode tell that has no Variant
	plan    *designsystem.Plan
	skipped []planVariant
	list    []designsystem.ThemeMode // of the Theme's modes
	left    []designsystem.LeftOut   // dimensions that are none of modes
	apart   []string                 // tokens that have a value of their own in several modes together, which no page has
	parts   []part                   // of each Variant of plan

	elements   []designsystem.Mode // of a stylesheet, of which no Variant is made
	ofElements []*source.Sources   // what each of these says
}

// pushSystem pushes token files as one Theme and a Variant for each mode that they hold beside the defaults.
func (a *app) pushSystem(cmd *cobra.Command, p *pushFlags, files []string, decided *planFile) error {
	if err := refuseForSystem(p, files); err != nil {
		return err
	}
	if err := cmp.Or(p.chooseOnConflict(), p.checkRenames()); err != nil {
		return err
	}
	s := &system{files: files, decided: decided}
	if err := s.read(a.App, p.Options()); err != nil {
		return err
	}
	s.decideModes(p.modes)
	all := append([]*source.Sources{s.theme}, s.modes...)
	if p.strict {
		if err := refuseFaults(all...); err != nil {
			return err
		}
	}
	source.PrintForms(a.App, all...)
	source.Print(a.App, p.verbose, s.theme, slices.Concat(s.modes, s.unmade)...)
	source.PrintUnapplied(a.App, p.full || p.verbose, all...)
	s.print(a.App)
	if err := s.refuseEmpty(); err != nil {
		return err
	}
	if len(s.source.Dimensions) == 0 { // else themes say which sets are laid over each other
		if err := a.confirmMerge(cmd.Context(), s.theme, p); err != nil {
			return err
		}
	}
	if err := a.confirmFolder(cmd.Context(), s.theme, p); err != nil {
		return err
	}
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	if err := a.prepare(cmd.Context(), c, p, s); err != nil {
		return err
	}
	if p.dryRun {
		for _, one := range all {
			validate.PrintRows(a.App, one.Unread, true)
			validate.PrintDropped(a.App, one.Faults, p.full || p.verbose)
		}
		return a.Show(s.file(p), func() { a.Say("This was a dry run: nothing is sent and nothing is written.") })
	}
	if !p.confirmed {
		where := c.BaseURL()
		if p.Env != "" {
			where = "Environment " + p.Env + " at " + where
		}
		if ok, err := a.Confirm(cmd.Context(), "Push Theme "+p.Theme+" and these Variants to "+where+"?"); err != nil || !ok {
			return cmp.Or(err, error(term.Fail("Rename Variants in "+planName+", or push one mode with --token-mode.", "nothing is pushed")))
		}
	}
	p.confirmed, p.judged = true, true
	return a.sendSystem(cmd.Context(), c, p, s)
}

// refuseForSystem refuses what has no meaning beside --variants auto.
func refuseForSystem(p *pushFlags, files []string) error {
	switch {
	case p.Variant != "" || p.Mode != "" || len(p.Sets) > 0 || len(p.Inputs) > 0:
		return term.UsageError("Leave it out, or leave --variants out.", "--variants auto takes all modes, and --variant, --token-mode, --sets or --input chooses some")
	case slices.ContainsFunc(files, term.IsStream):
		return term.UsageError("Name files or folders.", "--variants auto reads the files once for each mode, and the standard input or a pipe can be read only once")
	case p.Theme == "":
		return term.UsageError("See livery push --help.", "livery push needs --theme")
	}
	return nil
}

func (s *system) read(a *term.App, o tokenfile.Options) (err error) {
	if s.source, s.theme, err = source.OpenSystem(a, s.files, s.decided.defaultsOf, o); err != nil {
		return err
	}
	if err := s.refuseMissing(); err != nil {
		return err
	}
	var modes []designsystem.Mode
	defaults, total, pairs, brands := dtcg.Read(s.theme.Tree), 0, 0, 0
	for _, d := range s.source.Dimensions {
		others := len(d.Modes) - 1
		if pairs += total * others; designsystem.IsBrand(d) { // two brands are not read together
			pairs -= brands * others
			brands += others
		}
		total += others
	}
	bar := a.ProgressBar("reading the modes", total+pairs)
	defer bar.Done()
	for _, d := range s.source.Dimensions {
		for _, mode := range d.Modes[1:] {
			read, err := s.source.Read(map[string]string{d.Name: mode})
			if s.decided.skips(d.Name, mode) { // but what it shows is not lost
				slug := s.decided.slugs()[[2]string{d.Name, mode}]
				s.skipped = append(s.skipped, planVariant{Dimension: d.Name, Mode: mode, Slug: slug, Skip: true})
				continue
			}
			if err != nil {
				return err
			}
			bar.Step()
			made := designsystem.Mode{Dimension: d.Name, Name: mode, Tree: read.Tree}
			h, isSelected := d.Hints[mode]
			if isSelected && s.decided.slugs()[[2]string{d.Name, mode}] == "" && designsystem.IsOfElements(defaults, made, h) {
				s.elements, s.ofElements = append(s.elements, made), append(s.ofElements, read)
				s.theme.Faults = append(s.theme.Faults, read.Faults...)
				continue
			}
			s.modes = append(s.modes, read)
			modes = append(modes, made)
		}
	}
	s.plan = designsystem.Make(s.theme.Tree, modes, s.elements, s.decided.slugs())
	if modes, err = s.readPairs(modes, bar.Step); err != nil {
		return err
	}
	for i, m := range s.elements {
		s.theme.NameElements(s.ofElements[i], m.Name, s.plan.Theme)
	}
	s.source.NameHidden(slices.Concat(s.modes, s.unmade, []*source.Sources{s.theme})...)
	s.takeUnmade()
	for i, m := range modes {
		for _, c := range s.plan.Clashes {
			if c.Dimension == m.Dimension && c.Mode == m.Name {
				reason := s.modes[i].TokenLocation(c.Path) + ": the Theme has a group there, or a token above it; rename one of the two"
				s.modes[i].Faults = append(s.modes[i].Faults, validate.Dropped{Path: c.Path, Reason: reason, Tokens: 1})
			}
		}
	}
	return nil
}

// readPairs adds to modes those of a brand and a mode that say something else than both laid over each other, and makes
// the plan of all. Of other modes together, which no list of modes can have, it notes the tokens; if files are of two,
// they have a Variant of their own too.
func (s *system) readPairs(modes []designsystem.Mode, step func()) ([]designsystem.Mode, error) {
	alone, isBrand := s.plan.Variants, map[string]bool{}
	for _, d := range s.source.Dimensions {
		isBrand[d.Name] = designsystem.IsBrand(d)
	}
	s.noteApart(s.plan.Join(s.source.Dimensions, modes))
	for i, v := range alone {
		for _, other := range alone[i+1:] {
			first, second := v, other
			if isBrand[second.Dimension] {
				first, second = second, first
			}
			if first.Dimension == second.Dimension || isBrand[second.Dimension] { // of which both may be brands
				continue
			}
			step()
			read, err := s.source.Read(map[string]string{first.Dimension: first.Name, second.Dimension: second.Name})
			if err != nil {
				return nil, err
			}
			both, differ := s.plan.Both(first, second, read.Tree)
			if s.isMode(both) {
				both.Name = first.Name + " + " + second.Name
			}
			wasMade := s.decided.slugs()[[2]string{both.Dimension, both.Name}] != ""
			if len(differ) > 0 && !isBrand[first.Dimension] {
				s.noteApart(differ)
			}
			switch {
			case len(differ) == 0 && !wasMade || !isBrand[first.Dimension] && !s.isGrid(first, second):
				if s.isGrid(first, second) {
					s.unmade = append(s.unmade, read.Told())
				}
			case s.decided.skips(both.Dimension, both.Name):
				s.skipped = append(s.skipped, planVariant{Dimension: both.Dimension, Mode: both.Name, Skip: true})
			default:
				s.modes, modes = append(s.modes, read), append(modes, both)
			}
		}
	}
	if slices.ContainsFunc(modes, func(m designsystem.Mode) bool { return len(m.Of) > 0 }) {
		s.plan = designsystem.Make(s.theme.Tree, modes, s.elements, s.decided.slugs())
	}
	return modes, nil
}

// takeUnmade counts as lost of the Theme what is lost of a brand in a mode without a Variant, and of no mode.
func (s *system) takeUnmade() {
	isKnown := map[validate.Dropped]bool{}
	for _, one := range append(slices.Clone(s.modes), s.theme) {
		for _, f := range one.Faults {
			isKnown[f] = true
		}
	}
	for _, one := range s.unmade {
		for _, f := range one.Faults {
			if !isKnown[f] {
				isKnown[f], s.theme.Faults = true, append(s.theme.Faults, f)
			}
		}
	}
}

// isMode reports whether the files have a mode of this name.
func (s *system) isMode(m designsystem.Mode) bool {
	return slices.ContainsFunc(s.source.Dimensions, func(d tokenfile.Dimension) bool {
		return d.Name == m.Dimension && slices.Contains(d.Modes, m.Name)
	})
}

// isGrid reports whether files or token sets are of two modes.
func (s *system) isGrid(first, second designsystem.Variant) bool {
	return slices.ContainsFunc(s.source.Dimensions, func(d tokenfile.Dimension) bool {
		return d.Name == second.Dimension && d.Across == first.Dimension
	})
}

// noteApart notes tokens that have a value of their own in several modes together.
func (s *system) noteApart(paths []string) {
	for _, path := range paths {
		s.apart = tokenfile.AppendNew(s.apart, path)
	}
}

// refuseEmpty returns the failure that the files hold tokens and the Theme would have none of them.
func (s *system) refuseEmpty() error {
	if len(dtcg.Read(s.plan.Theme).Tokens) > 0 || len(s.theme.Faults)+len(s.theme.Unread) > 0 { // that is judged as a loss
		return nil
	}
	if len(s.source.Unused) > 0 {
		return term.Fail("Enable token sets in a theme, or push some with --sets and without --variants auto.", "nothing is left to push: no theme takes a token set")
	}
	return term.Fail("Name files that hold some.", "nothing is left to push: the files hold no token")
}

// print shows the plan: what becomes the Theme, and which mode becomes which Variant.
func (s *system) print(a *term.App) {
	t := term.Table{Head: []string{"VARIANT", "MODE", "OVERRIDES", "THEME MODE", "WHEN"}}
	add := func(slug, named, mode, overrides string) {
		served, when := s.served(slug)
		t.Add(named, escape.Line(mode), overrides, escape.Line(cmp.Or(served, "-")), escape.Line(cmp.Or(when, "-")))
	}
	add("", "(the Theme)", cmp.Or(defaultsOf(s.source.Dimensions), "-"), "-")
	for _, v := range s.plan.Variants {
		add(v.Slug, v.Slug, label(v.Dimension, v.Name), strconv.Itoa(len(v.Overrides.Members)))
	}
	for _, v := range s.skipped {
		t.Add("(skipped)", escape.Line(label(v.Dimension, v.Mode)), "-", "-", "-")
	}
	for _, line := range t.Lines() {
		a.Warn("%s", line)
	}
	if len(s.plan.Variants)+len(s.skipped) == 0 {
		a.Warn("Note: the files hold no mode beside the defaults, so no Variant is made.")
	}
	s.printLeft(a)
	note(a, s.namesOfElements(), "%s what elements of a page have, and no Variant is made of it: %s. What the others lack stands in the Theme. Give one a slug in "+planName+" to have its Variant.", "selector says", "selectors say")
	note(a, s.gone(), "%s in "+planName+" and not in the files: %s. A Variant that was made of one stays.", "mode is", "modes are")
	note(a, s.plan.Added, "%s only in some modes, and in the Theme with the value of the first: %s.", "token stands", "tokens stand")
	note(a, s.apart, "%s another value in several modes together than a page with these modes has: %s.", "token has", "tokens have")
	note(a, s.source.Unused, "%s in no theme and left out: %s. Add them to a theme, or name sets with --sets.", "token set is", "token sets are")
}

// note prints how many there are of something, and the first of them.
func note(a *term.App, list []string, format, one, many string) {
	if len(list) == 0 {
		return
	}
	what := one
	if len(list) > 1 {
		what = many
	}
	a.Warn("Note: "+format, strconv.Itoa(len(list))+" "+what, escape.Line(term.ShortList(list)))
}

// namesOfElements lists the modes of elements.
func (s *system) namesOfElements() (names []string) {
	for _, m := range s.elements {
		names = append(names, m.Name)
	}
	return names
}

// label names a mode with its dimension.
func label(dimension, mode string) string {
	if dimension == "" {
		return mode
	}
	return dimension + ": " + mode
}

// defaultsOf lists the modes that are the Theme itself.
func defaultsOf(all []tokenfile.Dimension) string {
	var names []string
	for _, d := range all {
		if d.Modes[0] != "" {
			names = append(names, label(d.Name, d.Modes[0]))
		}
	}
	return strings.Join(names, ", ")
}

// file is the plan as it is kept.
func (s *system) file(p *pushFlags) *planFile {
	f := &planFile{Files: s.files, Environment: p.Env, Theme: p.Theme, Variants: []planVariant{}}
	for _, d := range s.source.Dimensions {
		if d.Modes[0] != "" && len(d.Modes) > 1 {
			f.Defaults = append(f.Defaults, planVariant{Dimension: d.Name, Mode: d.Modes[0]})
		}
	}
	for _, v := range s.plan.Variants {
		f.Variants = append(f.Variants, planVariant{Dimension: v.Dimension, Mode: v.Name, Slug: v.Slug})
	}
	f.Variants = append(f.Variants, s.skipped...)
	if s.list != nil || s.decided != nil && s.decided.Modes != nil {
		f.Modes = &s.list
	}
	return f
}

// sent is what became of a design system, for --json.
type sent struct {
	Theme    Result   `json:"theme"`
	Variants []Result `json:"variants"`

	ModesChanged bool `json:"modesChanged,omitempty"` // the Theme has another list of modes than before
}

// changed reports whether anything was sent or published.
func (s *sent) changed() bool {
	return s.ModesChanged || slices.ContainsFunc(append([]Result{s.Theme}, s.Variants...), func(r Result) bool { return r.Operations > 0 || r.Version != nil })
}

// sendSystem pushes the Theme, then each Variant that says something or exists, and publishes them if that is wanted.
func (a *app) sendSystem(ctx context.Context, c *client.Client, p *pushFlags, s *system) error {
	one := *p
	one.publish = false // it is done for all at once
	var done sent
	theme, err := a.sendPart(ctx, c, one, s.theme.With(s.plan.Theme, s.plan.Added, slices.Concat(s.modes, s.ofElements)), nil, p.publish, &done.Theme)
	if err != nil {
		return err
	}
	if err := a.writePlan(s.file(p)); err != nil {
		return err
	}
	if done.Variants, err = a.sendVariants(ctx, c, one, theme, s, p.publish); err == nil {
		done.ModesChanged, err = a.setModes(ctx, c, theme, s, one)
	}
	if err == nil && p.publish {
		err = a.publishSystem(ctx, c, theme, *p, &done)
	}
	if err != nil {
		f := *term.Explain(err)
		f.Next = strings.TrimSpace(fmt.Sprintf("%s Sent so far: the Theme and %d of %s. Push again to do the rest.", f.Next, len(done.Variants), term.Plural(len(s.plan.Variants), "Variant")))
		return &f
	}
	if a.JSON {
		if err := a.Encode(done, "  "); err != nil {
			return err
		}
	}
	if p.strict && !done.changed() {
		return term.NothingToDo("Theme %s and its Variants hold exactly this already", p.Theme)
	}
	return nil
}

// sendPart pushes one document, or overrides of that of a Theme. It does not say how to publish it if that is about to
// happen.
func (a *app) sendPart(ctx context.Context, c *client.Client, p pushFlags, wanted *source.Sources, theme *jsontree.Node, quiet bool, into *Result) (target.Resolved, error) {
	f, err := a.target(ctx, c, p)
	if err != nil {
		return f, err
	}
	t := newPushTarget(a, c, f, p, wanted)
	t.theme = theme
	t.report = func(t *pushTarget, done Result) error {
		if *into = done; a.JSON || quiet {
			return nil
		}
		return a.reportPush(t.what, t.counted, done, t.next)
	}
	return f, a.pushTo(ctx, t, p)
}

// sendVariants pushes the Variants. An override that its mode does not have is removed.
func (a *app) sendVariants(ctx context.Context, c *client.Client, p pushFlags, theme target.Resolved, s *system, quiet bool) ([]Result, error) {
	_, document, err := tokentree.CurrentDocument(ctx, c, theme.Theme)
	if err != nil {
		return nil, err
	}
	results := []Result{}
	p.replace, p.create, p.acceptLoss = true, true, true // a loss was judged before
	for i, v := range s.plan.Variants {
		if s.parts[i].target.f.Absent && !s.makes(i) {
			says := "nothing that the Theme does not say"
			if len(s.parts[i].plan.skipped) > 0 {
				says = "nothing else that is left"
			}
			a.Warn("Note: %s says %s: no Variant is made for it.", escape.Line(label(v.Dimension, v.Name)), says)
			validate.PrintDropped(a.App, s.parts[i].plan.skipped, p.full || p.verbose)
			continue
		}
		var done Result
		p.Variant, p.Name = v.Slug, displayName(v.Name)
		if _, err := a.sendPart(ctx, c, p, s.modes[i].Of(v.Overrides), document, quiet, &done); err != nil {
			return results, term.In("push of Variant "+v.Slug, err)
		}
		results = append(results, done)
	}
	return results, nil
}

// displayName is the name of a mode as far as the API takes it: a selector of a stylesheet may be longer.
func displayName(mode string) string {
	name := []rune(strings.Join(strings.Fields(mode), " "))
	return string(name[:min(len(name), maxDisplayName)])
}

// maxDisplayName is how many characters of a name the API takes.
const maxDisplayName = 256

// publishSystem publishes the Theme if it has a draft, and the Variants that have one in one request. A Variant that
// was published for this version of the Theme already needs another version of it.
func (a *app) publishSystem(ctx context.Context, c *client.Client, f target.Resolved, p pushFlags, done *sent) error {
	if done.Theme.ETag != "" || done.ModesChanged && f.Theme.LatestVersion != nil { // a version keeps its modes
		o := client.PublishOptions{IfMatch: done.Theme.ETag, Unchanged: done.Theme.ETag == ""}
		if err := a.publishTheme(ctx, c, f, o, done); err != nil {
			return err
		}
	}
	again, err := publishPicks(ctx, c, f, drafts(done), done)
	if err == nil && len(again) > 0 {
		if err = a.publishTheme(ctx, c, f, client.PublishOptions{Unchanged: true}, done); err == nil {
			again, err = publishPicks(ctx, c, f, again, done)
		}
	}
	if err != nil {
		return err
	}
	if len(again) > 0 {
		return term.Fail("Push again.", "%s could not be published: their Theme was published meanwhile", term.Plural(len(again), "Variant"))
	}
	published := 0
	for _, v := range done.Variants {
		if v.Version != nil {
			published++
		}
	}
	a.Say("Theme %s is version %d now, and %s published with it.", f.Theme.Slug, versionOf(done.Theme, f), term.Plural(published, "Variant"))
	if p.wait && done.Theme.Version != nil {
		theme, err := c.Theme(ctx, f.Env.ID, f.Theme.ID)
		if err != nil {
			return err
		}
		return release.AwaitServed(ctx, c, f, theme.ServingURLs, p.patience)
	}
	return nil
}

// drafts lists the Variants that may have a draft: all of them if the Theme was published, which makes drafts of them.
func drafts(done *sent) (picks []client.VariantPick) {
	for _, v := range done.Variants {
		if v.ETag != "" || done.Theme.Version != nil {
			picks = append(picks, client.VariantPick{ID: v.VariantID})
		}
	}
	return picks
}

// versionOf is the version of a Theme after a push.
func versionOf(done Result, f target.Resolved) int {
	if v := cmp.Or(done.Version, f.Theme.LatestVersion); v != nil {
		return *v
	}
	return 0
}

func (a *app) publishTheme(ctx context.Context, c *client.Client, f target.Resolved, o client.PublishOptions, done *sent) error {
	o.Renames = client.RenamesMoves
	t, err := c.PublishTheme(ctx, f.Env.ID, f.Theme.ID, o)
	if err == nil {
		done.Theme.ETag, done.Theme.Version = "", t.LatestVersion
	}
	return err
}

// mostPicks is how many Variants one request publishes.
const mostPicks = 1000

// publishPicks publishes drafts of Variants, and returns those that their Theme's version was published with already.
func publishPicks(ctx context.Context, c *client.Client, f target.Resolved, picks []client.VariantPick, done *sent) (again []client.VariantPick, err error) {
	for part := range slices.Chunk(picks, mostPicks) {
		made, err := c.Scope(f.Env.ID, f.Theme.ID).PublishVariants(ctx, client.ManyVariants{Picks: part})
		if err != nil {
			return nil, err
		}
		for _, v := range made.Done {
			i := slices.IndexFunc(done.Variants, func(r Result) bool { return r.VariantID == v.ID })
			done.Variants[i].ETag, done.Variants[i].Version = "", v.Version
		}
		for _, v := range made.Skipped {
			if v.Reason == "alreadyPublished" {
				again = append(again, client.VariantPick{ID: v.ID})
			}
		}
	}
	return again, nil
}
