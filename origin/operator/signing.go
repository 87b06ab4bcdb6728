package operator

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// SigningKey is a key of a Theme as it is listed: without its secret.
type SigningKey struct {
	ID        string    `json:"keyId"`
	CreatedAt time.Time `json:"createdAt"`
}

// NewSigningKey is a key as it is shown once, when it is made.
type NewSigningKey struct {
	ID     string `json:"keyId"`
	Secret string `json:"secret"` // base64url without padding of secretBytes random bytes, which are the HMAC key
}

const (
	secretBytes = 32
	maxKeys     = 10 // signing keys of one Theme
)

// Keyless is the refusal of an origin without a master key to store a secret.
const Keyless = "this origin has no master key, and a secret is stored sealed or not at all"

var errKeyless = invalid([]string{Keyless})

// SigningKeys lists the keys of the Theme, oldest first, or returns storage.ErrNotFound.
func SigningKeys(ctx context.Context, store storage.Store, themeID string) ([]SigningKey, error) {
	theme, err := storage.Snapshot(ctx, store, func(r storage.Reader) (record.Theme, error) { return findTheme(r, themeID) })
	keys := []SigningKey{}
	for _, key := range theme.Serving.SigningKeys {
		keys = append(keys, SigningKey{key.ID, key.CreatedAt})
	}
	return keys, err
}

// AddSigningKey makes a key for the Theme and returns it with its secret, which is never shown
// again. It returns storage.ErrNotFound, or a *theming.Error if the Theme has maxKeys keys or m is
// nil: a secret is stored sealed or not at all.
func AddSigningKey(ctx context.Context, store storage.Store, m *auth.Master, themeID string, now time.Time) (NewSigningKey, error) {
	if m == nil {
		return NewSigningKey{}, errKeyless
	}
	secret := make([]byte, secretBytes)
	if _, err := rand.Read(secret); err != nil {
		return NewSigningKey{}, fmt.Errorf("operator: make a signing key: %w", err)
	}
	key := record.SigningKey{ID: NewID("key_", now), Secret: secret, CreatedAt: stamp(now)}
	add := func(t *record.Theme) error {
		if len(t.Serving.SigningKeys) >= maxKeys {
			return invalid([]string{fmt.Sprintf("the Theme has %d signing keys; remove one first", maxKeys)})
		}
		t.Serving.SigningKeys = append(slices.Clone(t.Serving.SigningKeys), m.SealKey(t.ID, key))
		return nil
	}
	_, err := changeTheme(ctx, store, themeID, now, themeChange{ActionKeyAdd, add, func(record.Theme, record.Theme) []string {
		return []string{"signing key " + key.ID + " is made"}
	}})
	if err != nil {
		return NewSigningKey{}, err
	}
	return NewSigningKey{key.ID, base64.RawURLEncoding.EncodeToString(secret)}, nil
}

// RemoveSigningKey takes a key from the Theme: addresses it signed are refused from now on. It
// returns storage.ErrNotFound if the Theme or the key does not exist.
func RemoveSigningKey(ctx context.Context, store storage.Store, themeID, keyID string, now time.Time) error {
	remove := func(t *record.Theme) error {
		keys := slices.DeleteFunc(slices.Clone(t.Serving.SigningKeys), func(k record.SigningKey) bool { return k.ID == keyID })
		if len(keys) == len(t.Serving.SigningKeys) {
			return fmt.Errorf("operator: signing key %q: %w", keyID, storage.ErrNotFound)
		}
		t.Serving.SigningKeys = keys
		return nil
	}
	_, err := changeTheme(ctx, store, themeID, now, themeChange{ActionKeyRemove, remove, func(record.Theme, record.Theme) []string {
		return []string{"signing key " + keyID + " is removed: what it signed is refused"}
	}})
	return err
}
