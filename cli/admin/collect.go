package admin

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin"
	"example.com/livery/storage"
)

const collectText = `Removes the blobs of deleted Themes and of publishes that did not finish, a day after a collection found them first. A
running origin collects every day; this command does it now. A PostgreSQL is named by its address if no origin runs.`

func (a *app) collectCommand() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:     "collect DIR|URL",
		Short:   "Remove the blobs that no record refers to any more",
		Long:    collectText,
		Example: "  livery store collect /var/lib/livery --dry-run",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.collect(cmd.Context(), args[0], dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would be removed, and change nothing")
	return a.JSONFlag(cmd)
}

func (a *app) collect(ctx context.Context, data string, dry bool) error {
	work := collectStore
	if dry {
		work = collectDry
	}
	end, _, err := a.followStore(ctx, data, work, "")
	if err != nil {
		return err
	}
	done := *end.Collected
	err = a.Show(done, func() {
		verb := "removed"
		if dry {
			verb = "would be removed"
		}
		a.Say("%s of %s: %d in use, %d unreferenced for less than a day (%s).", term.Plural(int(done.Blobs), "blob"), byteText(done.Bytes), done.Named, done.Waiting, byteText(done.WaitingBytes))
		a.Say("%s of %s %s.", term.Plural(int(done.Dropped), "blob"), byteText(done.DroppedBytes), verb)
	})
	if err == nil && len(done.Missing) > 0 {
		err = term.Fail("livery store check "+cmdline.StoreName(data)+" says which records refer to them and how to fix it.", "%s that records refer to cannot be found", term.Plural(len(done.Missing), "blob"))
	}
	return err
}

// collectWith collects by the origin that runs on the store, so that it is counted and no other does the
// same, or on the store itself if none does.
func collectWith(ctx context.Context, store storage.Store, o *origin.Origin, dry bool, progress storage.Progress) (storage.CollectResult, error) {
	c := storage.Collection{Now: time.Now().UTC(), DryRun: dry, Progress: progress}
	if o != nil {
		return o.Collect(ctx, c)
	}
	return storage.Collect(ctx, store, c)
}
