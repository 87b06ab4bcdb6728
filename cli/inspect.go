package cli

import (
	"github.com/spf13/cobra"
)

// ofVariant gives a command the flags --env, --theme and --variant.
func ofVariant(cmd *cobra.Command, p *place) *cobra.Command {
	p.variantFlag(cmd)
	return ofTheme(cmd, p)
}

// maybeOfVariant is ofVariant for a command that can do without a Theme.
func maybeOfVariant(cmd *cobra.Command, p *place) *cobra.Command {
	p.variantFlag(cmd)
	cmd.Flags().StringVar(&p.theme, "theme", "", "`THEME`, slug or id")
	return inEnvironment(cmd, p)
}

func (p *place) variantFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.variant, "variant", "", "`VARIANT`, slug or id (default: the Theme itself)")
}

// needTheme refuses a command line that names neither files nor a Theme.
func needTheme(cmd *cobra.Command, p place) error {
	if p.theme != "" {
		return nil
	}
	return wrongUsage("See "+cmd.CommandPath()+" --help.", "%s needs --theme, or token files", cmd.CommandPath())
}
