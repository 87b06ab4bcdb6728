package term

import (
	"bytes"
	"fmt"
	"testing"

	"example.com/livery/client"
)

// Scripts branch on the exit codes: they never change their meaning.
func TestExitCodes(t *testing.T) {
	answer := func(status int, cause string) error { return &client.Error{Status: status, Cause: cause} }
	cases := []struct {
		rule string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"refused", answer(400, "validation"), 1},
		{"missing", answer(404, "notFound"), 1},
		{"beyond the plan", answer(402, "planLimit"), 1},
		{"wrong usage", UsageError("", "x"), 2},
		{"nothing to do", NothingToDo("x"), 3},
		{"a stale etag", answer(409, "conflict"), 4},
		{"a precondition", answer(412, "conflict"), 4},
		{"a wrapped conflict", fmt.Errorf("x: %w", answer(409, "conflict")), 4},
		{"no token", answer(401, ""), 5},
		{"too low a role", answer(403, "forbidden"), 5},
	}
	for _, c := range cases {
		if got := (&App{Err: &bytes.Buffer{}}).Report(c.err); got != c.want {
			t.Errorf("%s: report(%v) = %d, want %d", c.rule, c.err, got, c.want)
		}
	}
}
