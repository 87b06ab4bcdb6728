package admin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) servingCommand() *cobra.Command {
	serving := cmdline.Group("serving", "Show and change who may load the files of a Theme, and its CSS prefix")
	serving.AddCommand(a.servingShow(), a.servingSet())
	return a.themeFlags(serving)
}

func (a *app) servingShow() *cobra.Command {
	return ofTheme(a, &cobra.Command{
		Use:     "show THEME",
		Short:   "Show how a Theme is served",
		Example: "  livery serving show acme --env production --data .livery",
	}, http.MethodGet, "serving", a.printServing)
}

func (a *app) printServing(s operator.Serving) {
	any := func(list []string) string {
		if len(list) == 0 {
			return "any"
		}
		return strings.Join(list, ", ")
	}
	missing := s.MissingOrigin
	if len(s.AllowedOrigins) == 0 {
		missing += " (applies only with allowed origins)"
	}
	next := ""
	if s.NextPrefix != nil {
		next = *s.NextPrefix + " (takes effect with the next publish)"
	}
	a.Pairs(a.Out, "Mode", s.Mode, "Signing keys", strings.Join(s.SigningKeys, ", "), "Allowed origins", any(s.AllowedOrigins),
		"Missing origin", missing, "Allowed addresses", any(s.AllowedIPRanges), "Manifest", term.Mark(s.Manifest), "CSS prefix", s.Prefix, "Next prefix", next)
}

// servingFlags are the flags of serving set.
type servingFlags struct {
	mode, missing, prefix string
	origins, ranges       []string
	manifest              bool
}

func (a *app) servingSet() *cobra.Command {
	var s servingFlags
	cmd := &cobra.Command{
		Use:   "set THEME",
		Short: "Change how a Theme is served",
		Long: "Changes what is given and leaves the rest. A list that is given replaces the stored list; '' clears it. A\n" +
			"CSS prefix takes effect with the next publish of the Theme; the rest takes effect at once.",
		Example: "  livery serving set acme --env production --allowed-origin https://*.example.com --prefix acme\n" +
			"  livery serving set acme --env production --allowed-origin ''",
		Args: cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			update, err := s.update(cmd)
			if err != nil {
				return err
			}
			r := request{method: http.MethodPut, theme: args[0], path: "serving", body: update}
			return show(cmd.Context(), a, r, a.printServing)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.mode, "mode", "", "`MODE`: public, or signed for signed addresses only")
	f.StringArrayVar(&s.origins, "allowed-origin", nil, "`ORIGIN` whose pages may load the files, such as https://*.example.com; may be repeated")
	f.StringVar(&s.missing, "missing-origin", "", "`WORD` for requests that name no origin: allowNonBrowsers, refuse or allow")
	f.StringArrayVar(&s.ranges, "allowed-ip", nil, "`CIDR` range of addresses that may load the files; may be repeated")
	f.StringVar(&s.prefix, "prefix", "", "CSS `PREFIX` of custom properties; '' for none")
	f.BoolVar(&s.manifest, "manifest", true, "have edges serve the manifest, which lists the published Variants to all who may load the files; --manifest=false: none")
	return a.JSONFlag(cmd)
}

// update says what the flags that were given change.
func (s *servingFlags) update(cmd *cobra.Command) (operator.ServingUpdate, error) {
	var u operator.ServingUpdate
	given := func(name string) bool { return cmd.Flag(name).Changed }
	if given("mode") {
		u.Mode = &s.mode
	}
	if given("missing-origin") {
		u.MissingOrigin = &s.missing
	}
	if given("manifest") {
		u.Manifest = &s.manifest
	}
	if given("prefix") {
		u.Prefix = &s.prefix
	}
	u.AllowedOrigins = listUpdate(s.origins)
	u.AllowedIPRanges = listUpdate(s.ranges)
	if u == (operator.ServingUpdate{}) {
		return u, term.UsageError("See livery serving set --help.", "nothing to change was given")
	}
	return u, nil
}

// listUpdate is nil if a list stays as it is.
func listUpdate(given []string) *[]string {
	if given == nil {
		return nil
	}
	list := slices.DeleteFunc(given, func(text string) bool { return text == "" })
	return &list
}
