package source

import "github.com/spf13/cobra"

// SourceFlags are the flags of what is read from files of design tools.
func SourceFlags(cmd *cobra.Command, sets *[]string, mode *string) {
	cmd.Flags().StringSliceVar(sets, "sets", nil, "token `SETS` of a Tokens Studio export, with commas between (default: all, in its tokenSetOrder)")
	cmd.Flags().StringVar(mode, "token-mode", "", "`MODE` of Figma variables or mode files, or theme of a Tokens Studio export (default: the default mode; all sets)")
}
