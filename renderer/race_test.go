//go:build race

package renderer_test

// underRace says that the race detector is on. It finds nothing in tests of one goroutine, and makes
// those of the largest files take minutes.
const underRace = true
