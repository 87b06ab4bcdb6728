package storage_test

import (
	"testing"

	"example.com/livery/storage"
)

func TestAKeyIsSpelledForPeople(t *testing.T) {
	for want, key := range map[string][]byte{
		"theme version env_1 thm_1 0000000002": storage.Key('N', "env_1", "thm_1", storage.Number(2)),
		"team":                                 storage.Key('T'),
		`key "~odd"`:                           []byte("~odd"),
		`key ""`:                               nil,
	} {
		if got := storage.SpellKey(key); got != want {
			t.Errorf("SpellKey(%q) = %q, want %q", key, got, want)
		}
	}
}
