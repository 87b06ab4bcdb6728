package pebble

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// Check reads every blob and every entry of the change log and calls report for each that is
// missing or is not what it should be. It returns the error that stopped it, or ctx's.
func (s *Store) Check(ctx context.Context, report func(storage.Finding)) error {
	if err := s.history.enter(); err != nil {
		return err
	}
	defer s.history.leave()
	snap := s.db.NewSnapshot()
	defer func() { _ = snap.Close() }()
	if at, lost := s.Lost(); lost {
		report(storage.Finding{Where: "change log", Problem: "acknowledged changes up to " + at.String() + " are gone since an earlier start", Repair: storage.RepairRestore})
	}
	files := map[string]bool{}
	for _, part := range []func(context.Context, pebble.Reader, func(storage.Finding)) error{s.blobs.check, checkNotes, checkLog} {
		err := part(ctx, snap, report)
		if errors.Is(err, storage.ErrCorrupt) { // the file cannot be read further; another part may be sound
			if where := s.corruptFile(err); !files[where] {
				report(storage.Finding{Where: where, Problem: terse{err}.Error(), Repair: storage.RepairRestore})
				files[where] = true
			}
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// corruptFile says which file an error is about and what stands in it.
func (s *Store) corruptFile(err error) string {
	info := pebble.ExtractDataCorruptionInfo(err)
	if info == nil {
		return "data directory " + s.dir
	}
	return fmt.Sprintf("file %s, from %s to %s", info.Path, spellKey(info.Bounds.Start), spellKey(info.Bounds.End.Key))
}

func (b *blobTable) check(ctx context.Context, from pebble.Reader, report func(storage.Finding)) error {
	start, end := []byte{ownSpace, blobSpace}, []byte{ownSpace, blobSpace + 1}
	return scan(from, start, end, storage.Ascending, func(key, value []byte) (bool, error) {
		name := keyHash(key)
		if !name.Valid() {
			report(storage.Finding{Where: fmt.Sprintf("key %x", key), Problem: "it is not the key of a blob", Repair: storage.RepairDelete})
			return true, ctx.Err()
		}
		if _, err := b.codec.Unpack(value, name); err != nil {
			report(storage.Finding{Where: "blob " + string(name), Problem: err.Error(), Repair: storage.RepairPublish})
		}
		if _, err := get(from, noteKey(name)); errors.Is(err, storage.ErrNotFound) {
			report(storage.Finding{Where: "blob " + string(name), Problem: "it has no note, so it is never collected", Repair: storage.RepairDelete})
		}
		return true, ctx.Err()
	})
}

// checkNotes finds notes on blobs that are not there.
func checkNotes(ctx context.Context, from pebble.Reader, report func(storage.Finding)) error {
	start, end := []byte{ownSpace, noteSpace}, []byte{ownSpace, noteSpace + 1}
	return scan(from, start, end, storage.Ascending, func(key, value []byte) (bool, error) {
		name := keyHash(key)
		if _, err := parseNote(value); err != nil || !name.Valid() {
			report(storage.Finding{Where: fmt.Sprintf("note %x", key), Problem: "it cannot be read", Repair: storage.RepairDelete})
			return true, ctx.Err()
		}
		_, closer, err := from.Get(blobKey(name))
		switch {
		case errors.Is(err, pebble.ErrNotFound):
			report(storage.Finding{Where: "blob " + string(name), Problem: "there is a note on it and no blob", Repair: storage.RepairPublish})
		case err != nil:
			return false, failure("check blob "+string(name), err)
		default:
			err = closer.Close()
		}
		return true, errors.Join(err, ctx.Err())
	})
}

func checkLog(ctx context.Context, from pebble.Reader, report func(storage.Finding)) error {
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
			report(storage.Finding{Where: fmt.Sprintf("change log entry %d", next), Problem: err.Error(), Repair: repairLog})
			next++
		case entry.Cursor.Seq != next:
			report(storage.Finding{Where: "change log", Problem: fmt.Sprintf("entry %d of the change log is missing", next), Repair: repairLog})
			next = entry.Cursor.Seq + 1
		default:
			next++
		}
		return true, ctx.Err()
	})
}

const repairLog = "dump the store and load the dump into a new one: it begins a new log, and edges ask for everything again"
