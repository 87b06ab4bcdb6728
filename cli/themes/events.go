package themes

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

const eventsText = `Prints what happened to the Themes and Variants of an Environment, oldest first: created, changed,
drafted, discarded, published and deleted, by whom. Events are kept for 30 days, at most 200,000 of them.
With --follow new ones are printed as they come, and with --json beside it each as one line.`

// eventsFlags are the flags of livery events.
type eventsFlags struct {
	target.Target
	follow bool
}

func (a *app) eventsCommand() *cobra.Command {
	var f eventsFlags
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "Print what happened in an Environment",
		Long:    eventsText,
		Example: "  livery events --env sandbox --follow --json",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.events(cmd.Context(), f) },
	}
	cmd.Flags().BoolVar(&f.follow, "follow", false, "print new events as they come, until Ctrl-C")
	return a.JSONFlag(target.InEnvironment(cmd, &f.Target))
}

func (a *app) events(ctx context.Context, f eventsFlags) error {
	c, e, err := a.inEnvironment(ctx, f.Target)
	if err != nil {
		return err
	}
	o := client.EventOptions{Limit: 1000}
	read := func(each func([]client.Event) error) error {
		for {
			page, err := client.ListEvents(ctx, c, e.ID, o)
			if err != nil {
				return err
			}
			if page.Missed {
				a.Warn("Note: events after %s are not kept any more", o.After)
			}
			if n := len(page.Items); n > 0 {
				o.After = page.Items[n-1].ID
			}
			if err := each(page.Items); err != nil || page.Next == "" {
				return err
			}
		}
	}
	if f.follow {
		return term.Follow(ctx, func() error { return read(a.printFollowed) })
	}
	all := []client.Event{}
	err = read(func(list []client.Event) error {
		all = append(all, list...)
		return nil
	})
	if err != nil {
		return err
	}
	return a.showEvents(all)
}

// eventRow spells an event for people.
func eventRow(e client.Event) []any {
	about, version, note := e.Theme, "-", "-"
	if e.Variant != nil {
		about = *e.Variant
	}
	if e.Count > 0 {
		about = term.Plural(e.Count, "Variant") + " of " + e.Theme
	}
	if e.Version != nil {
		version = strconv.Itoa(*e.Version)
	}
	if e.Note != nil {
		note = *e.Note
	}
	return []any{term.Moment(&e.At), e.Kind, about, version, e.By, note}
}

func (a *app) showEvents(all []client.Event) error {
	return a.Show(all, func() {
		t := term.Table{Head: []string{"WHEN", "WHAT", "OF", "VERSION", "BY", "NOTE"}}
		for _, e := range all {
			t.Add(eventRow(e)...)
		}
		a.PrintTable(t)
	})
}

// printFollowed prints events that have come, each on its line.
func (a *app) printFollowed(list []client.Event) error {
	for _, e := range list {
		if a.JSON {
			if err := a.Encode(e, ""); err != nil {
				return err
			}
			continue
		}
		a.Say("%s  %s  %s  %s  %s  %s", eventRow(e)...)
	}
	return nil
}
