package diskcache

import "golang.org/x/sys/windows"

// freeBytes returns how many bytes the volume of a directory has left for this user.
func freeBytes(dir string) int64 {
	var free uint64
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 1 << 40
	}
	return int64(free)
}
