package term

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/client"
)

// The exit codes. Scripts branch on them: they never change their meaning.
const (
	ExitOK         = 0
	ExitFailed     = 1 // refused or failed
	ExitUsage      = 2 // the command line itself is wrong
	ExitNothing    = 3 // there was nothing to do, and --strict asks to be told so
	ExitConflict   = 4 // another client changed it, or took the name
	ExitNotAllowed = 5 // the token is none, or its grant does not allow this
)

// Failure is an error as a user reads it: one sentence, and the next step to try.
type Failure struct {
	Sentence string
	Faults   []string // the sentence ends with a colon and these follow, each on its line
	Next     string   // empty if there is nothing to try
	Usage    bool     // the command line itself is wrong
	Code     int      // exit code; 0 if it follows from the cause
	Cause    error    // nil if there is none
}

// exitCode returns the exit code that tells a script what kind of failure this is.
func (f *Failure) exitCode() int {
	switch {
	case f.Usage:
		return ExitUsage
	case f.Code != 0:
		return f.Code
	case errors.Is(f.Cause, client.ErrConflict):
		return ExitConflict
	case errors.Is(f.Cause, client.ErrForbidden), errors.Is(f.Cause, client.ErrUnauthorized):
		return ExitNotAllowed
	}
	return ExitFailed
}

// ExitWith returns an error that ends the program with an exit code and prints nothing; nil for ExitOK.
func ExitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return exit(code)
}

// exit is an exit code whose reason was printed already.
type exit int

func (e exit) Error() string { return "exit code " + strconv.Itoa(int(e)) }

// NothingToDo is the failure of a command under --strict that found nothing to do.
func NothingToDo(format string, args ...any) error {
	f := Fail("", format, args...)
	f.Code = ExitNothing
	return f
}

// Conflict is the failure of a command that met the change of another client.
func Conflict(next, format string, args ...any) *Failure {
	f := Fail(next, format, args...)
	f.Code = ExitConflict
	return f
}

func (f *Failure) Error() string { return f.Sentence }

// Unwrap returns what the failure was made from.
func (f *Failure) Unwrap() error { return f.Cause }

// Fail makes a failure of a sentence and a next step.
func Fail(next, format string, args ...any) *Failure {
	return &Failure{Sentence: fmt.Sprintf(format, args...), Next: next}
}

// UsageError makes a failure about the command line itself.
func UsageError(next, format string, args ...any) error {
	f := Fail(next, format, args...)
	f.Usage = true
	return f
}

// Report prints err as one sentence and the next step, and returns the exit code.
func (a *App) Report(err error) int {
	if err == nil {
		return ExitOK
	}
	if code, ok := errors.AsType[exit](err); ok {
		return int(code)
	}
	f := Explain(err)
	for _, refine := range a.refine {
		f = refine(f)
	}
	a.Warn("livery: %s", Sentence(f.Sentence))
	for _, line := range FirstFaults(f.Faults) {
		a.Warn("          %s", escape.Line(line))
	}
	if f.Next != "" {
		a.Warn("        %s", f.Next)
	}
	return f.exitCode()
}

// OnFailure registers what may say more of a failure before it is reported.
func (a *App) OnFailure(refine func(*Failure) *Failure) { a.refine = append(a.refine, refine) }

// maxFaults is how many faults a person reads at once.
const maxFaults = 20

// FirstFaults returns the first faults of many, and how many more there are. The origin, too, counts
// the last ones of very many.
func FirstFaults(all []string) []string {
	if len(all) <= maxFaults {
		return all
	}
	more, counted := len(all)-maxFaults, 0
	if _, err := fmt.Sscanf(all[len(all)-1], "and %d more faults", &counted); err == nil {
		more += counted - 1
	}
	return append(all[:maxFaults:maxFaults], "and "+strconv.Itoa(more)+" more")
}

// Sentence ends s with a full stop and keeps it on one line.
func Sentence(s string) string {
	s = escape.Line(s)
	if s == "" || strings.ContainsRune(".?!:", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

// In says of which file or other part an error is, in front of its sentence; nil stays nil.
func In(part string, err error) error {
	if err == nil {
		return nil
	}
	f := *Explain(err)
	f.Sentence = part + ": " + f.Sentence
	return &f
}

// hinted is an error that says what to do about it.
type hinted interface {
	error
	Hint() string
}

// Explain turns any error into a failure with a next step if one is known.
func Explain(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		return explainAnswer(e)
	}
	if e, ok := errors.AsType[hinted](err); ok {
		return &Failure{Sentence: err.Error(), Next: e.Hint(), Cause: err}
	}
	if errors.Is(err, context.Canceled) {
		return &Failure{Sentence: "interrupted", Cause: err}
	}
	if f := explainNetwork(err); f != nil {
		return f
	}
	return &Failure{Sentence: err.Error(), Cause: err}
}

// explainConflict says which conflict it is, and how to go on.
func explainConflict(f *Failure, e *client.Error) {
	f.Sentence = "the resource was changed meanwhile, or the name is taken: " + e.Method + " " + e.URL
	f.Next = "Look at it with livery theme show, then try again."
	switch {
	case errors.Is(e, client.ErrSlugTaken):
		f.Sentence, f.Next = "another one beside it has this slug already", "Choose another slug; livery theme list and livery variant list show those that are taken."
	case errors.Is(e, client.ErrStaleETag), errors.Is(e, client.ErrIfMatchFailed):
		f.Sentence, f.Next = "another client changed it meanwhile: "+e.Method+" "+pathOf(e.URL), "Look at it with livery diff, then try again."
	case errors.Is(e, client.ErrNoDraft):
		f.Sentence, f.Next = "there is no draft to publish", "Push something first."
	case errors.Is(e, client.ErrThemeUnpublished):
		f.Sentence, f.Next = "the Theme has no version yet", "Publish the Theme first: livery publish --theme SLUG."
	case errors.Is(e, client.ErrAlreadyPublished):
		f.Sentence = "the Variant is published at the newest version of its Theme already, and that never changes"
		f.Next = "Publish the Theme once more, with --unchanged if it has nothing new, and then the Variant."
	case errors.Is(e, client.ErrModeUsesVariant):
		f.Sentence = "a mode of the Theme names the Variant"
		f.Next = "Replace the modes by a list without it first: livery theme modes THEME FILE."
	case errors.Is(e, client.ErrIdempotencyKeyReused):
		f.Sentence, f.Next = "another request had the same Idempotency-Key", "Send the request with a key of its own."
	}
}

// explainNetwork says why no answer came, or returns nil if that is not what failed.
func explainNetwork(err error) *Failure {
	f := &Failure{Next: "Start one with livery dev, or name another address with --url.", Cause: err}
	u, isRequest := errors.AsType[*url.Error](err)
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		f.Sentence = "no server is known by the name " + e.Name
		f.Next = "Check the address that --url or LIVERY_URL gives, and the network."
		return f
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" && e.Addr != nil {
		f.Sentence = fmt.Sprintf("no server answers at %s", e.Addr)
		return f
	}
	if !isRequest {
		return nil
	}
	server := serverOf(u.URL)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case u.Timeout():
		f.Sentence, f.Next = "the server did not answer in time: "+server, "Try again; if it stays like this, check the network and the origin."
	case errors.Is(err, http.ErrSchemeMismatch):
		f.Sentence, f.Next = server+" does not use TLS", "Write http:// instead of https://, if you trust the network between."
	case isUntrusted:
		f.Sentence, f.Next = "the certificate of "+server+" is not trusted: "+untrusted.Err.Error(), "Check the address; if you have a certificate authority of your own, name its file with SSL_CERT_FILE."
	default:
		f.Sentence, f.Next = "the connection to "+server+" failed: "+u.Err.Error(), "Check the address that --url or LIVERY_URL gives, also whether it is http or https."
	}
	return f
}

// serverOf returns the scheme and the host of an address.
func serverOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Scheme + "://" + u.Host
}

func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// explainAnswer says what a refusal of the API means to the user of the command.
func explainAnswer(e *client.Error) *Failure {
	f := &Failure{Cause: e}
	switch {
	case errors.Is(e, client.ErrUnauthorized):
		f.Sentence = "the access token is missing, expired or for another origin"
		f.Next = "Give one as LIVERY_TOKEN or --token, or log in with livery login; the operator makes them with livery token."
	case errors.Is(e, client.ErrForbidden):
		f.Sentence = "the grant of this token on the Environment does not allow this"
		f.Next = "Ask the operator for a higher role (livery teams apply)."
	case e.Status == http.StatusNotFound && strings.HasSuffix(pathOf(e.URL), "/public/v1/environments"):
		f.Sentence = "no origin answers at " + serverOf(e.URL)
		f.Next = "Check the address that --url or LIVERY_URL gives: it must be that of the API, not that of the files."
	case errors.Is(e, client.ErrNotFound):
		f.Sentence = "the resource does not exist, or this token may not see it: " + e.URL
		f.Next = "See what there is with livery env list and livery theme list."
	case errors.Is(e, client.ErrConflict):
		explainConflict(f, e)
	case errors.Is(e, client.ErrPlanLimit):
		f.Sentence = "the Theme has as many Variants as the plan allows"
		f.Next = "Delete one with livery variant delete, or ask the operator for a larger plan."
	case errors.Is(e, client.ErrInternal):
		f.Sentence = "the origin failed: " + e.Error()
		f.Next = "Try again; if it fails again, give the operator the request id " + e.RequestID + "."
	case len(e.Messages) == 0:
		f.Sentence = "the origin answers " + e.Error()
	case len(e.Messages) == 1:
		f.Sentence = "the origin refuses this: " + e.Messages[0]
	default:
		f.Sentence, f.Faults = "the origin refuses this:", e.Messages
	}
	return f
}
