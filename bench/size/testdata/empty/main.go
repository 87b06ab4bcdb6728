// Command empty is a reactor that does nothing: what a module of Go weighs before it does anything.
package main

//go:wasmexport info
func info() uint32 { return 0 }

func main() {}
