package httpserver

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpguard"
)

// FramingFault says what makes a request ambiguous to some server or proxy on its way, or "". The server
// reads such requests one way; another reader may see a second request inside, so they are refused and the
// connection is closed.
func FramingFault(h *fasthttp.RequestHeader) string {
	if p := h.Protocol(); !bytes.Equal(p, []byte("HTTP/1.1")) && !bytes.Equal(p, []byte("HTTP/1.0")) {
		return "the HTTP version must be 1.1 or 1.0"
	}
	return httpguard.Framing(h.RawHeaders())
}
