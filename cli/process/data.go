package process

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
)

// OpenData makes a data directory, checks that it can be written, and locks it until the run ends,
// so that two processes never share one. It returns the absolute path.
func (r *Run) OpenData(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", Unwritable(dir, err)
	}
	lock, err := localfile.Lock(filepath.Join(dir, localfile.LockName))
	if errors.Is(err, localfile.ErrInUse) {
		return "", term.Fail("Stop the other process, or name another directory with --data.", "the data directory %s is in use by another process", dir)
	}
	if err != nil {
		return "", Unwritable(dir, err)
	}
	r.OnClose(func(context.Context) error { return lock.Close() })
	return dir, nil
}

// Unwritable is the failure of a data directory that cannot be used.
func Unwritable(dir string, err error) error {
	return term.Fail("Name a directory that you may write to with --data.", "the data directory %s cannot be used: %s", dir, localfile.Reason(err))
}

// Secret returns the secret in a file, which is made with a random one if it is missing.
func Secret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text() + rand.Text())
		err = localfile.Write(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return "", Unwritable(filepath.Dir(path), err)
	}
	return strings.TrimSpace(string(text)), nil
}

// OpenFor opens a data directory as openData does, and takes away what a killed process announced
// in it under the name.
func (r *Run) OpenFor(dir, name string) (data, announced string, err error) {
	if data, err = r.OpenData(dir); err != nil {
		return "", "", err
	}
	announced = filepath.Join(data, name)
	return data, announced, retract(announced)
}

// Announce writes v to a file of the data directory that others wait for, and takes it away with
// the end of the run.
func (r *Run) Announce(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := localfile.Write(path, append(text, '\n'), 0o600); err != nil {
		return Unwritable(filepath.Dir(path), err)
	}
	r.OnClose(func(context.Context) error { return retract(path) })
	return nil
}

// retract removes what this process or a killed one announced, if it is there still.
func retract(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Unwritable(filepath.Dir(path), err)
	}
	return nil
}
