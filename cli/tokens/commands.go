// Package tokens has the commands on the tokens of a Theme and its Variants: they push, pull, edit, compare and check them,
// publish drafts and look at versions.
package tokens

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/term"
)

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
	return []*cobra.Command{
		a.pushCommand(),
		a.initCommand(),
		a.pullCommand(),
		a.scanCommand(),
		a.editCommand(),
		a.renameCommand(),
		a.diffCommand(),
		a.checkCommand(),
		a.previewCommand(),
		a.publishCommand(),
		a.discardCommand(),
		a.versionsCommand(),
		a.rollbackCommand(),
		a.openCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }

// textFormat is the --format that people read.
const textFormat = "text"

// formatFlag gives a command the flag --format.
func formatFlag(cmd *cobra.Command, format *string, others string) {
	cmd.Flags().StringVar(format, "format", textFormat, "`FORM` of what is printed: text, "+others)
}

// checkFormat refuses a --format that a command does not have, and one beside --json.
func (a *app) checkFormat(format string, others ...string) error {
	switch all := append([]string{textFormat}, others...); {
	case !slices.Contains(all, format):
		return term.UsageError("Valid values: "+strings.Join(all, ", ")+".", "--format cannot be %q", format)
	case a.JSON && format != textFormat:
		return term.UsageError("Leave out one of them.", "--json and --format %s are two forms", format)
	}
	return nil
}
