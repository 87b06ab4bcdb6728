package wasm

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, its collector's included. Other work on
// the machine does not count into it, as it does into the time on the wall.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("runtime: getrusage of the own process fails: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
