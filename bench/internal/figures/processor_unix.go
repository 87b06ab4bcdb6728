//go:build unix

package figures

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that this process has used, its collector's included. Other work on the machine
// does not count into it, as it does into the time on the wall.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("figures: getrusage of the own process: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
