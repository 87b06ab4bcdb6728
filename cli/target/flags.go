package target

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
)

// OfVariant gives a command the flags --env, --theme and --variant.
func OfVariant(cmd *cobra.Command, p *Target) *cobra.Command {
	p.variantFlag(cmd)
	return OfTheme(cmd, p)
}

// MaybeOfVariant is ofVariant for a command that can do without a Theme.
func MaybeOfVariant(cmd *cobra.Command, p *Target) *cobra.Command {
	p.variantFlag(cmd)
	cmd.Flags().StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	return InEnvironment(cmd, p)
}

func (p *Target) variantFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.Variant, "variant", "", "`VARIANT`, slug or id (default: the Theme itself)")
}

// NeedTheme refuses a command line that names neither files nor a Theme.
func NeedTheme(cmd *cobra.Command, p Target) error {
	if p.Theme != "" {
		return nil
	}
	return term.UsageError("See "+cmd.CommandPath()+" --help.", "%s needs --theme, or token files", cmd.CommandPath())
}

// InEnvironment gives a command the flag --env.
func InEnvironment(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Env, "env", "", "`ENVIRONMENT`, slug or id (default: the only one there is)")
	return cmd
}

// OfTheme gives a command the flags --env and --theme.
func OfTheme(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	cmdline.Require(cmd, "theme")
	return InEnvironment(cmd, p)
}
