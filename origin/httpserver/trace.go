package httpserver

import (
	"regexp"
	"strings"

	"github.com/valyala/fasthttp"
)

// traceParent is the form of a "traceparent" header; a later version may say more behind the flags.
var traceParent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// TraceID returns the trace id that a caller sent along (W3C Trace Context, "traceparent"): 32
// hexadecimal digits, or "" if there is none or it is malformed. It goes into log lines, so that a
// request can be followed through what calls this origin; nothing else depends on it.
func TraceID(h *fasthttp.RequestHeader) string {
	all := Lines(h, "Traceparent")
	if len(all) != 1 {
		return ""
	}
	parts := traceParent.FindStringSubmatch(all[0])
	if parts == nil {
		return ""
	}
	version, trace, parent, more := parts[1], parts[2], parts[3], parts[4]
	if version == "ff" || version == "00" && more != "" || isZero(trace) || isZero(parent) {
		return ""
	}
	return trace
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }
