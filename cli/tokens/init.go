package tokens

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/intake"
)

// initFlags are the flags of init.
type initFlags struct {
	theme, env   string
	print, force bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init FILE...",
		Short: "Write livery.yaml, which describes a Theme and its Variants",
		Long: "Reads token files, folders or patterns and writes livery.yaml, with a Variant for each mode that is not a default.\n" +
			"Check the lines with \"# guess\": they come from a name alone. init needs no server.",
		Example: "  livery init tokens.json tokens-dark.json --theme acme --env sandbox\n  livery init tokens/ --print",
		Args:    cmdline.Args(cobra.MinimumNArgs(1)),
		RunE:    func(_ *cobra.Command, files []string) error { return a.init(files, f) },
	}
	cmd.Flags().StringVar(&f.theme, "theme", "", "`THEME` for livery.yaml, slug or id")
	cmd.Flags().StringVar(&f.env, "env", "", "`ENVIRONMENT` for livery.yaml, slug or id")
	cmd.Flags().BoolVar(&f.print, "print", false, "print livery.yaml instead of writing it")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite livery.yaml")
	return cmd
}

// init writes the mapping of files, or prints it.
func (a *app) init(files []string, f initFlags) error {
	m, err := source.Propose(a.App, files)
	if err != nil {
		return err
	}
	m.Theme, m.Environment = f.theme, f.env
	text := m.Encode()
	if f.print {
		_, err := a.Out.Write(text)
		return err
	}
	if _, err := os.Stat(intake.MappingName); !errors.Is(err, fs.ErrNotExist) && !f.force {
		return term.Fail("Look at it, or overwrite it with --force; --print shows the new one.", "%s exists already", intake.MappingName)
	}
	if err := a.WriteOut(intake.MappingName, text); err != nil {
		return err
	}
	for _, v := range m.Variants {
		if v.Comment != "" {
			a.Warn("%s: %s", escape.Line(v.Slug), escape.Line(v.Comment))
		}
	}
	a.Say("%s names %s. Push: livery push --create --publish", intake.MappingName, term.Plural(len(m.Variants), "Variant"))
	return nil
}
