package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/webhooks"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// webhookRoutes answers about the webhooks of an Environment.
type webhookRoutes struct {
	sender *webhooks.Sender
	master *auth.Master // nil: webhooks are refused
	now    func() time.Time
}

// webhookBody is a webhook as the API shows it.
type webhookBody struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Kinds       []string   `json:"kinds"` // empty: all that the format is for
	Format      string     `json:"format"`
	Description string     `json:"description"`
	Identities  bool       `json:"identities"` // its events say who made the change
	CreatedAt   time.Time  `json:"createdAt"`
	RotatedAt   *time.Time `json:"rotatedAt"`       // when the secret was made in place of another; null if it is the first
	EndedAt     *time.Time `json:"endedAt"`         // when the receiver answered 410; null if it did not
	LateThemes  []string   `json:"lateThemes"`      // ids of Themes with an event that was not taken yet
	Secret      string     `json:"secret,omitzero"` // in the answer that makes it
}

func newWebhookBody(w record.Webhook) webhookBody {
	b := webhookBody{ID: w.ID, URL: w.URL, Kinds: append([]string{}, w.Kinds...), Format: w.Format, Description: w.Description, Identities: w.Identities, CreatedAt: w.CreatedAt.UTC(), EndedAt: timeOrNull(w.EndedAt), LateThemes: []string{}}
	if at := w.Secrets[0].CreatedAt; len(w.Secrets) > 1 || !at.Equal(w.CreatedAt) { // both may be of one millisecond
		b.RotatedAt = timeOrNull(at)
	}
	for _, l := range w.Late {
		b.LateThemes = append(b.LateThemes, l.ThemeID)
	}
	slices.Sort(b.LateThemes)
	return b
}

// webhookResource is a new webhook, as the API wraps what it creates.
type webhookResource struct {
	Resource webhookBody `json:"resource"`
}

// list lists the webhooks of an Environment, the oldest first.
func (h webhookRoutes) list(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(false)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list := rows[webhookBody]{page: p}
	return list.answer(storage.Webhooks.ScanBetween(r, storage.Ascending, p.AfterKey(), "", func(_ []byte, w record.Webhook) bool {
		return list.add(w.ID, newWebhookBody(w))
	}, t.environment.ID))
}

func (h webhookRoutes) show(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, newWebhookBody(t.webhook))
}

// input reads the body of a new webhook.
func (h webhookRoutes) input(q *request) (in webhooks.Input, err error) {
	root, err := q.object()
	if err != nil {
		return in, err
	}
	f := fields{root: root}
	in.Format = webhooks.FormatEvent
	for name, to := range map[string]*string{"url": &in.URL, "format": &in.Format, "description": &in.Description} {
		if text := f.text(name); text != nil {
			*to = *text
		}
	}
	if n := root.Find("identities"); n != nil {
		if in.Identities = n.True; n.Kind != jsontree.Bool {
			f.fault("identities", "true or false")
		}
	}
	if n := root.Find("kinds"); n != nil {
		if n.Kind != jsontree.Array || slices.ContainsFunc(n.Items(), func(item *jsontree.Node) bool { return !item.IsString() }) {
			f.fault("kinds", "a list of strings")
		} else {
			for _, item := range n.Items() {
				in.Kinds = append(in.Kinds, item.Text)
			}
		}
	}
	if err := invalid(f.faults...); err != nil {
		return in, err
	}
	faults := h.sender.Faults(in)
	if h.master == nil {
		faults = append(faults, operator.Keyless)
	}
	return in, invalid(faults...)
}

func (h webhookRoutes) create(q *request) (change, error) {
	in, err := h.input(q)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(r storage.Reader, t target) (decision, error) {
		now := h.now()
		existing, err := storage.Webhooks.All(r, t.environment.ID)
		if err != nil {
			return decision{}, err
		}
		if len(existing) >= webhooks.MaxPerEnvironment {
			return decision{}, invalid(fmt.Sprintf("the Environment has %d webhooks, which is the most; delete one first", len(existing)))
		}
		w, secret, err := webhooks.Create(r, h.master, operator.NewID("whk_", now), t.environment.ID, in, now)
		if err != nil {
			return decision{}, err
		}
		d := writtenWebhook(w, "webhook add", webhooks.Describe(w))
		body := newWebhookBody(w)
		body.Secret = secret
		d.answer, err = bare(fasthttp.StatusCreated, webhookResource{body})
		d.answer.Secret = true
		return d, err
	}}, nil
}

// writtenWebhook is the decision to write a webhook, with what the audit log says of it.
func writtenWebhook(w record.Webhook, action, sentence string) decision {
	return decision{
		audit: &record.Audit{Action: action, Target: "webhook " + w.ID, Changes: []string{sentence}},
		apply: func(tx storage.Tx) error { return storage.Webhooks.Write(tx, w, w.EnvironmentID, w.ID) },
	}
}

func (h webhookRoutes) delete(*request) (change, error) {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		d = writtenWebhook(t.webhook, "webhook remove", "it is deleted, and what was due is not sent")
		d.apply = func(tx storage.Tx) error {
			if err := storage.Deliveries.DeleteAll(tx, t.environment.ID, t.webhook.ID); err != nil {
				return err
			}
			return storage.Webhooks.Delete(tx, t.environment.ID, t.webhook.ID)
		}
		d.answer, err = bare(fasthttp.StatusOK, newEnvironmentBody(t.environment, t.role))
		return d, err
	}}, nil
}

func (h webhookRoutes) rotate(*request) (change, error) {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		w, secret := webhooks.Rotate(t.webhook, h.master, h.now())
		d = writtenWebhook(w, "webhook rotate", "a new secret signs, for a day beside the one before")
		body := newWebhookBody(w)
		body.Secret = secret
		d.answer, err = bare(fasthttp.StatusOK, body)
		d.answer.Secret = true
		return d, err
	}}, nil
}

// deliveryBody is a delivery as the API shows it.
type deliveryBody struct {
	ID            string       `json:"id"`
	Event         *events.Body `json:"event"` // null of events that are not there any more
	State         string       `json:"state"`
	Attempts      int          `json:"attempts"`
	CreatedAt     time.Time    `json:"createdAt"`
	LastAttemptAt *time.Time   `json:"lastAttemptAt"` // null before the first
	NextAttemptAt *time.Time   `json:"nextAttemptAt"` // null if there is none
	Status        *int         `json:"status"`        // of the last answer; null if there was none
	Result        *string      `json:"result"`        // what came of the last attempt
	Milliseconds  *int64       `json:"milliseconds"`  // that the last attempt took
}

const deliveryIDPrefix = "dlv_"

func (t target) newDeliveryBody(d record.Delivery) deliveryBody {
	b := deliveryBody{
		ID: deliveryIDPrefix + storage.Number(d.Number), State: d.State, Attempts: d.Attempts, CreatedAt: d.CreatedAt.UTC(),
		LastAttemptAt: timeOrNull(d.TriedAt), NextAttemptAt: timeOrNull(d.NextAt),
	}
	if d.Event.Kind != "" {
		event := events.BodyOf(t.environment.ID, d.Event, t.webhook.Identities && t.identifies())
		b.Event = &event
	}
	if d.Status != 0 {
		b.Status = &d.Status
	}
	if d.Answer != "" {
		b.Result = &d.Answer
	}
	if d.Attempts > 0 {
		b.Milliseconds = &d.Duration
	}
	return b
}

// parseDeliveryID returns the number of a delivery, or errNotFound.
func parseDeliveryID(id string) (uint32, error) {
	digits, ok := strings.CutPrefix(id, deliveryIDPrefix)
	number, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || len(digits) != 10 {
		return 0, errNotFound
	}
	return uint32(number), nil
}

// deliveries lists the deliveries of a webhook, the newest first.
func (h webhookRoutes) deliveries(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(false)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list, oldest := rows[deliveryBody]{page: p}, h.now().Add(-storage.KeepDelivery)
	return list.answer(storage.Deliveries.ScanBetween(r, storage.Descending, storage.Number(t.webhook.Dropped), p.AfterKey(), func(_ []byte, d record.Delivery) bool {
		if p.state != "" && d.State != p.state {
			return true
		}
		return !d.CreatedAt.Before(oldest) && list.add(storage.Number(d.Number), t.newDeliveryBody(d))
	}, t.environment.ID, t.webhook.ID))
}

// ping makes a test of the webhook due.
func (h webhookRoutes) ping(q *request) (change, error) {
	return h.due("webhook test", func(t target) (webhooks.Due, bool) {
		return webhooks.Ping(t.webhook, q.caller.Subject, newETag(), h.now())
	}), nil
}

// redeliver makes a delivery due once more.
func (h webhookRoutes) redeliver(*request) (change, error) {
	return h.due("webhook redeliver", func(t target) (webhooks.Due, bool) {
		return webhooks.Redeliver(t.webhook, t.delivery, h.now())
	}), nil
}

// due is a change that makes a delivery due by hand.
func (h webhookRoutes) due(action string, make func(target) (due webhooks.Due, ok bool)) change {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		if t.delivery.State == storage.DeliveryMissed {
			return d, invalid("the events of this delivery are not there any more; read the state with the API")
		}
		due, ok := make(t)
		if !ok {
			return d, invalid(fmt.Sprintf("%d deliveries of this webhook are due by hand, which is the most; wait until some are sent", len(t.webhook.Queue)))
		}
		body := t.newDeliveryBody(due.Delivery)
		d = writtenWebhook(t.webhook, action, "delivery "+body.ID+" is due")
		d.apply = due.Write
		d.answer, err = bare(fasthttp.StatusAccepted, body)
		return d, err
	}}
}
