//go:build !linux || !(amd64 || arm64)

package loop

import (
	"errors"
	"net"
)

// newService serves ln with goroutines: the loop's own threads are for Linux.
func (l *Loop) newService(ln net.Listener, s *secure) (service, error) {
	if s != nil {
		return nil, errors.New("loop: TLS needs threads")
	}
	return newStreams(l, ln), nil
}

// ServesTLS reports whether ServeTLS can serve ln: it needs Linux.
func ServesTLS(net.Listener) bool { return false }

// AckNow does nothing: the system acknowledges when it likes.
func AckNow(net.Conn) {}
