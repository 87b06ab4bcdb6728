package source

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"example.com/livery/cli/tokenfile/resolver"
	"example.com/livery/cli/tokenfile/syntax"
)

// WatchPause is how often watch looks at the files.
const WatchPause = 200 * time.Millisecond

// Fingerprint changes whenever one of the files does, or one in the folders, or one that a resolver document names.
func Fingerprint(files []string) string {
	all := ""
	for _, path := range files {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			if inside, sheets, _, _, err := tokenFiles(path); err == nil {
				inside = append(inside, sheets...)
				all += fmt.Sprintln(len(inside)) + Fingerprint(inside)
			}
		} else if err == nil {
			all += fmt.Sprintln(path, info.ModTime(), info.Size())
			if info.Mode().IsRegular() {
				all += fingerprintOfNamed(path)
			}
		}
	}
	return all
}

// fingerprintOfNamed is the Fingerprint of the files that a resolver document names; empty for another file.
func fingerprintOfNamed(path string) (all string) {
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte("resolutionOrder")) {
		return ""
	}
	parsed, err := syntax.Parse(path, string(text))
	if err != nil || resolver.Why(parsed.Root) == "" {
		return ""
	}
	for _, name := range namedFiles(&tokenFile{name: path, parsed: parsed}) {
		if info, err := os.Stat(name); err == nil {
			all += fmt.Sprintln(name, info.ModTime(), info.Size())
		}
	}
	return all
}
