package themes

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

func (a *app) webhookCommand() *cobra.Command {
	webhook := cmdline.Group("webhook", "Send events to addresses: add, list, remove")
	webhook.Long = "Webhooks are sent what happens in an Environment, signed by the Standard Webhooks convention, at least once and in\n" +
		"order for each Theme. They need the role admin. The web console tests them, rotates their secrets and sends again."
	webhook.AddCommand(a.webhookAdd(), a.webhookList(), a.webhookRemove())
	return webhook
}

// webhooksOf returns the webhooks of the Environment that p names.
func (a *app) webhooksOf(ctx context.Context, p target.Target) (client.Webhooks, error) {
	c, e, err := a.inEnvironment(ctx, p)
	return client.WebhooksOf(c, e.ID), err
}

func (a *app) webhookAdd() *cobra.Command {
	var p target.Target
	var n client.NewWebhook
	cmd := &cobra.Command{
		Use:   "add URL [KIND...]",
		Short: "Send what happens from now on to an address, and print, this once only, the secret that signs",
		Example: "  livery webhook add https://hooks.example.com/livery --env production\n" +
			"  livery webhook add https://chat.example.com/hooks/abc theme.published --format chat",
		Args: cmdline.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			hooks, err := a.webhooksOf(cmd.Context(), p)
			if err != nil {
				return err
			}
			n.URL, n.Kinds = args[0], args[1:]
			w, err := hooks.Create(cmd.Context(), n)
			if err != nil {
				return err
			}
			return a.Show(w, func() {
				a.Pairs(a.Out, "Webhook", w.ID, "Secret", w.Secret)
				a.Say("The secret is not shown again: give it to the receiver, which checks signatures with it.")
			})
		},
	}
	cmd.Flags().StringVar(&n.Format, "format", "event", "`FORMAT` of bodies: event, events (several in one request), purge (surrogate keys for a CDN) or chat (a sentence)")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

// webhookState is a webhook with its newest delivery.
type webhookState struct {
	client.Webhook
	Newest *client.Delivery `json:"newestDelivery"` // nil if nothing was due yet
}

func (a *app) webhookList() *cobra.Command {
	return listCommand(a, listing[webhookState]{
		short:   "List the webhooks of an Environment, and the state of their deliveries",
		example: "  livery webhook list --env production",
		flags:   target.InEnvironment,
		head:    []string{"ID", "FORMAT", "KINDS", "LATE", "NEWEST DELIVERY", "URL", "DESCRIPTION"},
		items:   a.webhookStates,
		row: func(w webhookState) []any {
			late := term.Plural(len(w.LateThemes), "Theme")
			if w.EndedAt != nil {
				late = "ended: 410"
			}
			kinds := "all"
			if len(w.Kinds) > 0 {
				kinds = strings.Join(w.Kinds, ",")
			}
			return []any{w.ID, w.Format, kinds, late, deliveryText(w.Newest), w.URL, orDash(w.Description)}
		},
	})
}

// webhookStates returns the webhooks of an Environment with their states.
func (a *app) webhookStates(ctx context.Context, p target.Target) (iter.Seq2[webhookState, error], error) {
	hooks, err := a.webhooksOf(ctx, p)
	if err != nil {
		return nil, err
	}
	all, err := hooks.List(ctx)
	if err != nil {
		return nil, err
	}
	return func(yield func(webhookState, error) bool) {
		for _, w := range all {
			page, err := hooks.Deliveries(ctx, w.ID, client.DeliveryOptions{PageSize: 1})
			state := webhookState{Webhook: w}
			if len(page.Items) > 0 {
				state.Newest = &page.Items[0]
			}
			if !yield(state, err) {
				return
			}
		}
	}, nil
}

// deliveryText describes the last attempt of a delivery, which may be nil.
func deliveryText(d *client.Delivery) string {
	if d == nil {
		return "-"
	}
	text := d.State
	if d.Status != nil {
		text += ", status " + strconv.Itoa(*d.Status)
	}
	if d.Result != nil {
		text += ", " + *d.Result
	}
	return text
}

func (a *app) webhookRemove() *cobra.Command {
	var p target.Target
	var sure bool
	cmd := &cobra.Command{
		Use:     "remove ID",
		Short:   "Delete a webhook: what was due is not sent any more",
		Example: "  livery webhook remove whk_01k --env production --yes",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			hooks, err := a.webhooksOf(cmd.Context(), p)
			if err != nil {
				return err
			}
			all, err := hooks.List(cmd.Context())
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(w client.Webhook) bool { return w.ID == args[0] })
			if i < 0 {
				ids := make([]string, len(all))
				for i, w := range all {
					ids[i] = w.ID
				}
				return target.NotFound("webhook", args[0], "", ids)
			}
			if !sure {
				return term.UsageError("Add --yes to delete it.", "deleting webhook %s cannot be undone, and its log goes with it", args[0])
			}
			if err := hooks.Delete(cmd.Context(), args[0]); err != nil {
				return err
			}
			return a.Show(all[i], func() { a.Say("Webhook %s is deleted.", args[0]) })
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}
