package cli

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/origin/operator"
)

// setting is one flag as a command would see it.
type setting struct {
	operator.Setting
	Running *string `json:"running,omitempty"` // what the running origin has; nil if none answers, or if it has no such setting
}

func (a *app) configCommand() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:   "config COMMAND [FLAG...]",
		Short: "Print with which settings a command would run, and where each comes from",
		Long: "Prints every setting of a command as it would be with these flags, this environment and this --config\n" +
			"file, and where it comes from. Nothing is started. Tokens are not printed, and neither are the master keys\n" +
			"of LIVERY_MASTER_KEY. If an origin runs on the data directory, livery config origin prints beside each\n" +
			"setting what that origin was started with, if it differs; its operator socket says so.",
		Example:            "  livery config origin --data /var/lib/livery\n  livery config edge --config /etc/livery/edge.yaml --json",
		DisableFlagParsing: true, // the flags are those of COMMAND
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil },
		RunE:               func(cmd *cobra.Command, args []string) error { return a.config(cmd, args) },
	})
}

func (a *app) config(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "--help" || args[0] == "-h" {
		return cmd.Help()
	}
	of, flags, err := cmd.Root().Find(args)
	if err != nil || of == cmd.Root() || of == cmd {
		return wrongUsage("See livery --help for the commands.", "there is no command %s", strings.Join(args, " "))
	}
	if of.Flags().Lookup("json") == nil {
		of.Flags().AddFlag(cmd.Flags().Lookup("json"))
	}
	if err := of.ParseFlags(flags); err != nil {
		return flagFailure(of, err)
	}
	if err := settle(of); err != nil {
		return err
	}
	var all []setting
	for _, s := range settings(of) {
		all = append(all, setting{Setting: s})
	}
	running := false
	if of.Name() == "origin" {
		running = a.addRunning(cmd.Context(), of.Flag("data").Value.String(), all)
	}
	return a.show(all, func() { a.printSettings(of.CommandPath(), all, running) })
}

// addRunning adds what the origin that runs on a data directory was started with, and reports whether one does.
func (a *app) addRunning(ctx context.Context, data string, all []setting) bool {
	socket := filepath.Join(data, socketName)
	if isMissing(socket) {
		return false
	}
	var list []operator.Setting
	if err := newOperatorClient(socket).call(ctx, http.MethodGet, "settings", nil, &list); err != nil {
		a.warn("Mind: whether an origin runs on %s, and with what, is not known: %s", data, sentence(explain(err).sentence))
		return false
	}
	values := map[string]*string{}
	for i := range list {
		values[list[i].Name] = &list[i].Value
	}
	for i := range all {
		all[i].Running = values[all[i].Name]
	}
	return true
}

func (a *app) printSettings(command string, all []setting, running bool) {
	t := table{head: []string{"SETTING", "VALUE", "SOURCE"}}
	if running {
		t.head = append(t.head, "RUNNING")
	}
	for _, s := range all {
		now := ""
		if s.Running != nil && *s.Running != s.Value {
			now = cmp.Or(*s.Running, "(empty)")
		}
		cells := []any{s.Name, s.Value, s.Source, now}
		t.add(cells[:len(t.head)]...)
	}
	a.say("%s would start with this:", command)
	a.printTable(t)
	if running {
		a.say("An origin runs on this data directory; RUNNING is what it was started with instead.")
	}
}

// settings lists the flags of a command by name, without those that only concern its printing.
func settings(of *cobra.Command) (all []operator.Setting) {
	of.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" || f.Name == "color" {
			return
		}
		s := operator.Setting{Name: f.Name, Value: storeName(f.Value.String()), Source: "default"}
		switch from := f.Annotations[sourceMark]; {
		case len(from) > 0:
			s.Source = from[0]
		case f.Changed:
			s.Source = "the command line"
		}
		if f.Name == "token" && s.Value != "" {
			s.Value = "(not printed)"
		}
		all = append(all, s)
	})
	return all
}
