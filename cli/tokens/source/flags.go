package source

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/tokenfile"
)

// FileFlags are the flags of what is read from files.
type FileFlags struct {
	Sets           []string
	Mode           string
	Inputs         []string
	KeepReferences bool
}

// chosenFromFiles are the names of the flags that choose from files.
var chosenFromFiles = []string{"sets", "token-mode", "input", "keep-references"}

// Add adds the flags to a command.
func (f *FileFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Sets, "sets", nil, "token `SETS` of a Tokens Studio export, with commas between (default: all, in its tokenSetOrder)")
	flags.StringVar(&f.Mode, "token-mode", "", "`MODE` of Figma variables, of values or of Figma's files of modes, or theme of a Tokens Studio export; of several dimensions, with commas between, for example acme,dark (default: the default mode; all sets)")
	flags.StringSliceVar(&f.Inputs, "input", nil, "`MODIFIER=CONTEXT` of a resolver document, for example theme=dark; may be repeated (default: the default context of each modifier)")
	flags.BoolVar(&f.KeepReferences, "keep-references", false, "keep $ref and $extends as they are written, which no served file applies (default: apply them)")
}

// Options say what the flags want of files.
func (f *FileFlags) Options() tokenfile.Options {
	return tokenfile.Options{Sets: f.Sets, Mode: f.Mode, Inputs: f.Inputs, KeepReferences: f.KeepReferences}
}
