package auth

import (
	"errors"

	"github.com/golang-jwt/jwt/v5"
)

// The reasons for which a token is refused, as metrics name them.
var (
	errNone   = errors.New("auth: there is not one Bearer token")
	errClaims = errors.New("auth: the token has not the claims that its issuer is bound by")
	errIssuer = errors.New("auth: no such issuer")
)

// reasons are by which error a refusal is known, in the order in which they are tried: the library
// joins all that is wrong with the claims, and a time says more than an audience.
var reasons = []struct {
	err  error
	word string
}{
	{errNone, "none"},
	{errIssuer, "issuer"},
	{errNoKey, "key"},
	{errClaims, "claims"},
	{jwt.ErrTokenSignatureInvalid, "signature"},
	{jwt.ErrTokenExpired, "expired"},
	{jwt.ErrTokenNotValidYet, "early"},
	{jwt.ErrTokenUsedBeforeIssued, "early"},
	{jwt.ErrTokenInvalidAudience, "audience"},
	{jwt.ErrTokenRequiredClaimMissing, "claims"},
	{jwt.ErrTokenUnverifiable, "header"},
	{jwt.ErrTokenMalformed, "malformed"},
}

// Reason names in one of a dozen words why Verify returned err: none, issuer, key, claims, signature,
// expired, early, audience, header, malformed or other.
func Reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.word
		}
	}
	return "other"
}
