//go:build race

package wasm_test

// raced says that the race detector is on.
const raced = true
