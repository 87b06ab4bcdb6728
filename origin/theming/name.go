package theming

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of names and labels.
const (
	maxSlug        = 64
	maxDisplayName = 256 // characters, after trimming
	maxLabels      = 50
	maxLabelKey    = 64
	maxLabelValue  = 256 // characters
	maxQuoted      = 80  // bytes of a caller's text that a message repeats
)

// naming checks the slug and display name that a Theme and a Variant share, and collects faults.
type naming struct {
	slug        string
	displayName string
	labels      map[string]string // nil if the input has none
	messages    []string
}

func checkNaming(slug, displayName *string, metadata *map[string]any) naming {
	var n naming
	n.slug = n.checkSlug(slug)
	n.displayName = n.checkDisplayName(displayName)
	if metadata != nil {
		n.labels = n.checkLabels(*metadata)
	}
	return n
}

func (n *naming) fault(message string) { n.messages = append(n.messages, message) }

func (n *naming) checkSlug(slug *string) string {
	switch {
	case slug == nil:
		n.fault("slug: required")
		return ""
	case *slug == "":
		n.fault("slug: empty; use 1 to 64 characters")
	case len(*slug) > maxSlug && utf8.RuneCountInString(*slug) > maxSlug:
		n.fault("slug: " + strconv.Itoa(utf8.RuneCountInString(*slug)) + " characters long; the limit is 64")
	}
	if *slug != "" && !validSlug(*slug) {
		n.fault("slug: " + quote(*slug) + " may hold letters, digits, '-', '_' and '.' only, and must start with a letter or digit")
	}
	return *slug
}

func validSlug(s string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && (i == 0 || strings.IndexByte("-_.", s[i]) < 0) {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (n *naming) checkDisplayName(name *string) string {
	if name == nil {
		n.fault("displayName: required")
		return ""
	}
	trimmed := strings.TrimSpace(*name)
	if trimmed == "" {
		n.fault("displayName: empty; use 1 to 256 characters beside spaces around them")
	}
	if count := utf8.RuneCountInString(trimmed); count > maxDisplayName {
		n.fault("displayName: " + strconv.Itoa(count) + " characters long; the limit is 256")
	}
	if strings.ContainsFunc(trimmed, unicode.IsControl) {
		n.fault("displayName: holds a control character; remove it")
	}
	return trimmed
}

func (n *naming) checkLabels(metadata map[string]any) map[string]string {
	if len(metadata) > maxLabels {
		n.fault("metadata: " + strconv.Itoa(len(metadata)) + " labels; the limit is 50")
	}
	labels := make(map[string]string, len(metadata))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		n.checkLabelKey(key)
		value, ok := metadata[key].(string)
		if !ok {
			n.fault("metadata: the value of " + quote(key) + " must be a string")
			continue
		}
		if count := utf8.RuneCountInString(value); count > maxLabelValue {
			n.fault("metadata: the value of " + quote(key) + " is " + strconv.Itoa(count) + " characters long; the limit is 256")
		}
		labels[key] = value
	}
	return labels
}

func (n *naming) checkLabelKey(key string) {
	if key == "" {
		n.fault("metadata: a label key is empty; use 1 to 64 characters")
		return
	}
	if count := utf8.RuneCountInString(key); count > maxLabelKey {
		n.fault("metadata: the key " + quote(key) + " is " + strconv.Itoa(count) + " characters long; the limit is 64")
	}
	for i := range len(key) {
		if !alphanumeric(key[i]) && (i == 0 || strings.IndexByte("._:/-", key[i]) < 0) {
			n.fault("metadata: the key " + quote(key) + " may hold letters, digits, '.', '_', ':', '/' and '-' only, and must start with a letter or digit")
			return
		}
	}
}

// quote returns a caller's text for a message, cut if it is long.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}
