package admin

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
		Short: "Show the state of a running origin and its store",
		Long: "Shows the store, its renderer modules, the settings that are not defaults with their sources, and why the\n" +
			"origin would refuse requests. The exit code is 1 if the origin is not ready or the store lost changes.",
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
	if len(s.Modules) > 0 {
		t := term.Table{Head: []string{"RENDERER", "REGISTERED", "CURRENT", "SHA-256"}}
		for _, m := range s.Modules {
			t.Add(m.CoreVersion, term.Moment(&m.RegisteredAt), term.Mark(m.Current), string(m.Digest))
		}
		a.Say("")
		a.PrintTable(t)
	}
	settings := term.Table{Head: []string{"SETTING", "VALUE", "SOURCE"}}
	for _, set := range s.Settings {
		if set.Source != "default" {
			settings.Add(set.Name, set.Value, set.Source)
		}
	}
	a.Say("")
	a.PrintTable(settings)
}

func wrongStatus(s operator.Status) error {
	switch {
	case s.NotReady != "":
		return term.Fail("Look at the log of the origin.", "the origin is not ready: %s", escape.Line(s.NotReady))
	case s.Lost != "":
		return term.Fail("Find the server or the backup that has these changes, or continue without them; edges notice this without your help.", "the store lost changes that it had acknowledged, up to change %s", s.Lost)
	}
	return nil
}
