package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// format is the number of the layout that this build writes, and the newest that it reads.
const format = 1

// The tables. Keys and names are bytes, which compare bytewise whatever the locale.
//
//	livery_store     one row: the format and the store's ID
//	livery_head      one row that every commit passes: the newest entry of the change log, and the last
//	                 one trimmed
//	livery_scopes    the newest entry of each scope, which is what a commit is checked against
//	livery_keys      the key table
//	livery_changes   the change log
//	livery_blobs     blobs as a storage.Codec packs them; unnamed is since when collection found it so
const tables = `
CREATE TABLE IF NOT EXISTS livery_store (one boolean PRIMARY KEY DEFAULT true CHECK (one), format int NOT NULL, id text NOT NULL);
CREATE TABLE IF NOT EXISTS livery_head (one boolean PRIMARY KEY DEFAULT true CHECK (one),
	seq bigint NOT NULL, tag bytea NOT NULL, trimmed bigint NOT NULL, trimmed_tag bytea NOT NULL) WITH (fillfactor = 10);
CREATE TABLE IF NOT EXISTS livery_scopes (scope text PRIMARY KEY, seq bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS livery_keys (key bytea PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE IF NOT EXISTS livery_changes (seq bigint PRIMARY KEY, tag bytea NOT NULL, body bytea NOT NULL);
CREATE TABLE IF NOT EXISTS livery_blobs (name bytea PRIMARY KEY, body bytea NOT NULL, put_at timestamptz NOT NULL, unnamed timestamptz);
ALTER TABLE livery_blobs ALTER body SET STORAGE EXTERNAL;
INSERT INTO livery_head VALUES (true, 0, '', 0, '') ON CONFLICT DO NOTHING;
`

// tablesLock is the advisory lock under which tables are made.
const tablesLock = 0x4c495645

// prepareTables makes the tables if there are none and returns the store's ID.
func prepareTables(ctx context.Context, c *pgx.Conn) (id string, err error) {
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", tablesLock); err != nil {
			return err
		}
		var there bool
		if err := tx.QueryRow(ctx, "SELECT to_regclass('livery_store') IS NOT NULL").Scan(&there); err != nil {
			return err
		}
		if !there {
			if err := makeTables(ctx, tx); err != nil {
				return err
			}
		}
		var n int
		if err := tx.QueryRow(ctx, "SELECT format, id FROM livery_store").Scan(&n, &id); err != nil {
			return err
		}
		if n > format {
			return fmt.Errorf("the data is of format %d and this build reads formats up to %d: use the newer Livery that wrote it", n, format)
		}
		return nil
	})
	return id, err
}

func makeTables(ctx context.Context, tx pgx.Tx) error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, tables); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO livery_store (format, id) VALUES ($1, $2)", format, hex.EncodeToString(id))
	return err
}
