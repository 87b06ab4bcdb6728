package admin

import (
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) keysCommand() *cobra.Command {
	keys := cmdline.Group("keys", "Add, list and remove the signing keys of a Theme")
	keys.AddCommand(a.keysAdd(), a.keysList(), a.keysRemove())
	return a.themeFlags(keys)
}

func (a *app) keysAdd() *cobra.Command {
	return ofTheme(a, &cobra.Command{
		Use:     "add THEME",
		Short:   "Make a signing key, and print its id and, this once only, its secret",
		Example: "  livery keys add acme --env production --data .livery --json",
	}, http.MethodPost, "keys", func(key operator.NewSigningKey) {
		a.Pairs(a.Out, "Key id", key.ID, "Secret", key.Secret)
		a.Say("The secret is not shown again: store it in a place that only the signer can read.")
	})
}

func (a *app) keysList() *cobra.Command {
	return ofTheme(a, &cobra.Command{
		Use:     "list THEME",
		Short:   "List the signing keys of a Theme, without their secrets",
		Example: "  livery keys list acme --env production --data .livery",
	}, http.MethodGet, "keys", a.printKeys)
}

func (a *app) printKeys(list operator.KeyList) {
	t := term.Table{Head: []string{"KEY ID", "CREATED"}}
	for _, key := range list.Keys {
		t.Add(key.ID, key.CreatedAt.Format(time.DateTime))
	}
	a.PrintTable(t)
}

func (a *app) keysRemove() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:     "remove THEME KEY_ID",
		Short:   "Remove a signing key: what it signed is refused from now on",
		Example: "  livery keys remove acme key_01k --env production --data .livery",
		Args:    cmdline.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := request{method: http.MethodDelete, theme: args[0], path: "keys/" + url.PathEscape(args[1])}
			return show(cmd.Context(), a, r, a.printKeys)
		},
	})
}
