package operate

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) modulesCommand() *cobra.Command {
	cmd := a.JSONFlag(&cobra.Command{
		Use:   "modules",
		Short: "List the renderer modules that the origin stores",
		Long: "Lists the renderer modules that were ever current at this origin. A Theme version is rendered for ever\n" +
			"by the module that was current when it was published; VERSIONS counts these. CURRENT is the module of\n" +
			"the build that answers.",
		Example: "  livery modules --data .livery\n  livery modules --data .livery --json",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), a, request{method: http.MethodGet, path: "modules"}, a.printModules)
		},
	})
	return a.operatorFlags(cmd)
}

func (a *app) printModules(list operator.ModuleList) {
	t := term.Table{Head: []string{"DIGEST", "CORE", "ABI", "TOOLCHAIN", "SIZE", "REGISTERED", "VERSIONS", "CURRENT"}}
	for _, m := range list.Modules {
		size := fmt.Sprintf("%.1f MiB", float64(m.Size)/(1<<20))
		t.Add(string(m.Digest), m.CoreVersion, strconv.FormatUint(uint64(m.ABIVersion), 10), m.Toolchain, size,
			term.Moment(&m.RegisteredAt), strconv.Itoa(m.Versions), term.Mark(m.Current))
	}
	a.PrintTable(t)
}
