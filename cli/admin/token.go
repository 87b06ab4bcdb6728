package admin

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
)

func (a *app) tokenCommand() *cobra.Command {
	var subject, audience string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:     "token",
		Short:   "Print an access token signed with the origin's own key",
		Example: "  export LIVERY_TOKEN=$(livery token --data .livery --subject designer)",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ttl < time.Second {
				return term.UsageError("Write --ttl 12h, for example.", "a token must be valid for at least one second, not %s", ttl)
			}
			order := operator.TokenOrder{Subject: subject, TTLSeconds: int64(ttl / time.Second), Audience: audience}
			r := request{method: http.MethodPost, path: "token", body: order}
			return show(cmd.Context(), a, r, func(token operator.Token) {
				a.Say("%s", token.Token)
				if token.Grants == 0 {
					a.Warn("Note: the subject %s has no grant, so the token may do nothing yet. Give it one in a teams file: livery teams apply --help shows one.", escape.Line(subject))
				}
			})
		},
	}
	cmd.Flags().StringVar(&subject, "subject", "", "`SUBJECT` that grants are given to")
	cmd.Flags().DurationVar(&ttl, "ttl", 12*time.Hour, "how long it is valid, a `DURATION` such as 90m or 12h")
	cmd.Flags().StringVar(&audience, "audience", "", "`URL` that it is for (default: the public API of this origin)")
	cmdline.Require(cmd, "subject")
	cmd.AddCommand(a.tokenRotateKeys())
	return a.JSONFlag(a.operatorFlags(cmd))
}

func (a *app) tokenRotateKeys() *cobra.Command {
	var rotation operator.Rotation
	cmd := &cobra.Command{
		Use:   "rotate-keys",
		Short: "Make a new key that signs access tokens from now on",
		Long: "Makes a new key that signs access tokens from now on. Tokens that were issued before stay valid until they expire;\n" +
			"with --drop-old they are refused at once: use that if another person may know a key.",
		Example: "  livery token rotate-keys --data .livery",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := request{method: http.MethodPost, path: "token-keys/rotate", body: rotation}
			return show(cmd.Context(), a, r, func(rotated operator.Rotated) {
				a.Say("The key %s signs from now on.", rotated.ID)
				if !rotation.DropOld {
					a.Say("Tokens signed by earlier keys stay valid until they expire.")
				}
			})
		},
	}
	cmd.Flags().BoolVar(&rotation.DropOld, "drop-old", false, "refuse every token that was issued before")
	return a.JSONFlag(cmd)
}
