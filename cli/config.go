package cli

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/opsocket"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

// setting is one flag as a command would see it.
type setting struct {
	operator.Setting
	Running *string `json:"running,omitempty"` // what the running origin has; nil if none answers, or if it has no such setting
}

func (a *app) configCommand() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:   "config COMMAND [FLAG...]",
		Short: "Print the settings that a command would run with, and the source of each",
		Long: "Prints every setting of a command as these flags, this environment and this --config file make it, and its\n" +
			"source. Nothing is started. Tokens and the master keys of LIVERY_MASTER_KEY are not printed.\n" +
			"If an origin runs on the data directory, livery config origin prints beside each\n" +
			"setting the value that this origin was started with, if it differs.",
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
		return term.UsageError("See livery --help for the commands.", "livery has no command %s", strings.Join(args, " "))
	}
	if of.Flags().Lookup("json") == nil {
		of.Flags().AddFlag(cmd.Flags().Lookup("json"))
	}
	if err := of.ParseFlags(flags); err != nil {
		return cmdline.FlagFailure(of, err)
	}
	if err := cmdline.ApplySettings(of); err != nil {
		return err
	}
	var all []setting
	for _, s := range cmdline.Settings(of) {
		all = append(all, setting{Setting: s})
	}
	running := false
	if of.Name() == "origin" {
		running = a.addRunning(cmd.Context(), of.Flag("data").Value.String(), all)
	}
	return a.Show(all, func() { a.printSettings(of.CommandPath(), all, running) })
}

// addRunning adds what the origin that runs on a data directory was started with, and reports whether one does.
func (a *app) addRunning(ctx context.Context, data string, all []setting) bool {
	socket := filepath.Join(data, opsocket.SocketName)
	if localfile.IsMissing(socket) {
		return false
	}
	var list []operator.Setting
	if err := opsocket.New(socket).Call(ctx, http.MethodGet, "settings", nil, &list); err != nil {
		a.Warn("Note: whether an origin runs on %s, and with what, is not known: %s", data, term.Sentence(term.Explain(err).Sentence))
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
	t := term.Table{Head: []string{"SETTING", "VALUE", "SOURCE"}}
	if running {
		t.Head = append(t.Head, "RUNNING")
	}
	for _, s := range all {
		now := ""
		if s.Running != nil && *s.Running != s.Value {
			now = cmp.Or(*s.Running, "(empty)")
		}
		cells := []any{s.Name, s.Value, s.Source, now}
		t.Add(cells[:len(t.Head)]...)
	}
	a.Say("%s would start with this:", command)
	a.PrintTable(t)
	if running {
		a.Say("An origin runs on this data directory; RUNNING is what it was started with instead.")
	}
}
