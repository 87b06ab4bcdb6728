package storage_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseCursor(t *testing.T) {
	tests := []struct {
		name, in string
		want     storage.Cursor
		bad      bool
	}{
		{name: "nothing is before the first entry", in: ""},
		{name: "0 is before the first entry", in: "0"},
		{name: "seq and tag", in: "12.00ff00ff00ff00ff", want: storage.Cursor{Seq: 12, Tag: "00ff00ff00ff00ff"}},
		{name: "a number alone", in: "12", bad: true},
		{name: "no tag", in: "12.", bad: true},
		{name: "no number", in: ".00ff00ff00ff00ff", bad: true},
		{name: "entry 0 does not exist", in: "0.00ff00ff00ff00ff", bad: true},
		{name: "negative", in: "-1.00ff00ff00ff00ff", bad: true},
		{name: "larger than a number can be", in: "18446744073709551616.00ff00ff00ff00ff", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := storage.ParseCursor(tt.in)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("ParseCursor(%q) = %+v, %v, want %+v", tt.in, got, err, tt.want)
			}
		})
	}
	if got := (storage.Cursor{}).String(); got != "0" {
		t.Errorf("the zero Cursor is spelled %q, want 0", got)
	}
}

func TestACursorIsReadAsItIsSpelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := storage.Cursor{Seq: rapid.Uint64Min(1).Draw(t, "seq"), Tag: rapid.StringMatching("[0-9a-f]{16}").Draw(t, "tag")}
		if got, err := storage.ParseCursor(want.String()); err != nil || got != want {
			t.Fatalf("ParseCursor(%q) = %+v, %v", want, got, err)
		}
	})
}

// A key begins with the key of its first parts, and with no other of as many parts.
func TestKeysOfOtherPartsDoNotMeet(t *testing.T) {
	part := rapid.StringMatching("[a-c-]{0,3}")
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(part, 1, 3).Draw(t, "a")
		b := rapid.SliceOfN(part, 1, 3).Draw(t, "b")
		begins := len(a) >= len(b) && slices.Equal(a[:len(b)], b)
		if got := bytes.HasPrefix(storage.Key('T', a...), storage.Key('T', b...)); got != begins {
			t.Fatalf("Key(%q) begins with Key(%q): %t, want %t", a, b, got, begins)
		}
		if got := storage.LastPart(storage.Key('T', a...)); got != a[len(a)-1] {
			t.Fatalf("LastPart(Key(%q)) = %q", a, got)
		}
	})
}

func TestNumbersAreOrderedBytewise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b")
		if got := strings.Compare(storage.Number(a), storage.Number(b)); (got < 0) != (a < b) || (got == 0) != (a == b) {
			t.Fatalf("Compare(Number(%d), Number(%d)) = %d", a, b, got)
		}
	})
}

func TestErrorsAreApart(t *testing.T) {
	all := []error{
		storage.ErrNotFound, storage.ErrTrimmed, storage.ErrDiverged, storage.ErrUnavailable, storage.ErrUncertain,
		storage.ErrNoSpace, storage.ErrCorrupt, storage.ErrLocked,
	}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) = %t", a, b, i != j)
			}
		}
	}
}
