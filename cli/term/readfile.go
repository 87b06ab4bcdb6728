package term

import (
	"io"
	"os"

	"example.com/livery/cli/localfile"
)

// ReadFile reads a file that a person named; "-" is the standard input.
func (a *App) ReadFile(path string) (data []byte, err error) {
	switch {
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

// NameOf is how a file is called that a person named.
func NameOf(path string) string {
	if path == "-" {
		return "the standard input"
	}
	return path
}
