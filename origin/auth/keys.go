package auth

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Config says for whom tokens are issued and verified.
type Config struct {
	Issuer   string           // the "iss" of every token
	Audience string           // the "aud" that Verify asks for
	Now      func() time.Time // nil means time.Now
}

// Keys issues and verifies access tokens. Its methods may be called concurrently.
type Keys struct {
	config  Config
	signing record.TokenKey // the newest key
	public  map[string]ed25519.PublicKey
	parser  *jwt.Parser
}

// MaxTTL is the longest life of a token.
const MaxTTL = 366 * 24 * time.Hour

// Open reads the token keys of the store, and makes and stores the first one where there is none.
func Open(ctx context.Context, store storage.Store, config Config) (*Keys, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	k := &Keys{config: config, parser: newParser(config)}
	_, err := store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		now := config.Now().UTC()
		return record.Change{At: now}, k.load(tx, now)
	})
	if err != nil {
		return nil, fmt.Errorf("auth: open token keys: %w", err)
	}
	return k, nil
}

func newParser(config Config) *jwt.Parser {
	return jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithIssuer(config.Issuer),
		jwt.WithAudience(config.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(config.Now),
	)
}

func (k *Keys) load(tx storage.Tx, now time.Time) error {
	k.signing, k.public = record.TokenKey{}, map[string]ed25519.PublicKey{}
	err := storage.TokenKeys.Scan(tx, storage.Ascending, func(_ []byte, key record.TokenKey) bool {
		k.add(key)
		return true
	})
	if err != nil || len(k.public) > 0 {
		return err
	}
	key, err := newTokenKey(now)
	if err != nil {
		return err
	}
	k.add(key)
	return storage.TokenKeys.Write(tx, key, key.ID)
}

func (k *Keys) add(key record.TokenKey) {
	k.public[key.ID] = ed25519.NewKeyFromSeed(key.Seed).Public().(ed25519.PublicKey)
	if k.signing.ID == "" || key.CreatedAt.After(k.signing.CreatedAt) {
		k.signing = key
	}
}

// newTokenKey makes a key that is named by a digest of its public half.
func newTokenKey(now time.Time) (record.TokenKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return record.TokenKey{}, fmt.Errorf("auth: make a token key: %w", err)
	}
	sum := sha256.Sum256(public)
	name := strings.ToLower(base32.HexEncoding.EncodeToString(sum[:15]))
	return record.TokenKey{ID: "key_" + name, Seed: private.Seed(), CreatedAt: now}, nil
}

// Order is what a token is asked for.
type Order struct {
	Subject  string
	Audience string        // empty means the audience that Verify asks for
	TTL      time.Duration // above 0 and up to MaxTTL
}

// Issue returns a signed token and when it expires: ErrOrder, with what is wrong, where the order
// cannot be met.
func (k *Keys) Issue(order Order) (token string, expires time.Time, err error) {
	if !ValidSubject(order.Subject) {
		return "", time.Time{}, fmt.Errorf("%w: the subject must have 1 to %d characters, none a control character", ErrOrder, maxSubject)
	}
	if order.TTL < time.Second || order.TTL > MaxTTL {
		return "", time.Time{}, fmt.Errorf("%w: a token lives from 1 second to %d days", ErrOrder, MaxTTL/(24*time.Hour))
	}
	if order.Audience == "" {
		order.Audience = k.config.Audience
	}
	now := k.config.Now().UTC().Truncate(time.Second)
	expires = now.Add(order.TTL).Truncate(time.Second)
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Issuer:    k.config.Issuer,
		Subject:   order.Subject,
		Audience:  jwt.ClaimStrings{order.Audience},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(expires),
	})
	t.Header["kid"] = k.signing.ID
	token, err = t.SignedString(ed25519.NewKeyFromSeed(k.signing.Seed))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("auth: sign a token: %w", err)
	}
	return token, expires, nil
}
