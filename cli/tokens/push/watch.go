package push

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
)

func (a *app) watchCommand() *cobra.Command {
	var p pushFlags
	cmd := &cobra.Command{
		Use:     "watch FILE...",
		Short:   "Push token files now and whenever they are saved",
		Long:    pushText + "\n\nwatch does this once at the start and again after every change, until it is interrupted.",
		Example: "  livery watch acme.tokens.json --env sandbox --theme acme --publish",
		Args:    cmdline.Args(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.watch(cmd, &p, args) },
	}
	p.add(cmd)
	target.OfTheme(cmd, &p.Target)
	return a.JSONFlag(cmd)
}

// watch pushes until it is interrupted. A push that is refused is told and does not end it.
func (a *app) watch(cmd *cobra.Command, p *pushFlags, files []string) error {
	seen := source.Fingerprint(files)
	if err := a.pushWatched(cmd, p, files); err != nil {
		return err
	}
	tick := time.NewTicker(source.WatchPause)
	defer tick.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil
		case <-tick.C:
		}
		now := source.Fingerprint(files)
		if now == seen {
			continue
		}
		seen = now
		if err := a.pushWatched(cmd, p, files); err != nil && !errors.Is(err, cmd.Context().Err()) {
			a.Report(err)
		}
	}
}

// pushWatched is push, for which it is not a failure that there was nothing to do.
func (a *app) pushWatched(cmd *cobra.Command, p *pushFlags, files []string) error {
	err := a.push(cmd, p, files)
	if f, ok := errors.AsType[*term.Failure](err); ok && f.Code == term.ExitNothing {
		return nil
	}
	return err
}
