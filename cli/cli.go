// Package cli is the command line of Livery: it reads flags, puts the servers together, and works
// on Themes as any other client of the public API does. It prints; it decides nothing that the
// origin decides.
package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/admin"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/serve"
	"example.com/livery/cli/term"
)

// Main runs one command line and returns the exit code: 0 done, 1 refused or failed, 2 wrong usage,
// 3 nothing to do under --strict, 4 conflict, 5 not allowed.
// SIGINT, SIGTERM and SIGHUP end the command in an orderly way; a second one ends it at once.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	return WithDocuments(nil, args, in, out, errOut)
}

// WithDocuments is Main of a program that carries what the documentation is made of, by the paths of the repository. Without
// it origins serve none.
func WithDocuments(documents fs.FS, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // the default action is back for a second signal
	a := newApp(in, out, errOut)
	a.documents = documents
	root := a.root()
	root.SetArgs(args)
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		plainUsages(root)
	}
	return a.Finish(root.ExecuteContext(ctx))
}

// endingSignals returns the signals that end a command: not that of a closed terminal if the command was started to
// outlive it, as nohup does.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// Commands returns the program's command with all others in it, to read: manual pages and completions are made of it.
func Commands() *cobra.Command {
	root := newApp(strings.NewReader(""), io.Discard, io.Discard).root()
	root.InitDefaultHelpCmd()
	return root
}

// app is one run of the program.
type app struct {
	*account.Session
	documents fs.FS
}

func newApp(in io.Reader, out, errOut io.Writer) *app {
	return &app{Session: account.New(term.New(in, out, errOut))}
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
		Args:          cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.printBuild()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmdline.ApplySettings(cmd)
		},
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(cmdline.FlagFailure)
	a.JSONFlag(root)
	root.Flags().BoolVarP(&version, cmdline.VersionFlag, "v", false, "print which build this is, as livery version does")
	root.PersistentFlags().String("config", "", "YAML or JSON `FILE` with a member for each flag that is not given")
	root.AddGroup(
		&cobra.Group{ID: servers, Title: "Servers:"},
		&cobra.Group{ID: operators, Title: "For the operator of an origin (through its operator socket):"},
		&cobra.Group{ID: users, Title: "For designers, developers and CI (through the public API):"},
	)
	addTo(root, servers, serve.Commands(a.App, a.pages(root))...)
	addTo(root, operators, admin.Commands(a.App)...)
	addTo(root, users, append(a.userCommands(), a.versionCommand(), a.docsCommand(root))...)
	explainCompletion(root)
	cmdline.NameVariables(root)
	cmdline.RefuseRepeats(root)
	return root
}

// explainCompletion puts the command that writes completions for shells beside the others, with examples.
func explainCompletion(root *cobra.Command) {
	root.SetCompletionCommandGroupID(users)
	root.CompletionOptions.DisableNoDescFlag = true
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
