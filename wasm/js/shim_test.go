package js

import "testing"

// What the shim promises beside the bytes: refusals, plans that are dropped, instances that failed.
func TestShimKeepsItsPromises(t *testing.T) {
	module(t)
	runNode(t, "shim.test.mjs", *modulePath, build(t, "./testdata/canary"), build(t, "./testdata/canary", "-X main.version=7"))
}
