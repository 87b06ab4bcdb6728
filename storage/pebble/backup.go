package pebble

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Backup writes a copy of the store as it is now to the directory dir, which must not exist; Open
// opens the copy like the original. Files that never change are linked where the file system can.
// Every commit acknowledged before the call is in the copy. The copy holds secrets as the original
// does: its parent directory should be readable by the owner only.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.line.enter(); err != nil {
		return err
	}
	defer s.line.leave()
	return failure("back up to "+dir, s.db.Checkpoint(dir, pebble.WithFlushedWAL()))
}

// Check reads every blob and every entry of the change log and calls report for each that is
// missing or is not what it should be. It returns the error that stopped it, or ctx's.
func (s *Store) Check(ctx context.Context, report func(error)) error {
	if err := s.line.enter(); err != nil {
		return err
	}
	defer s.line.leave()
	snap := s.db.NewSnapshot()
	defer func() { _ = snap.Close() }()
	if err := s.checkBlobs(ctx, snap, report); err != nil {
		return err
	}
	return checkLog(ctx, snap, report)
}

func (s *Store) checkBlobs(ctx context.Context, from pebble.Reader, report func(error)) error {
	start, end := []byte{ownSpace, blobSpace}, []byte{ownSpace, blobSpace + 1}
	return scan(from, start, end, storage.Ascending, func(key, value []byte) (bool, error) {
		name := record.Hash(hex.EncodeToString(key[len(start):]))
		if _, err := s.codec.unpack(value, name); err != nil {
			report(fmt.Errorf("pebble: blob %s: %w", name, err))
		}
		return true, ctx.Err()
	})
}

func checkLog(ctx context.Context, from pebble.Reader, report func(error)) error {
	begin, err := logBegin(from)
	if err != nil {
		return err
	}
	next := begin.Seq + 1
	start, end := []byte{ownSpace, logSpace}, []byte{ownSpace, logSpace + 1}
	return scan(from, start, end, storage.Ascending, func(key, value []byte) (bool, error) {
		entry, err := parseEntry(key, value)
		switch {
		case err != nil:
			report(fmt.Errorf("pebble: %w", err))
			next++
		case entry.Cursor.Seq != next:
			report(fmt.Errorf("pebble: %w: entry %d of the change log is missing", storage.ErrCorrupt, next))
			next = entry.Cursor.Seq + 1
		default:
			next++
		}
		return true, ctx.Err()
	})
}
