package cli

import (
	"strings"
	"testing"

	"example.com/livery/origin/operator"
)

// A request that waits for no time at all would be refused whatever upstream says: the edge does not start with that.
func TestUpstreamWaitIsAboveNothing(t *testing.T) {
	for _, wait := range []string{"0s", "-1s"} {
		var out, errOut strings.Builder
		args := []string{"edge", "--data", t.TempDir(), "--upstream", "http://127.0.0.1:1", "--upstream-token-file", "none", "--upstream-wait", wait}
		if code := Main(args, strings.NewReader(""), &out, &errOut); code != 2 || !strings.Contains(errOut.String(), "--upstream-wait "+wait) {
			t.Errorf("--upstream-wait %s = %d %s, want 2", wait, code, errOut.String())
		}
	}
	t.Setenv("LIVERY_UPSTREAM_WAIT", "300ms")
	got := configOf(t, "edge", "--data", "d", "--upstream", "u", "--upstream-token-file", "f", "--json")
	want := operator.Setting{Name: "upstream-wait", Value: "300ms", Source: "the environment variable LIVERY_UPSTREAM_WAIT"}
	if got["upstream-wait"].Setting != want {
		t.Errorf("livery config says %+v, want %+v", got["upstream-wait"].Setting, want)
	}
}
