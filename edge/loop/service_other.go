//go:build !linux || !(amd64 || arm64)

package loop

import "net"

// newService serves ln with goroutines: the loop's own threads are for Linux.
func (l *Loop) newService(ln net.Listener) (service, error) { return newStreams(l, ln), nil }
