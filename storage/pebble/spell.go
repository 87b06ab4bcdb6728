package pebble

import (
	"encoding/hex"
	"fmt"
	"strings"

	"example.com/livery/storage"
)

// spellKey says in words what stands at a key, the engine's own keys too.
func spellKey(key []byte) string {
	switch {
	case len(key) == 0 || key[0] != ownSpace:
		return storage.SpellKey(key)
	case len(key) == 1:
		return fmt.Sprintf("key %x", key)
	}
	switch key[1] {
	case blobSpace:
		return "blob " + hex.EncodeToString(key[2:])
	case noteSpace:
		return "note on blob " + hex.EncodeToString(key[2:])
	case logSpace:
		if len(key) == len(logKey(0)) {
			return fmt.Sprint("change log entry ", logSeq(key))
		}
	}
	return fmt.Sprintf("mark %q", key[1:])
}

// oneLine returns the first line of an error's text: what follows in the engine's is how it came there.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
