package edge_test

import (
	"slices"
	"testing"

	"example.com/livery/internal/test/race"
)

// What a request has an edge ask upstream belongs to the request's trace, through an edge between as well;
// what is not a trace goes nowhere.
func TestQuestionsCarryTheTraceOn(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, row := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"a trace", []string{"Traceparent: " + trace}, trace},
		{"none", nil, ""},
		{"not hexadecimal", []string{"Traceparent: " + trace[:52] + "-0g"}, ""},
		{"too long", []string{"Traceparent: " + trace + "0"}, ""},
		{"another version", []string{"Traceparent: 01" + trace[2:]}, ""},
		{"two", []string{"Traceparent: " + trace, "Traceparent: " + trace}, ""},
	} {
		f := publishedFeed(t)
		middle := run(t, f)
		leaf := run(t, f, behind(middle.serveFeed("127.0.0.1:0")))
		middle.settle()
		leaf.settle()
		var got response
		eventually(t, "an answer", func() bool { // on a busy machine the first may be to come again
			got = leaf.do("GET", path("-", "1", "tokens.css"), row.lines...)
			return got.status != 503
		})
		want(t, got, 200, "4px")
		f.mu.Lock()
		asked := slices.DeleteFunc(slices.Clone(f.traced), func(s string) bool { return s == "" })
		all := len(f.traced)
		f.mu.Unlock()
		if row.want == "" && len(asked) > 0 || row.want != "" && (len(asked) < 2 || slices.ContainsFunc(asked, func(s string) bool { return s != row.want })) {
			t.Errorf("%s: %d questions carried %q, want %q for the Theme and the pair", row.name, all, asked, row.want)
		}
		leaf.stop()
		middle.stop()
	}
}
