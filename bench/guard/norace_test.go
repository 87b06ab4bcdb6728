//go:build !race

package guard

// underRace says that the race detector is on, which allocates by itself.
const underRace = false
