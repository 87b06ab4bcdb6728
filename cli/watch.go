package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
)

// watchPause is how often watch looks at the files.
const watchPause = 200 * time.Millisecond

func (a *app) watchCommand() *cobra.Command {
	var p pushFlags
	cmd := &cobra.Command{
		Use:     "watch FILE...",
		Short:   "Push token files now and whenever they are saved",
		Long:    pushText + "\n\nwatch does this once at the start and again after every change, until it is interrupted.",
		Example: "  livery watch acme.tokens.json --env sandbox --theme acme --publish",
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.watch(cmd, &p, args) },
	}
	p.add(cmd)
	return a.printing(cmd)
}

// watch pushes until it is interrupted. A push that is refused is told and does not end it.
func (a *app) watch(cmd *cobra.Command, p *pushFlags, files []string) error {
	seen := fingerprint(files)
	if err := a.pushWatched(cmd, p, files); err != nil {
		return err
	}
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil
		case <-tick.C:
		}
		now := fingerprint(files)
		if now == seen {
			continue
		}
		seen = now
		if err := a.pushWatched(cmd, p, files); err != nil && !errors.Is(err, cmd.Context().Err()) {
			a.report(err)
		}
	}
}

// pushWatched is push, for which it is no failure that there was nothing to do.
func (a *app) pushWatched(cmd *cobra.Command, p *pushFlags, files []string) error {
	err := a.push(cmd, p, files)
	if f, ok := errors.AsType[*failure](err); ok && f.code == exitNothing {
		return nil
	}
	return err
}

// fingerprint changes whenever one of the files does, or one in the folders.
func fingerprint(files []string) string {
	all := ""
	for _, path := range files {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if inside, err := jsonFiles(path); err == nil {
				all += fmt.Sprintln(len(inside)) + fingerprint(inside)
			}
		} else if err == nil {
			all += fmt.Sprintln(path, info.ModTime(), info.Size())
		}
	}
	return all
}
