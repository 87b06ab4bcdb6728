//go:build wasip1

package main

import "runtime"

// collectFrom is how many bytes are asked for between two collections. Go's collector works
// in the background, and a module has next to none: it gets no turn while the host waits for a call,
// and the host is back as soon as the call ends. Left to itself it let memory grow with every render.
const collectFrom = 1 << 20

// spent is how many bytes were asked for since the last collection.
var spent int

// spend collects if enough garbage may have come together. The caller has let go of what it
// no longer needs.
func spend(bytes int) {
	spent += bytes
	if spent >= collectFrom {
		runtime.GC()
		spent = 0
	}
}
