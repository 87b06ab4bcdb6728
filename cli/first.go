package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A first start is finished when its mark stands: one that was killed on its way is made again.
func (d *dev) markPath() string { return filepath.Join(d.data, "first-start-done") }

// isFirst reports whether no first start was finished on this data directory.
func (d *dev) isFirst() (bool, error) {
	_, err := os.Stat(d.markPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, unwritable(d.data, err)
	}
	return false, nil
}

func (d *dev) finishFirst() error {
	if err := writeWhole(d.markPath(), nil, 0o600); err != nil {
		return unwritable(d.data, err)
	}
	return nil
}
