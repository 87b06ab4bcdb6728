package pebble

import (
	"fmt"

	"example.com/livery/storage"
)

// Writable returns nil if there is room for a commit, and else storage.ErrNoSpace, or
// storage.ErrUnavailable if the disk does not say.
func (s *Store) Writable() error {
	if err := s.gate.writable(); err != nil {
		return err
	}
	return s.space.take(0, false)
}

// Disk returns the free bytes of the disk that the store is on, the bytes of the whole disk, and those
// that the store takes. A store in memory returns storage.ErrUnavailable.
func (s *Store) Disk() (free, all, used uint64, err error) {
	usage, err := s.space.fs.GetDiskUsage(s.dir)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("pebble: the disk of %s: %w: %w", s.dir, storage.ErrUnavailable, err)
	}
	if err := s.line.enter(); err != nil {
		return 0, 0, 0, err
	}
	defer s.line.leave()
	return usage.AvailBytes, usage.TotalBytes, s.db.Metrics().DiskSpaceUsage(), nil
}
