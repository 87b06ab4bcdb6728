//go:build !race

package origin

// raced says that the race detector is on.
const raced = false
