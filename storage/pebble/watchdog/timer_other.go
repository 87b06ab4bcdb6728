//go:build !linux || (!amd64 && !arm64)

package watchdog

import "time"

// killTimer is a timer of the kernel that kills this process when it runs out; this system has none.
type killTimer struct{}

func newKillTimer() (*killTimer, error) { return nil, nil }

func (t *killTimer) set(time.Duration) {}

func (t *killTimer) close() {}
