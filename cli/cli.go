// Package cli is the command line of Livery: it reads flags, puts the servers together, and works
// on Themes as any other client of the public API does. It prints; it decides nothing that the
// origin decides.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/livery/client"
)

// app is one run of the program: where it reads and writes, and the flags every command has.
type app struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // out is to be coloured, with swatches; --color decides it anew
	columns  int  // of the terminal that out is; 0 where it is none
	color    string
	granted  client.Environment // the last that was looked up; its role explains a refusal
	sent     sentToken          // the last; what it says of itself explains a refusal

	json    bool   // print data as JSON
	url     string // of the origin; empty: of the running dev
	token   string // access token; empty: of the running dev
	drained bool   // the standard input was read
	dataDir string // where the running dev, or the origin, keeps its data
	socket  string // of the operator; empty: in dataDir
	as      string // the operator's name for the audit log; empty: none
}

// Main runs one command line and returns the exit code: 0 done, 1 refused or failed, 2 wrong usage,
// 3 nothing to do under --strict, 4 conflict, 5 not allowed.
// SIGINT and SIGTERM end the command in an orderly way; a second one ends it at once.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the default action is back for a second signal
	printed := &output{w: out}
	a := &app{in: in, out: printed, err: errOut, terminal: takesColor(out), columns: columnsOf(out)}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if fault := printed.failed(); err == nil || fault != nil && errors.Is(err, printed.fault) {
		err = fault
	}
	return a.report(err)
}

// takesColor reports whether a person who wants colours reads w.
func takesColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// columnsOf returns how wide the terminal is that w writes to, or 0.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// isTerminal reports whether v, a reader or a writer, is a terminal.
func isTerminal(v any) bool {
	if o, ok := v.(*output); ok {
		v = o.w
	}
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// chooseColor settles what --color asks for.
func (a *app) chooseColor() error {
	switch a.color {
	case "auto":
	case "always":
		a.terminal = true
	case "never":
		a.terminal = false
	default:
		return wrongUsage("It is always, never or auto.", "--color cannot be %q", a.color)
	}
	return nil
}

func (a *app) root() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "livery",
		Short: "Store, version and serve design tokens",
		Long: "Livery stores design tokens (W3C DTCG), versions them, and serves them as ready files.\n\n" +
			"Every flag can also be given as the environment variable named in its help, or as a member\n" +
			"of the file given by --config; a flag wins over the variable, the variable over the file.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.printBuild()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := settle(cmd); err != nil {
				return err
			}
			return a.chooseColor()
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagFailure)
	a.printing(root)
	root.Flags().BoolVarP(&version, versionFlag, "v", false, "print which build this is, as livery version does")
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "`WHEN` to colour: always, never, or auto (on a terminal, unless NO_COLOR is set)")
	root.PersistentFlags().String("config", "", "YAML or JSON `FILE` with a member for each flag that is not given")
	root.AddGroup(
		&cobra.Group{ID: servers, Title: "Servers:"},
		&cobra.Group{ID: operators, Title: "For the operator of an origin (through its operator socket):"},
		&cobra.Group{ID: users, Title: "For designers, developers and CI (through the public API):"},
	)
	addTo(root, servers, a.devCommand(), a.originCommand(), a.edgeCommand(), a.configCommand())
	addTo(root, operators, a.teamsCommand(), a.servingCommand(), a.keysCommand(), a.tokenCommand(), a.signCommand(), a.modulesCommand(), a.auditCommand(),
		a.backupCommand(), a.restoreCommand(), a.checkStoreCommand(), a.collectCommand(), a.migrateStoreCommand(), a.statusCommand())
	addTo(root, users, append(a.userCommands(), a.versionCommand())...)
	explainCompletion(root)
	nameVariables(root)
	refuseRepeats(root)
	return root
}

// explainCompletion puts the command that writes completions for shells beside the others, with examples.
func explainCompletion(root *cobra.Command) {
	root.SetCompletionCommandGroupID(users)
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("cli: there is no command completion: " + err.Error())
	}
	for _, shell := range completion.Commands() {
		shell.Example = map[string]string{
			"bash":       "  source <(livery completion bash)",
			"zsh":        "  source <(livery completion zsh)",
			"fish":       "  livery completion fish | source",
			"powershell": "  livery completion powershell | Out-String | Invoke-Expression",
		}[shell.Name()]
	}
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
