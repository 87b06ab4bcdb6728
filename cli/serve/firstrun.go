package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
)

// A first start is finished when its mark stands: one that was killed on its way is made again.
func (d *dev) markPath() string { return filepath.Join(d.data, "first-start-done") }

// isFirstRun reports whether no first start was finished on this data directory.
func (d *dev) isFirstRun() (bool, error) {
	_, err := os.Stat(d.markPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, process.Unwritable(d.data, err)
	}
	return false, nil
}

func (d *dev) finishFirstRun() error {
	if err := localfile.Write(d.markPath(), nil, 0o600); err != nil {
		return process.Unwritable(d.data, err)
	}
	return nil
}
