//go:build !wasip1

// Command guest is the renderer module. It is built for GOOS=wasip1 GOARCH=wasm only; elsewhere it
// is this empty program, so that tools that build everything can.
package main

func main() {}
