package themes

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/internal/yamlfile"
)

func (a *app) themeModes() *cobra.Command {
	var m newModes
	cmd := &cobra.Command{
		Use:   "modes THEME [FILE|-]",
		Short: "Show or replace the modes of a Theme",
		Long: "Shows the modes of a Theme, or replaces the whole list, which needs the role admin. A mode is a Variant with a condition.\n" +
			"FILE has what --json prints, with slugs or ids of Variants; {\"modes\": []} removes all modes.",
		Example: "  livery theme modes acme --env sandbox\n" +
			"  livery theme modes acme --env sandbox --mode scheme.light --mode 'scheme.dark=midnight (prefers-color-scheme: dark)'\n" +
			"  livery theme modes acme modes.json --env sandbox",
	}
	cmd.Flags().StringArrayVar(&m.modes, "mode", nil, "`DIMENSION.MODE[=VARIANT][ CONDITION]` of the new list, in its order; may be repeated")
	a.onNamed(themeKind, cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		return a.themeModesOf(ctx, c, f, m)
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 2 {
			m.file = args[1]
			if m.modes != nil {
				return term.UsageError("Leave out one of them.", "%s takes a file or --mode", cmd.CommandPath())
			}
		}
		return cmdline.Args(cobra.RangeArgs(1, 2))(cmd, args)
	}
	return cmd
}

func (a *app) themeModesOf(ctx context.Context, c *client.Client, f target.Resolved, m newModes) error {
	var variants []client.Variant
	for v, err := range c.EveryVariant(ctx, f.Env.ID, f.Theme.ID) {
		if err != nil {
			return err
		}
		variants = append(variants, v)
	}
	list, given, err := m.read(a)
	var answer client.Modes
	switch {
	case err != nil:
	case given:
		if err = nameVariants(list, f.Theme, variants); err == nil {
			answer, err = c.Scope(f.Env.ID, f.Theme.ID).SetModes(ctx, list)
		}
	default:
		answer, err = c.Scope(f.Env.ID, f.Theme.ID).Modes(ctx)
	}
	if err != nil {
		return err
	}
	return a.Show(answer, func() { a.printModes(f.Theme, variants, answer.Modes) })
}

func (a *app) printModes(theme client.Theme, variants []client.Variant, list []client.Mode) {
	if len(list) == 0 {
		a.Say("Theme %s has no modes. Set them with --mode DIMENSION.MODE[=VARIANT][ CONDITION].", theme.Slug)
		return
	}
	slugs := map[string]string{}
	for _, v := range variants {
		slugs[v.ID] = v.Slug
	}
	t := term.Table{Head: []string{"DIMENSION", "MODE", "VARIANT", "WHEN", "FOR"}}
	for _, m := range list {
		variant := ""
		if m.Variant != nil {
			variant = slugs[*m.Variant]
		}
		t.Add(m.Dimension, m.Mode, variant, m.When, slugs[m.For])
	}
	a.PrintTable(t)
}

// newModes is the list that a command line gives.
type newModes struct {
	modes []string
	file  string
}

// read returns the list, and whether there is one. Its Variants are named as the person wrote them.
func (m newModes) read(a *app) (list []client.Mode, given bool, err error) {
	if m.file == "" {
		for _, text := range m.modes {
			mode, err := readMode(text)
			if err != nil {
				return nil, false, err
			}
			list = append(list, mode)
		}
		return list, len(list) > 0, nil
	}
	data, err := a.ReadFile(m.file)
	if err != nil {
		return nil, false, err
	}
	var body struct {
		Modes *[]client.Mode `json:"modes"`
	}
	if err := yamlfile.Decode(term.NameOf(m.file), data, &body); err != nil {
		return nil, false, err
	}
	if body.Modes == nil {
		return nil, false, term.Fail(`Write {"modes": [{"dimension": "scheme", "mode": "dark", "variant": "midnight"}]}.`, "%s has no list of modes", term.NameOf(m.file))
	}
	return *body.Modes, true, nil
}

// readMode reads "DIMENSION.MODE[=VARIANT][ CONDITION]".
func readMode(text string) (m client.Mode, err error) {
	name, when, _ := strings.Cut(text, " ")
	name, variant, named := strings.Cut(name, "=")
	var ok bool
	if m.Dimension, m.Mode, ok = strings.Cut(name, "."); !ok || named && variant == "" {
		return m, term.UsageError("Write DIMENSION.MODE=VARIANT, for example scheme.dark=midnight.", "%q is not a valid mode", text)
	}
	if m.When = strings.TrimSpace(when); named {
		m.Variant = &variant
	}
	return m, nil
}

// nameVariants puts ids in the place of slugs.
func nameVariants(list []client.Mode, theme client.Theme, variants []client.Variant) error {
	find := func(name string) (string, error) {
		slugs := make([]string, len(variants))
		for i, v := range variants {
			if slugs[i] = v.Slug; v.Slug == name || v.ID == name {
				return v.ID, nil
			}
		}
		return "", target.NotFound("Variant", name, " of Theme "+theme.Slug, slugs)
	}
	for i := range list {
		m, err := &list[i], error(nil)
		if m.Variant != nil {
			*m.Variant, err = find(*m.Variant)
		}
		if err == nil && m.For != "" {
			m.For, err = find(m.For)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
