package edge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// errResting means that nobody was asked: no upstream gave a right answer a moment ago.
var errResting = fmt.Errorf("%w: it gave no right answer a moment ago", errUnreachable)

// restingError is errResting with since when that is so, and from when on a question is let through, both in Unix
// nanoseconds.
type restingError struct{ since, next int64 }

func (r *restingError) Error() string { return errResting.Error() }
func (r *restingError) Unwrap() error { return errResting }

// reply is what one upstream said.
type reply[T any] struct {
	from   *upstream
	answer T
	err    error
}

// first asks the upstreams in turn until one answers, and returns the error of the first. One that has not answered
// within its share of the time that a request waits has the next one asked beside it. Those that gave no right
// answer lately are asked if no other one does. aside is true if the answer is not of the upstream that is
// followed. path names the question.
func first[T any](
	ctx context.Context, s *sources, at endpoint, path string, ask func(context.Context, *upstream) (T, error),
) (answer T, aside bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // of those that were too late
	followed := s.followed.Load()
	rest := s.order(followed, at)
	replies, asked := make(chan reply[T], len(rest)), []*upstream{}
	for len(rest) > 0 || len(asked) > 0 {
		if len(rest) > 0 {
			u := rest[0]
			if rest = rest[1:]; !u.admits(at) {
				continue
			}
			asked = append(asked, u)
			goUnless(len(rest) == 0 && len(asked) == 1, func() {
				a, err := askAt(ctx, u, at, path, ask)
				replies <- reply[T]{u, a, err}
			})
		}
		r, ok := receive(replies, s.share, len(rest) > 0)
		if !ok {
			continue
		}
		asked = slices.DeleteFunc(asked, func(u *upstream) bool { return u == r.from })
		if r.err == nil {
			countLate(asked, at)
			return r.answer, r.from != followed && len(s.list) > 1, nil
		}
		err = cmp.Or(err, r.err)
	}
	if err == nil {
		err = s.rest(at)
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

// askAt asks one upstream, and keeps how that went.
func askAt[T any](
	ctx context.Context, u *upstream, at endpoint, path string, ask func(context.Context, *upstream) (T, error),
) (T, error) {
	askedAt := u.now()
	answer, err := ask(ctx, u)
	if ctx.Err() == nil {
		u.losses[at].settle(path, err, askedAt.UnixNano(), u.now().UnixNano())
	}
	return answer, err
}

// countLate counts upstreams that were asked before the one that answered, and said nothing yet, as failing: the
// questions after this one go to others first.
func countLate(late []*upstream, at endpoint) {
	for _, u := range late {
		now := u.now().UnixNano()
		u.losses[at].add(now, now)
	}
}

// order returns the upstreams as questions to an endpoint go to them: the one that is followed first, and last
// those that gave no right answer, in the order of preference.
func (s *sources) order(followed *upstream, at endpoint) []*upstream {
	order := slices.Clone(s.list)
	now := s.list[0].now().UnixNano()
	slices.SortStableFunc(order, func(a, b *upstream) int {
		return cmp.Compare(place(a, followed, at, now), place(b, followed, at, now))
	})
	return order
}

// place returns where an upstream stands in the order. One that failed at the endpoint alone has its place again
// when it has rested: nothing else would find that it answers again.
func place(u, followed *upstream, at endpoint, now int64) int {
	switch {
	case u.failing() || now < u.losses[at].next():
		return 2
	case u != followed:
		return 1
	}
	return 0
}

// recordAnswer is a record, what is missing if there is none, and how the answer came about.
type recordAnswer[T any] struct {
	fed     T
	missing string
	manner  manner
}

func (s *sources) theme(ctx context.Context, key string) (fed feedproto.Theme, missing bool, m manner, err error) {
	r, aside, err := first(ctx, s, themeEndpoint, key, func(ctx context.Context, u *upstream) (r recordAnswer[feedproto.Theme], err error) {
		r.fed, r.missing, r.manner, err = u.theme(ctx, key)
		return r, err
	})
	r.manner.aside = r.manner.aside || aside
	return r.fed, r.missing != "", r.manner, err
}

func (s *sources) pair(ctx context.Context, key string) (fed feedproto.Pair, missing string, m manner, err error) {
	r, aside, err := first(ctx, s, pairEndpoint, key, func(ctx context.Context, u *upstream) (r recordAnswer[feedproto.Pair], err error) {
		r.fed, r.missing, r.manner, err = u.pair(ctx, key)
		return r, err
	})
	r.manner.aside = r.manner.aside || aside
	return r.fed, r.missing, r.manner, err
}

func (s *sources) blob(ctx context.Context, name record.Hash) (blob []byte, err error) {
	blob, _, err = first(ctx, s, blobEndpoint, string(name), func(ctx context.Context, u *upstream) ([]byte, error) {
		return u.blob(ctx, name)
	})
	return blob, err
}

func (s *sources) modules(ctx context.Context) (fed feedproto.Modules, err error) {
	fed, _, err = first(ctx, s, modulesEndpoint, feedproto.ModulesPath, func(ctx context.Context, u *upstream) (feedproto.Modules, error) {
		return u.modules(ctx)
	})
	return fed, err
}

// refresh asks for a changed Theme with pairs of it; fed is nil if the upstream that answered has no such answer.
func (s *sources) refresh(ctx context.Context, key, question string) (fed *feedproto.Refresh, a answer, err error) {
	type refreshed struct {
		fed    *feedproto.Refresh
		answer answer
	}
	r, aside, err := first(ctx, s, refreshEndpoint, question, func(ctx context.Context, u *upstream) (r refreshed, err error) {
		r.fed, r.answer, err = u.refresh(ctx, key, question)
		return r, err
	})
	r.answer.manner.aside = r.answer.manner.aside || aside
	return r.fed, r.answer, err
}
