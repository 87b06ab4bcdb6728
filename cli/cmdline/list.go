package cmdline

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/origin/operator"
)

// Settings lists the flags of a server by name, without those that only concern its printing.
func Settings(of *cobra.Command) (all []operator.Setting) {
	of.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" {
			return
		}
		s := operator.Setting{Name: f.Name, Value: StoreName(f.Value.String()), Source: "default"}
		switch from := f.Annotations[SourceMark]; {
		case len(from) > 0:
			s.Source = from[0]
		case f.Changed:
			s.Source = "the command line"
		}
		all = append(all, s)
	})
	return all
}
