package httpserver_test

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
)

const aTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// A trace id is taken from a well-formed traceparent alone (W3C Trace Context 3.2).
func TestTraceparentIsReadStrictly(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"none":                    {nil, ""},
		"version 00":              {[]string{"00-" + aTrace + "-00f067aa0ba902b7-01"}, aTrace},
		"a later version":         {[]string{"cc-" + aTrace + "-00f067aa0ba902b7-01-more"}, aTrace},
		"a longer version 00":     {[]string{"00-" + aTrace + "-00f067aa0ba902b7-01-more"}, ""},
		"a later version, joined": {[]string{"cc-" + aTrace + "-00f067aa0ba902b7-01more"}, ""},
		"version ff":              {[]string{"ff-" + aTrace + "-00f067aa0ba902b7-01"}, ""},
		"upper case":              {[]string{"00-" + strings.ToUpper(aTrace) + "-00f067aa0ba902b7-01"}, ""},
		"a zero trace":            {[]string{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}, ""},
		"a zero parent":           {[]string{"00-" + aTrace + "-" + strings.Repeat("0", 16) + "-01"}, ""},
		"short":                   {[]string{"00-" + aTrace}, ""},
		"two":                     {[]string{"00-" + aTrace + "-00f067aa0ba902b7-01", "00-" + aTrace + "-00f067aa0ba902b7-01"}, ""},
		"a line break":            {[]string{"00-" + aTrace[:31] + "\n-00f067aa0ba902b7-01"}, ""},
	} {
		var h fasthttp.RequestHeader
		for _, line := range c.lines {
			h.Add("Traceparent", line)
		}
		if got := httpserver.TraceID(&h); got != c.want {
			t.Errorf("%s: TraceID(%q) = %q, want %q", name, c.lines, got, c.want)
		}
	}
}
