package httpserver

import "github.com/valyala/fasthttp"

// TraceID returns the trace id that a caller sent along (W3C Trace Context, "traceparent"): 32
// hexadecimal digits, or "" if there is none or it is malformed. It goes into log lines, so that a
// request can be followed through what calls this origin; nothing else depends on it.
func TraceID(h *fasthttp.RequestHeader) string {
	const id = len("00-") + 32
	all := h.PeekAll("Traceparent")
	if len(all) != 1 {
		return ""
	}
	v := all[0]
	const least = id + len("-0123456789abcdef-00")
	longer := len(v) > least && string(v[:2]) != "00" && v[least] == '-' // a later version may say more
	switch {
	case len(v) != least && !longer, string(v[:2]) == "ff", v[2] != '-', v[id] != '-', v[id+17] != '-':
		return ""
	case !isHex(v[:2]), !isHex(v[3:id]), !isHex(v[id+1 : id+17]), !isHex(v[id+18 : least]), isZero(v[3:id]), isZero(v[id+1 : id+17]):
		return ""
	}
	return string(v[3:id])
}

func isHex(digits []byte) bool {
	for _, d := range digits {
		if (d < '0' || d > '9') && (d < 'a' || d > 'f') {
			return false
		}
	}
	return true
}

func isZero(digits []byte) bool {
	for _, d := range digits {
		if d != '0' {
			return false
		}
	}
	return true
}
