package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/livery/feedproto"
	"github.com/go-json-experiment/json"
)

// Changes polls the change log for up to wait seconds. The error is ErrUnreachable.
func (u *Client) Changes(ctx context.Context, after string, wait, limit int) (fed feedproto.Changes, m ResponseMeta, err error) {
	poll := feedproto.Poll{After: after, Wait: time.Duration(wait) * time.Second, Limit: limit}
	ctx, cancel := context.WithTimeout(ctx, recordTimeout+poll.Wait)
	defer cancel()
	askedAt := u.now()
	a, err := u.get(ctx, poll.URI(), feedproto.MaxRecordBytes)
	if err != nil {
		return fed, m, err
	}
	if a.status != http.StatusOK {
		if a.meta.NotFollowed {
			u.cutOff.fail(askedAt.UnixNano(), u.now().UnixNano())
		}
		return fed, m, fmt.Errorf("%w: status %d of the feed", ErrUnreachable, a.status)
	}
	if err := json.Unmarshal(a.body, &fed); err != nil {
		return fed, m, fmt.Errorf("%w: the feed's answer is not JSON: %w", ErrUnreachable, err)
	}
	if reason := notAfter(fed, after); reason != "" {
		return fed, m, fmt.Errorf("%w: the feed's answer %s", ErrUnreachable, reason)
	}
	return fed, a.meta, nil
}

// notAfter returns why an answer of the feed cannot follow a place in the change log; nothing if it can.
func notAfter(fed feedproto.Changes, after string) string {
	switch {
	case fed.Cursor == "":
		return "names no place in the change log"
	case fed.Cursor == after && (fed.Reset || fed.More || len(fed.Changes) > 0):
		return "does not move on from the place that was asked for"
	case !fed.Reset && Sequence(fed.Cursor) < Sequence(after):
		return "goes back in the change log"
	}
	return ""
}

// Sequence returns the number that a place in the change log begins with; 0 if there is none.
func Sequence(cursor string) uint64 {
	number, _, _ := strings.Cut(cursor, ".")
	sequence, _ := strconv.ParseUint(number, 10, 64) // what is not a number is 0
	return sequence
}

// PollSeconds is how long a poll of the feed waits for a change.
const PollSeconds = 1
