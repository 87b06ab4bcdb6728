package auth

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"example.com/livery/renderer/jsontree"
)

// maxSubject is the length of the longest subject, in characters.
const maxSubject = 255

// SubjectRule says what ValidSubject wants.
var SubjectRule = fmt.Sprintf("must have 1 to %d characters, none a control character", maxSubject)

// ValidSubject reports whether s can be the subject of a token and stand in a key of the store.
func ValidSubject(s string) bool {
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && n > 0 && n <= maxSubject && !strings.ContainsFunc(s, unicode.IsControl)
}

// Verify returns the caller that the Authorization header names. authorization holds every field line of
// that name; anything but one Bearer token that this origin's keys, or those of an issuer that the
// operator named, signed for this audience and that is in force is ErrUnauthorized. A key that is not
// known may cost a read of its issuer's key set, once in a while.
func (k *Keys) Verify(authorization []string) (Caller, error) {
	if len(authorization) != 1 {
		return Caller{}, fmt.Errorf("%w: %w", ErrUnauthorized, errNone)
	}
	scheme, token, found := strings.Cut(authorization[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return Caller{}, fmt.Errorf("%w: %w", ErrUnauthorized, errNone)
	}
	caller, _, err := k.VerifyToken(strings.TrimLeft(token, " ")) // RFC 9110 section 11.4: one space or more
	return caller, err
}

// VerifyToken is Verify for the token alone. It also returns when the token ceases to be accepted.
func (k *Keys) VerifyToken(token string) (caller Caller, end time.Time, err error) {
	if token == "" || len(token) > maxTokenBytes {
		return Caller{}, time.Time{}, fmt.Errorf("%w: %w", ErrUnauthorized, errNone)
	}
	known, c := k.trusts.Load(), &claims{}
	keyOf := func(t *jwt.Token) (any, error) {
		if c.Issuer == k.config.Issuer {
			return known.ownKey(t)
		}
		return known.issuerKey(t, c.Issuer)
	}
	if _, err := k.parser.ParseWithClaims(token, c, keyOf); err != nil {
		return Caller{}, time.Time{}, fmt.Errorf("%w: %w", ErrUnauthorized, err)
	}
	end = c.ExpiresAt.Add(leeway)
	if c.Issuer == k.config.Issuer {
		return Caller{Subject: c.Subject, Issuer: c.Issuer}, end, nil
	}
	caller, err = callerOf(known.issuers[c.Issuer], c)
	return caller, end, err
}

// maxTokenBytes is the length of the longest token that is looked at; a listener admits no header
// that is as long.
const maxTokenBytes = 64 << 10

// ownKey returns the key that the header of a token of our own names. The library ignores "crit" (RFC
// 7515 section 4.1.11) and "b64" (RFC 7797): a header with anything but what Issue writes is refused,
// which also keeps embedded keys and their addresses from ever being looked at.
func (n *trustStore) ownKey(t *jwt.Token) (any, error) {
	for name, value := range t.Header {
		switch name {
		case "alg", "kid":
		case "typ":
			if typ, ok := value.(string); !ok || !strings.EqualFold(typ, "JWT") {
				return nil, errors.New("auth: the token's typ is not JWT")
			}
		default:
			return nil, fmt.Errorf("auth: header parameter %q is not understood", name)
		}
	}
	id, _ := t.Header["kid"].(string)
	key, ok := n.public[id]
	if !ok || t.Method.Alg() != eddsa {
		return nil, errNoKey
	}
	return key, nil
}

var errNoKey = errors.New("auth: no such key")

// issuerKey returns the key of the issuer that the header names, for the algorithm that it names. A
// URL that is not known costs nothing.
func (n *trustStore) issuerKey(t *jwt.Token, url string) (any, error) {
	issuers := n.issuers[url]
	if len(issuers) == 0 {
		return nil, errIssuer
	}
	if what := headerFault(t.Header); what != "" {
		return nil, errors.New("auth: header parameter " + what)
	}
	id, _ := t.Header["kid"].(string)
	if id == "" {
		return nil, errNoKey
	}
	// All issuers of one URL share the key set: the operator's file is refused otherwise.
	key, ok := issuers[0].set.find(keyName{id, t.Method.Alg()})
	if !ok {
		return nil, errNoKey
	}
	return key, nil
}

// claims reads the registered claims strictly: the library takes numbers in quotes and dates that
// overflow, and cuts fractions of seconds off.
type claims struct {
	jwt.RegisteredClaims
	root *jsontree.Node // all claims
}

// UnmarshalJSON reads a claims set in which every claim that this package uses has its proper form.
func (c *claims) UnmarshalJSON(data []byte) error {
	root, err := jsontree.ParseDepth(string(data), 16)
	if err != nil {
		return err
	}
	if !root.IsObject() {
		return errors.New("auth: the claims are not an object")
	}
	c.root = root
	if c.Subject, err = text(root, "sub"); err != nil || !ValidSubject(c.Subject) {
		return errors.New("auth: the subject is missing or malformed")
	}
	if c.Issuer, err = text(root, "iss"); err != nil {
		return err
	}
	if c.Audience, err = audience(root.Find("aud")); err != nil {
		return err
	}
	if c.ExpiresAt, err = date(root, "exp"); err != nil {
		return err
	}
	if c.NotBefore, err = date(root, "nbf"); err != nil {
		return err
	}
	c.IssuedAt, err = date(root, "iat")
	return err
}

func text(root *jsontree.Node, name string) (string, error) {
	n := root.Find(name)
	if !n.IsString() {
		return "", fmt.Errorf("auth: claim %q is not a string", name)
	}
	return n.Text, nil
}

func audience(n *jsontree.Node) (jwt.ClaimStrings, error) {
	if n.IsString() {
		return jwt.ClaimStrings{n.Text}, nil
	}
	if n == nil || n.Kind != jsontree.Array {
		return nil, errors.New("auth: claim \"aud\" is neither a string nor a list")
	}
	var all jwt.ClaimStrings
	for _, item := range n.Items() {
		if !item.IsString() {
			return nil, errors.New("auth: claim \"aud\" has an item that is not a string")
		}
		all = append(all, item.Text)
	}
	return all, nil
}

// maxDate is the largest distance from 1970 that a date may have, in seconds: to the end of the year 9999.
const maxDate = 253402300799

// date reads a NumericDate (RFC 7519 section 2): a number of seconds since 1970, which may have a fraction. A missing
// one is nil.
func date(root *jsontree.Node, name string) (*jwt.NumericDate, error) {
	n := root.Find(name)
	if n == nil {
		return nil, nil
	}
	seconds, err := strconv.ParseFloat(n.Text, 64)
	if n.Kind != jsontree.Number || err != nil || math.Abs(seconds) > maxDate {
		return nil, fmt.Errorf("auth: claim %q is not a date in seconds", name)
	}
	whole, fraction := math.Modf(seconds)
	return &jwt.NumericDate{Time: time.Unix(int64(whole), int64(fraction*float64(time.Second)))}, nil
}
