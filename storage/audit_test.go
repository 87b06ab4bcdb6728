package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

var auditNoon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// trail writes so many entries into the audit log of a scope, an hour apart.
func trail(t *testing.T, s storage.Store, scope string, n int) {
	t.Helper()
	for i := range n {
		_, err := s.Update(context.Background(), scope, func(tx storage.Tx) (record.Change, error) {
			a := &record.Audit{At: auditNoon.Add(time.Duration(i) * time.Hour), Action: fmt.Sprint("act ", i), Changes: []string{}}
			return record.Change{At: auditNoon}, storage.AppendAudit(tx, scope, a)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// entryNumbers are those of the entries of a trail.
func entryNumbers(t *testing.T, s storage.Store, scope string) (all []uint32) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) error {
		return storage.Audits.Scan(r, storage.Ascending, func(_ []byte, a record.Audit) bool {
			all = append(all, a.Number)
			return true
		}, scope)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTrailsOfScopesAreApart(t *testing.T) {
	s := open(t)
	trail(t, s, storage.Global, 2)
	trail(t, s, "env_1", 3)
	if global, env := fmt.Sprint(entryNumbers(t, s, storage.Global)), fmt.Sprint(entryNumbers(t, s, "env_1")); global != "[1 2]" || env != "[1 2 3]" {
		t.Errorf("the trails have the numbers %s and %s, want [1 2] and [1 2 3]", global, env)
	}
	if got := findings(t, s); len(got) != 0 {
		t.Errorf("CheckStore() found %v in sound trails", got)
	}
}

// Several entries of one commit are a chain too, and none is before the one before, whatever the clock says.
func TestEntriesOfOneCommitAreChained(t *testing.T) {
	s := open(t)
	_, err := s.Update(context.Background(), storage.Global, func(tx storage.Tx) (record.Change, error) {
		first, second := &record.Audit{At: auditNoon}, &record.Audit{At: auditNoon.Add(-time.Hour)}
		err := errors.Join(storage.AppendAudit(tx, storage.Global, first), storage.AppendAudit(tx, storage.Global, second))
		if second.Number != 2 || !second.Previous.Valid() || !second.At.Equal(auditNoon) {
			t.Errorf("the second entry is %+v, want number 2 after the first, not earlier", second)
		}
		return record.Change{At: auditNoon}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := findings(t, s); len(got) != 0 {
		t.Errorf("CheckStore() found %v", got)
	}
}

func TestCheckStoreSeesATamperedTrail(t *testing.T) {
	at := func(number uint32) []byte { return storage.Key('A', "env_1", storage.Number(number)) }
	for name, c := range map[string]struct {
		tamper func(tx storage.Tx) error
		want   string
	}{
		"an entry is changed": {func(tx storage.Tx) error {
			return storage.Audits.Write(tx, record.Audit{Number: 2, At: auditNoon, Action: "nothing"}, "env_1", storage.Number(2))
		}, "names another content"},
		"an entry is taken out": {func(tx storage.Tx) error { return tx.Delete(at(3)) }, "the entries from 3 to it are not there"},
		"a first one names another": {func(tx storage.Tx) error {
			return storage.Audits.Write(tx, record.Audit{Number: 1, Previous: "x"}, "env_2", storage.Number(1))
		}, "names one before"},
		"an entry is moved": {func(tx storage.Tx) error {
			return storage.Audits.Write(tx, record.Audit{Number: 9}, "env_2", storage.Number(8))
		}, "another number"},
		"an entry is garbage": {func(tx storage.Tx) error { return tx.Set(at(4), []byte("?")) }, "cannot be read"},
	} {
		s := open(t)
		trail(t, s, "env_1", 5)
		in(t, s, c.tamper)
		got := findings(t, s)
		if len(got) == 0 || !strings.Contains(fmt.Sprint(got), c.want) {
			t.Errorf("%s: CheckStore() found %v, want %q", name, got, c.want)
		}
	}
}

// Old entries are dropped, the newest stays whatever its age, and the trail goes on from it.
func TestTrimAuditKeepsTheNewest(t *testing.T) {
	s := open(t)
	trail(t, s, "env_1", 5)
	trim := func(before time.Time, want int) {
		t.Helper()
		if n, err := storage.TrimAudit(context.Background(), s, "env_1", before, auditNoon); n != want || err != nil {
			t.Errorf("TrimAudit(%v) = %d, %v, want %d", before, n, err, want)
		}
	}
	trim(auditNoon, 0)
	trim(auditNoon.Add(2*time.Hour), 2)
	trim(auditNoon.Add(100*time.Hour), 2)
	trim(auditNoon.Add(100*time.Hour), 0)
	trail(t, s, "env_1", 1)
	if got := fmt.Sprint(entryNumbers(t, s, "env_1")); got != "[5 6]" {
		t.Errorf("the trail has the numbers %s, want [5 6]", got)
	}
	if got := findings(t, s); len(got) != 0 {
		t.Errorf("CheckStore() found %v in a trimmed trail", got)
	}
}
