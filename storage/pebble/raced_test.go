//go:build race

package pebble_test

// raced says that the race detector is on: faults are then met at fewer points.
const raced = true
