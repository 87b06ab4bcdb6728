//go:build !race

package renderer_test

// underRace says that the race detector is on.
const underRace = false
