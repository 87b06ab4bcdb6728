// Package race tells tests whether the race detector is on.
package race

import "testing"

// Skip skips a test under the race detector that has nothing to race: it does one thing at a time, or it counts what the
// detector changes, such as allocations. make test runs it.
func Skip(t *testing.T) {
	t.Helper()
	if Enabled {
		t.Skip("nothing to race: make test runs it")
	}
}
