package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// What an *Error can be compared with by errors.Is. Each stands for one cause of the API;
// ErrUnauthorized stands for 401, which has none.
var (
	ErrPayload      = errors.New("the request cannot be read")
	ErrValidation   = errors.New("the request breaks a rule")
	ErrUnauthorized = errors.New("the access token is missing, expired or for another address")
	ErrPlanLimit    = errors.New("the plan's allowance is used up")
	ErrForbidden    = errors.New("the grant does not allow this")
	ErrNotFound     = errors.New("no such resource")
	ErrConflict     = errors.New("the state has moved on")
	ErrRateLimit    = errors.New("too many requests")
	ErrInternal     = errors.New("the server failed")
)

// What an *Error of a conflict can be compared with beside ErrConflict: each stands for one value of Livery-Reason.
var (
	ErrStaleETag            = errors.New("the etag is not the draft's")
	ErrIfMatchFailed        = errors.New("the resource is not the one that If-Match names")
	ErrSlugTaken            = errors.New("another resource beside it has the slug")
	ErrNoDraft              = errors.New("there is no draft to publish")
	ErrThemeUnpublished     = errors.New("the Theme of the Variant has no version")
	ErrAlreadyPublished     = errors.New("the Variant is published at the Theme's newest version")
	ErrModeUsesVariant      = errors.New("a mode of the Theme names the Variant")
	ErrIdempotencyKeyReused = errors.New("another request had the Idempotency-Key")
)

// sentinels are the errors of the values of the member cause and of Livery-Reason.
var sentinels = map[string]error{
	"payload": ErrPayload, "validation": ErrValidation, "planLimit": ErrPlanLimit, "forbidden": ErrForbidden, "notFound": ErrNotFound,
	"conflict": ErrConflict, "rateLimit": ErrRateLimit, "internal": ErrInternal,
	"staleEtag": ErrStaleETag, "ifMatchFailed": ErrIfMatchFailed, "slugTaken": ErrSlugTaken, "noDraft": ErrNoDraft,
	"themeUnpublished": ErrThemeUnpublished, "alreadyPublished": ErrAlreadyPublished, "modeUsesVariant": ErrModeUsesVariant,
	"idempotencyKeyReused": ErrIdempotencyKeyReused,
}

// Error is a refusal or failure that the API answered. Branch on it with errors.Is and the Err…
// values of this package.
type Error struct {
	Method    string
	URL       string
	Status    int      // of HTTP
	Cause     string   // the API's word; empty for 401 and for answers that the API did not make
	Reason    string   // of a conflict, as Livery-Reason says it; empty for every other cause
	Variant   string   // in the way of BatchVariants: its id, or the slug of one to be created; else empty
	Messages  []string // every fault of the request; often empty
	RequestID string   // what the server's log calls this request; empty if it sent none
}

// Error says what was asked, what was answered and why, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Method + " " + e.URL + ": " + strconv.Itoa(e.Status))
	if e.Cause != "" {
		b.WriteString(" " + e.Cause)
	} else if text := http.StatusText(e.Status); text != "" {
		b.WriteString(" " + strings.ToLower(text))
	}
	if e.Reason != "" {
		b.WriteString(" (" + strings.TrimSpace(e.Reason+" "+e.Variant) + ")")
	}
	if len(e.Messages) > 0 {
		b.WriteString(": " + strings.Join(e.Messages, "; "))
	}
	return b.String()
}

// Is reports whether e is what target stands for.
func (e *Error) Is(target error) bool {
	if e.Status == http.StatusUnauthorized {
		return target == ErrUnauthorized
	}
	if known, ok := sentinels[e.Cause]; ok {
		return target == known || e.Reason != "" && target == sentinels[e.Reason]
	}
	return target == ErrInternal && e.Status >= http.StatusInternalServerError
}

// readError makes the Error of an answer, also of one that something in between wrote.
func readError(method, address string, res *http.Response, body []byte) *Error {
	e := &Error{Method: method, URL: address, Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"), Reason: res.Header.Get("Livery-Reason"), Variant: res.Header.Get("Livery-Variant")}
	var answer struct {
		Cause    string   `json:"cause"`
		Messages []string `json:"messages"`
	}
	if json.Unmarshal(body, &answer) == nil {
		e.Cause, e.Messages = answer.Cause, answer.Messages
	}
	return e
}
