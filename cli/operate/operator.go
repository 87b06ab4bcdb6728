package operate

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/livery/cli/devfile"
	"example.com/livery/cli/opsocket"
)

// operatorFlags gives a command of the operator the flags that find the socket.
func (a *app) operatorFlags(cmd *cobra.Command) *cobra.Command {
	cmd.PersistentFlags().StringVar(&a.storeDir, "data", devfile.DefaultDir, "data directory `DIR` of the origin")
	cmd.PersistentFlags().StringVar(&a.socket, "operator-socket", "", "`PATH` of the operator socket (default: "+opsocket.SocketName+" in the data directory)")
	cmd.PersistentFlags().StringVar(&a.as, "as", "", "`NAME` by which the audit log knows you, beside your user on this machine (default: $SUDO_USER)")
	return cmd
}

// operator returns the client of the operator socket that the flags name.
func (a *app) operator() *opsocket.Client {
	path := a.socket
	if path == "" {
		path = filepath.Join(a.storeDir, opsocket.SocketName)
	}
	o := opsocket.New(path)
	o.As = cmp.Or(a.as, os.Getenv("SUDO_USER"))
	return o
}
