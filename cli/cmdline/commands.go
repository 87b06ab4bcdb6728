package cmdline

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/term"
)

// unknownCommand is the failure of a command line that names no command of cmd. It suggests the nearest one, and else
// those that have this name, or serve this purpose, elsewhere.
func unknownCommand(cmd *cobra.Command, name string) error {
	next := "See " + cmd.CommandPath() + " --help."
	inside := commandsByWord(cmd.Commands())
	meant := inside[term.Nearest(name, term.Keys(inside))]
	if meant == nil {
		anywhere := commandsByWord(everyCommand(cmd.Root()))
		meant = anywhere[term.Nearest(name, term.Keys(anywhere))]
	}
	if meant != nil {
		next = "Did you mean " + strings.Join(meant, " or ") + "?"
	}
	return term.UsageError(next, "%s has no command %q", cmd.CommandPath(), name)
}

// commandsByWord returns the paths of commands by their names and by the words that suggest them.
func commandsByWord(all []*cobra.Command) map[string][]string {
	paths := map[string][]string{}
	for _, c := range all {
		if !c.IsAvailableCommand() {
			continue
		}
		for _, word := range append([]string{c.Name()}, c.SuggestFor...) {
			paths[word] = append(paths[word], c.CommandPath())
		}
	}
	return paths
}

// everyCommand lists the commands below cmd.
func everyCommand(cmd *cobra.Command) (all []*cobra.Command) {
	for _, c := range cmd.Commands() {
		all = append(append(all, c), everyCommand(c)...)
	}
	return all
}

// FlagFailure says what is wrong with the flags of a command line. A word that is not a command is told before a flag
// that this command would have had.
func FlagFailure(cmd *cobra.Command, err error) error {
	if f, ok := errors.AsType[*term.Failure](err); ok {
		return f
	}
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return unknownCommand(cmd, words[0])
	}
	help := "See " + cmd.CommandPath() + " --help."
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() == "" {
		return unknownFlag(cmd, e.GetSpecifiedName())
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := e.GetFlag()
		return term.UsageError(takes(f), "--%s cannot be %q", f.Name, e.GetValue())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := e.GetFlag()
		return term.UsageError(takes(f), "--%s needs a value", f.Name)
	}
	return term.UsageError(help, "%s", err.Error())
}

// unknownFlag suggests the nearest flag, or the commands below cmd that have this one.
func unknownFlag(cmd *cobra.Command, name string) error {
	next := "See " + cmd.CommandPath() + " --help."
	var takers, flags []string
	for _, c := range cmd.Commands() {
		if c.Flags().Lookup(name) != nil {
			takers = append(takers, c.CommandPath())
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	switch near := term.Nearest(name, flags); {
	case len(takers) > 0:
		slices.Sort(takers)
		next = "These commands have it: " + term.ShortList(takers) + "."
	case near != "":
		next = "Did you mean --" + near + "?"
	}
	return term.UsageError(next, "%s has no flag --%s", cmd.CommandPath(), name)
}

// takes says what a flag is for, and its value in capitals.
func takes(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	return "It takes: " + usage
}

// Args makes the complaint of a check of arguments one about usage.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		if len(args) > 0 && cmd.HasSubCommands() {
			return unknownCommand(cmd, args[0])
		}
		return term.UsageError("See "+cmd.CommandPath()+" --help.", "wrong arguments; the usage is %s", cmd.UseLine())
	}
}

// Group returns a command that only holds others.
func Group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  Args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}
