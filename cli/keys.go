package cli

import (
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/origin/operator"
)

func (a *app) keysCommand() *cobra.Command {
	keys := parent("keys", "Add, list and remove the signing keys of a Theme")
	keys.AddCommand(a.keysAdd(), a.keysList(), a.keysRemove())
	return a.operatorFlags(keys)
}

func (a *app) keysAdd() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:     "add THEME_ID",
		Short:   "Make a signing key and print its id and its secret, this once",
		Example: "  livery keys add thm_01k --data .livery --json",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var key operator.NewSigningKey
			if err := a.operator().themeCall(cmd.Context(), http.MethodPost, args[0], "keys", nil, &key); err != nil {
				return err
			}
			return a.show(key, func() {
				a.pairs(a.out, "Key id", key.ID, "Secret", key.Secret)
				a.say("The secret is not shown again: keep it where only the signer reads it.")
			})
		},
	})
}

func (a *app) keysList() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:     "list THEME_ID",
		Short:   "List the signing keys of a Theme, without their secrets",
		Example: "  livery keys list thm_01k --data .livery",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list operator.KeyList
			if err := a.operator().themeCall(cmd.Context(), http.MethodGet, args[0], "keys", nil, &list); err != nil {
				return err
			}
			return a.show(list, func() { a.printKeys(list) })
		},
	})
}

func (a *app) printKeys(list operator.KeyList) {
	t := table{head: []string{"KEY ID", "CREATED"}}
	for _, key := range list.Keys {
		t.add(key.ID, key.CreatedAt.Format(time.DateTime))
	}
	a.printTable(t)
}

func (a *app) keysRemove() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:     "remove THEME_ID KEY_ID",
		Short:   "Remove a signing key: what it signed is refused from now on",
		Example: "  livery keys remove thm_01k key_01k --data .livery",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var left operator.KeyList
			path := "keys/" + url.PathEscape(args[1])
			if err := a.operator().themeCall(cmd.Context(), http.MethodDelete, args[0], path, nil, &left); err != nil {
				return err
			}
			return a.show(left, func() { a.printKeys(left) })
		},
	})
}
