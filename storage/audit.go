package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"example.com/livery/storage/record"
)

// The audit log is a trail of entries for each scope of writing, so that it is written in the commit
// that it tells of and makes no two scopes wait for each other. Each entry names the hash of the one
// before: what is taken out of the middle, or changed, shows in CheckStore. Cut off at its newest end
// a trail shows nothing; an operator who needs more ships the entries elsewhere.

// Audits is the table of the audit log. Its parts are the scope of the commit and the entry's number.
var Audits = Table[record.Audit]{'A', "audit entry"}

// AppendAudit gives the entry its number, the hash of the entry before and a time that is not before
// that of the entry before, and writes it. scope must be that of the commit. It costs the read of one
// record.
func AppendAudit(tx Tx, scope string, a *record.Audit) error {
	a.Number, a.Previous = 1, ""
	last, value, err := lastAudit(tx, scope)
	if err != nil {
		return err
	}
	if value != nil {
		a.Number, a.Previous = last.Number+1, record.HashOf(value)
		if a.At.Before(last.At) {
			a.At = last.At
		}
	}
	return Audits.Write(tx, *a, scope, Number(a.Number))
}

// lastAudit returns the newest entry of a trail, decoded and as it is stored; nil if there is none.
func lastAudit(r Reader, scope string) (last record.Audit, stored []byte, err error) {
	err = r.Scan(Key(Audits.letter, scope), Descending, func(_, value []byte) bool {
		stored = append([]byte{}, value...)
		return false
	})
	if err == nil && stored != nil {
		err = record.Decode(stored, &last)
	}
	if err != nil {
		return last, nil, fmt.Errorf("storage: the newest audit entry of %q: %w", scope, err)
	}
	return last, stored, nil
}

// trimStep is how many entries one commit of TrimAudit drops at most.
const trimStep = 1000

// TrimAudit drops the entries of a trail from before a time, all but the newest, which the next one
// continues, and returns how many they were. A trail without such entries costs no commit.
func TrimAudit(ctx context.Context, store Store, scope string, before, now time.Time) (dropped int, err error) {
	last := ""
	for {
		n, first := 0, last
		if n, last, err = oldAudits(ctx, store, scope, first, before); err != nil || n == 0 {
			return dropped, err
		}
		_, err = store.Update(ctx, scope, func(tx Tx) (record.Change, error) {
			return record.Change{At: now}, tx.DeleteRange(Audits.Key(scope, first), append(Audits.Key(scope, last), 0))
		})
		if err != nil {
			return dropped, fmt.Errorf("storage: trim the audit log of %q: %w", scope, err)
		}
		dropped += n
	}
}

// oldAudits returns how many of the oldest entries of a trail after a number are from before a time, trimStep at most, and
// the number of the last of them.
func oldAudits(ctx context.Context, store Store, scope, after string, before time.Time) (n int, last string, err error) {
	err = store.View(ctx, func(r Reader) error {
		newest, _, err := lastAudit(r, scope)
		if err != nil {
			return err
		}
		n, last = 0, after
		return Audits.ScanBetween(r, Ascending, after, "", func(_ []byte, a record.Audit) bool {
			if a.Number == newest.Number || !a.At.Before(before) || n == trimStep {
				return false
			}
			n, last = n+1, Number(a.Number)
			return true
		}, scope)
	})
	return n, last, err
}

// audits reports entries of the audit log that are missing between others, or were changed.
func (c *checker) audits() error {
	var scope string
	var before record.Hash // of the entry before
	next := uint64(0)      // its number plus one; 0 if there is none
	return errors.Join(c.r.Scan(Key(Audits.letter), Ascending, func(key, value []byte) bool {
		at, p := where(Audits.name, key), parts(key)
		var a record.Audit
		if err := record.Decode(value, &a); err != nil || len(p) != 2 {
			c.report(Finding{at, "it cannot be read", RepairRestore})
			next = 0
			return c.ctx.Err() == nil
		}
		number, err := strconv.ParseUint(p[1], 10, 32)
		if err != nil || uint32(number) != a.Number {
			c.report(Finding{at, fmt.Sprintf("its key says another number than its content, %d", a.Number), RepairRestore})
		}
		switch {
		case next == 0 || p[0] != scope:
			if number == 1 && a.Previous != "" {
				c.report(Finding{at, "it is the first of its trail and names one before", auditRepair})
			}
		case number != next:
			c.report(Finding{at, fmt.Sprintf("the entries from %d to it are not there", next), auditRepair})
		case a.Previous != before:
			c.report(Finding{at, "it names another content of the entry before than that entry has", auditRepair})
		}
		scope, before, next = p[0], record.HashOf(value), number+1
		return c.ctx.Err() == nil
	}), c.ctx.Err())
}

const auditRepair = "the audit log was changed by hand: compare it with a backup, and find out who could"
