package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errInUse says that another process holds a lock.
var errInUse = errors.New("in use by another process")

// openData makes a data directory, checks that it can be written, and locks it until the run ends,
// so that two processes never share one. It returns the absolute path.
func (r *run) openData(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unwritable(dir, err)
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if errors.Is(err, errInUse) {
		return "", fail("End the other process, or name another directory with --data.", "the data directory %s is in use by another process", dir)
	}
	if err != nil {
		return "", unwritable(dir, err)
	}
	r.onClose(func(context.Context) error { return lock.Close() })
	return dir, nil
}

func unwritable(dir string, err error) error {
	return fail("Name a directory that you may write to with --data.", "the data directory %s cannot be used: %s", dir, reason(err))
}

// keptSecret returns the secret in a file, which is made with a random one where it is missing.
func keptSecret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text() + rand.Text())
		err = writeWhole(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return "", unwritable(filepath.Dir(path), err)
	}
	return strings.TrimSpace(string(text)), nil
}

// writeWhole writes a file so that a reader sees the old content or the whole new one.
func writeWhole(path string, content []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// openFor opens a data directory as openData does, and takes away what a killed process announced
// in it under the name.
func (r *run) openFor(dir, name string) (data, announced string, err error) {
	if data, err = r.openData(dir); err != nil {
		return "", "", err
	}
	announced = filepath.Join(data, name)
	return data, announced, retract(announced)
}

// announce writes v to a file of the data directory that others wait for, and takes it away with
// the end of the run.
func (r *run) announce(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := writeWhole(path, append(text, '\n'), 0o600); err != nil {
		return unwritable(filepath.Dir(path), err)
	}
	r.onClose(func(context.Context) error { return retract(path) })
	return nil
}

// retract removes what this process or a killed one announced, if it is there still.
func retract(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(filepath.Dir(path), err)
	}
	return nil
}
