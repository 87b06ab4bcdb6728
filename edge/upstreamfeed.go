package edge

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"example.com/livery/feedproto"
	"github.com/go-json-experiment/json"
)

// changes polls the change log for up to wait seconds. The error is errUnreachable.
func (u *upstream) changes(ctx context.Context, after string, wait, limit int) (fed feedproto.Changes, m manner, err error) {
	poll := feedproto.Poll{After: after, Wait: time.Duration(wait) * time.Second, Limit: limit}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout+poll.Wait)
	defer cancel()
	a, err := u.get(ctx, poll.URI(), feedproto.MaxRecordBytes)
	if err != nil {
		return fed, m, err
	}
	if a.status != http.StatusOK {
		return fed, m, fmt.Errorf("%w: status %d of the feed", errUnreachable, a.status)
	}
	if err := json.Unmarshal(a.body, &fed); err != nil {
		return fed, m, fmt.Errorf("%w: the feed's answer is no JSON: %w", errUnreachable, err)
	}
	if reason := notAfter(fed, after); reason != "" {
		return fed, m, fmt.Errorf("%w: the feed's answer %s", errUnreachable, reason)
	}
	return fed, a.manner, nil
}

// notAfter returns why an answer of the feed cannot follow a place in the change log; nothing if it can.
func notAfter(fed feedproto.Changes, after string) string {
	switch {
	case fed.Cursor == "":
		return "names no place in the change log"
	case fed.Cursor == after && (fed.Reset || fed.More || len(fed.Changes) > 0):
		return "does not move on from the place that was asked for"
	case !fed.Reset && sequenceOf(fed.Cursor) < sequenceOf(after):
		return "goes back in the change log"
	}
	return ""
}
