package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"example.com/livery/storage/record"
)

// ErrMasterKey says that secrets of the store cannot be read, or may not be stored, with the master keys
// that were given.
var ErrMasterKey = errors.New("a master key is needed")

// Master seals secrets for rest with AES-256-GCM and opens them. Its methods may be called
// concurrently. The nil Master keeps secrets as they are and opens none.
type Master struct{ keys []masterKey } // the first seals, each opens what it sealed

type masterKey struct {
	id   string // says which key sealed, and nothing of the key itself
	aead cipher.AEAD
}

const minMasterKey = 32 // characters

// ParseMaster reads master keys, one on each line or between commas: the first seals, the others only
// open what they once sealed. A key is any text of 32 characters or more that cannot be guessed. No
// key at all is the nil Master.
func ParseMaster(text string) (*Master, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' })
	m := &Master{}
	for _, field := range fields {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		if len(field) < minMasterKey {
			return nil, fmt.Errorf("%w: key %d of those given has fewer than %d characters", ErrMasterKey, len(m.keys)+1, minMasterKey)
		}
		key, err := newMasterKey(field, masterPurpose)
		if err != nil {
			return nil, fmt.Errorf("auth: take a master key: %w", err)
		}
		m.keys = append(m.keys, key)
	}
	if len(m.keys) == 0 {
		return nil, nil
	}
	return m, nil
}

// The purposes of the keys that are derived: what one seals, the key of another purpose never opens.
const (
	masterPurpose  = "livery master key v1"
	sessionPurpose = "livery session v1"
)

// newMasterKey derives a key for the purpose (HKDF, RFC 5869).
func newMasterKey(text, purpose string) (masterKey, error) {
	material, err := hkdf.Key(sha256.New, []byte(text), nil, purpose, 32+record.SealIDBytes)
	if err != nil {
		return masterKey{}, err
	}
	block, err := aes.NewCipher(material[:32])
	if err != nil {
		return masterKey{}, err
	}
	aead, err := cipher.NewGCM(block)
	return masterKey{string(material[32:]), aead}, err
}

// seal returns the secret sealed for its place alone: key id (8), nonce (12), ciphertext and tag.
func (m *Master) seal(place string, secret []byte) []byte {
	key := m.keys[0]
	nonce := make([]byte, key.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return key.aead.Seal(append([]byte(key.id), nonce...), nonce, secret, []byte(place))
}

// open returns what seal sealed for that place, or ErrMasterKey.
func (m *Master) open(place string, sealed []byte) ([]byte, error) {
	key, ok := m.keyOf(sealed)
	if !ok {
		return nil, fmt.Errorf("%w: none of those given sealed the secret of %s", ErrMasterKey, place)
	}
	body := sealed[record.SealIDBytes:]
	size := key.aead.NonceSize()
	if len(body) < size {
		return nil, fmt.Errorf("%w: the secret of %s is cut", ErrMasterKey, place)
	}
	secret, err := key.aead.Open(nil, body[:size], body[size:], []byte(place))
	if err != nil {
		return nil, fmt.Errorf("%w: the secret of %s was changed: %w", ErrMasterKey, place, err)
	}
	return secret, nil
}

func (m *Master) keyOf(sealed []byte) (masterKey, bool) {
	if m == nil || len(sealed) < record.SealIDBytes {
		return masterKey{}, false
	}
	for _, key := range m.keys {
		if key.id == string(sealed[:record.SealIDBytes]) {
			return key, true
		}
	}
	return masterKey{}, false
}

// newestID returns the id of the key that seals, none of the nil Master.
func (m *Master) newestID() []byte {
	if m == nil {
		return nil
	}
	return []byte(m.keys[0].id)
}

// newest reports whether the key that seals now sealed this.
func (m *Master) newest(sealed []byte) bool {
	return len(sealed) >= record.SealIDBytes && m.keys[0].id == string(sealed[:record.SealIDBytes])
}

// SealKey returns the signing key of the Theme as it is stored. The nil Master stores it as it is.
func (m *Master) SealKey(themeID string, key record.SigningKey) record.SigningKey {
	if m != nil && !key.Sealed {
		key.Secret, key.Sealed = m.seal(signingPlace(themeID, key.ID), key.Secret), true
	}
	return key
}

// OpenKey returns the signing key of the Theme with its secret, or ErrMasterKey.
func (m *Master) OpenKey(themeID string, key record.SigningKey) (record.SigningKey, error) {
	if !key.Sealed {
		return key, nil
	}
	secret, err := m.open(signingPlace(themeID, key.ID), key.Secret)
	key.Secret, key.Sealed = secret, false
	return key, err
}

// SealWebhook returns a secret of the webhook as it is stored. m must not be nil.
func (m *Master) SealWebhook(id string, secret []byte) []byte {
	return m.seal(webhookPlace(id), secret)
}

// OpenWebhook returns what SealWebhook sealed for the webhook, or ErrMasterKey.
func (m *Master) OpenWebhook(id string, sealed []byte) ([]byte, error) {
	return m.open(webhookPlace(id), sealed)
}

// SealAnswer returns an answer that holds a secret as it is stored under its name. m must not be nil.
func (m *Master) SealAnswer(name string, answer []byte) []byte {
	return m.seal(answerPlace(name), answer)
}

// OpenAnswer returns what SealAnswer sealed under the name, or ErrMasterKey.
func (m *Master) OpenAnswer(name string, sealed []byte) ([]byte, error) {
	return m.open(answerPlace(name), sealed)
}

func (m *Master) sealToken(key record.TokenKey) record.TokenKey {
	if m != nil && !key.Sealed {
		key.Seed, key.Sealed = m.seal(tokenPlace(key.ID), key.Seed), true
	}
	return key
}

func (m *Master) openToken(key record.TokenKey) (record.TokenKey, error) {
	if !key.Sealed {
		return key, nil
	}
	seed, err := m.open(tokenPlace(key.ID), key.Seed)
	key.Seed, key.Sealed = seed, false
	return key, err
}

// A sealed secret opens at its own place only, so that no two can be exchanged.
func signingPlace(themeID, keyID string) string {
	return "signing key " + keyID + " of theme " + themeID
}

func webhookPlace(id string) string { return "webhook " + id }

func answerPlace(name string) string { return "answer " + name }

func tokenPlace(keyID string) string { return "token key " + keyID }
