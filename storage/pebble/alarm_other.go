//go:build !linux || (!amd64 && !arm64)

package pebble

import "time"

// alarm is a timer of the kernel that kills this process when it runs out; here there is none.
type alarm struct{}

func newAlarm() (*alarm, error) { return nil, nil }

func (a *alarm) set(time.Duration) {}

func (a *alarm) close() {}
