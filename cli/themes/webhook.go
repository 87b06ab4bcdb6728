package themes

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// webhookCommands makes the commands about webhooks.
type webhookCommands struct{ *app }

func (a webhookCommands) group() *cobra.Command {
	webhook := cmdline.Group("webhook", "Send events to addresses: add, list, remove, rotate, test, log")
	webhook.Long = "Webhooks are sent what happens in an Environment, signed by the Standard Webhooks convention, at least once and in\n" +
		"order for each Theme. They need the role admin."
	webhook.AddCommand(a.add(), a.list(), a.remove(), a.rotate(), a.test(), a.log())
	return webhook
}

// hooksOf returns the webhooks of the Environment called name.
func (a webhookCommands) hooksOf(ctx context.Context, name string) (client.Webhooks, error) {
	c, err := a.Client(ctx)
	if err != nil {
		return client.Webhooks{}, err
	}
	e, err := target.FindEnvironment(ctx, c, name)
	return client.WebhooksOf(c, e.ID), err
}

// onWebhook makes a command that does something with one webhook, whose id is its argument.
func (a webhookCommands) onWebhook(cmd *cobra.Command, do func(ctx context.Context, hooks client.Webhooks, w client.Webhook) error) *cobra.Command {
	var p target.Target
	cmd.Args = cmdline.Args(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		hooks, err := a.hooksOf(cmd.Context(), p.Env)
		if err != nil {
			return err
		}
		all, err := hooks.List(cmd.Context())
		if err != nil {
			return err
		}
		var ids []string
		for _, w := range all {
			if w.ID == args[0] {
				return do(cmd.Context(), hooks, w)
			}
			ids = append(ids, w.ID)
		}
		return target.NotFound("webhook", args[0], "", ids)
	}
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a webhookCommands) add() *cobra.Command {
	var p target.Target
	var n client.NewWebhook
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Send what happens from now on to an address, and print, this once only, the secret that signs",
		Example: "  livery webhook add https://hooks.example.com/livery --env production\n" +
			"  livery webhook add https://chat.example.com/hooks/abc --format chat --kind theme.published",
		Args: cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			hooks, err := a.hooksOf(cmd.Context(), p.Env)
			if err != nil {
				return err
			}
			n.URL = args[0]
			w, err := hooks.Create(cmd.Context(), n)
			if err != nil {
				return err
			}
			return a.Show(w, func() {
				a.Pairs(a.Out, "Webhook", w.ID, "Secret", w.Secret)
				a.Say("The secret is not shown again: give it to the receiver, which checks signatures with it.")
				a.Say("Try it: livery webhook test %s", w.ID)
			})
		},
	}
	cmd.Flags().StringArrayVar(&n.Kinds, "kind", nil, "only events of this `KIND`, such as theme.published; may be repeated (default: all that the format is for)")
	cmd.Flags().StringVar(&n.Format, "format", "event", "`FORMAT` of bodies: event, events (several in one request), purge (surrogate keys for a CDN) or chat (a sentence)")
	cmd.Flags().StringVar(&n.Description, "description", "", "what it is for, a `TEXT`")
	cmd.Flags().BoolVar(&n.Identities, "identities", false, "say in each message who made the change: the receiver learns the subjects of tokens, often addresses of people")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a webhookCommands) list() *cobra.Command {
	var p target.Target
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the webhooks of an Environment, without their secrets",
		Example: "  livery webhook list --env production",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			hooks, err := a.hooksOf(cmd.Context(), p.Env)
			if err != nil {
				return err
			}
			all, err := hooks.List(cmd.Context())
			if err != nil {
				return err
			}
			return a.Show(all, func() {
				t := term.Table{Head: []string{"ID", "FORMAT", "KINDS", "LATE", "URL", "DESCRIPTION"}}
				for _, w := range all {
					late := term.Plural(len(w.LateThemes), "Theme")
					if w.EndedAt != nil {
						late = "ended: 410"
					}
					t.Add(w.ID, w.Format, cmp.Or(strings.Join(w.Kinds, ","), "all"), late, w.URL, cmp.Or(w.Description, "-"))
				}
				a.PrintTable(t)
			})
		},
	}
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a webhookCommands) remove() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove ID",
		Short:   "Delete a webhook: what was due is not sent any more",
		Example: "  livery webhook remove whk_01k --env production --yes",
	}
	sure := cmd.Flags().Bool("yes", false, "do it")
	return a.onWebhook(cmd, func(ctx context.Context, hooks client.Webhooks, w client.Webhook) error {
		if !*sure {
			return term.UsageError("Add --yes to delete it.", "deleting webhook %s cannot be undone, and its log goes with it", w.ID)
		}
		if err := hooks.Delete(ctx, w.ID); err != nil {
			return err
		}
		return a.Show(w, func() { a.Say("Webhook %s is deleted.", w.ID) })
	})
}

func (a webhookCommands) rotate() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rotate ID",
		Short:   "Give a webhook a new secret, and print it, this once only",
		Example: "  livery webhook rotate whk_01k --env production",
	}
	return a.onWebhook(cmd, func(ctx context.Context, hooks client.Webhooks, w client.Webhook) error {
		w, err := hooks.Rotate(ctx, w.ID)
		if err != nil {
			return err
		}
		return a.Show(w, func() {
			a.Pairs(a.Out, "Webhook", w.ID, "Secret", w.Secret)
			a.Say("The secret before signs beside it for 24 hours: give the receiver the new one until then.")
		})
	})
}

// How long a command waits for a delivery by hand: other deliveries of the webhook may come first.
const (
	deliveryWait  = 30 * time.Second
	deliveryEvery = 100 * time.Millisecond
)

func (a webhookCommands) test() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "test ID",
		Short:   "Send an event webhook.ping to a webhook, and say what came of it",
		Example: "  livery webhook test whk_01k --env production",
	}
	return a.onWebhook(cmd, func(ctx context.Context, hooks client.Webhooks, w client.Webhook) error {
		d, err := hooks.Test(ctx, w.ID)
		if err != nil {
			return err
		}
		return a.await(ctx, hooks, w, d)
	})
}

// await waits until a delivery by hand was tried, and says what came of it. It fails if the receiver did not take it.
func (a webhookCommands) await(ctx context.Context, hooks client.Webhooks, w client.Webhook, d client.Delivery) error {
	tries := d.Attempts
	for deadline := time.Now().Add(deliveryWait); d.Attempts == tries; {
		if time.Now().After(deadline) {
			return term.Fail("Look later: livery webhook log "+w.ID, "delivery %s was not sent within %s", d.ID, deliveryWait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(deliveryEvery):
		}
		page, err := hooks.Deliveries(ctx, w.ID, client.DeliveryOptions{PageSize: 1000})
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(page.Items, func(of client.Delivery) bool { return of.ID == d.ID }); i >= 0 {
			d = page.Items[i]
		}
	}
	if d.State != "delivered" {
		return term.Fail("Mend the receiver, and try again: livery webhook test "+w.ID, "the receiver did not take it: %s", outcomeOf(d))
	}
	return a.Show(d, func() { a.Say("The receiver took it: status %s after %d ms.", numberOr(d.Status), *d.Milliseconds) })
}

// outcomeOf says what came of the last attempt.
func outcomeOf(d client.Delivery) string {
	text := ""
	if d.Status != nil {
		text = "status " + strconv.Itoa(*d.Status)
	}
	if d.Result != nil {
		text = strings.TrimPrefix(text+": "+*d.Result, ": ")
	}
	return cmp.Or(text, "-")
}

func numberOr(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func (a webhookCommands) log() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log ID",
		Short: "Print what a webhook was sent, newest first, or send one of it again",
		Long: "Prints the deliveries of a webhook, newest first. Those in the state dead are the dead letters: they were tried for\n" +
			"24 hours. With --redeliver one is sent once more.",
		Example: "  livery webhook log whk_01k --env production --state dead\n  livery webhook log whk_01k --redeliver dlv_0000000007",
	}
	var o client.DeliveryOptions
	again := cmd.Flags().String("redeliver", "", "send this delivery, an `ID`, once more, and say what came of it")
	cmd.Flags().StringVar(&o.State, "state", "", "only deliveries in this `STATE`: waiting, delivered, retrying, dead or missed")
	cmd.Flags().StringVar(&o.After, "after", "", "the page after the one that named this `CURSOR`, with the same --state")
	cmd.Flags().IntVar(&o.PageSize, "limit", 100, "at most so many, a `COUNT` up to 1000")
	return a.onWebhook(cmd, func(ctx context.Context, hooks client.Webhooks, w client.Webhook) error {
		if *again != "" {
			d, err := hooks.Redeliver(ctx, w.ID, *again)
			if err != nil {
				return err
			}
			return a.await(ctx, hooks, w, d)
		}
		page, err := hooks.Deliveries(ctx, w.ID, o)
		if err != nil {
			return err
		}
		return a.Show(page.Items, func() {
			a.printDeliveries(page.Items)
			if page.Next != "" {
				a.Say("There are more: repeat the command with --after %s", page.Next)
			}
		})
	})
}

func (a webhookCommands) printDeliveries(list []client.Delivery) {
	t := term.Table{Head: []string{"ID", "WHEN", "WHAT", "OF", "STATE", "TRIES", "NEXT", "RESULT"}}
	for _, d := range list {
		what, of := "-", "-"
		if e := d.Event; e != nil {
			what, of = e.Kind, cmp.Or(e.Theme, "-")
			if e.Variant != nil {
				of = *e.Variant
			}
		}
		t.Add(d.ID, term.Moment(&d.CreatedAt), what, of, d.State, d.Attempts, term.Moment(d.NextAttemptAt), outcomeOf(d))
	}
	a.PrintTable(t)
}
