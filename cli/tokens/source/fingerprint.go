package source

import (
	"fmt"
	"os"
	"time"
)

// WatchPause is how often watch looks at the files.
const WatchPause = 200 * time.Millisecond

// Fingerprint changes whenever one of the files does, or one in the folders.
func Fingerprint(files []string) string {
	all := ""
	for _, path := range files {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if inside, err := tokenFiles(path); err == nil {
				all += fmt.Sprintln(len(inside)) + Fingerprint(inside)
			}
		} else if err == nil {
			all += fmt.Sprintln(path, info.ModTime(), info.Size())
		}
	}
	return all
}
