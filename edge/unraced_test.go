//go:build !race

package edge

const raced = false

// Raced is raced, for the tests of the package's outside.
const Raced = raced
