package address

import "bytes"

// modesPrefix begins a query that names modes.
var modesPrefix = []byte(ModesParameter.String() + "=")

// lightDark stands behind a dimension that is asked for with light-dark().
const lightDark = "~light-dark"

// The bounds of modes: "{dimension}", "{dimension}~light-dark" or "{dimension}.{mode}", joined by commas.
const (
	maxModeParts  = 4
	maxModeName   = 32
	maxModesBytes = maxModeParts*(2*maxModeName+len(".")) + (maxModeParts-1)*len(",")
)

// SplitQuery returns the modes that a query begins with, percent-decoded once, and what follows them. Modes that have to be
// decoded are appended to room. ok is false if the modes are not well formed, or if another parameter of the query is called
// "modes", in any spelling: a request that means modes never gets a file without them.
func SplitQuery(query, room []byte) (modes, rest []byte, ok bool) {
	value, named := bytes.CutPrefix(query, modesPrefix)
	if !named {
		return nil, query, !namesModes(query)
	}
	value, rest, _ = bytes.Cut(value, []byte{'&'})
	if modes = value; bytes.IndexByte(value, '%') >= 0 {
		modes = appendDecoded(room, value)[len(room):]
	}
	return modes, rest, validModes(modes) && !namesModes(rest)
}

// appendDecoded appends a value of ModesParameter to dst, percent-decoded once. A value that is too long for modes is cut
// where that is certain.
func appendDecoded(dst, value []byte) []byte {
	for end := len(dst) + maxModesBytes; len(value) > 0 && len(dst) <= end; {
		var c byte
		c, value = decoded(value)
		dst = append(dst, c)
	}
	return dst
}

// Relevant returns the part of a query that the answer depends on, as sent: all of one that begins with modes, which are
// not checked, and nothing of another. ok is false if SplitQuery refuses a query that does not begin with modes.
func Relevant(query []byte) (part []byte, ok bool) {
	if len(query) == 0 || bytes.HasPrefix(query, modesPrefix) {
		return query, true
	}
	return nil, !namesModes(query)
}

// validModes reports whether modes are well formed: dimensions alone, or single modes alone, no dimension twice. Whether a
// Theme has them, and in that order, is for upstream to say.
func validModes(modes []byte) bool {
	single := bytes.IndexByte(modes, '.') >= 0
	at := 0
	for range maxModeParts {
		part := modes[at:]
		comma := bytes.IndexByte(part, ',')
		if comma >= 0 {
			part = part[:comma]
		}
		dimension := dimensionOf(part)
		if !validName(dimension) || !validForm(part[len(dimension):], single) || hasDimension(modes[:at], dimension) {
			return false
		}
		if comma < 0 {
			return true
		}
		at += comma + 1
	}
	return false
}

// dimensionOf returns the dimension that a part of modes begins with.
func dimensionOf(part []byte) []byte {
	for i, c := range part {
		if c == '.' || c == lightDark[0] {
			return part[:i]
		}
	}
	return part
}

// validForm reports whether rest may stand behind a dimension, single if the modes are single ones.
func validForm(rest []byte, single bool) bool {
	if single {
		return len(rest) > 0 && rest[0] == '.' && validName(rest[1:])
	}
	return len(rest) == 0 || string(rest) == lightDark
}

// validName reports whether s is the name of a dimension or of a mode: a letter, then letters, digits and "-".
func validName(s []byte) bool {
	if len(s) == 0 || len(s) > maxModeName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range s[1:] {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// hasDimension reports whether parts, each of which a comma ends, have one of a dimension.
func hasDimension(parts, dimension []byte) bool {
	for len(parts) > 0 {
		var part []byte
		part, parts, _ = bytes.Cut(parts, []byte{','})
		if bytes.Equal(dimensionOf(part), dimension) {
			return true
		}
	}
	return false
}

// namesModes reports whether any parameter of a query is called "modes", its escapes decoded, in any case.
func namesModes(query []byte) bool {
	for len(query) > 0 {
		var parameter []byte
		parameter, query, _ = bytes.Cut(query, []byte{'&'})
		if isModes(parameter) {
			return true
		}
	}
	return false
}

// isModes reports whether a parameter is called "modes".
func isModes(parameter []byte) bool {
	const name = "modes"
	for i := range len(name) {
		var c byte
		if c, parameter = decoded(parameter); c|0x20 != name[i] {
			return false
		}
	}
	c, _ := decoded(parameter)
	return len(parameter) == 0 || c == '='
}

// decoded returns the first character of s, which may be an escape of three bytes, and what follows it; 0 at the end.
func decoded(s []byte) (c byte, rest []byte) {
	switch {
	case len(s) == 0:
		return 0, nil
	case s[0] == '%' && len(s) > 2 && digit(s[1]) >= 0 && digit(s[2]) >= 0:
		return byte(digit(s[1])<<4 | digit(s[2])), s[3:]
	}
	return s[0], s[1:]
}

// digit returns what a hexadecimal digit stands for, or -1.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
