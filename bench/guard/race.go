//go:build race

package main

// underRace says that the race detector is on, which allocates by itself.
const underRace = true
