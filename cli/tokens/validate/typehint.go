package validate

import (
	"strings"

	"example.com/livery/cli/tokenfile"
)

// unknownTypeMark stands in a fault of an unknown $type, between the type and the known ones.
const unknownTypeMark = `" is not a known $type; the standard ones are `

// NearestType returns the known $type that a message about an unknown one is likely about; empty if there is none, or if
// the message is about something else.
func NearestType(message string) string {
	before, _, ok := strings.Cut(message, unknownTypeMark)
	if !ok {
		return ""
	}
	return tokenfile.NearestType(before[strings.LastIndexByte(before, '"')+1:])
}

// WithNearestType ends a message about an unknown $type with the nearest known one.
func WithNearestType(message string) string {
	if near := NearestType(message); near != "" {
		return message + "; the nearest is " + near
	}
	return message
}
