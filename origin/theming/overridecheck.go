package theming

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

// checkVariantOperation returns what is wrong with one operation, on its own.
func checkVariantOperation(op patch.Operation, limits patch.Limits) []string {
	var faults []string
	switch {
	case op.Op != "set" && op.Op != "unset":
		return []string{"no operation of a Variant; use set or unset"}
	case op.Op == "set" && op.Value == nil:
		faults = append(faults, "set needs a value; to fall back to the Theme use unset")
	case op.Op == "unset" && op.Value != nil:
		faults = append(faults, "unset must not carry a value; leave it out")
	}
	if what := CheckPath(op.Path); what != "" {
		return append(faults, what)
	}
	return append(faults, checkOverrideLimits(op, limits)...)
}

// CheckPath says why a path is not a dotted token path, or nothing.
func CheckPath(path string) string {
	if path == "" {
		return "the path is empty; name a token as in color.brand.primary"
	}
	if path[0] == '/' {
		return "the path is dotted as in color.brand.primary and has no leading slash"
	}
	if strings.ContainsAny(path, "{}") {
		return "the path holds a brace; write it as in color.brand.primary"
	}
	segments := strings.Split(path, ".")
	for i, name := range segments {
		if name == "" {
			return "the path has an empty segment; names stand between single dots"
		}
		if name[0] == '$' && (name != "$root" || i < len(segments)-1) {
			return "the segment " + quote(name) + " names no token; a Variant overrides values only (only a last $root begins with '$')"
		}
	}
	return ""
}

func checkOverrideLimits(op patch.Operation, limits patch.Limits) []string {
	var faults []string
	levels := 1 + strings.Count(op.Path, ".")
	if limits.MaxDepth > 0 && levels > limits.MaxDepth {
		return []string{"the path names " + strconv.Itoa(levels) + " levels; the limit is " + strconv.Itoa(limits.MaxDepth)}
	}
	for name := range strings.SplitSeq(op.Path, ".") {
		if count := utf8.RuneCountInString(name); limits.MaxName > 0 && count > limits.MaxName {
			faults = append(faults, "the name "+quote(name)+" has "+strconv.Itoa(count)+" characters; the limit is "+strconv.Itoa(limits.MaxName))
		}
	}
	if op.Value == nil {
		return faults
	}
	// Laid over the Theme, the value stands below its path and "$value".
	wrapped := []patch.Operation{{Op: "add", Path: "/v", Value: op.Value}}
	inner := patch.Limits{MaxName: limits.MaxName}
	if limits.MaxDepth > 0 {
		inner.MaxDepth = max(1, limits.MaxDepth-levels)
	}
	if _, _, found := patch.Apply(jsontree.NewObject(), wrapped, inner); len(found) > 0 {
		faults = append(faults, "value: "+found[0].What+" (the path takes "+strconv.Itoa(levels)+" levels)")
	}
	return faults
}
