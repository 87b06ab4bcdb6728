package pebble

import (
	"fmt"

	"example.com/livery/storage"
)

// Writable returns nil if there is room for a commit, and else storage.ErrNoSpace, or
// storage.ErrUnavailable if the disk does not say.
func (s *Store) Writable() error {
	return s.admission.Writable()
}

// Disk returns the free bytes of the disk that the store is on, the bytes of the whole disk, and those
// that the store takes. A store in memory returns storage.ErrUnavailable.
func (s *Store) Disk() (free, all, used uint64, err error) {
	usage, err := s.fs.GetDiskUsage(s.dir)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("pebble: the disk of %s: %w: %w", s.dir, storage.ErrUnavailable, err)
	}
	if err := s.history.enter(); err != nil {
		return 0, 0, 0, err
	}
	defer s.history.leave()
	return usage.AvailBytes, usage.TotalBytes, s.db.Metrics().DiskSpaceUsage(), nil
}
