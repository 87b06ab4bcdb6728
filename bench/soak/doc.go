// Package soak runs an origin and an edge for long under traffic, publishes and restarts, and fails if a response is wrong or
// memory grows. It is made of tests alone.
package soak
