package origin

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// servePublic answers one request of the public listener.
func (o *Origin) servePublic(ctx *fasthttp.RequestCtx) {
	started := time.Now()
	q := &request{id: newRequestID(), trace: traceOf(&ctx.Request.Header)}
	a := o.judge(ctx, q)
	o.write(ctx, q.id, a)
	o.metrics.observe(q.route.Method, q.route.Path, a.status, started)
	o.log.LogAttrs(o.ctx, slog.LevelDebug, "origin: request", slog.String("request", q.id), slog.String("trace", q.trace), slog.String("method", q.route.Method),
		slog.String("route", q.route.Path), slog.Int("status", a.status), slog.Duration("took", time.Since(started)))
}

// judge answers a request. The order of its refusals is part of the API: size, framing, token, route, and
// then what routed does. The body is unread until routed knows that the caller may send one. A panic is a failure of this one request.
func (o *Origin) judge(ctx *fasthttp.RequestCtx, q *request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = o.refuse(q, panicked(p))
		}
	}()
	if lengthOf(&ctx.Request.Header) > o.config.Limits.BodyBytes {
		return o.refuse(q, unreadError{fasthttp.ErrBodyTooLarge})
	}
	target := string(ctx.Request.Header.RequestURI())
	switch what := o.framing(&ctx.Request.Header); {
	case what != "":
		return malformed(what)
	case target == "*" && ctx.IsOptions():
		return answer{status: fasthttp.StatusOK}
	case strings.HasPrefix(target, "//"): // the server would take the first segment for a host
		return o.refuse(q, errNotFound)
	}
	if needsToken(string(ctx.URI().PathOriginal())) {
		if err := o.authenticate(ctx, q); err != nil {
			o.metrics.refusedToken(auth.Reason(err))
			return o.refuse(q, err)
		}
		if !o.rate.allows(q.caller.Subject, o.now()) {
			o.metrics.rateLimited()
			return overloaded(fasthttp.StatusTooManyRequests, causeRateLimit)
		}
	}
	ctx.SetUserValue(requestKey{}, q)
	o.router.Handler(ctx)
	return q.answer
}

// needsToken reports whether a path is answered to nobody without a token, whether it exists or not.
func needsToken(path string) bool {
	return path != openAPIPath && path != loginPath && (path == apiPath || strings.HasPrefix(path, apiPath+"/"))
}

func (o *Origin) authenticate(ctx *fasthttp.RequestCtx, q *request) (err error) {
	q.caller, err = o.keys.Verify(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization)))
	return err
}

// answered leaves an answer for judge to return.
func answered(ctx *fasthttp.RequestCtx, a answer) {
	ctx.UserValue(requestKey{}).(*request).answer = a
}

// routed returns the handler of a route.
func (o *Origin) routed(route Route) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		q := ctx.UserValue(requestKey{}).(*request)
		q.fill(ctx, route)
		q.receive = func() (func(), error) { return o.receive(ctx, q) }
		a, err := o.run(q)
		if err != nil {
			a = o.refuse(q, err)
		}
		q.answer = a
	}
}

// refuse answers with an error, and logs what is a failure of the server.
func (o *Origin) refuse(q *request, err error) answer {
	a, failure := refusalOf(err)
	if failure {
		o.log.Error("origin: a request failed", "request", q.id, "trace", q.trace, "method", q.route.Method, "route", q.route.Path, "error", err)
	}
	return a
}

// run finds what the request is about, which also says whether the caller may, and then reads, or
// prepares and writes. Whether the caller may write is asked twice, before the body is read and
// again in the transaction: the body is parsed while nobody waits, and what is committed was allowed
// then.
func (o *Origin) run(q *request) (a answer, err error) {
	err = o.view(o.wanting(q), func(r storage.Reader) error {
		p, err := find(r, q)
		q.seen = p
		if err != nil || q.route.read == nil {
			return err
		}
		a, err = q.route.read(o, r, q, p)
		return err
	})
	if err != nil || q.route.read != nil {
		return a, err
	}
	if q.receive != nil {
		release, err := q.receive()
		if err != nil {
			return a, err
		}
		defer release()
	}
	do, err := q.route.write(o, q)
	if err != nil {
		return a, err
	}
	if do, err = o.once(q, do); err != nil {
		return a, err
	}
	_, err = o.store.Update(o.ctx, q.environmentID, func(tx storage.Tx) (change record.Change, err error) {
		p, err := find(tx, q)
		if err != nil {
			return change, err
		}
		if a, change, err = do(tx, p); err == nil {
			err = o.audit(tx, q, p, change)
		}
		return change, err
	})
	if err == nil && q.after != nil {
		q.after()
	}
	if err == nil && q.noted != nil {
		o.told(*q.noted)
	}
	return a, err
}

// receive reads the body of a request whose caller may send it, within what bodies may take together. A
// chunked one counts as the largest.
func (o *Origin) receive(ctx *fasthttp.RequestCtx, q *request) (release func(), err error) {
	length := lengthOf(&ctx.Request.Header)
	if length == chunkedLength {
		length = o.config.Limits.BodyBytes
	}
	release, err = o.bodies.reserve(q.caller.Subject, int64(length))
	if err != nil {
		o.metrics.bodyRefused()
		return nil, err
	}
	if q.body, err = readBody(ctx, o.config.Limits.BodyBytes); err != nil {
		release()
	}
	return release, err
}

// place is what a request's path names, as far as it goes.
type place struct {
	environment record.Environment
	role        record.Role // the caller's on the Environment
	theme       record.Theme
	variant     record.Variant
}

// find reads what the path names: errNotFound or auth.ErrForbidden where the caller may not know of
// it or not do this, in the order that the API promises.
func find(r storage.Reader, q *request) (p place, err error) {
	if q.route.Path == environmentsPath {
		return p, nil
	}
	if !isID(q.environmentID, "env_") {
		return p, errNotFound
	}
	granted, err := q.caller.Environment(r, q.environmentID)
	if err != nil {
		return p, orNotFound(err)
	}
	p.environment, p.role = granted.Environment, granted.Role
	if q.route.Role != "" && !p.role.Allows(q.route.Role) {
		return p, auth.ErrForbidden
	}
	if q.themeID == "" {
		return p, nil
	}
	if !isID(q.themeID, "thm_") {
		return p, errNotFound
	}
	if err := storage.Prefetch(r, childKeys(q)...); err != nil {
		return p, err
	}
	if p.theme, err = storage.Themes.Read(r, q.environmentID, q.themeID); err != nil || q.variantID == "" {
		return p, orNotFound(err)
	}
	if !isID(q.variantID, "var_") {
		return p, errNotFound
	}
	p.variant, err = storage.Variants.Read(r, q.environmentID, q.themeID, q.variantID)
	return p, orNotFound(err)
}

// wanting is the context of a View that begins with what the path names: the Environment, and once the caller
// was found to have a grant on it, all that is below.
func (o *Origin) wanting(q *request) context.Context {
	if !isID(q.environmentID, "env_") {
		return o.ctx
	}
	keys := [][]byte{storage.Environments.Key(q.environmentID)}
	if seen := q.seen; seen.theme.ID != "" {
		keys = append(append(keys, storage.Memberships.Key(seen.environment.TeamID, q.caller.Subject)), childKeys(q)...)
		keys = append(keys, storage.ThemeVersions.Key(q.environmentID, q.themeID, storage.Number(seen.theme.LatestVersion)))
	}
	return storage.WithKeys(o.ctx, keys...)
}

// childKeys are those of what a path names below its Environment, and of the draft that most requests go on with.
func childKeys(q *request) [][]byte {
	theme := []string{q.environmentID, q.themeID}
	keys := [][]byte{storage.Themes.Key(theme...)}
	if !isID(q.variantID, "var_") {
		return append(keys, storage.ThemeDrafts.Key(theme...))
	}
	variant := append(theme, q.variantID)
	return append(keys, storage.Variants.Key(variant...), storage.VariantDrafts.Key(variant...))
}

// isID reports whether s has the form of an id: the prefix and 26 digits or lower-case letters.
func isID(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != 26 {
		return false
	}
	for i := range len(rest) {
		if (rest[i] < '0' || rest[i] > '9') && (rest[i] < 'a' || rest[i] > 'z') {
			return false
		}
	}
	return true
}

// refusedFor returns the answer to an error that is a refusal.
func refusedFor(err error) answer {
	a, _ := refusalOf(err)
	return a
}

// isMissing reports whether err says that the store has no such record.
func isMissing(err error) bool { return errors.Is(err, storage.ErrNotFound) }
