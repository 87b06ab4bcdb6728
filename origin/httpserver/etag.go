package httpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// ETag returns the strong entity tag of a body, in quotes.
func ETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// With returns the answer with a header more.
func (a Answer) With(name, value string) Answer {
	a.Headers = append(slices.Clip(a.Headers), Header{name, value})
	return a
}

// Varying returns the answer with one more request header in Vary.
func (a Answer) Varying(name string) Answer {
	for i, h := range a.Headers {
		if h.Name == fasthttp.HeaderVary {
			a.Headers = slices.Clone(a.Headers)
			a.Headers[i].Value += ", " + name
			return a
		}
	}
	return a.With(fasthttp.HeaderVary, name)
}

// header returns the value of a header of the answer, "" if it has none of that name.
func (a Answer) header(name string) string {
	i := slices.IndexFunc(a.Headers, func(h Header) bool { return h.Name == name })
	if i < 0 {
		return ""
	}
	return a.Headers[i].Value
}

// Validated returns the answer to a GET with an entity tag, by which the client can ask again: the one that it has, or a weak
// one of its body. A weak one names these bytes and never is a precondition of a write. If ifNoneMatch names the tag, it is
// 304 without a body. Answers but 200 stay as they are.
func (a Answer) Validated(ifNoneMatch []string) Answer {
	if a.Status != fasthttp.StatusOK || a.Stream != nil {
		return a
	}
	if a.header(fasthttp.HeaderETag) == "" {
		a = a.With(fasthttp.HeaderETag, "W/"+ETag(a.Body))
	}
	if a.header(fasthttp.HeaderCacheControl) == "" {
		a = a.With(fasthttp.HeaderCacheControl, "private, no-cache")
	}
	if names(ifNoneMatch, a.header(fasthttp.HeaderETag)) {
		a.Status, a.Body = fasthttp.StatusNotModified, nil
	}
	return a
}

// names reports whether the lines of an If-None-Match field name the tag (RFC 9110 section 13.1.2: compared weakly).
func names(lines []string, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || tag != "" && strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}
