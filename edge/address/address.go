// Package address takes the addresses apart that an edge serves. Each has exactly one spelling.
package address

import (
	"bytes"
	"strconv"

	"example.com/livery/wasm/abi"
)

// Address is one served address, "/{env}/{theme}/{-|variant}/{latest|number}/{file}", taken apart.
// Its slices are parts of the path.
type Address struct {
	Theme []byte // "{env}/{theme}": the key of the Theme
	Pair
	File abi.File
}

// Pair names a pair.
type Pair struct {
	Key     []byte // "{env}/{theme}/{-|variant}/{latest|number}"
	Version uint32 // 0: latest
	Own     bool   // the Theme's own files, not a Variant's
}

// The lengths of an id: a prefix of four bytes and 26 characters.
const (
	idPrefix = 4
	idLength = idPrefix + 26
)

// Parse reads a path as it was sent, undecoded: an address has exactly one spelling.
func Parse(path []byte) (a Address, ok bool) {
	slash := bytes.LastIndexByte(path, '/')
	if slash < 1 || path[0] != '/' {
		return Address{}, false
	}
	if a, ok = ParsePair(path[1:slash]); !ok {
		return Address{}, false
	}
	a.File, ok = abi.FileByName(string(path[slash+1:]))
	return a, ok
}

// ParsePair reads "{env}/{theme}/{-|variant}/{latest|number}".
func ParsePair(key []byte) (a Address, ok bool) {
	if a, ok = ParseTheme(key); !ok || len(key) == len(a.Theme) || key[len(a.Theme)] != '/' {
		return Address{}, false
	}
	variant, version, ok := bytes.Cut(key[len(a.Theme)+1:], []byte{'/'})
	a.Own = string(variant) == "-"
	if !ok || !a.Own && !isID(variant, "var_") {
		return Address{}, false
	}
	a.Key = key
	a.Version, ok = ParseVersion(version)
	return a, ok
}

// ParseTheme reads "{env}/{theme}" at the beginning of a key.
func ParseTheme(key []byte) (a Address, ok bool) {
	const end = idLength + 1 + idLength
	if len(key) < end || key[idLength] != '/' || !isID(key[:idLength], "env_") || !isID(key[idLength+1:end], "thm_") {
		return Address{}, false
	}
	a.Theme = key[:end]
	return a, true
}

func isID(s []byte, prefix string) bool {
	if len(s) != idLength || string(s[:idPrefix]) != prefix {
		return false
	}
	for _, c := range s[idPrefix:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// ParseVersion reads "latest" as 0, or a number without sign or leading zero.
func ParseVersion(s []byte) (number uint32, ok bool) {
	if string(s) == "latest" {
		return 0, true
	}
	if len(s) == 0 || len(s) > 10 || s[0] == '0' {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(s), 10, 32)
	return uint32(n), err == nil
}
