package admin

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
)

// operatorFlags gives a command of the operator the flags that find the socket.
func (a *app) operatorFlags(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().StringVar(&a.storeDir, "data", cmdline.DefaultData, "data directory `DIR` of the origin")
	cmd.PersistentFlags().StringVar(&a.socket, "operator-socket", "", "`PATH` of the operator socket (default: "+SocketName+" in the data directory)")
	return cmd
}

// operator returns the operator socket that the flags name.
func (a *app) operator() *Socket {
	return NewSocket(cmp.Or(a.socket, filepath.Join(a.storeDir, SocketName)))
}

// request is a question to the operator socket.
type request struct {
	method, path string
	theme        string // whose path it is; empty: the origin's
	body         any    // nil for none
}

// themeFlags gives a group of commands on a Theme the flags of an operator and --env.
func (a *app) themeFlags(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().StringVar(&a.env, "env", "", "`ENVIRONMENT` of the Theme, slug or id (default: the only one that has it)")
	return a.operatorFlags(cmd)
}

// ofTheme completes a command that names a Theme: it sends a request about that Theme and shows the answer.
func ofTheme[T any](a *app, cmd *cobra.Command, method, path string, print func(T)) *cobra.Command {
	cmd.Args = cmdline.Args(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return show(cmd.Context(), a, request{method: method, theme: args[0], path: path}, print)
	}
	return a.JSONFlag(cmd)
}

// show sends r and shows the answer: print prints it for people.
func show[T any](ctx context.Context, a *app, r request, print func(T)) error {
	var out T
	var err error
	if r.theme == "" {
		err = a.operator().Call(ctx, r.method, r.path, r.body, &out)
	} else {
		err = a.operator().callTheme(ctx, r.method, a.env, r.theme, r.path, r.body, &out)
	}
	if err != nil {
		return err
	}
	return a.Show(out, func() { print(out) })
}
