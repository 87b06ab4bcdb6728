package admin

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) consoleCommand() *cobra.Command {
	var order operator.ConsoleOrder
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Print a link that logs one person in at the web console, once",
		Long: "Prints a link to the web console of the origin. The link logs one person in, once, within 5 minutes; the session\n" +
			"lasts 12 hours and has the grants of the subject. Who has the link can use it first.",
		Example: "  livery console --data /var/lib/livery --subject designer",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if order.Subject == "" {
				if _, err := account.ReadDev(a.storeDir); err != nil {
					return term.UsageError("Write --subject SUBJECT: the person has the grants of that subject.", "it is not known for whom the link is")
				}
				order.Subject = account.DevSubject
			}
			var link operator.ConsoleLink
			if err := a.operator().Call(cmd.Context(), http.MethodPost, "console/link", order, &link); err != nil {
				return err
			}
			return a.Show(link, func() {
				a.Say("%s", link.URL)
				a.Warn("It works once, until %s.", link.ExpiresAt.Local().Format(time.TimeOnly))
			})
		},
	}
	cmd.Flags().StringVar(&order.Subject, "subject", "", "`SUBJECT` that grants are given to (default: that of livery dev, if the data directory is one of it)")
	return a.JSONFlag(a.operatorFlags(cmd))
}
