package source

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
)

// FileFlags are the flags of what is read from files.
type FileFlags struct {
	Sets           []string
	Mode           string
	Inputs         []string // MODIFIER=CONTEXT
	KeepReferences bool
}

// chosenFromFiles are the names of the flags that choose from files.
var chosenFromFiles = []string{"sets", "token-mode", "input", "keep-references"}

// Add adds the flags to a command.
func (f *FileFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Sets, "sets", nil, "token `SETS` of a Tokens Studio export, with commas between (default: all, in its tokenSetOrder)")
	flags.StringVar(&f.Mode, "token-mode", "", "`MODE` of Figma variables or mode files, or theme of a Tokens Studio export (default: the default mode; all sets)")
	flags.StringArrayVar(&f.Inputs, "input", nil, "`MODIFIER=CONTEXT` of a resolver document; may be repeated (default: the default of each modifier)")
	flags.BoolVar(&f.KeepReferences, "keep-references", false, "keep $ref and $extends as they are written, which no served file applies (default: apply them)")
}

// Options say what the flags want of files. They return a usage error if an input is not valid.
func (f *FileFlags) Options() (tokenfile.Options, error) {
	o := tokenfile.Options{Sets: f.Sets, Mode: f.Mode, KeepReferences: f.KeepReferences}
	for _, input := range f.Inputs {
		modifier, context, ok := strings.Cut(input, "=")
		if !ok || modifier == "" || context == "" {
			return o, term.UsageError("Write for example --input theme=dark.", "--input %s is not of the form MODIFIER=CONTEXT", input)
		}
		o.Inputs = append(o.Inputs, tokenfile.Input{Modifier: modifier, Context: context})
	}
	return o, nil
}
