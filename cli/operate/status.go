package operate

import (
	"net/http"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := a.JSONFlag(&cobra.Command{
		Use:   "status",
		Short: "Say how a running origin and its store are",
		Long: "Says which engine the origin keeps its data in, how far its change log is, whether history was lost, and\n" +
			"why it would refuse requests. The exit code is 1 where anything is wrong.",
		Example: "  livery status --data .livery\n  livery status --data .livery --json",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s operator.Status
			if err := a.operator().Call(cmd.Context(), http.MethodGet, "status", nil, &s); err != nil {
				return err
			}
			if err := a.Show(s, func() { a.printStatus(s) }); err != nil {
				return err
			}
			return wrongStatus(s)
		},
	})
	return a.operatorFlags(cmd)
}

func (a *app) printStatus(s operator.Status) {
	lost := "no"
	if s.Lost != "" {
		lost = "up to " + s.Lost
	}
	ready := "yes"
	if s.NotReady != "" {
		ready = "no: " + escape.Line(s.NotReady)
	}
	a.Pairs(a.Out, "Store", s.Store, "Change log at", s.Cursor, "Lost history", lost, "Ready", ready)
}

func wrongStatus(s operator.Status) error {
	switch {
	case s.NotReady != "":
		return term.Fail("Look at the log of the origin.", "the origin is not ready: %s", escape.Line(s.NotReady))
	case s.Lost != "":
		return term.Fail("Look for the server or backup that had it, or go on from what is left; edges notice by themselves.", "the store lost what was acknowledged up to change %s", s.Lost)
	}
	return nil
}
