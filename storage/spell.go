package storage

import (
	"fmt"
	"strings"
)

// tableNames are what people call the tables, by their letters.
var tableNames = map[byte]string{
	'T': "team", 't': "team slug", 'm': "membership", 'E': "environment", 'e': "environment slug",
	'H': "theme", 'h': "theme slug", 'u': "list entry", 'r': "list revision", 's': "signed theme", 'D': "theme draft", 'N': "theme version",
	'V': "variant", 'v': "variant slug", 'd': "variant draft", 'n': "variant version",
	'P': "pair", 'M': "module", 'K': "token key", 'J': "issuer", 'I': "replay", 'A': "audit entry", 'S': "slug blocks",
	'O': "login code", 'L': "event", 'l': "end of events", 'W': "webhook", 'w': "delivery",
}

// SpellKey says in words which record a key of the key table stands for: the table and the key's parts.
func SpellKey(key []byte) string {
	if len(key) > 0 && tableNames[key[0]] != "" {
		return strings.TrimSpace(tableNames[key[0]] + " " + strings.Join(parts(key), " "))
	}
	return fmt.Sprintf("key %q", key)
}
