package policy

import (
	"bytes"
	"strings"
)

// pattern is one entry of the allowlist, normalised.
type pattern struct {
	origin string // "scheme://host[:port]"; of a wildcard entry "scheme://"
	suffix string // of a wildcard entry ".host[:port]"; else empty
}

// parsePattern reads "scheme://host[:port]" or "scheme://*.host[:port]".
func parsePattern(entry string) (pattern, bool) {
	scheme, rest, ok := strings.Cut(entry, "://")
	if !ok {
		return pattern{}, false
	}
	if host, wild := strings.CutPrefix(rest, "*."); wild {
		normal, ok := normalise(scheme + "://" + host)
		if !ok {
			return pattern{}, false
		}
		scheme, host, _ = strings.Cut(normal, "://")
		return pattern{origin: scheme + "://", suffix: "." + host}, true
	}
	normal, ok := normalise(entry)
	return pattern{origin: normal}, ok
}

// matches compares with a normalised origin. A wildcard stands for one or more whole labels.
func (p pattern) matches(origin string) bool {
	if p.suffix == "" {
		return origin == p.origin
	}
	labels, ok := strings.CutPrefix(origin, p.origin)
	if !ok {
		return false
	}
	labels, ok = strings.CutSuffix(labels, p.suffix)
	return ok && labels != "" && !strings.HasPrefix(labels, ".") && !strings.HasSuffix(labels, ".")
}

// normalise spells an origin in one way: scheme and host in lower case, no default port. ok is false
// for anything that is not exactly scheme://host[:port]. A host that needs no change costs nothing.
func normalise(origin string) (normal string, ok bool) {
	origin = strings.ToLower(origin)
	scheme, hostPort, ok := strings.Cut(origin, "://")
	if !ok || scheme != "http" && scheme != "https" || !validHostPort(hostPort) {
		return "", false
	}
	if scheme == "http" {
		return strings.TrimSuffix(origin, ":80"), true
	}
	return strings.TrimSuffix(origin, ":443"), true
}

// validHostPort accepts host[:port] with the characters that host names and IP literals have.
func validHostPort(s string) bool {
	host, port := s, ""
	if colon := strings.LastIndexByte(s, ':'); colon > strings.LastIndexByte(s, ']') {
		host, port = s[:colon], s[colon+1:]
		if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return false
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && inner != "" && strings.Trim(inner, "0123456789abcdef:.") == ""
	}
	if host == "" || strings.HasPrefix(host, ".") || strings.Contains(host, "..") {
		return false
	}
	for i := range len(host) {
		c := host[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return true
}

// admits decides by the origin that a request names: its Origin header; else its own, if the
// browser says that it is of the same origin as the edge; else that of its Referer. A request with several
// Origin or several Referer headers is refused: two readers could choose different ones. echo is the
// Origin header's value, if it is the one that matched.
func (r *Rules) admits(req *Request) (echo []byte, ok bool) {
	switch {
	case len(req.Origins) > 1 || len(req.Referers) > 1:
		return nil, false
	case len(req.Origins) == 1:
		return req.Origins[0], r.allows(req.Origins[0])
	case string(req.SecFetchSite) == "same-origin":
		return nil, r.allowsHost(req.Host)
	}
	if len(req.Referers) == 1 {
		if origin := refererOrigin(req.Referers[0]); origin != nil {
			return nil, r.allows(origin)
		}
	}
	switch r.missingOrigin {
	case "allow":
		return nil, true
	case "allowNonBrowsers":
		return nil, !looksLikeBrowser(req)
	}
	return nil, false
}

// allows compares an origin as a browser spells it, which costs nothing, and then normalised.
func (r *Rules) allows(origin []byte) bool {
	for i := range r.origins {
		if r.origins[i].suffix == "" && string(origin) == r.origins[i].origin {
			return true
		}
	}
	normal, ok := normalise(string(origin))
	if !ok {
		return false
	}
	for i := range r.origins {
		if r.origins[i].matches(normal) {
			return true
		}
	}
	return false
}

// allowsHost reports whether the edge's own origin is allowed. Behind a proxy that ends TLS the edge
// does not know its own scheme, so that either will do: a page cannot choose its Host.
func (r *Rules) allowsHost(host []byte) bool {
	var room [128]byte
	return r.allows(append(append(room[:0], "https://"...), host...)) || r.allows(append(append(room[:0], "http://"...), host...))
}

// refererOrigin returns the part of a Referer that is an origin, or nil if it has none.
func refererOrigin(referer []byte) []byte {
	at := bytes.Index(referer, []byte("://"))
	if at <= 0 {
		return nil
	}
	if end := bytes.IndexAny(referer[at+3:], "/?#"); end >= 0 {
		return referer[:at+3+end]
	}
	return referer
}

// looksLikeBrowser goes by headers that only browsers send by themselves.
func looksLikeBrowser(req *Request) bool {
	return len(req.SecFetchSite) > 0 || len(req.SecFetchDest) > 0 || len(req.SecCHUA) > 0 ||
		bytes.HasPrefix(req.UserAgent, []byte("Mozilla/"))
}
