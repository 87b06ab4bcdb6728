package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// How long a code counts, and how many the store keeps: the one that expires first gives way to a new one.
const (
	CodeLife = 5 * time.Minute
	maxCodes = 256
)

// The errors of codes that callers branch on.
var (
	ErrCode  = errors.New("the code is wrong, was used, or has expired")
	ErrOther = errors.New("the link logs in someone else than the person who is logged in")
)

// NewCode stores a code that one person may exchange once, within CodeLife, for a session of the subject, in a commit of
// the scope storage.Global. The code is 32 hexadecimal digits; the store has its digest alone.
func NewCode(tx storage.Tx, subject string, now time.Time) (code string, expires time.Time, err error) {
	if err := makeRoom(tx, now); err != nil {
		return "", expires, err
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	code, expires = hex.EncodeToString(random[:]), now.UTC().Add(CodeLife)
	return code, expires, storage.LoginCodes.Write(tx, record.LoginCode{Subject: subject, Expires: expires}, digest(code))
}

// makeRoom deletes the codes that have expired, and others until there is room for one more.
func makeRoom(tx storage.Tx, now time.Time) error {
	var expired []string
	first, count := "", 0
	var soonest time.Time
	err := storage.LoginCodes.Scan(tx, storage.Ascending, func(key []byte, c record.LoginCode) bool {
		name := storage.LastPart(key)
		if !now.Before(c.Expires) {
			expired = append(expired, name)
			return true
		}
		if count++; first == "" || c.Expires.Before(soonest) {
			first, soonest = name, c.Expires
		}
		return true
	})
	if count >= maxCodes {
		expired = append(expired, first)
	}
	for _, name := range expired {
		if err == nil {
			err = storage.LoginCodes.Delete(tx, name)
		}
	}
	return err
}

func digest(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// Redeem returns the access token that a code stands for, and deletes the code; ErrCode. Of several requests with one
// code one has the token. A wrong code costs a read and no commit. A code for another subject than stays, if that is not
// empty, is ErrOther and still counts.
func (s *Sessions) Redeem(ctx context.Context, store storage.Store, code, stays string) (token string, err error) {
	name := digest(code)
	var found record.LoginCode
	err = store.View(ctx, func(r storage.Reader) (err error) {
		found, err = s.codeOf(r, name)
		return err
	})
	if err == nil && stays != "" && stays != found.Subject {
		return "", ErrOther
	}
	if err == nil {
		_, err = store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
			if found, err = s.codeOf(tx, name); err != nil {
				return record.Change{}, err
			}
			return record.Change{At: s.Now().UTC()}, storage.LoginCodes.Delete(tx, name)
		})
	}
	if err != nil {
		return "", err
	}
	token, _, err = s.Keys.Issue(auth.Order{Subject: found.Subject, TTL: MaxAge})
	return token, err
}

// codeOf returns the code of that digest if it still counts, or ErrCode.
func (s *Sessions) codeOf(r storage.Reader, name string) (record.LoginCode, error) {
	c, err := storage.LoginCodes.Read(r, name)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return c, ErrCode
	case err != nil:
		return c, fmt.Errorf("session: read a code: %w", err)
	case !s.Now().Before(c.Expires):
		return c, ErrCode
	}
	return c, nil
}
