package storage

import "fmt"

// The one key table. A key is a table's letter and its parts, each ended by a zero byte; parts
// hold no zero byte. Numbers are ten decimal digits, so that bytewise order is numeric order.
//
//	T team                               record.Team
//	t team slug                          team id
//	m subject, team                      (empty)             membership, both ways from Team.Members
//	E environment                        record.Environment
//	e team, environment slug             environment id
//	H environment, theme                 record.Theme
//	h environment, theme slug            theme id
//	u H, environment, bucket, theme      record.Entry
//	r table, parts of its list           revision             8 bytes; of the entries of the list
//	r H, environment, bucket             revision             8 bytes; of the entries in the bucket
//	s master key, environment, theme     (empty)             signed Themes
//	D environment, theme                 record.ThemeDraft
//	N environment, theme, number         record.ThemeVersion
//	V environment, theme, variant        record.Variant
//	v environment, theme, variant slug   variant id
//	d environment, theme, variant        record.VariantDraft
//	n environment, theme, variant, number  record.VariantVersion
//	P environment, theme, variant, number  record.Pair           without its Variant where the version's modes serve it
//	M digest                             record.Module
//	K key id                             record.TokenKey
//	O digest of the code                 record.LoginCode
//	J issuer name                        record.Issuer
//	I environment, key hash              record.Replay
//	A scope of the commit, number        record.Audit
//	L environment, number                record.Event
//	l environment                        record.EventEnd
//	W environment, webhook               record.Webhook
//	w environment, webhook, number       record.Delivery
//	S index letter, parts of its list    record.Blocks        if the list is long
//
// Engines keep what is their own (blobs, the change log, format marks) outside these letters.

// Key returns a table's key, or the prefix of keys that begin with these parts.
func Key(table byte, parts ...string) []byte {
	n := 1
	for _, p := range parts {
		n += len(p) + 1
	}
	key := append(make([]byte, 0, n), table)
	for _, p := range parts {
		key = append(append(key, p...), 0)
	}
	return key
}

// Nanoseconds spells a time as a key part, in 20 digits.
func Nanoseconds(n int64) string { return fmt.Sprintf("%020d", n) }

// Number spells a version number as a key part.
func Number(n uint32) string { return fmt.Sprintf("%010d", n) }

// LastPart returns the last part of a key: the slug of an index entry, the number of a version.
func LastPart(key []byte) string {
	end := len(key) - 1
	start := end
	for start > 1 && key[start-1] != 0 {
		start--
	}
	return string(key[start:end])
}

// Span returns the bounds of all keys that begin with prefix: from start on, and before end. That of the empty
// prefix is the whole key table.
func Span(prefix []byte) (start, end []byte) {
	if len(prefix) == 0 {
		return []byte{0x01}, []byte{0xff}
	}
	n := len(prefix)
	for prefix[n-1] == 0xff {
		n--
	}
	end = append([]byte(nil), prefix[:n]...)
	end[n-1]++
	return append([]byte(nil), prefix...), end
}
