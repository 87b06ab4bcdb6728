// Package cli is the command line of Livery: it reads flags, puts the servers together, and works
// on Themes as any other client of the public API does. It prints; it decides nothing that the
// origin decides.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is one run of the program: where it reads and writes, and the flags every command has.
type app struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // out is one: colours, swatches and progress bars make sense

	json    bool   // print data as JSON
	url     string // of the origin; empty: of the running dev
	token   string // access token; empty: of the running dev
	dataDir string // where the running dev, or the origin, keeps its data
	socket  string // of the operator; empty: in dataDir
}

// Main runs one command line and returns the exit code: 0 done, 1 refused or failed, 2 wrong usage.
// SIGINT and SIGTERM end the command in an orderly way; a second one ends it at once.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the default action is back for a second signal
	a := &app{in: in, out: out, err: errOut, terminal: isTerminal(out)}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return a.report(err)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == ""
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "livery",
		Short: "Store, version and serve design tokens",
		Long: "Livery stores design tokens (W3C DTCG), versions them, and serves them as ready files.\n\n" +
			"Every flag can also be given as the environment variable named in its help, or as a member\n" +
			"of the file given by --config; a flag wins over the variable, the variable over the file.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return settle(cmd)
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().String("config", "", "YAML or JSON `FILE` with a member for each flag that is not given")
	root.AddGroup(
		&cobra.Group{ID: servers, Title: "Servers:"},
		&cobra.Group{ID: operators, Title: "For the operator of an origin (through its operator socket):"},
		&cobra.Group{ID: users, Title: "For designers, developers and CI (through the public API):"},
	)
	addTo(root, servers, a.devCommand(), a.originCommand(), a.edgeCommand())
	addTo(root, operators, a.teamsCommand(), a.servingCommand(), a.keysCommand(), a.tokenCommand(), a.signCommand())
	addTo(root, users, a.userCommands()...)
	nameVariables(root)
	return root
}

// The groups of commands in the help.
const (
	servers   = "servers"
	operators = "operators"
	users     = "users"
)

func addTo(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}
