package account

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/client"
)

// Resolve looks p up with the client that the flags ask for.
func (a *Session) Resolve(cmd *cobra.Command, p target.Target) (*client.Client, target.Resolved, error) {
	return a.ResolveIn(cmd.Context(), p)
}

// ResolveIn is Resolve for a caller without a command.
func (a *Session) ResolveIn(ctx context.Context, p target.Target) (*client.Client, target.Resolved, error) {
	c, err := a.Client(ctx)
	if err != nil {
		return nil, target.Resolved{}, err
	}
	f, err := target.Lookup(ctx, c, p)
	a.NoteGrant(f.Env)
	return c, f, err
}
