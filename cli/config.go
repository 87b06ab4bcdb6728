package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/devfile"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/opsocket"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

// setting is one flag as a command would see it.
type setting struct {
	operator.Setting
	Running *string `json:"running,omitempty"` // what the running server has; nil if none answers, or if it has no such setting
}

func (a *app) configCommand() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:   "config COMMAND [FLAG...]",
		Short: "Print the settings that a command would run with, and the source of each",
		Long: "Prints every setting of a command as these flags, this environment and this --config file make it, and its\n" +
			"source. Nothing is started. Tokens and the master keys of LIVERY_MASTER_KEY are not printed.\n" +
			"If an origin, an edge or a dev runs on the data directory, it prints beside each setting the\n" +
			"value that this one was started with, if it differs.",
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
	if err := cmdline.ReadSettings(of); err != nil {
		return err
	}
	var all []setting
	for _, s := range cmdline.Settings(of) {
		all = append(all, setting{Setting: s})
	}
	running := a.addRunning(cmd.Context(), of, all)
	if err := cmdline.MissingFlags(of); err != nil && !running { // beside a server it is enough to name its directory
		return err
	}
	return a.Show(all, func() { a.printSettings(of, all, running) })
}

// addRunning adds what the server that runs on a data directory was started with, and reports whether one does.
func (a *app) addRunning(ctx context.Context, of *cobra.Command, all []setting) bool {
	var list []operator.Setting
	var err error
	switch of.Name() {
	case "origin", "dev":
		list, err = originSettings(ctx, of.Flag("data").Value.String())
	case "edge":
		list, err = edgeSettings(of.Flag("data").Value.String())
	}
	if err != nil {
		a.Warn("Note: whether %s runs on %s, and with what, is not known: %s",
			strings.ToLower(serverNames[of.Name()]), of.Flag("data").Value, term.Sentence(term.Explain(err).Sentence))
	}
	if list == nil {
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

// originSettings asks the origin that runs on a data directory; nil: none does.
func originSettings(ctx context.Context, data string) (list []operator.Setting, err error) {
	socket := filepath.Join(data, opsocket.SocketName)
	if localfile.IsMissing(socket) {
		return nil, nil
	}
	err = opsocket.New(socket).Call(ctx, http.MethodGet, "settings", nil, &list)
	return list, err
}

// edgeSettings reads what the edge that runs on a data directory says of itself, which one that was killed left behind; nil:
// none does.
func edgeSettings(data string) ([]operator.Setting, error) {
	text, err := os.ReadFile(filepath.Join(data, "edge.json"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !localfile.IsLocked(filepath.Join(data, devfile.LockName)) {
		return nil, nil
	}
	var file struct{ Settings []operator.Setting }
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	return file.Settings, err
}

// serverNames are what config finds running, by their commands.
var serverNames = map[string]string{"origin": "An origin", "edge": "An edge", "dev": "A dev"}

func (a *app) printSettings(of *cobra.Command, all []setting, running bool) {
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
	a.Say("%s would start with this:", of.CommandPath())
	a.PrintTable(t)
	if running {
		a.Say("%s runs on this data directory; RUNNING is what it was started with instead.", serverNames[of.Name()])
	}
}
