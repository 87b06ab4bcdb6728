package feedproto

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/storage/record"
)

// The limits of a request for changes.
const (
	MaxWait      = 55 * time.Second
	DefaultLimit = 1000
	MaxLimit     = 10000
)

// Poll is a request for changes.
type Poll struct {
	After string        // the cursor up to which the client knows the change log; empty: it knows nothing
	Wait  time.Duration // for the first change, in whole seconds
	Limit int           // changes in one answer
}

// URI returns the path and the query of the request.
func (p Poll) URI() string {
	query := url.Values{"after": {p.After}, "wait": {strconv.Itoa(int(p.Wait / time.Second))}, "limit": {strconv.Itoa(p.Limit)}}
	return ChangesPath + "?" + query.Encode()
}

// ParsePoll reads a request for changes. The fault says which parameter is out of its bounds; the cursor is not checked.
func ParsePoll(query *fasthttp.Args) (p Poll, fault string) {
	seconds, ok := bounded(query.Peek("wait"), 0, 0, int(MaxWait/time.Second))
	if !ok {
		return p, "wait: must be 0 to 55 seconds"
	}
	limit, ok := bounded(query.Peek("limit"), DefaultLimit, 1, MaxLimit)
	if !ok {
		return p, "limit: must be 1 to 10000"
	}
	return Poll{string(query.Peek("after")), time.Duration(seconds) * time.Second, limit}, ""
}

// bounded reads a number between least and most; an empty text is fallback.
func bounded(text []byte, fallback, least, most int) (int, bool) {
	if len(text) == 0 {
		return fallback, true
	}
	n, err := strconv.Atoi(string(text))
	return n, err == nil && n >= least && n <= most
}

// RefreshQuery is the query of a request for a changed Theme with pairs of it.
type RefreshQuery struct {
	Since string               // the cursor up to which the client knows the change log; empty: it says nothing
	Pairs []string             // "{-|variant}/{latest|number}", and "/{modes}" of an address with modes
	Has   map[record.Hash]bool // blobs that the client has
}

// RefreshURI returns the path and the query of a request for the Theme under key, "{environment}/{theme}". Clients that
// hold the same spell it in the same way. It sorts the lists.
func RefreshURI(key, since string, pairs, has []string) string {
	return RefreshPath + key + "?" + url.Values{"since": {since}, "pair": sortedSet(pairs), "has": sortedSet(has)}.Encode()
}

// sortedSet sorts a list and drops duplicates.
func sortedSet(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// ParseRefreshQuery reads "since", and any number of "pair" and "has". The fault says what there is too much of; the
// cursor is not checked.
func ParseRefreshQuery(query *fasthttp.Args) (q RefreshQuery, fault string) {
	q = RefreshQuery{Since: string(query.Peek("since")), Has: map[record.Hash]bool{}}
	for _, pair := range query.PeekMulti("pair") {
		q.Pairs = append(q.Pairs, string(pair))
	}
	for _, name := range query.PeekMulti("has") {
		q.Has[record.Hash(name)] = true
	}
	switch {
	case len(q.Pairs) > MaxRefreshPairs:
		return q, "pair: must be at most " + strconv.Itoa(MaxRefreshPairs)
	case len(q.Has) > MaxRefreshHas:
		return q, "has: must be at most " + strconv.Itoa(MaxRefreshHas)
	}
	return q, ""
}
