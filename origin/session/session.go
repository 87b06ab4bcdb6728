// Package session keeps the people who use the console logged in. A session is an access token that the browser keeps in
// a cookie, sealed with a key that only the origins of the store have: nothing of it is stored, it works at every one of
// them and over their restarts, and no script of a page reads it. The package also exchanges what a person has, a code
// of the command line or one of an OpenID Connect issuer, for such a token.
package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/livery/origin/auth"
)

// MaxAge is how long a session lasts at most; it ends with its token if that is sooner.
const MaxAge = 12 * time.Hour

// maxValue is how long the value of a cookie may be: browsers drop one whose name and value have more than 4,096 bytes.
const maxValue = 4096 - len(secureName)

// The errors that callers branch on.
var (
	ErrTooLong   = errors.New("the access token is too long to be kept in a cookie")
	ErrNoSession = errors.New("no valid session")
)

// Sessions seals and opens sessions. Its methods may be called concurrently.
type Sessions struct {
	Keys   *auth.Keys
	Now    func() time.Time
	Secure bool // browsers reach the origin over https, whatever the origin itself sees
}

// Session is who is logged in, and until when.
type Session struct {
	Token   string // for the public API
	Caller  auth.Caller
	Expires time.Time
}

// Begin returns the session of an access token and the value of its cookie: auth.ErrUnauthorized if the token is not
// valid, ErrTooLong.
func (s *Sessions) Begin(token string) (session Session, value string, err error) {
	session, err = s.verify(token, s.Now().Add(MaxAge))
	if err != nil {
		return Session{}, "", err
	}
	sealed := s.Keys.SealSession([]byte(strconv.FormatInt(session.Expires.Unix(), 10) + " " + token))
	if base64.RawURLEncoding.EncodedLen(len(sealed)) > maxValue {
		return Session{}, "", ErrTooLong
	}
	return session, base64.RawURLEncoding.EncodeToString(sealed), nil
}

func (s *Sessions) verify(token string, end time.Time) (Session, error) {
	caller, expires, err := s.Keys.VerifyToken(token)
	if err != nil {
		return Session{}, err
	}
	if expires.After(end) {
		expires = end
	}
	return Session{token, caller, expires.UTC().Truncate(time.Second)}, nil
}

// Resume returns the session of a cookie's value: ErrNoSession if this is not one that Begin returned or it has ended,
// auth.ErrUnauthorized if its token is not valid any more.
func (s *Sessions) Resume(value string) (Session, error) {
	token, end, err := s.open(value)
	if err != nil {
		return Session{}, err
	}
	return s.verify(token, end)
}

// open returns the token of a cookie's value and when the session ends.
func (s *Sessions) open(value string) (token string, end time.Time, err error) {
	if len(value) > maxValue {
		return "", end, ErrNoSession
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil {
		return "", end, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	text, err := s.Keys.OpenSession(sealed)
	if err != nil {
		return "", end, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	seconds, token, _ := strings.Cut(string(text), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if end = time.Unix(at, 0); err != nil || !s.Now().Before(end) {
		return "", end, ErrNoSession
	}
	return token, end, nil
}
