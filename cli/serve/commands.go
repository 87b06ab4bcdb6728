// Package serve has the commands that run servers: dev, origin and edge.
package serve

import (
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/docs/site"
)

// Commands returns the commands of this package. pages makes the documentation that origins serve.
func Commands(t *term.App, pages func(console bool) (map[string]site.File, error)) []*cobra.Command {
	a := &app{App: t, pages: pages}
	return []*cobra.Command{
		a.devCommand(),
		a.originCommand(),
		a.edgeCommand(),
	}
}

// app is what the commands of this package share.
type app struct {
	*term.App
	pages func(console bool) (map[string]site.File, error)
}

// lifecycleFlags are the flags of an origin and an edge about their log, their connections and their end.
type lifecycleFlags struct {
	logLevel    string
	idleTimeout time.Duration
	drainDelay  time.Duration
}

// add gives a command the flags.
func (l *lifecycleFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.logLevel, "log-level", "info", "lowest `LEVEL` that is logged: debug, info, warn or error")
	f.DurationVar(&l.idleTimeout, "idle-timeout", 3*time.Minute, "how long a connection is kept open between two requests, a `DURATION`; longer than the proxy or balancer in front keeps its own, which "+
		"otherwise sends requests into connections that are just being closed")
	f.DurationVar(&l.drainDelay, "drain-delay", 0, "how long requests are still accepted after SIGTERM while /readyz answers 503, a `DURATION`; long enough for balancers to notice")
}

// newRun returns the run of a server with the flags.
func (l *lifecycleFlags) newRun(a *term.App) (*process.Run, error) {
	if l.idleTimeout <= 0 {
		return nil, term.UsageError("Give a duration above 0, for example 3m.", "--idle-timeout %v is not a valid duration", l.idleTimeout)
	}
	if l.drainDelay < 0 {
		return nil, term.UsageError("Give a duration, for example 5s, or 0 for none.", "--drain-delay %v is not a valid duration", l.drainDelay)
	}
	r, err := process.NewServer(a, l.logLevel, true)
	if err != nil {
		return nil, err
	}
	r.DrainDelay = l.drainDelay
	return r, nil
}
