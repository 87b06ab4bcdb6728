package cli

import (
	"strings"
	"testing"
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
}
