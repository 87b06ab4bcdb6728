package storagetest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func runBlobs(t *testing.T, open Open) {
	prove(t, open, []rule{
		{"a blob is read back by its hash, of any size and entropy", blobBack},
		{"an unknown or malformed name is ErrNotFound", blobAbsent},
		{"a blob put twice, also at once, is one blob", blobTwice},
		{"a blob and a key do not meet", blobApart},
		{"Blob and PutBlob obey a context that ended", blobCancelled},
	})
}

func blobBack(t *testing.T, store storage.Store) {
	random := make([]byte, 300_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	for name, blob := range map[string][]byte{
		"empty": {}, "one byte": {0}, "short": []byte("{}"), "random": random,
		"repetitive": bytes.Repeat([]byte("design token "), 300_000),
	} {
		hash, err := store.PutBlob(context.Background(), blob)
		if err != nil || hash != record.HashOf(blob) {
			t.Errorf("%s: PutBlob() = %s, %v, want %s", name, hash, err, record.HashOf(blob))
			continue
		}
		if got, err := store.Blob(context.Background(), hash); err != nil || !bytes.Equal(got, blob) {
			t.Errorf("%s: Blob() = %d bytes, %v, want the %d put", name, len(got), err, len(blob))
		}
	}
	if got := len(logged(t, store, storage.Cursor{})); got != 0 {
		t.Errorf("%d entries in the log after blobs alone, want 0", got)
	}
}

func blobAbsent(t *testing.T, store storage.Store) {
	for _, name := range []record.Hash{"", "abc", record.HashOf([]byte("never put")), "../../../etc/passwd"} {
		if got, err := store.Blob(context.Background(), name); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Blob(%q) = %q, %v, want ErrNotFound", name, got, err)
		}
	}
}

func blobTwice(t *testing.T, store storage.Store) {
	blob := bytes.Repeat([]byte("twice "), 1000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := store.PutBlob(context.Background(), blob); err != nil || got != record.HashOf(blob) {
				t.Errorf("PutBlob() = %s, %v", got, err)
			}
		})
	}
	wg.Wait()
	got, err := store.Blob(context.Background(), record.HashOf(blob))
	if err != nil || !bytes.Equal(got, blob) {
		t.Errorf("Blob() = %d bytes, %v", len(got), err)
	}
	copy(got, "changed")
	if again, _ := store.Blob(context.Background(), record.HashOf(blob)); !bytes.Equal(again, blob) {
		t.Error("Blob() after its result was changed is another")
	}
}

func blobApart(t *testing.T, store storage.Store) {
	hash, err := store.PutBlob(context.Background(), []byte("blob"))
	if err != nil {
		t.Fatalf("PutBlob() = %v", err)
	}
	update(t, store, storage.Global, func(tx storage.Tx) (record.Change, error) {
		if got := pairs(t, tx, "", storage.Ascending); len(got) != 0 {
			t.Errorf("a scan of everything shows %q", got)
		}
		return record.Change{}, tx.DeletePrefix(nil)
	})
	if got, err := store.Blob(context.Background(), hash); err != nil || string(got) != "blob" {
		t.Errorf("Blob() after all keys were deleted = %q, %v", got, err)
	}
	if got := len(logged(t, store, storage.Cursor{})); got != 1 {
		t.Errorf("%d entries in the log after all keys were deleted, want 1", got)
	}
}

func blobCancelled(t *testing.T, store storage.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := store.PutBlob(ctx, []byte("blob")); !errors.Is(err, context.Canceled) {
		t.Errorf("PutBlob() = %v, want %v", err, context.Canceled)
	}
	if _, err := store.Blob(ctx, record.HashOf([]byte("blob"))); !errors.Is(err, context.Canceled) {
		t.Errorf("Blob() = %v, want %v", err, context.Canceled)
	}
}
