package validate

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
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
	return value.NearestType(before[strings.LastIndexByte(before, '"')+1:])
}

// WithNearestType ends a message about an unknown $type with the nearest known one.
func WithNearestType(message string) string {
	if near := NearestType(message); near != "" {
		return message + "; the nearest is " + near
	}
	return message
}

// valueParts are members of values of DTCG, which no object of modes has.
var valueParts = []string{"value", "unit", "colorSpace", "components", "color", "alpha", "fontFamily", "offsetX", "duration", "style", "dashArray", "stops"}

// WithHint ends a message about a value that its type never has with what is wrong with it, if it is a boolean or a
// number in quotes, or an object, whose members may be modes. v may be nil.
func WithHint(message string, v *jsontree.Node) string {
	hint := ""
	switch {
	case v.IsObject() && !slices.ContainsFunc(v.Members, func(m jsontree.Member) bool { return slices.Contains(valueParts, m.Name) }):
		hint = "if its members are modes, name them under values in livery.yaml"
	case v.IsString() && (v.Text == "true" || v.Text == "false"):
		hint = "write " + v.Text + " without quotes"
	case v != nil:
		if _, err := strconv.ParseFloat(v.Text, 64); errors.Is(err, strconv.ErrRange) {
			hint = "the number is too large"
		} else if err == nil && v.IsString() {
			hint = "write a number as JSON has it, such as 0.5"
		}
	}
	if hint == "" {
		return message
	}
	return message + ": " + hint
}
