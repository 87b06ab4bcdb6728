package upstream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// ErrBackoff means that nothing was asked: no upstream gave a right answer a moment ago.
var ErrBackoff = fmt.Errorf("%w: it gave no right answer a moment ago", ErrUnreachable)

// BackoffError is ErrBackoff with since when that is so, and from when on a question is let through, both in Unix
// nanoseconds.
type BackoffError struct{ Since, Next int64 }

func (r *BackoffError) Error() string { return ErrBackoff.Error() }
func (r *BackoffError) Unwrap() error { return ErrBackoff }

// reply is what one upstream said.
type reply[T any] struct {
	from   *Client
	answer T
	err    error
}

// askInTurn asks the upstreams in turn until one answers, and returns the error of the first. One that has not answered
// within its share of the time that a request waits has the next one asked beside it. Those that gave no right
// answer lately, or are cut off, are asked if no other one answers. notFollowed is true if the answer is not of the upstream that is
// followed. path names the question.
func askInTurn[T any](
	ctx context.Context, p *Pool, at Endpoint, path string, ask func(context.Context, *Client) (T, error),
) (answer T, notFollowed bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of those that were too late
	followed := p.followed.Load()
	rest := p.order(followed, at)
	replies, asked := make(chan reply[T], len(rest)), []*Client{}
	for len(rest) > 0 || len(asked) > 0 {
		if len(rest) > 0 {
			u := rest[0]
			if rest = rest[1:]; !u.admits(at) {
				continue
			}
			asked = append(asked, u)
			goUnless(len(rest) == 0 && len(asked) == 1, func() {
				a, err := askOne(ctx, u, at, path, ask)
				replies <- reply[T]{u, a, err}
			})
		}
		r, ok := receive(replies, p.share, len(rest) > 0)
		if !ok {
			continue
		}
		asked = slices.DeleteFunc(asked, func(u *Client) bool { return u == r.from })
		if r.err == nil {
			countSlow(asked, at)
			return r.answer, r.from != followed && len(p.clients) > 1, nil
		}
		err = cmp.Or(err, r.err)
	}
	if err == nil {
		err = p.nextProbe(at, false)
	}
	return answer, false, err
}

// goUnless calls f, in a goroutine of its own unless the caller has nothing else to wait for.
func goUnless(alone bool, f func()) {
	if alone {
		f()
		return
	}
	go f()
}

// receive returns the next reply; ok is false if there is none within the time, and that counts.
func receive[T any](replies <-chan reply[T], within time.Duration, counts bool) (r reply[T], ok bool) {
	var late <-chan time.Time
	if counts {
		timer := time.NewTimer(within)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case r = <-replies:
		return r, true
	case <-late:
		return r, false
	}
}

// askOne asks one upstream, and notes how that went.
func askOne[T any](
	ctx context.Context, u *Client, at Endpoint, path string, ask func(context.Context, *Client) (T, error),
) (T, error) {
	askedAt := u.now()
	answer, err := ask(ctx, u)
	if ctx.Err() == nil {
		u.endpoints[at].observe(path, err, askedAt.UnixNano(), u.now().UnixNano())
	}
	return answer, err
}

// countSlow counts upstreams that were asked before the one that answered, and said nothing yet, as failing: the
// questions after this one go to others first.
func countSlow(late []*Client, at Endpoint) {
	for _, u := range late {
		now := u.now().UnixNano()
		u.endpoints[at].fail(now, now)
	}
}

// order returns the upstreams as questions to an endpoint go to them: the one that is followed first, and last
// those that gave no right answer or are cut off, in the order of preference.
func (p *Pool) order(followed *Client, at Endpoint) []*Client {
	order := slices.Clone(p.clients)
	now := p.clients[0].now().UnixNano()
	slices.SortStableFunc(order, func(a, b *Client) int {
		return cmp.Compare(rank(a, followed, at, now), rank(b, followed, at, now))
	})
	return order
}

// rank returns the place of an upstream in the order. One that failed at the endpoint alone has its place again
// after its pause: nothing else would find that it answers again.
func rank(u, followed *Client, at Endpoint, now int64) int {
	switch {
	case u.down() || u.cutOff.since() != 0 || now < u.endpoints[at].next():
		return 2
	case u != followed:
		return 1
	}
	return 0
}

// recordReply is a record, what is missing if there is none, and how the answer came about.
type recordReply[T any] struct {
	fed     T
	missing string
	meta    ResponseMeta
}

// Theme returns the record of the Theme "{env}/{theme}"; missing if the Theme does not exist. The error is ErrUnreachable.
func (p *Pool) Theme(ctx context.Context, key string) (fed feedproto.Theme, missing bool, m ResponseMeta, err error) {
	r, notFollowed, err := askInTurn(ctx, p, ThemeEndpoint, key, func(ctx context.Context, u *Client) (r recordReply[feedproto.Theme], err error) {
		r.fed, r.missing, r.meta, err = u.theme(ctx, key)
		return r, err
	})
	r.meta.NotFollowed = r.meta.NotFollowed || notFollowed
	return r.fed, r.missing != "", r.meta, err
}

// Manifest returns the manifest of the Theme "{env}/{theme}"; missing says what is missing if there is none. The error is
// ErrUnreachable.
func (p *Pool) Manifest(ctx context.Context, key string) (fed feedproto.Manifest, missing string, m ResponseMeta, err error) {
	r, notFollowed, err := askInTurn(ctx, p, ManifestEndpoint, key, func(ctx context.Context, u *Client) (r recordReply[feedproto.Manifest], err error) {
		r.fed, r.missing, r.meta, err = u.manifest(ctx, key)
		return r, err
	})
	r.meta.NotFollowed = r.meta.NotFollowed || notFollowed
	return r.fed, r.missing, r.meta, err
}

// Pair returns the record of a pair; missing says what is missing if there is none. inputs says what is to come with it:
// feedproto.OverlayInput or AllInputs. It is not checked. The error is ErrUnreachable.
func (p *Pool) Pair(ctx context.Context, key, inputs string) (fed feedproto.PairInputs, missing string, m ResponseMeta, err error) {
	r, notFollowed, err := askInTurn(ctx, p, PairEndpoint, key, func(ctx context.Context, u *Client) (r recordReply[feedproto.PairInputs], err error) {
		r.fed, r.missing, r.meta, err = u.pair(ctx, key, inputs)
		return r, err
	})
	r.meta.NotFollowed = r.meta.NotFollowed || notFollowed
	return r.fed, r.missing, r.meta, err
}

// Blob returns the bytes of that hash. The error is ErrUnreachable.
func (p *Pool) Blob(ctx context.Context, name record.Hash) (blob []byte, err error) {
	blob, _, err = askInTurn(ctx, p, BlobEndpoint, string(name), func(ctx context.Context, u *Client) ([]byte, error) {
		return u.blob(ctx, name)
	})
	return blob, err
}

// Modules lists the renderer modules that upstream has. The error is ErrUnreachable.
func (p *Pool) Modules(ctx context.Context) (fed feedproto.Modules, err error) {
	fed, _, err = askInTurn(ctx, p, modulesEndpoint, feedproto.ModulesPath, func(ctx context.Context, u *Client) (feedproto.Modules, error) {
		return u.modules(ctx)
	})
	return fed, err
}

// Refresh asks for a changed Theme with pairs of it, by the URI of the question. fed is nil if the upstream that
// answered has no answer. The error is ErrUnreachable.
func (p *Pool) Refresh(ctx context.Context, key, uri string) (fed *feedproto.Refresh, m ResponseMeta, err error) {
	r, notFollowed, err := askInTurn(ctx, p, RefreshEndpoint, uri, func(ctx context.Context, u *Client) (r recordReply[*feedproto.Refresh], err error) {
		r.fed, r.meta, err = u.refresh(ctx, key, uri)
		return r, err
	})
	r.meta.NotFollowed = r.meta.NotFollowed || notFollowed
	return r.fed, r.meta, err
}
