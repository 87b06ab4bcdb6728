package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Secure makes the newest master key the one that seals every secret of the store: those that lie
// open, and those that an older key sealed. Without a Master it returns ErrMasterKey if the store
// holds a sealed secret, a signing key, a signed Theme or a webhook, and with one if it opens not all of them.
// It reads every Theme, and writes those alone whose secrets it seals.
func Secure(ctx context.Context, store storage.Store, m *Master, now time.Time) error {
	var stale []record.Theme
	err := store.View(ctx, func(r storage.Reader) error {
		var fault error
		err := storage.ScanSigned(r, m.newestID(), func(t record.Theme) bool {
			var sealed record.Theme
			var changed bool
			if sealed, changed, fault = m.secured(t); changed {
				stale = append(stale, sealed)
			}
			return fault == nil
		})
		if err == nil {
			err = fault
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("auth: look at secrets: %w", err)
	}
	for _, theme := range stale {
		if err := m.secureTheme(ctx, store, theme, now); err != nil {
			return fmt.Errorf("auth: seal the signing keys of theme %q: %w", theme.ID, err)
		}
	}
	if err := m.secureWebhooks(ctx, store, now); err != nil {
		return fmt.Errorf("auth: seal the secrets of webhooks: %w", err)
	}
	if err := m.secureTokenKeys(ctx, store, now); err != nil {
		return fmt.Errorf("auth: seal token keys: %w", err)
	}
	return nil
}

// secureWebhooks seals the secrets of webhooks that an older key sealed.
func (m *Master) secureWebhooks(ctx context.Context, store storage.Store, now time.Time) error {
	var stale []record.Webhook
	err := store.View(ctx, func(r storage.Reader) error {
		stale = stale[:0]
		var fault error
		err := storage.Webhooks.Scan(r, storage.Ascending, func(_ []byte, w record.Webhook) bool {
			if m == nil {
				fault = fmt.Errorf("%w: webhook %s has secrets, which are stored sealed", ErrMasterKey, w.ID)
			} else if slices.ContainsFunc(w.Secrets, func(s record.WebhookSecret) bool { return !m.newest(s.Secret) }) {
				stale = append(stale, w)
			}
			return fault == nil
		})
		return errors.Join(err, fault)
	})
	for _, w := range stale {
		if err == nil {
			_, err = store.Update(ctx, w.EnvironmentID, func(tx storage.Tx) (record.Change, error) {
				return record.Change{At: now, Internal: true}, m.secureWebhook(tx, w)
			})
		}
	}
	return err
}

func (m *Master) secureWebhook(tx storage.Tx, seen record.Webhook) error {
	w, err := storage.Webhooks.Read(tx, seen.EnvironmentID, seen.ID)
	for i := range w.Secrets {
		var secret []byte
		if err == nil {
			secret, err = m.OpenWebhook(w.ID, w.Secrets[i].Secret)
		}
		if err == nil {
			w.Secrets[i].Secret = m.SealWebhook(w.ID, secret)
		}
	}
	if errors.Is(err, storage.ErrNotFound) { // another origin deleted it
		return nil
	}
	if err != nil {
		return err
	}
	return storage.Webhooks.Write(tx, w, w.EnvironmentID, w.ID)
}

// secured returns the Theme with every secret sealed by the newest key.
func (m *Master) secured(t record.Theme) (sealed record.Theme, changed bool, err error) {
	if m == nil {
		if t.Serving.Mode == "signed" || len(t.Serving.SigningKeys) > 0 {
			err = fmt.Errorf("%w: theme %s is signed or has signing keys, which are stored sealed", ErrMasterKey, t.ID)
		}
		return t, false, err
	}
	t.Serving.SigningKeys = slices.Clone(t.Serving.SigningKeys)
	for i, key := range t.Serving.SigningKeys {
		opened, err := m.OpenKey(t.ID, key)
		if err != nil {
			return t, false, err
		}
		if !key.Sealed || !m.newest(key.Secret) {
			t.Serving.SigningKeys[i], changed = m.SealKey(t.ID, opened), true
		}
	}
	return t, changed, nil
}

// secureTheme writes the Theme sealed. The change log names nothing: edges have the secrets as they were.
func (m *Master) secureTheme(ctx context.Context, store storage.Store, seen record.Theme, now time.Time) error {
	_, err := store.Update(ctx, seen.EnvironmentID, func(tx storage.Tx) (record.Change, error) {
		theme, err := storage.Themes.Read(tx, seen.EnvironmentID, seen.ID)
		if err != nil {
			return record.Change{}, err
		}
		if theme, _, err = m.secured(theme); err != nil {
			return record.Change{}, err
		}
		return record.Change{At: now}, storage.Themes.Write(tx, theme, theme.EnvironmentID, theme.ID)
	})
	return err
}

func (m *Master) secureTokenKeys(ctx context.Context, store storage.Store, now time.Time) error {
	_, err := store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		keys, err := storage.TokenKeys.All(tx)
		for _, key := range keys {
			if err != nil {
				break
			}
			var opened record.TokenKey
			if opened, err = m.openToken(key); err == nil && m != nil && !(key.Sealed && m.newest(key.Seed)) {
				err = storage.TokenKeys.Write(tx, m.sealToken(opened), key.ID)
			}
		}
		return record.Change{At: now}, err
	})
	return err
}
