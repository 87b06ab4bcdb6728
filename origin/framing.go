package origin

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// framingFault says what makes a request ambiguous to some server or proxy on its way, or "" (RFC
// 9112 sections 5.1, 5.2, 6.1 and 6.3). The server reads such requests one way; another reader may
// see a second request inside, so they are refused and the connection is closed.
func framingFault(h *fasthttp.RequestHeader) string {
	if p := h.Protocol(); !bytes.Equal(p, []byte("HTTP/1.1")) && !bytes.Equal(p, []byte("HTTP/1.0")) {
		return "the HTTP version must be 1.1 or 1.0"
	}
	length, chunked := false, false
	for rest := h.RawHeaders(); len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case line[0] == ' ' || line[0] == '\t':
			return "a header line must not be folded"
		case bytes.ContainsAny(name, " \t"):
			return "a header name must not hold a space"
		case bytes.EqualFold(name, []byte(fasthttp.HeaderContentLength)):
			length = true
		case bytes.EqualFold(name, []byte(fasthttp.HeaderTransferEncoding)):
			if chunked = true; !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return "the only transfer encoding is chunked"
			}
		}
	}
	if length && chunked {
		return "Content-Length and Transfer-Encoding must not both be sent"
	}
	return ""
}
