//go:build race

package edge

// raced says that the race detector is on: pools then drop what they hold at random.
const raced = true
