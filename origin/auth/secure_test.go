package auth_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

var (
	firstKey  = strings.Repeat("first-", 8)
	secondKey = strings.Repeat("second", 8)
)

func master(t *testing.T, text string) *auth.Master {
	t.Helper()
	m, err := auth.ParseMaster(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A master key is not a short text, a blank line is not a key, and no key is no Master.
func TestParseMaster(t *testing.T) {
	t.Parallel()
	first := master(t, firstKey).SealKey("thm_1", record.SigningKey{ID: "key_1", Secret: []byte("a")})
	second := master(t, secondKey).SealKey("thm_1", record.SigningKey{ID: "key_1", Secret: []byte("b")})
	for text, keys := range map[string]int{"": 0, "\n \n": 0, firstKey: 1, firstKey + "\n": 1, firstKey + "\r\n" + secondKey + "\n\n": 2, firstKey + "," + secondKey: 2} {
		m, err := auth.ParseMaster(text)
		_, errFirst := m.OpenKey("thm_1", first)
		_, errSecond := m.OpenKey("thm_1", second)
		if err != nil || (m == nil) != (keys == 0) || (errFirst == nil) != (keys > 0) || (errSecond == nil) != (keys > 1) {
			t.Errorf("ParseMaster(%q) = %v, %v, which opens %v, %v, want %d keys", text, m, err, errFirst, errSecond, keys)
		}
	}
	for _, text := range []string{"short", strings.Repeat("a", 32-1), firstKey + "\nshort"} {
		if _, err := auth.ParseMaster(text); !errors.Is(err, auth.ErrMasterKey) || strings.Contains(err.Error(), "short") {
			t.Errorf("ParseMaster(%q) = %v, want ErrMasterKey without the key", text, err)
		}
	}
}

// A110: what is sealed differs each time, opens with its key and at its place alone, and not changed.
func TestSealedSecretsOpenAtTheirPlaceAlone(t *testing.T) {
	t.Parallel()
	m, other := master(t, firstKey), master(t, secondKey)
	key := record.SigningKey{ID: "key_1", Secret: []byte("canary-secret-canary-secret-cana")}
	sealed, again := m.SealKey("thm_1", key), m.SealKey("thm_1", key)
	if !sealed.Sealed || bytes.Contains(sealed.Secret, key.Secret[:8]) || bytes.Equal(sealed.Secret, again.Secret) {
		t.Errorf("SealKey() = %q and %q, want two that show nothing", sealed.Secret, again.Secret)
	}
	if opened, err := m.OpenKey("thm_1", sealed); err != nil || opened.Sealed || !bytes.Equal(opened.Secret, key.Secret) {
		t.Errorf("OpenKey() = %v, %v, want the key", opened, err)
	}
	if opened, err := master(t, secondKey+"\n"+firstKey).OpenKey("thm_1", sealed); err != nil || !bytes.Equal(opened.Secret, key.Secret) {
		t.Errorf("OpenKey() after a rotation = %v, %v, want the key", opened, err)
	}
	renamed := sealed
	renamed.ID = "key_2"
	for name, open := range map[string]func() (record.SigningKey, error){
		"no master key":      func() (record.SigningKey, error) { return (*auth.Master)(nil).OpenKey("thm_1", sealed) },
		"another master key": func() (record.SigningKey, error) { return other.OpenKey("thm_1", sealed) },
		"another Theme":      func() (record.SigningKey, error) { return m.OpenKey("thm_2", sealed) },
		"another key id":     func() (record.SigningKey, error) { return m.OpenKey("thm_1", renamed) },
	} {
		if opened, err := open(); !errors.Is(err, auth.ErrMasterKey) || len(opened.Secret) > 0 {
			t.Errorf("%s: OpenKey() = %v, %v, want ErrMasterKey", name, opened, err)
		}
	}
	for i := range sealed.Secret {
		changed := sealed
		changed.Secret = bytes.Clone(sealed.Secret)
		changed.Secret[i] ^= 1
		if _, err := m.OpenKey("thm_1", changed); !errors.Is(err, auth.ErrMasterKey) {
			t.Errorf("byte %d changed: OpenKey() = %v, want ErrMasterKey", i, err)
		}
		cut := sealed
		cut.Secret = sealed.Secret[:i]
		if _, err := m.OpenKey("thm_1", cut); !errors.Is(err, auth.ErrMasterKey) {
			t.Errorf("cut at %d: OpenKey() = %v, want ErrMasterKey", i, err)
		}
	}
}

// signingTheme puts a Theme with that key into the store.
func (s *fixture) signingTheme(mode string, keys ...record.SigningKey) {
	s.t.Helper()
	theme := record.Theme{ID: "thm_1", EnvironmentID: "env_1", Serving: record.Serving{Mode: mode, SigningKeys: keys}}
	_, err := s.store.Update(context.Background(), "env_1", func(tx storage.Tx) (record.Change, error) {
		return record.Change{At: s.now}, storage.Themes.Write(tx, theme, theme.EnvironmentID, theme.ID)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// signingKey is the stored key of the Theme.
func (s *fixture) signingKey() (key record.SigningKey) {
	s.t.Helper()
	err := s.store.View(context.Background(), func(r storage.Reader) error {
		theme, err := storage.Themes.Read(r, "env_1", "thm_1")
		if err == nil {
			key = theme.Serving.SigningKeys[0]
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return key
}

func (s *fixture) secure(m *auth.Master) error {
	return auth.Secure(context.Background(), s.store, m, s.now)
}

// A110: what lies open is sealed at the start, a rotation of the master key seals everything anew, and
// tokens and secrets are what they were.
func TestSecureSealsAndReseals(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	token := s.issue(auth.Order{Subject: "someone", TTL: auth.MaxTTL})
	secret := []byte("canary-secret-canary-secret-cana")
	s.signingTheme("signed", record.SigningKey{ID: "key_1", Secret: secret})
	before, err := s.store.Changes(context.Background(), storage.Cursor{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, keys := range []string{firstKey, firstKey, secondKey + "\n" + firstKey, secondKey} {
		m := master(t, keys)
		if err := s.secure(m); err != nil {
			t.Fatal(err)
		}
		newest, _, _ := strings.Cut(keys, "\n")
		signing, tokens := s.signingKey(), s.tokenKeys()
		opened, err := master(t, newest).OpenKey("thm_1", signing)
		if err != nil || !signing.Sealed || !bytes.Equal(opened.Secret, secret) {
			t.Errorf("with %.6s: the signing key is %v, %v, want it sealed by the newest", keys, signing, err)
		}
		for _, key := range tokens {
			if !key.Sealed {
				t.Errorf("with %.6s: the token key %s is not sealed", keys, key.ID)
			}
		}
		for _, master := range []*auth.Master{m, master(t, newest)} {
			s.config.Master = master
			if _, err := s.open().Verify([]string{"Bearer " + token}); err != nil {
				t.Errorf("with %.6s: Verify() = %v, want nil", keys, err)
			}
		}
		ids = append(ids, string(signing.Secret))
	}
	if ids[0] != ids[1] || ids[1] == ids[2] || ids[2] != ids[3] {
		t.Error("a start without a new key sealed anew, or a rotation did not")
	}
	after, err := s.store.Changes(context.Background(), before[len(before)-1].Cursor, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range after {
		if entry.Change.EnvironmentID != "" {
			t.Errorf("edges are told of %+v, want nothing", entry.Change)
		}
	}
}

// A111: without the master key a store with secrets, or with a signed Theme, is refused.
func TestSecureRefusesAStoreWhoseKeyIsMissing(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{"signed": "signed", "public with a key": "public"} {
		s := newFixture(t)
		if err := s.secure(nil); err != nil {
			t.Errorf("%s: without secrets Secure(nil) = %v, want nil", name, err)
		}
		s.signingTheme(mode, record.SigningKey{ID: "key_1", Secret: []byte("secret")})
		if err := s.secure(nil); !errors.Is(err, auth.ErrMasterKey) || !strings.Contains(err.Error(), "thm_1") {
			t.Errorf("%s: Secure(nil) = %v, want ErrMasterKey naming the Theme", name, err)
		}
		if err := s.secure(master(t, firstKey)); err != nil {
			t.Fatal(err)
		}
		if err := s.secure(master(t, secondKey)); !errors.Is(err, auth.ErrMasterKey) {
			t.Errorf("%s: Secure() with another key = %v, want ErrMasterKey", name, err)
		}
	}
	s := newFixture(t)
	s.signingTheme("signed")
	if err := s.secure(nil); !errors.Is(err, auth.ErrMasterKey) {
		t.Errorf("a signed Theme without keys: Secure(nil) = %v, want ErrMasterKey", err)
	}
	s = newFixture(t)
	if err := s.secure(master(t, firstKey)); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*auth.Master{"none": nil, "another": master(t, secondKey)} {
		if err := s.secure(m); !errors.Is(err, auth.ErrMasterKey) {
			t.Errorf("sealed token keys and %s master key: Secure() = %v, want ErrMasterKey", name, err)
		}
	}
}
