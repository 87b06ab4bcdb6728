package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/golang-jwt/jwt/v5"

	"example.com/livery/renderer/jsontree"
)

// The algorithms that tokens of issuers may be signed with. Each takes keys of one kind only.
const (
	rs256 = "RS256"
	es256 = "ES256"
	eddsa = "EdDSA"
)

// RFC 9864 names the algorithm of Ed25519 keys by the curve.
func init() {
	jwt.RegisterSigningMethod("Ed25519", func() jwt.SigningMethod { return jwt.SigningMethodEdDSA })
}

// The sizes of an RSA modulus that are taken, in bits.
const (
	minModulusBits = 2048
	maxModulusBits = 8192
)

// parseKeySet reads a JSON Web Key Set. Keys that have no id, are malformed, are for another use, or
// are of a kind or size that no algorithm here takes are left out (RFC 7517 section 5); of two keys
// of one name the first counts.
func parseKeySet(body []byte) (map[keyName]any, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF")) // some editors put a byte order mark into files
	root, err := jsontree.ParseDepth(string(body), 16)
	if err != nil {
		return nil, fmt.Errorf("auth: read the key set: %w", err)
	}
	list := root.Find("keys")
	if !root.IsObject() || list == nil || list.Kind != jsontree.Array {
		return nil, errors.New(`auth: the key set has no list "keys"`)
	}
	keys := map[keyName]any{}
	for _, item := range list.Items() {
		id, algorithm := plain(item, "kid"), algorithmOf(item)
		if id == "" || algorithm == "" || !forSignatures(item) {
			continue
		}
		name := keyName{id, algorithm}
		if key, err := publicKey(item, algorithm); err == nil && keys[name] == nil {
			keys[name] = key
		}
	}
	return keys, nil
}

// plain returns a member that is a string, or "".
func plain(n *jsontree.Node, name string) string {
	if !n.IsObject() {
		return ""
	}
	if m := n.Find(name); m.IsString() {
		return m.Text
	}
	return ""
}

// algorithmOf returns the one algorithm that a key is for: its kind decides, and what it says of
// itself must not contradict. It is empty if there is none.
func algorithmOf(n *jsontree.Node) string {
	algorithm := map[string]string{"RSA/": rs256, "EC/P-256": es256, "OKP/Ed25519": eddsa}[plain(n, "kty")+"/"+plain(n, "crv")]
	switch said := plain(n, "alg"); {
	case said == "", said == algorithm, said == "Ed25519" && algorithm == eddsa:
		return algorithm
	}
	return ""
}

func forSignatures(n *jsontree.Node) bool {
	if use := plain(n, "use"); use != "" && use != "sig" {
		return false
	}
	operations := n.Find("key_ops")
	return operations == nil || slices.ContainsFunc(operations.Items(), func(o *jsontree.Node) bool { return o.IsString() && o.Text == "verify" })
}

func publicKey(n *jsontree.Node, algorithm string) (any, error) {
	switch algorithm {
	case rs256:
		return rsaKey(n)
	case es256:
		return ecKey(n)
	}
	x, err := number(n, "x")
	if err != nil || len(x) != ed25519.PublicKeySize {
		return nil, errors.New("the Ed25519 key is malformed")
	}
	return ed25519.PublicKey(x), nil
}

func rsaKey(n *jsontree.Node) (any, error) {
	modulus, err := number(n, "n")
	exponent, err2 := number(n, "e")
	if err != nil || err2 != nil || len(exponent) == 0 || len(exponent) > 4 {
		return nil, errors.New("the RSA key is malformed")
	}
	e := new(big.Int).SetBytes(exponent).Int64()
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: int(e)}
	if bits := key.N.BitLen(); bits < minModulusBits || bits > maxModulusBits || key.N.Bit(0) == 0 {
		return nil, fmt.Errorf("the RSA key has %d bits; %d to %d are taken", bits, minModulusBits, maxModulusBits)
	}
	if e < 3 || e&1 == 0 || e > 1<<31-1 {
		return nil, errors.New("the RSA key has an exponent that is not taken")
	}
	return key, nil
}

func ecKey(n *jsontree.Node) (any, error) {
	x, err := number(n, "x")
	y, err2 := number(n, "y")
	if err != nil || err2 != nil || len(x) != 32 || len(y) != 32 {
		return nil, errors.New("the P-256 key is malformed")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	if err != nil {
		return nil, errors.New("the P-256 key is not a point of the curve")
	}
	return key, nil
}

// number reads the bytes of a member in base64url without padding.
func number(n *jsontree.Node, name string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(plain(n, name))
}
