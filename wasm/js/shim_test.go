package js

import "testing"

// What the shim promises beside the bytes: refusals, plans that are dropped, instances that failed.
func TestShimKeepsItsPromises(t *testing.T) {
	t.Parallel()
	module(t)
	runNode(t, "shim.test.mjs", *modulePath, canary(t), build(t, "-X main.version=7"))
}
