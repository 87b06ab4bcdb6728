// Package toolchain says whether the Go that built this program has the published fixes that Livery relies on.
package toolchain

import (
	"go/version"
	"runtime"
)

// Wanted is the first Go whose standard library has the published fixes of net/http's HTTP/2. The toolchain line of
// go.mod names it too, so that the go command fetches it for a build if it may.
const Wanted = "go1.26.9"

// Warning returns what is wrong with the Go that built this program and what to do, or "" if it is new enough.
func Warning() string { return warning(runtime.Version()) }

func warning(built string) string {
	if version.IsValid(built) && version.Compare(built, Wanted) >= 0 {
		return ""
	}
	return "built with " + built + ", which lacks fixes of HTTP/2 that are published: build it with " + Wanted + " or newer"
}
