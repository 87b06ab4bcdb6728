package figures

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that this process has used.
func ProcessorTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		panic("figures: handle of the own process: " + err.Error())
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		panic("figures: times of the own process: " + err.Error())
	}
	var used time.Duration
	for _, part := range []syscall.Filetime{kernel, user} { // of 100 ns each
		used += time.Duration(int64(part.HighDateTime)<<32+int64(part.LowDateTime)) * 100
	}
	return used
}
