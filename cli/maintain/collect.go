package maintain

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin"
	"example.com/livery/storage"
)

const collectText = `Drops the blobs that no record names any more: what deleted Themes and lost publishes have left. A blob
that is found unnamed is dropped by a collection a day later, so that nobody who has just learned its
name misses it. A running origin collects by itself every day (livery origin --collect-every); this does it now,
also while the origin runs. DIR is its data directory; where no origin runs, it can be the address of a
PostgreSQL. --dry-run says what would be done, and changes nothing.`

func (a *app) collectCommand() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:     "collect DIR|URL",
		Short:   "Drop the blobs that nothing names any more",
		Long:    collectText,
		Example: "  livery collect /var/lib/livery --dry-run",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.collect(cmd.Context(), args[0], dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and change nothing")
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
		verb := "dropped"
		if dry {
			verb = "would be dropped"
		}
		a.Say("%s of %s: %d named, %d unnamed and not long enough (%s).", term.Plural(int(done.Blobs), "blob"), byteText(done.Bytes), done.Named, done.Waiting, byteText(done.WaitingBytes))
		a.Say("%s of %s %s.", term.Plural(int(done.Dropped), "blob"), byteText(done.DroppedBytes), verb)
	})
	if err == nil && len(done.Missing) > 0 {
		err = term.Fail("livery check-store "+cmdline.StoreName(data)+" says who names them and what mends it.", "%s that records name are not there", term.Plural(len(done.Missing), "blob"))
	}
	return err
}

// collectWith collects by the origin that runs on the store, so that it is counted and no other does the
// same, or on the store itself if none does.
func collectWith(ctx context.Context, store storage.Store, o *origin.Origin, dry bool, progress storage.Progress) (storage.Collected, error) {
	c := storage.Collection{Now: time.Now().UTC(), DryRun: dry, Progress: progress}
	if o != nil {
		return o.Collect(ctx, c)
	}
	return storage.Collect(ctx, store, c)
}
