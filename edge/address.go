package edge

import (
	"bytes"
	"strconv"

	"example.com/livery/wasm/abi"
)

// address is one served address, "/{env}/{theme}/{-|variant}/{latest|number}/{file}", taken apart.
// Its slices are parts of the path.
type address struct {
	theme []byte // "{env}/{theme}": the key of the Theme
	pairAddress
	file abi.File
}

// The lengths of an id: a prefix of four bytes and 26 characters.
const (
	idPrefix = 4
	idLength = idPrefix + 26
)

// parseAddress reads a path as it was sent, undecoded: an address has exactly one spelling.
func parseAddress(path []byte) (a address, ok bool) {
	slash := bytes.LastIndexByte(path, '/')
	if slash < 1 || path[0] != '/' {
		return address{}, false
	}
	if a, ok = parsePair(path[1:slash]); !ok {
		return address{}, false
	}
	a.file, ok = abi.FileByName(string(path[slash+1:]))
	return a, ok
}

// parsePair reads "{env}/{theme}/{-|variant}/{latest|number}".
func parsePair(key []byte) (a address, ok bool) {
	if a, ok = parseTheme(key); !ok || len(key) == len(a.theme) || key[len(a.theme)] != '/' {
		return address{}, false
	}
	variant, version, ok := bytes.Cut(key[len(a.theme)+1:], []byte{'/'})
	a.own = string(variant) == "-"
	if !ok || !a.own && !isID(variant, "var_") {
		return address{}, false
	}
	a.key = key
	a.version, ok = parseVersion(version)
	return a, ok
}

// parseTheme reads "{env}/{theme}" at the beginning of a key.
func parseTheme(key []byte) (a address, ok bool) {
	const end = idLength + 1 + idLength
	if len(key) < end || key[idLength] != '/' || !isID(key[:idLength], "env_") || !isID(key[idLength+1:end], "thm_") {
		return address{}, false
	}
	a.theme = key[:end]
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

// parseVersion reads "latest" as 0, or a number without sign or leading zero.
func parseVersion(s []byte) (number uint32, ok bool) {
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
