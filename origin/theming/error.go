// Package theming holds the rules of Livery: what a Theme and a Variant may be called, how a draft
// is edited, discarded and published, how the overrides of Variants follow a publish, and which
// files an integration needs. It is pure: records in, records out; time, ids and etags are
// arguments. It never reads a clock, a store or a network. Source: the public API and its decisions.
package theming

import (
	"strconv"
	"strings"
)

// Cause is the API's own word for why a request is refused.
type Cause string

// The causes of refusals, as they stand in error bodies.
const (
	Payload    Cause = "payload"
	Validation Cause = "validation"
	PlanLimit  Cause = "planLimit"
	Forbidden  Cause = "forbidden"
	NotFound   Cause = "notFound"
	Conflict   Cause = "conflict"
	Internal   Cause = "internal"
)

// Error is a refusal. Messages is empty if the domain refuses (planLimit, forbidden, notFound,
// conflict); for payload and validation it lists every fault at once.
type Error struct {
	Cause        Cause
	Messages     []string
	Precondition bool // a conflict that an If-Match header found: 412 instead of 409
}

// Error returns the cause and the messages.
func (e *Error) Error() string {
	if len(e.Messages) == 0 {
		return "theming: " + string(e.Cause)
	}
	return "theming: " + string(e.Cause) + ": " + strings.Join(e.Messages, "; ")
}

func refuse(cause Cause, messages ...string) error {
	return &Error{Cause: cause, Messages: messages}
}

// maxMessages bounds an answer: a document made for it has millions of faults.
const maxMessages = 1000

// invalid returns a validation refusal, or nil without messages. Messages past the bound
// are only counted.
func invalid(messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	if more := len(messages) - maxMessages; more > 0 {
		messages = append(messages[:maxMessages:maxMessages], "and "+strconv.Itoa(more)+" more faults")
	}
	return refuse(Validation, messages...)
}
