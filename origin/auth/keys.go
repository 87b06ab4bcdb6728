package auth

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base32"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Config says for whom tokens are issued and verified.
type Config struct {
	Issuer   string           // the "iss" of every token that Issue makes
	Audience string           // the "aud" that Verify asks for
	Now      func() time.Time // nil means time.Now
	Roots    *x509.CertPool   // certificate authorities for the addresses of key sets; nil means the system's
	Logger   *slog.Logger     // nil means slog.Default()
	Master   *Master          // seals the token keys; nil keeps them as they are
	Read     func(error)      // called after each attempt to read the key set of an issuer; nil does nothing
}

// Keys issues and verifies access tokens. Its methods may be called concurrently.
type Keys struct {
	config  Config
	parser  *jwt.Parser
	fetcher *http.Client

	mu     sync.Mutex // locked while trusts is replaced
	trusts atomic.Pointer[trustStore]
}

// trustStore is the keys whose tokens are believed. It is replaced, never changed.
type trustStore struct {
	signing  record.TokenKey // the newest key
	public   map[string]ed25519.PublicKey
	sessions *Master                    // seals what browsers keep, with keys that are derived from the token keys
	issuers  map[string][]trustedIssuer // by URL, each list by name
}

// leeway is how far the clock of an issuer, or of another origin, may be off from ours.
const leeway = time.Minute

// MaxTTL is the longest life of a token.
const MaxTTL = 366 * 24 * time.Hour

// Open reads the token keys and the issuers of the store, and makes and stores the first token key
// if there is none. It fetches nothing: the key set of an issuer is read when a token names it.
func Open(ctx context.Context, store storage.Store, config Config) (*Keys, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Read == nil {
		config.Read = func(error) {}
	}
	k := &Keys{config: config, parser: newParser(config), fetcher: newFetcher(config.Roots)}
	_, err := store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		now := config.Now().UTC()
		return record.Change{At: now}, k.firstTokenKey(tx, now)
	})
	if err == nil {
		err = k.Reload(ctx, store)
	}
	if err != nil {
		return nil, fmt.Errorf("auth: open token keys: %w", err)
	}
	return k, nil
}

func newParser(config Config) *jwt.Parser {
	return jwt.NewParser(
		jwt.WithValidMethods([]string{eddsa, rs256, es256}),
		jwt.WithAudience(config.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway),
		jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(config.Now),
	)
}

// Reload reads the token keys and the issuers again: what the store says holds for the next Verify.
func (k *Keys) Reload(ctx context.Context, store storage.Store) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := &trustStore{public: map[string]ed25519.PublicKey{}, sessions: &Master{}}
	var issuers []record.Issuer
	err := store.View(ctx, func(r storage.Reader) error {
		keys, err := storage.TokenKeys.All(r)
		for _, key := range keys {
			if key, err = k.config.Master.openToken(key); err != nil {
				return err
			}
			if err = next.add(key); err != nil {
				return err
			}
		}
		if err == nil {
			issuers, err = storage.Issuers.All(r)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("auth: read keys: %w", err)
	}
	var old map[string][]trustedIssuer
	if before := k.trusts.Load(); before != nil {
		old = before.issuers
	}
	next.issuers = k.trust(issuers, old)
	k.trusts.Store(next)
	return nil
}

func (n *trustStore) add(key record.TokenKey) error {
	n.public[key.ID] = ed25519.NewKeyFromSeed(key.Seed).Public().(ed25519.PublicKey)
	session, err := newMasterKey(string(key.Seed), sessionPurpose)
	if err != nil {
		return fmt.Errorf("auth: derive the key of sessions: %w", err)
	}
	if n.signing.ID == "" || key.CreatedAt.After(n.signing.CreatedAt) {
		n.signing = key
		n.sessions.keys = append([]masterKey{session}, n.sessions.keys...)
		return nil
	}
	n.sessions.keys = append(n.sessions.keys, session)
	return nil
}

// firstTokenKey makes the first key if there is none.
func (k *Keys) firstTokenKey(tx storage.Tx, now time.Time) error {
	keys, err := storage.TokenKeys.All(tx)
	if err != nil || len(keys) > 0 {
		return err
	}
	key, err := newTokenKey(now)
	if err != nil {
		return err
	}
	return storage.TokenKeys.Write(tx, k.config.Master.sealToken(key), key.ID)
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

// Order describes a token to be issued.
type Order struct {
	Subject  string
	Audience string        // empty means the audience that Verify asks for
	TTL      time.Duration // above 0 and up to MaxTTL
}

// Issue returns a signed token and when it expires: ErrOrder, with what is wrong, if the order
// cannot be met.
func (k *Keys) Issue(order Order) (token string, expires time.Time, err error) {
	if !ValidSubject(order.Subject) {
		return "", time.Time{}, fmt.Errorf("%w: the subject %s", ErrOrder, SubjectRule)
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
	signing := k.trusts.Load().signing
	t.Header["kid"] = signing.ID
	token, err = t.SignedString(ed25519.NewKeyFromSeed(signing.Seed))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("auth: sign a token: %w", err)
	}
	return token, expires, nil
}
