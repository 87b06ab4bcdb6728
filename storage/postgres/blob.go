package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func digest(name record.Hash) []byte {
	b, err := hex.DecodeString(string(name))
	if err != nil {
		panic("postgres: digest of a name that is not a hash")
	}
	return b
}

func digests(names []record.Hash) [][]byte {
	all := make([][]byte, len(names))
	for i, name := range names {
		all[i] = digest(name)
	}
	return all
}

// PutBlob stores a blob and returns its name. One that is there is not written again but for the time
// of its put; one found corrupt is replaced. It is durable with the next commit of this process.
func (s *Store) PutBlob(ctx context.Context, blob []byte) (record.Hash, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.leave()
	name, packed := record.HashOf(blob), s.codec.Pack(blob)
	p := &put{name: name, packed: packed, done: make(chan error, 1)}
	p.durable = !s.unconfirmed.add(name, unconfirmedBlob{packed, s.opts.clock()})
	s.puts.add(&s.calls, "", p, s.putAll)
	select {
	case err := <-p.done:
		return name, err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Blob returns the blob, checked against its name: storage.ErrNotFound, or storage.ErrCorrupt.
func (s *Store) Blob(ctx context.Context, name record.Hash) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	if !name.Valid() {
		return nil, fmt.Errorf("postgres: blob %q: %w", name, storage.ErrNotFound)
	}
	if blob, ok := s.cached.get(name); ok {
		return blob, nil
	}
	var body []byte
	err := s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT body FROM livery_blobs WHERE name = $1", digest(name)).Scan(&body)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("postgres: blob %s: %w", name, storage.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	blob, err := s.codec.Unpack(body, name)
	if err != nil {
		return nil, fmt.Errorf("postgres: blob %s: %w", name, err)
	}
	s.cached.add(name, blob)
	return blob, nil
}

// Blobs calls each for every blob in the order of names, until each returns false. It reads no blob.
func (s *Store) Blobs(ctx context.Context, each func(storage.BlobInfo) bool) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	return s.snapshot(ctx, func(r *reader) error { return r.blobs(each) })
}

// blobRow is what is known of a blob.
type blobRow struct {
	Name    []byte
	Stored  int64
	Unnamed *time.Time
}

func (r *reader) blobs(each func(storage.BlobInfo) bool) error {
	for after := []byte{}; ; {
		rows, err := r.conn.Query(r.ctx, "SELECT name, octet_length(body)::bigint, unnamed FROM livery_blobs WHERE name > $1 ORDER BY name LIMIT $2", after, mostRows)
		if err != nil {
			return r.note(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[blobRow])
		if err != nil {
			return r.note(err)
		}
		for _, b := range all {
			info := storage.BlobInfo{Name: record.Hash(hex.EncodeToString(b.Name)), StoredBytes: b.Stored}
			if b.Unnamed != nil {
				info.Unnamed = b.Unnamed.UTC()
			}
			if !each(info) {
				return nil
			}
		}
		if len(all) < mostRows {
			return nil
		}
		after = all[len(all)-1].Name
	}
}

// MarkBlobs notes of each blob that nothing names it since at, and takes the note back if at is
// zero. Those put within storage.PutWindow are left as they are.
func (s *Store) MarkBlobs(ctx context.Context, names []record.Hash, at time.Time) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	for some := range slices.Chunk(digests(names), mostBlobs) {
		err := s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
			var err error
			if at.IsZero() {
				_, err = c.Exec(ctx, "UPDATE livery_blobs SET unnamed = NULL WHERE name = ANY($1) AND unnamed IS NOT NULL", some)
			} else {
				_, err = c.Exec(ctx, "UPDATE livery_blobs SET unnamed = $2 WHERE name = ANY($1) AND put_at <= $3", some, at, s.opts.clock().Add(-storage.PutWindow))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mostBlobs is how many blobs one statement marks or drops.
const mostBlobs = 1000

// DropBlobs deletes those of the blobs that are marked since before or earlier, and returns how many
// they were.
func (s *Store) DropBlobs(ctx context.Context, names []record.Hash, before time.Time) (dropped int, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.leave()
	defer s.cached.drop(names)
	for some := range slices.Chunk(digests(names), mostBlobs) {
		err := s.retry(ctx, func(ctx context.Context, c *pgx.Conn) error {
			tag, err := c.Exec(ctx, "DELETE FROM livery_blobs WHERE name = ANY($1) AND unnamed <= $2", some, before)
			dropped += int(tag.RowsAffected())
			return err
		})
		if err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// checkBlobs reads every blob, some at a time.
func (s *Store) checkBlobs(ctx context.Context, report func(storage.Finding)) error {
	var names []record.Hash
	err := s.snapshot(ctx, func(r *reader) error {
		return r.blobs(func(b storage.BlobInfo) bool {
			names = append(names, b.Name)
			return true
		})
	})
	for _, name := range names {
		if err != nil {
			break
		}
		_, blobErr := s.Blob(ctx, name)
		switch {
		case errors.Is(blobErr, storage.ErrCorrupt):
			report(storage.Finding{Where: "blob " + string(name), Problem: blobErr.Error(), Repair: storage.RepairPublish})
		case !errors.Is(blobErr, storage.ErrNotFound): // it was dropped meanwhile
			err = blobErr
		}
	}
	return err
}
