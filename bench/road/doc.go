// Package road measures the road from a push to a served file on one machine: it starts the built binary, publishes a
// real document again and again, and measures what a person waits for.
// The arguments of the part follow "-args --": go test ./bench/road -args -- -h lists them.
package road
