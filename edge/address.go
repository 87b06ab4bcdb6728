package edge

import (
	"bytes"
	"strconv"

	"example.com/livery/wasm/abi"
)

// address is one served address, "/{env}/{theme}/{-|variant}/{latest|number}/{file}", taken apart.
// Its slices are parts of the path.
type address struct {
	theme   []byte // "{env}/{theme}": the key of the Theme
	pair    []byte // "{env}/{theme}/{-|variant}/{latest|number}": the key of the pair
	version uint32 // 0: latest
	file    abi.File
}

// The lengths of an id: a prefix of four bytes and 26 characters.
const (
	idPrefix = 4
	idLength = idPrefix + 26
)

// parseAddress reads a path as it was sent, undecoded: an address has exactly one spelling.
func parseAddress(path []byte) (a address, ok bool) {
	const themeEnd = 1 + idLength + 1 + idLength
	if len(path) <= themeEnd || path[0] != '/' || path[1+idLength] != '/' || path[themeEnd] != '/' ||
		!isID(path[1:1+idLength], "env_") || !isID(path[2+idLength:themeEnd], "thm_") {
		return address{}, false
	}
	variant, rest, ok1 := bytes.Cut(path[themeEnd+1:], []byte{'/'})
	version, file, ok2 := bytes.Cut(rest, []byte{'/'})
	if !ok1 || !ok2 || string(variant) != "-" && !isID(variant, "var_") {
		return address{}, false
	}
	number, ok := parseVersion(version)
	if !ok {
		return address{}, false
	}
	known, ok := abi.FileByName(string(file))
	return address{path[1:themeEnd], path[1 : len(path)-len(file)-1], number, known}, ok
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
