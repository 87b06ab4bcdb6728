package release

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// manyFlags are the flags for the drafts of all Variants of a Theme.
type manyFlags struct {
	all, dryRun bool
	only        string
}

func (m *manyFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&m.all, "all", false, "the drafts of all Variants of the Theme, in one step")
	cmd.Flags().StringVar(&m.only, "only", "", "with --all, `WHICH` drafts: changed or unchanged beside what their Variant serves (default: both)")
	cmd.Flags().BoolVar(&m.dryRun, "dry-run", false, "with --all, only say what would be done")
}

// wanted returns the request, or says which flag is wrong.
func (m manyFlags) wanted(note string) (client.ManyVariants, error) {
	if m.only != "" && m.only != "changed" && m.only != "unchanged" {
		return client.ManyVariants{}, term.Fail("Give changed or unchanged, or leave it out.", "--only %q is not one of the words that it takes", m.only)
	}
	return client.ManyVariants{Only: m.only, DryRun: m.dryRun, Note: note}, nil
}

func (a *app) publishAll(cmd *cobra.Command, p publishFlags) error {
	c, f, err := a.Resolve(cmd, p.Target)
	if err != nil {
		return err
	}
	wanted, err := p.wanted(p.note)
	if err != nil {
		return err
	}
	made, err := c.Scope(f.Env.ID, f.Theme.ID).PublishVariants(cmd.Context(), wanted)
	if err != nil {
		return err
	}
	if p.strict && len(made.Done) == 0 {
		fail := *term.Fail("livery variant list shows which have a draft.", "No Variant of Theme %s has such a draft to publish", f.Theme.Slug)
		fail.Code = term.ExitNothing
		return &fail
	}
	return a.showMany(made, "published", p.dryRun)
}

func (a *app) discardAll(cmd *cobra.Command, p target.Target, m manyFlags) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	wanted, err := m.wanted("")
	if err != nil {
		return err
	}
	made, err := c.Scope(f.Env.ID, f.Theme.ID).DiscardVariants(cmd.Context(), wanted)
	if err != nil {
		return err
	}
	return a.showMany(made, "dropped", m.dryRun)
}

// showMany prints what was done to the drafts of many Variants, and why some were left alone.
func (a *app) showMany(made client.ManyResult, did string, dryRun bool) error {
	both := struct {
		Done    []client.DoneVariant    `json:"done"`
		Skipped []client.SkippedVariant `json:"skipped"`
	}{append([]client.DoneVariant{}, made.Done...), append([]client.SkippedVariant{}, made.Skipped...)}
	return a.Show(both, func() {
		if len(made.Done) > 0 {
			t := term.Table{Head: []string{"SLUG", "ADDED", "CHANGED", "REMOVED"}}
			for _, v := range made.Done {
				t.Add(v.Slug, countOf(len(v.Added)), countOf(len(v.Changed)), countOf(len(v.Removed)))
			}
			a.PrintTable(t)
		}
		reasons := map[string]int{}
		for _, s := range made.Skipped {
			reasons[s.Reason]++
		}
		would := ""
		if dryRun {
			would = "would be "
		}
		a.Say("Drafts %s%s: %d", would, did, len(made.Done))
		for _, reason := range term.Keys(reasons) {
			a.Say("Skipped as %s: %s", reason, fmt.Sprint(reasons[reason]))
		}
	})
}
