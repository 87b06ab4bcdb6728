//go:build !race

package origin_test

// raced says that the race detector is on.
const raced = false
