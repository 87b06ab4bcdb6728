package auth

// sessionPlace is what a sealed session is sealed for.
const sessionPlace = "session"

// SealSession seals what a browser keeps for a caller, with a key that is derived from the token key that signs now. Every
// origin of the store opens it. Dropping the token key ends it.
func (k *Keys) SealSession(secret []byte) []byte {
	return k.trusts.Load().sessions.seal(sessionPlace, secret)
}

// OpenSession returns what SealSession sealed, or an error.
func (k *Keys) OpenSession(sealed []byte) ([]byte, error) {
	return k.trusts.Load().sessions.open(sessionPlace, sealed)
}

// IsOwn reports whether the caller's token is one that Issue made.
func (k *Keys) IsOwn(c Caller) bool { return c.Issuer == k.config.Issuer }
