package cli

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

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/client"
)

// The exit codes. Scripts branch on them: they never change their meaning.
const (
	exitDone       = 0
	exitFailed     = 1 // refused or failed
	exitUsage      = 2 // the command line itself is wrong
	exitNothing    = 3 // there was nothing to do, and --strict asks to be told so
	exitConflict   = 4 // somebody else changed it, or took the name
	exitNotAllowed = 5 // the token is none, or its grant does not allow this
)

// failure is an error as a user reads it: one sentence, and the next step to try.
type failure struct {
	sentence string
	faults   []string // the sentence ends with a colon and these follow, each on its line
	next     string   // empty where there is nothing to try
	usage    bool     // the command line itself is wrong
	code     int      // exit code; 0 where it follows from the cause
	cause    error    // nil where there is none
}

// exitCode returns the exit code that tells a script what kind of failure this is.
func (f *failure) exitCode() int {
	switch {
	case f.usage:
		return exitUsage
	case f.code != 0:
		return f.code
	case errors.Is(f.cause, client.ErrConflict):
		return exitConflict
	case errors.Is(f.cause, client.ErrForbidden), errors.Is(f.cause, client.ErrUnauthorized):
		return exitNotAllowed
	}
	return exitFailed
}

// nothingToDo is the failure of a command under --strict that found nothing to do.
func nothingToDo(format string, args ...any) error {
	f := fail("", format, args...)
	f.code = exitNothing
	return f
}

// conflict is the failure of a command that met the change of somebody else.
func conflict(next, format string, args ...any) *failure {
	f := fail(next, format, args...)
	f.code = exitConflict
	return f
}

func (f *failure) Error() string { return f.sentence }

// Unwrap returns what the failure was made from.
func (f *failure) Unwrap() error { return f.cause }

// fail makes a failure of a sentence and a next step.
func fail(next, format string, args ...any) *failure {
	return &failure{sentence: fmt.Sprintf(format, args...), next: next}
}

// wrongUsage makes a failure about the command line itself.
func wrongUsage(next, format string, args ...any) error {
	f := fail(next, format, args...)
	f.usage = true
	return f
}

// usageArgs makes the complaint of a check of arguments one about usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		if len(args) > 0 && cmd.HasSubCommands() {
			return unknownCommand(cmd, args[0])
		}
		return wrongUsage("See "+cmd.CommandPath()+" --help.", "%s takes other arguments: %s", cmd.CommandPath(), cmd.UseLine())
	}
}

// report prints err as one sentence and the next step, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitDone
	}
	f := a.explainToken(a.explainRole(explain(err)))
	a.warn("livery: %s", sentence(f.sentence))
	for _, line := range firstFaults(f.faults) {
		a.warn("          %s", escape.Line(line))
	}
	if f.next != "" {
		a.warn("        %s", f.next)
	}
	return f.exitCode()
}

// explainRole says which role a refusal met, where the command had looked up its Environment.
func (a *app) explainRole(f *failure) *failure {
	if !errors.Is(f.cause, client.ErrForbidden) || a.granted.Slug == "" {
		return f
	}
	said := *f
	said.sentence = fmt.Sprintf("the role %s on Environment %s does not allow this", a.granted.Role, a.granted.Slug)
	return &said
}

// maxFaults is how many faults a person reads at once.
const maxFaults = 20

// firstFaults returns the first faults of many, and how many more there are. The origin, too, counts
// the last ones of very many.
func firstFaults(all []string) []string {
	if len(all) <= maxFaults {
		return all
	}
	more, counted := len(all)-maxFaults, 0
	if _, err := fmt.Sscanf(all[len(all)-1], "and %d more faults", &counted); err == nil {
		more += counted - 1
	}
	return append(all[:maxFaults:maxFaults], "and "+strconv.Itoa(more)+" more")
}

// sentence ends s with a full stop and keeps it on one line.
func sentence(s string) string {
	s = escape.Line(s)
	if s == "" || strings.ContainsRune(".?!:", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

// explain turns any error into a failure with a next step where one is known.
func explain(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*client.Error](err); ok {
		return explainAnswer(e)
	}
	if e, ok := errors.AsType[*tokenfile.Error](err); ok {
		return &failure{sentence: e.What, next: e.Next, cause: err}
	}
	if errors.Is(err, context.Canceled) {
		return &failure{sentence: "interrupted", cause: err}
	}
	if f := explainNetwork(err); f != nil {
		return f
	}
	return &failure{sentence: err.Error(), cause: err}
}

// explainNetwork says why no answer came, or returns nil where that is not what failed.
func explainNetwork(err error) *failure {
	f := &failure{next: "Start one with livery dev, or name another address with --url.", cause: err}
	u, isRequest := errors.AsType[*url.Error](err)
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		f.sentence = "no server is known by the name " + e.Name
		f.next = "Look at the address that --url or LIVERY_URL gives, and at the network."
		return f
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" && e.Addr != nil {
		f.sentence = fmt.Sprintf("no server answers at %s", e.Addr)
		return f
	}
	if !isRequest {
		return nil
	}
	server := serverOf(u.URL)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case u.Timeout():
		f.sentence, f.next = "the server did not answer in time: "+server, "Try again; if it stays, look at the network and at the origin."
	case errors.Is(err, http.ErrSchemeMismatch):
		f.sentence, f.next = server+" speaks no TLS", "Write http:// instead of https://, if nobody else is on the way there."
	case isUntrusted:
		f.sentence, f.next = "the certificate of "+server+" is not trusted: "+untrusted.Err.Error(), "Look at the address; for an authority of your own name its file with SSL_CERT_FILE."
	default:
		f.sentence, f.next = "the connection to "+server+" failed: "+u.Err.Error(), "Look at the address that --url or LIVERY_URL gives, also whether it is http or https."
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

// explainAnswer says what a refusal of the API means to whoever typed the command.
func explainAnswer(e *client.Error) *failure {
	f := &failure{cause: e}
	switch {
	case errors.Is(e, client.ErrUnauthorized):
		f.sentence = "the access token is missing, expired or for another origin"
		f.next = "Give one as LIVERY_TOKEN or --token, or log in with livery login; the operator makes them with livery token."
	case errors.Is(e, client.ErrForbidden):
		f.sentence = "the grant of this token on the Environment does not allow this"
		f.next = "Ask the operator for a higher role (livery teams apply)."
	case e.Status == http.StatusNotFound && strings.HasSuffix(pathOf(e.URL), "/public/v1/environments"):
		f.sentence = "no origin answers at " + serverOf(e.URL)
		f.next = "Look at the address that --url or LIVERY_URL gives: it is that of the API, not that of the files."
	case errors.Is(e, client.ErrNotFound):
		f.sentence = "there is no such resource, or it is not this token's to see: " + e.URL
		f.next = "See what there is with livery env list and livery theme list."
	case errors.Is(e, client.ErrConflict):
		f.sentence = "the state has moved on, or the name is taken: " + e.Method + " " + e.URL
		f.next = "Look at it with livery theme show, then try again."
	case errors.Is(e, client.ErrPlanLimit):
		f.sentence = "the Theme has as many Variants as the plan allows"
		f.next = "Delete one with livery variant delete, or ask the operator for a larger plan."
	case errors.Is(e, client.ErrInternal):
		f.sentence = "the origin failed: " + e.Error()
		f.next = "Try again; if it stays, tell the operator the request id " + e.RequestID + "."
	case len(e.Messages) == 0:
		f.sentence = "the origin answers " + e.Error()
	case len(e.Messages) == 1:
		f.sentence = "the origin refuses this: " + e.Messages[0]
	default:
		f.sentence, f.faults = "the origin refuses this:", e.Messages
	}
	return f
}
