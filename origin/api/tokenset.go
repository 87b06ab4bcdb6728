package api

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// tokenSet is the envelope of a token read.
type tokenSet struct {
	version        *uint32 // null in a read of the current document
	latestVersion  *uint32
	publishedAt    *time.Time
	etag           string // empty without a draft, and in a read of a version
	hasUnpublished bool
	versions       []uint32 // newest first; empty unless the query wants them
	tokens         []theming.TokenEntry
	groups         []theming.GroupEntry
	minimal        bool // without tokens and groups, which the caller knows already (RFC 7240)
}

// newTokenSet returns the set of a current document or map of overrides, without its tokens.
func newTokenSet(latest uint32, publishedAt time.Time, draftETag string) tokenSet {
	return tokenSet{latestVersion: numberOrNull(latest), publishedAt: timeOrNull(publishedAt), etag: draftETag, hasUnpublished: draftETag != ""}
}

// ofVersion makes the set that of a published version.
func (s *tokenSet) ofVersion(number uint32, publishedAt time.Time) {
	s.version, s.publishedAt, s.etag = &number, timeOrNull(publishedAt), ""
}

// answer encodes the set and sends along the draft's etag, or that of a version, which clients may keep for ever: its tokens
// never change. With the list of versions it can change at any time.
func (s tokenSet) answer() httpserver.Answer {
	body := make([]byte, 0, envelopeBytes+tokenBytes*len(s.tokens)+groupBytes*len(s.groups))
	a := httpserver.Answer{Status: fasthttp.StatusOK, Body: s.append(body), Headers: etagHeader(s.etag)}
	if s.minimal {
		a = a.With("Preference-Applied", "return=minimal")
	}
	if s.version != nil {
		a = a.With(fasthttp.HeaderETag, httpserver.ETag(a.Body))
	}
	if s.version != nil && s.versions == nil {
		a = a.With(fasthttp.HeaderCacheControl, "private, max-age=31536000, immutable")
	}
	return a
}

// What a usual set takes, so that a large one is not copied again and again while it grows.
const (
	envelopeBytes = 256
	tokenBytes    = 160 // its names, a value and a short path
	groupBytes    = 80
)

// append encodes the set by hand: it is most of what the API sends, and its values are trees already.
func (s tokenSet) append(dst []byte) []byte {
	dst = append(dst, `{"resource":{"version":`...)
	dst = appendNumber(dst, s.version)
	dst = append(dst, `,"latestVersion":`...)
	dst = appendNumber(dst, s.latestVersion)
	dst = append(dst, `,"publishedAt":`...)
	if s.publishedAt == nil {
		dst = append(dst, "null"...)
	} else {
		dst = jsontree.AppendString(dst, s.publishedAt.Format(record.TimeFormat))
	}
	dst = append(dst, `,"etag":`...)
	if s.etag == "" {
		dst = append(dst, "null"...)
	} else {
		dst = jsontree.AppendString(dst, s.etag)
	}
	dst = append(dst, `,"hasUnpublishedChanges":`...)
	dst = strconv.AppendBool(dst, s.hasUnpublished)
	dst = append(dst, `,"versions":[`...)
	for i, n := range s.versions {
		dst = strconv.AppendUint(separate(dst, i), uint64(n), 10)
	}
	if s.minimal {
		return append(dst, `]}}`...)
	}
	dst = append(dst, `],"tokens":[`...)
	for i := range s.tokens {
		dst = appendToken(separate(dst, i), &s.tokens[i])
	}
	dst = append(dst, `],"groups":[`...)
	for i := range s.groups {
		dst = appendGroup(separate(dst, i), &s.groups[i])
	}
	return append(dst, `]}}`...)
}

func appendToken(dst []byte, t *theming.TokenEntry) []byte {
	dst = append(dst, `{"path":`...)
	dst = jsontree.AppendString(dst, t.Path)
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, t.Type)
	dst = append(dst, `,"resolvedType":`...)
	dst = appendText(dst, t.ResolvedType)
	dst = append(dst, `,"inferred":`...)
	dst = strconv.AppendBool(dst, t.Inferred)
	dst = append(dst, `,"value":`...)
	dst = jsontree.Append(dst, t.Value)
	dst = append(dst, `,"description":`...)
	dst = jsontree.Append(dst, t.Description)
	dst = append(dst, `,"extensions":`...)
	dst = jsontree.Append(dst, t.Extensions)
	return append(dst, '}')
}

func appendGroup(dst []byte, g *theming.GroupEntry) []byte {
	dst = append(dst, `{"path":`...)
	dst = jsontree.AppendString(dst, g.Path)
	dst = append(dst, `,"type":`...)
	dst = appendText(dst, g.Type)
	dst = append(dst, `,"description":`...)
	dst = jsontree.Append(dst, g.Description)
	return append(dst, '}')
}

func separate(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

func appendText(dst []byte, s *string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	return jsontree.AppendString(dst, *s)
}

func appendNumber(dst []byte, n *uint32) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, uint64(*n), 10)
}

// tokenQuery is the query of a read of tokens.
type tokenQuery struct {
	version         *int64 // nil means the current document
	includeVersions bool
	paths           map[string]bool // dotted; nil means all tokens
}

// maxPaths bounds how many tokens and groups a read can name.
const maxPaths = 100

func (q *request) tokenQuery() (tokenQuery, error) {
	params := q.params()
	query := tokenQuery{includeVersions: params.boolean("includeVersions")}
	if number, given := params.integer("version", 0); given {
		query.version = &number
	}
	if err := params.err(); err != nil {
		return query, err
	}
	return query, query.readPaths(q.query["path"])
}

func (query *tokenQuery) readPaths(paths []string) error {
	if len(paths) > maxPaths {
		return invalid(fmt.Sprintf("path: may be named %d times, not %d", maxPaths, len(paths)))
	}
	for _, path := range paths {
		if fault := theming.CheckPath(path); fault != "" {
			return invalid("path: " + fault)
		}
		if query.paths == nil {
			query.paths = map[string]bool{}
		}
		query.paths[path] = true
	}
	return nil
}

// selects reports whether the query names the token or the group of the path, or a group above it.
func (query *tokenQuery) selects(path string) bool {
	for i := range len(path) {
		if path[i] == '.' && query.paths[path[:i]] {
			return true
		}
	}
	return query.paths[path]
}

// narrow leaves in the set what the query selects.
func (query *tokenQuery) narrow(s *tokenSet) {
	if query.paths == nil {
		return
	}
	s.tokens = slices.DeleteFunc(s.tokens, func(t theming.TokenEntry) bool { return !query.selects(t.Path) })
	s.groups = slices.DeleteFunc(s.groups, func(g theming.GroupEntry) bool { return !query.selects(g.Path) })
}

// answer answers with what the query selects of a set, once that was read with err.
func (query tokenQuery) answer(set tokenSet, err error, versions func() ([]uint32, error)) (httpserver.Answer, error) {
	if err == nil && query.includeVersions {
		set.versions, err = versions()
	}
	if err != nil {
		return httpserver.Answer{}, err
	}
	query.narrow(&set)
	return set.answer(), nil
}

// number returns the version that the query names, or errNotFound if no version can have it.
func (query tokenQuery) number() (uint32, error) {
	if *query.version < 1 || *query.version > 1<<32-1 {
		return 0, errNotFound
	}
	return uint32(*query.version), nil
}

// versionNumbers lists the numbers of the versions under parts, newest first.
func versionNumbers[T any](r storage.Reader, versions storage.Table[T], parts ...string) ([]uint32, error) {
	var numbers []uint32
	err := versions.Scan(r, storage.Descending, func(key []byte, _ T) bool {
		if n, err := strconv.ParseUint(storage.LastPart(key), 10, 32); err == nil {
			numbers = append(numbers, uint32(n))
		}
		return true
	}, parts...)
	return numbers, err
}
