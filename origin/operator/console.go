package operator

import (
	"context"
	"fmt"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/session"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// ConsoleOrder is the body of a request for a link that logs a person in at the console.
type ConsoleOrder struct {
	Subject string `json:"subject"` // whose grants the person has
}

// ConsoleLink is the answer to a ConsoleOrder. The link works once.
type ConsoleLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// NoConsole is said of an origin that does not serve the console.
const NoConsole = "the console is not served: the origin was built without it"

func (h *Handler) linkConsole(ctx context.Context, _ call, order ConsoleOrder) (any, error) {
	switch {
	case h.config.Console == "":
		return nil, invalid([]string{NoConsole})
	case !auth.ValidSubject(order.Subject):
		return nil, invalid([]string{"subject: " + auth.SubjectRule})
	}
	var link ConsoleLink
	err := Commit(ctx, h.config.Store, storage.Global, h.config.Now(), func(tx storage.Tx, note func(record.Audit)) (record.Change, error) {
		code, expires, err := session.NewCode(tx, order.Subject, h.config.Now())
		if err != nil {
			return record.Change{}, err
		}
		link = ConsoleLink{h.config.Console + "#login=" + code, expires}
		note(record.Audit{Action: ActionConsole, Target: "subject " + order.Subject, Changes: []string{
			fmt.Sprintf("a link that works once is valid until %s, for a session of %d hours", expires.Format(time.RFC3339), session.MaxAge/time.Hour),
		}})
		return record.Change{At: h.config.Now()}, nil
	})
	if err != nil {
		return nil, err
	}
	return link, nil
}
