package term

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/livery/cli/localfile"
)

// output is the writer that a command prints to. It remembers the first write that failed, so that no command seems to have
// printed what never arrived.
type output struct {
	w     io.Writer
	fault error
}

// Write writes to w.
func (o *output) Write(text []byte) (int, error) {
	n, err := o.w.Write(text)
	if o.fault == nil {
		o.fault = err
	}
	return n, err
}

// failed returns why not everything was printed, or nil.
func (o *output) failed() error {
	if o.fault == nil {
		return nil
	}
	f := Fail("Free some space there, or print to another place.", "not everything could be printed: %s", localfile.Reason(o.fault))
	f.Cause = o.fault
	return f
}

// WriteOut writes content to a file, or to the standard output if none is named. A file that holds it
// already is not touched, so that what watches it sees no change; one that is there is replaced as a whole or,
// if that fails, not at all.
func (a *App) WriteOut(file string, content []byte) error {
	if file == "" {
		_, err := a.Out.Write(content)
		return err
	}
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular(): // a pipe or a device: to read it might never end
		err = os.WriteFile(file, content, 0o644)
	case err == nil && holds(file, info, content):
		a.Say("%s is as it was.", file)
		return nil
	case err == nil:
		err = replaceFile(file, content, info.Mode().Perm())
	case errors.Is(err, fs.ErrNotExist):
		err = replaceFile(file, content, 0o644)
	}
	if err != nil {
		return Fail("Free some space, or name another file with --out.", "%s cannot be written: %s", file, localfile.Reason(err))
	}
	a.Say("%s is written.", file)
	return nil
}

func holds(file string, info fs.FileInfo, content []byte) bool {
	if info.Size() != int64(len(content)) {
		return false
	}
	old, err := os.ReadFile(file)
	return err == nil && string(old) == string(content)
}

// replaceFile is writeWhole at the end of a symbolic link. A file in a folder that takes no other is written in its place.
func replaceFile(file string, content []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	err := localfile.Write(file, content, mode)
	if errors.Is(err, fs.ErrPermission) {
		return os.WriteFile(file, content, mode)
	}
	return err
}
