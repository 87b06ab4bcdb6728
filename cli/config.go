package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// setting is one flag as a command would see it.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // "the command line", "the environment variable …", "the --config file" or "default"
}

func (a *app) configCommand() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:   "config COMMAND [FLAG...]",
		Short: "Print with which settings a command would run, and where each comes from",
		Long: "Prints every setting of a command as it would be with these flags, this environment and this --config\n" +
			"file, and where it comes from. Nothing is started. Tokens are not printed, and neither are the master keys\n" +
			"of LIVERY_MASTER_KEY.",
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
	all := settings(of)
	return a.show(all, func() {
		t := table{head: []string{"SETTING", "VALUE", "SOURCE"}}
		for _, s := range all {
			t.add(s.Name, s.Value, s.Source)
		}
		a.printTable(t)
	})
}

// settings lists the flags of a command by name, without those that only concern its printing.
func settings(of *cobra.Command) (all []setting) {
	of.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" || f.Name == "color" {
			return
		}
		s := setting{f.Name, f.Value.String(), "default"}
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
