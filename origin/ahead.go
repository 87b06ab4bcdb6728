package origin

import (
	"reflect"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// judgement decides a request from records alone. Both functions only read, and put blobs; they run
// on a snapshot, and may run again in the transaction.
type judgement struct {
	// basis returns the records that judge depends on, as far as they can change: where they are the
	// same, judge would say the same.
	basis func(r storage.Reader, p place) (any, error)
	judge func(r storage.Reader, p place) (verdict, error)
}

// verdict is what a judgement came to.
type verdict struct {
	answer answer
	change record.Change
	write  func(tx storage.Tx) error // nil where nothing changes
	after  func()                    // called when write is committed; nil does nothing
}

// ahead judges a request on a snapshot, while other writers of the Environment go on, and returns
// the write that is left to do. Its transaction takes the verdict over where the basis is still the
// same, and else judges once more on what is there now.
//
// A refusal by the snapshot is final: it shows every commit that anybody was told of, so the request
// could as well have been judged at that moment, and it changes nothing.
func (o *Origin) ahead(q *request, j judgement) (write, error) {
	key, err := q.replayKey()
	if err != nil {
		return nil, err
	}
	leave, err := o.heavy.enter(o.ctx, q.isHeavy())
	if err != nil {
		return nil, err
	}
	defer leave()
	var basis any
	var made verdict
	err = o.store.View(o.wanting(q), func(r storage.Reader) error {
		p, err := find(r, q)
		if err != nil {
			return err
		}
		if _, known, err := o.replay(r, q, key); known || err != nil {
			return err // the transaction has the answer, whatever the state is by now
		}
		if basis, err = j.basis(r, p); err == nil {
			made, err = j.judge(r, p)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return j.finish(q, basis, made), nil
}

// finish returns what is to be done where made was judged by basis; nil means that nothing was.
func (j judgement) finish(q *request, basis any, made verdict) write {
	return func(tx storage.Tx, p place) (answer, record.Change, error) {
		v := made
		now, err := j.basis(tx, p)
		if err == nil && (basis == nil || !reflect.DeepEqual(basis, now)) {
			v, err = j.judge(tx, p)
		}
		if err == nil && v.write != nil {
			err = v.write(tx)
		}
		q.after = v.after
		return v.answer, v.change, err
	}
}

// byTheme is the basis of what depends on a Theme: its record changes with its draft, whose etag
// never repeats, and with its versions, which themselves never change.
func byTheme(_ storage.Reader, p place) (any, error) { return p.theme, nil }

// byVariant is the basis of what depends on a Variant and its Theme.
func byVariant(_ storage.Reader, p place) (any, error) {
	return []any{p.theme, p.variant}, nil
}

// byVariantAndVersion is the basis of what depends on a Variant and the newest version of its Theme.
func byVariantAndVersion(_ storage.Reader, p place) (any, error) {
	return []any{p.theme.LatestVersion, p.theme.PublishedAt, p.variant}, nil
}

// byThemeAndVariants is the basis of what depends on a Theme and all its Variants, these as they are
// stored: a hundred are compared without being read.
func byThemeAndVariants(r storage.Reader, p place) (any, error) {
	var stored []byte
	err := r.Scan(storage.Key('V', p.theme.EnvironmentID, p.theme.ID), storage.Ascending, func(_, value []byte) bool {
		stored = append(stored, value...)
		return true
	})
	return []any{p.theme, stored}, err
}
