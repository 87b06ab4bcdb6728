//go:build race

package program

// Raced says that the race detector is on.
const Raced = true
