// Package address parses the addresses that an edge serves. A path has exactly one spelling; the value of ModesParameter may
// also be percent-encoded.
package address

import (
	"bytes"
	"strconv"

	"example.com/livery/feedproto"
	"example.com/livery/wasm/abi"
)

// Address is one served address, "/{env}/{theme}/{-|variant}/{latest|number}/{file}", perhaps with "?modes={modes}" behind
// it, parsed. Its slices are parts of the path and the query, except for the key of a pair with modes and the modes in it.
type Address struct {
	Theme []byte // "{env}/{theme}": the key of the Theme
	Pair
	File  abi.File
	Query []byte // what follows the modes in the query; all of it without modes
}

// Pair names a pair.
type Pair struct {
	Key     []byte // "{env}/{theme}/{-|variant}/{latest|number}", with "/{modes}" behind it if there are modes
	Version uint32 // 0: latest
	Own     bool   // the Theme's own files, not a Variant's
	Modes   []byte // percent-decoded; empty: none
}

// The lengths of an id: a prefix of four bytes and 26 characters.
const (
	idPrefix = 4
	idLength = idPrefix + 26
)

// MaxKeyBytes is how long the key of a pair may be.
const MaxKeyBytes = 3*idLength + len("////4294967295") + maxModesBytes

// Resource is a form of address: what it leads to.
type Resource uint8

// The resources.
const (
	File     Resource = iota // a file of a pair
	Manifest                 // the manifest of a Theme
	Events                   // the event stream of a pair
	ResourceCount
)

var parsers = [ResourceCount]func(path, query, room []byte) (Address, bool){File: Parse, Manifest: parseManifest, Events: parseEvents}

// ParseAny parses an address of any Resource, like Parse.
func ParseAny(path, query, room []byte) (a Address, r Resource, ok bool) {
	for r = range ResourceCount {
		if a, ok = parsers[r](path, query, room); ok {
			return a, r, true
		}
	}
	return Address{}, 0, false
}

// Parameter is a parameter of a query that the answer depends on.
type Parameter uint8

// The parameters, in the order in which they stand in a query.
const (
	ModesParameter Parameter = iota
	URLPrefixParameter
	ExpiresParameter
	KeyNameParameter
	SignatureParameter
	ParameterCount
)

// String returns the name of the parameter.
func (p Parameter) String() string {
	return [ParameterCount]string{"modes", "URLPrefix", "Expires", "KeyName", "Signature"}[p]
}

// Parse parses the address of a file from a path and a query as they were sent. The key of a pair with modes is appended to
// room.
func Parse(path, query, room []byte) (a Address, ok bool) {
	slash := bytes.LastIndexByte(path, '/')
	if slash < 1 || path[0] != '/' {
		return Address{}, false
	}
	if a, ok = parsePlain(path[1:slash]); !ok {
		return Address{}, false
	}
	if a.File, ok = abi.FileByName(string(path[slash+1:])); !ok || len(query) == 0 {
		return a, ok
	}
	key := append(append(room, a.Key...), '/')
	if a.Modes, a.Query, ok = SplitQuery(query, key[len(key):]); !ok || len(a.Modes) == 0 {
		return a, ok
	}
	a.Key = append(key, a.Modes...) // in place, if room was large enough
	return a, a.File == abi.TokensCSS || bytes.IndexByte(a.Modes, '.') >= 0
}

// parseManifest reads the address of a Theme's manifest, "/{env}/{theme}/manifest.json". No Variant can have it: the address
// of a file has two more parts.
func parseManifest(path, query, _ []byte) (a Address, ok bool) {
	key, ok := bytes.CutSuffix(path, []byte("/"+feedproto.ManifestFile))
	if !ok || len(key) == 0 || key[0] != '/' {
		return Address{}, false
	}
	if a, ok = ParseTheme(key[1:]); !ok || len(a.Theme) != len(key)-1 {
		return Address{}, false
	}
	a.Query = query
	return a, true
}

// eventsFile stands in the place of a file's name in the address of an event stream.
const eventsFile = "events"

// parseEvents reads the address of the event stream of a Theme or Variant, "/{env}/{theme}/{-|variant}/latest/events".
func parseEvents(path, query, _ []byte) (a Address, ok bool) {
	key, ok := bytes.CutSuffix(path, []byte("/"+eventsFile))
	if !ok || len(key) == 0 || key[0] != '/' {
		return Address{}, false
	}
	a, ok = parsePlain(key[1:])
	a.Query = query
	return a, ok && a.Version == 0
}

// ParsePair reads "{env}/{theme}/{-|variant}/{latest|number}", and that with "/{modes}" behind it.
func ParsePair(key []byte) (a Address, ok bool) {
	at := 0
	for range 4 {
		slash := bytes.IndexByte(key[at:], '/')
		if slash < 0 {
			return parsePlain(key)
		}
		at += slash + 1
	}
	if a, ok = parsePlain(key[:at-1]); !ok || !validModes(key[at:]) {
		return Address{}, false
	}
	a.Key, a.Modes = key, key[at:]
	return a, true
}

// parsePlain reads the key of a pair without modes.
func parsePlain(key []byte) (a Address, ok bool) {
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
