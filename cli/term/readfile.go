package term

import (
	"io"
	"os"
	"strings"

	"example.com/livery/cli/localfile"
)

// ReadFile reads a file that a person named; "-" is the standard input.
func (a *App) ReadFile(path string) (data []byte, err error) {
	switch {
	case IsSpecial(path):
		return nil, Fail("Name a file, or - for the standard input.", "%s cannot be read: it is a pipe, a socket or a device", path)
	case path != "-":
		data, err = os.ReadFile(path)
	case a.drained:
		return nil, UsageError("Name it once.", "the standard input can be read only once")
	default:
		a.drained = true
		data, err = io.ReadAll(a.In)
	}
	if err != nil {
		return nil, Fail("Name a file that can be read.", "%s cannot be read: %s", NameOf(path), localfile.Reason(err))
	}
	return data, nil
}

// IsStream reports whether a path is an input that can be read once: the standard input, or the output of a command
// that the shell gives to this program, as <(command) does.
func IsStream(path string) bool {
	return path == "-" || path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// IsSpecial reports whether a path leads to a pipe, a socket or a device that is not a stream: a read of it may never
// end.
func IsSpecial(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir() && !IsStream(path)
}

// NameOf is how a file is called that a person named.
func NameOf(path string) string {
	if path == "-" {
		return "the standard input"
	}
	return path
}
