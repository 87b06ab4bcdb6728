//go:build !linux

package postgres

import "net"

// newDialer returns a Dialer whose idle connections end if the other machine has gone without a word.
// What was sent to it stays unacknowledged for as long as the system waits.
func newDialer() *net.Dialer { return &net.Dialer{KeepAliveConfig: silence} }
