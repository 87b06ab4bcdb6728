//go:build race

package edge

// raced says that the race detector is on: pools then drop what they hold at random.
const raced = true

// Raced is raced, for the tests of the package's outside.
const Raced = raced
