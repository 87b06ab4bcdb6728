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

// Reason says which conflict a conflict is, in one word that a client can branch on. The list is closed.
type Reason string

// The reasons of conflicts, as the API sends them beside the error body.
const (
	StaleETag            Reason = "staleEtag"            // the query's etag does not name the draft
	IfMatchFailed        Reason = "ifMatchFailed"        // the If-Match header does not hold: 412 instead of 409
	SlugTaken            Reason = "slugTaken"            // another resource of the same parent has the slug
	NoDraft              Reason = "noDraft"              // there is nothing to publish
	ThemeUnpublished     Reason = "themeUnpublished"     // a Variant cannot be published before its Theme
	AlreadyPublished     Reason = "alreadyPublished"     // the Variant has a version at the Theme's newest version
	ModeUsesVariant      Reason = "modeUsesVariant"      // a mode of the Theme names the Variant that is to be deleted
	IdempotencyKeyReused Reason = "idempotencyKeyReused" // another request had the Idempotency-Key
)

// Error is a refusal. Messages is empty if the domain refuses (planLimit, forbidden, notFound,
// conflict); for payload and validation it lists every fault at once.
type Error struct {
	Cause    Cause
	Messages []string
	Reason   Reason // of a conflict; empty for every other cause
	Variant  string // in the way of a batch of Variants: its id, or the slug of one to be created; else empty
}

// Error returns the cause and the messages.
func (e *Error) Error() string {
	if len(e.Messages) == 0 {
		return strings.TrimSpace("theming: " + string(e.Cause) + " " + string(e.Reason))
	}
	return "theming: " + string(e.Cause) + ": " + strings.Join(e.Messages, "; ")
}

// Conflicting returns the refusal of a request that the state does not allow.
func Conflicting(r Reason) error { return &Error{Cause: Conflict, Reason: r} }

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
