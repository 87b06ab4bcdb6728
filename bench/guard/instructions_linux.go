package main

import (
	"encoding/binary"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// instructions counts what this thread executes outside the kernel in one run; 0 where the machine does
// not let it.
func instructions(run func() error) (uint64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attributes := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_INSTRUCTIONS, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	attributes.Size = uint32(unsafe.Sizeof(attributes))
	fd, err := unix.PerfEventOpen(&attributes, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, nil // not counted here
	}
	defer func() { _ = unix.Close(fd) }()
	var counted []uint64
	for range rounds {
		before, ok := readCounter(fd)
		for range runs {
			if err := run(); err != nil {
				return 0, err
			}
		}
		after, still := readCounter(fd)
		if !ok || !still {
			return 0, nil
		}
		counted = append(counted, (after-before)/runs)
	}
	return slices.Min(counted), nil
}

func readCounter(fd int) (uint64, bool) {
	var b [8]byte
	n, err := unix.Read(fd, b[:])
	return binary.NativeEndian.Uint64(b[:]), err == nil && n == len(b)
}
