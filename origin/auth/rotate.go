package auth

import (
	"context"
	"fmt"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Rotated is what a rotation of the token keys did.
type Rotated struct {
	ID    string    `json:"keyId"` // of the key that signs from now on
	Until time.Time `json:"until"` // when the last token of the keys before has expired at the latest; zero if they are dropped
}

// Rotate makes a token key that signs from now on. Tokens of the keys before are honoured until they
// expire, or refused from now on with drop. Keys whose last token has expired are deleted.
func (k *Keys) Rotate(ctx context.Context, store storage.Store, drop bool) (Rotated, error) {
	var rotated Rotated
	_, err := store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		var err error
		rotated, err = k.RotateIn(tx, drop)
		return record.Change{At: k.config.Now().UTC()}, err
	})
	if err == nil {
		err = k.Reload(ctx, store)
	}
	if err != nil {
		return Rotated{}, fmt.Errorf("auth: rotate token keys: %w", err)
	}
	return rotated, nil
}

// RotateIn is Rotate within a commit of the scope storage.Global, after which Reload must follow.
func (k *Keys) RotateIn(tx storage.Tx, drop bool) (Rotated, error) {
	now := k.config.Now().UTC()
	key, err := newTokenKey(now)
	if err != nil {
		return Rotated{}, err
	}
	newest, err := retire(tx, now, drop)
	if err != nil {
		return Rotated{}, err
	}
	// The newest key signs, also if the clock went back.
	if !key.CreatedAt.After(newest) {
		key.CreatedAt = newest.Add(time.Millisecond)
	}
	rotated := Rotated{ID: key.ID}
	if !drop {
		rotated.Until = now.Add(MaxTTL).Truncate(time.Second)
	}
	return rotated, storage.TokenKeys.Write(tx, k.config.Master.sealToken(key), key.ID)
}

// retire marks the keys as no longer signing, deletes those that no valid token can name, or all with
// drop, and returns when the newest was made.
func retire(tx storage.Tx, now time.Time, drop bool) (newest time.Time, err error) {
	keys, err := storage.TokenKeys.All(tx)
	for _, key := range keys {
		if err != nil {
			return newest, err
		}
		if key.CreatedAt.After(newest) {
			newest = key.CreatedAt
		}
		switch {
		case drop, !key.RetiredAt.IsZero() && now.After(key.RetiredAt.Add(MaxTTL)):
			err = storage.TokenKeys.Delete(tx, key.ID)
		case key.RetiredAt.IsZero():
			key.RetiredAt = now
			err = storage.TokenKeys.Write(tx, key, key.ID)
		}
	}
	return newest, err
}
