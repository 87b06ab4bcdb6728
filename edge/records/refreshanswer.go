package records

import (
	"context"
	"strings"

	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// pairsPerQuestion bounds the pairs of a question for a changed Theme. Those beyond are asked for one by one.
const pairsPerQuestion = 16

// refreshAnswer is an answer to it, in parts that are taken one by one.
type refreshAnswer struct {
	freshness Freshness
	theme     feedproto.Theme
	pairs     map[string]feedproto.Pair // by Pair.Key
	blobs     map[record.Hash][]byte    // not checked yet
}

// askForTheme asks for a changed Theme and for the pairs of it that are hot, all in one question; nil
// without such an answer, and each must be asked for.
//
// An answer that others got a moment ago will do, if they had heard as much of the feed: the cursor
// is part of the question. It is read after the number of the change, and written before it, so that
// the answer covers the change.
func (s *Store) askForTheme(ctx context.Context, t *Theme, hot []*Pair) *refreshAnswer {
	change, now := t.change.Load(), s.Now()
	since := s.heard.Load()
	if since == nil || s.Upstream.Backoff(upstream.RefreshEndpoint, true) != nil {
		return nil
	}
	fed, meta, err := s.Upstream.Refresh(ctx, t.Key, refreshQuestion(t.Key, *since, hot[:min(len(hot), pairsPerQuestion)]))
	s.Observer.Asked(upstream.RefreshEndpoint.String(), err)
	if fed == nil {
		return nil
	}
	f := newFreshness(meta, change, now)
	f.Age = 0 // asking for one of them alone may well bring something newer
	return newRefreshAnswer(f, *fed)
}

// refreshQuestion spells the question. Edges that hold the same spell it in the same way.
func refreshQuestion(key, since string, hot []*Pair) string {
	addresses, has := []string{}, []string{}
	for _, p := range hot {
		addresses = append(addresses, strings.TrimPrefix(p.Key, key+"/"))
		if s := p.State(); s != nil && s.Missing == "" {
			fed := s.Inputs.Pair()
			has = append(has, string(fed.Plan))
			if fed.Overlay != "" {
				has = append(has, string(fed.Overlay))
			}
		}
	}
	return feedproto.RefreshURI(key, since, addresses, has)
}

func newRefreshAnswer(f Freshness, fed feedproto.Refresh) *refreshAnswer {
	r := &refreshAnswer{freshness: f, theme: fed.Theme, pairs: map[string]feedproto.Pair{}, blobs: map[record.Hash][]byte{}}
	key := fed.Theme.EnvironmentID + "/" + fed.Theme.ThemeID + "/"
	for _, p := range fed.Pairs {
		if upstream.ValidPair(p.Pair, key+p.Address) {
			r.pairs[key+p.Address] = p.Pair
		}
	}
	for _, b := range fed.Blobs {
		r.blobs[b.Name] = b.Bytes
	}
	return r
}

// pair returns what the answer says of a pair, as long as no other change of its Theme was heard of.
func (r *refreshAnswer) pair(t *Theme, p *Pair) (fed feedproto.Pair, ok bool) {
	if r == nil || r.freshness.Change != t.change.Load() {
		return fed, false
	}
	fed, ok = r.pairs[p.Key]
	return fed, ok
}
