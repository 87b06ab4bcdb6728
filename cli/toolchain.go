package cli

import "go/version"

// wantedGo is the first Go whose standard library has the published fixes of net/http's HTTP/2. The toolchain line of
// go.mod names it too, so that the go command fetches it for a build if it may.
const wantedGo = "go1.26.9"

// toolchainWarning returns what is wrong with the Go that built the program and what to do, or "" if it is new enough.
func toolchainWarning(built string) string {
	if version.IsValid(built) && version.Compare(built, wantedGo) >= 0 {
		return ""
	}
	return "built with " + built + ", which lacks fixes of HTTP/2 that are published: build it with " + wantedGo + " or newer"
}
