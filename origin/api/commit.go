package api

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// change is what a request that writes asks for, with its parameters and its body read.
type change struct {
	// decide applies the rules to the records of one snapshot. It only reads, and puts blobs; it may run more than once.
	decide  func(r storage.Reader, t target) (decision, error)
	depends dependence // of the decision
}

// dependence says on which records a decision depends, as far as they can change.
type dependence int

const (
	onAnything          dependence = iota // so that it is made in the transaction alone
	onPath                                // on the Theme, and on the Variant if the path names one
	onVariantAndVersion                   // on the Variant and the number of the Theme's newest version
	onVariants                            // on the Theme and all its Variants
)

// stamp stands for the state of the records that a decision depends on. A Theme's record changes with its draft, whose etag
// never repeats, and with its versions, which themselves never change; a Variant's too.
type stamp struct {
	theme, variant string            // records, as they are stored, or the number of the Theme's newest version
	variants       [sha256.Size]byte // the digest of all Variants of the Theme
}

// variantsDigest digests the records of all Variants of a Theme, as they are stored: a hundred are compared without being
// decoded.
func variantsDigest(r storage.Reader, t target) (sum [sha256.Size]byte, err error) {
	digest := sha256.New()
	err = r.Scan(t.variantsPrefix(), storage.Ascending, func(key, value []byte) bool {
		for _, part := range [][]byte{key, value} {
			_ = binary.Write(digest, binary.BigEndian, uint64(len(part))) // a hash takes everything
			_, _ = digest.Write(part)
		}
		return true
	})
	digest.Sum(sum[:0])
	return sum, err
}

// reads returns what a change reads beside what the path names.
func (q *request) reads(t target) storage.Reads {
	reads := storage.Reads{All: true, Keys: [][]byte{storage.EventEnds.Key(q.environmentID)}}
	if q.change.depends == onVariants {
		reads.Prefixes = [][]byte{t.variantsPrefix()}
	}
	if q.key != "" {
		reads.Keys = append(reads.Keys, storage.Replays.Key(q.environmentID, q.replayName()))
	}
	return reads
}

// decision is what a request comes to.
type decision struct {
	answer  httpserver.Answer
	entry   record.Change             // of the change log
	apply   func(tx storage.Tx) error // nil: nothing changes
	after   func()                    // runs once the decision is committed; nil: nothing
	changes []string                  // slugs of the Variants that a request for many changes, for the audit log
	audit   *record.Audit             // entry of the audit log: action, target and changes; nil: what the route's says, or none
	events  []record.Event            // that tell of the change, by kind, Variant, version and note
}

// write applies the decision. One that leaves the records as they are comes to no change: it has no event, no audit entry and
// no entry that edges follow.
func (d *decision) write(tx storage.Tx) error {
	w := &writes{Tx: tx}
	if err := d.apply(w); err != nil {
		return err
	}
	if !w.any {
		d.apply, d.events, d.after, d.entry = nil, nil, nil, internalChange(d.entry.At)
	}
	return nil
}

// writes is a Tx that notes whether something was written.
type writes struct {
	storage.Tx
	any bool
}

// Set writes value at key.
func (w *writes) Set(key, value []byte) error {
	w.any = true
	return w.Tx.Set(key, value)
}

// Delete removes key.
func (w *writes) Delete(key []byte) error {
	w.any = true
	return w.Tx.Delete(key)
}

// DeletePrefix removes every key that begins with prefix.
func (w *writes) DeletePrefix(prefix []byte) error {
	w.any = true
	return w.Tx.DeletePrefix(prefix)
}

// draft is a decision, and what it was made on; the zero value is none.
type draft struct {
	decision
	made    bool
	stamp   stamp
	repeats bool // the answer is that to the first request with the idempotency key: nothing is to be done
}

// commit carries out the change of a request to what t, which its path named when it was authorised, in one transaction.
//
// The decision is made on a snapshot first, while other writers of the Environment go on. The transaction takes it over
// if the records it depends on are still the same, and decides again if not. A refusal by the snapshot is final: the
// snapshot shows every commit that was acknowledged, so the request could as well have been decided at that moment, and it
// changes nothing.
func (h *Handler) commit(q *request, t target) (a httpserver.Answer, err error) {
	early, err := h.decideEarly(q, t)
	q.turn.Idle()
	if err != nil || early.repeats {
		return early.answer, err
	}
	var d draft
	var logged *record.Audit
	_, err = h.config.Store.Update(h.reading(q, t, q.reads(t)), q.environmentID, func(tx storage.Tx) (entry record.Change, err error) {
		logged = nil // the transaction may run again
		var t target
		if d, t, err = h.decide(tx, q, early); err != nil || d.repeats {
			return entry, err
		}
		if d.apply != nil {
			if err = d.write(tx); err == nil {
				err = h.appendEvents(tx, q, t, d.events)
			}
		}
		if err == nil && q.key != "" {
			err = h.storeAnswer(tx, q, d.answer)
		}
		if err == nil && d.apply != nil && (d.audit != nil || q.audit != nil) {
			logged, err = h.appendAudit(tx, q, t, d.decision)
		}
		return d.entry, err
	})
	if err != nil {
		return a, err
	}
	if d.after != nil {
		d.after()
	}
	if logged != nil {
		h.config.AuditLogged(*logged)
	}
	return d.answer, nil
}

// decideEarly decides on a snapshot. It returns the zero draft if the change must be decided in the transaction.
func (h *Handler) decideEarly(q *request, t target) (early draft, err error) {
	if q.change.depends == onAnything {
		return early, nil
	}
	if q.turn == nil && q.change.depends == onVariants { // many Variants have many drafts
		if err := h.takeTurn(q, t); err != nil {
			return early, err
		}
	}
	err = h.config.Store.View(h.reading(q, t, q.reads(t)), func(r storage.Reader) error {
		early, _, err = h.decide(r, q, draft{})
		return err
	})
	return early, err
}

// decide decides on what r shows, and returns what the request names there. It takes over the early decision if nothing
// that this depends on has changed since. An answer is stored in the commit that it reports, so that a request with an
// Idempotency-Key happens once: the same request has the first answer, whatever the state is by now, and a deletion also if
// what its path names is gone. A refused request has changed nothing and is decided anew.
func (h *Handler) decide(r storage.Reader, q *request, early draft) (d draft, t target, err error) {
	t, err = resolve(r, q)
	gone := errors.Is(err, errNotFound) && q.route.Method == fasthttp.MethodDelete
	known := h.config.Now().Before(t.first.ExpiresAt)
	if known && (err == nil || gone) && t.first.BodyHash == q.bodyHash() {
		d.repeats = true
		d.answer, err = replayed(h.config.Master, q.replayName(), t.first)
		return d, t, err
	}
	if err = cmp.Or(err, q.missing); err != nil {
		return d, t, err
	}
	now := stamp{theme: string(t.themeRecord), variant: string(t.variantRecord)}
	switch q.change.depends {
	case onVariantAndVersion:
		now.theme = storage.Number(t.theme.LatestVersion)
	case onVariants:
		if now.variants, err = variantsDigest(r, t); err != nil {
			return d, t, err
		}
	}
	if d = early; !d.made || d.stamp != now {
		d.decision, err = q.change.decide(r, t)
	}
	if known && !isFault(err) {
		err = theming.Conflicting(theming.IdempotencyKeyReused)
	}
	d.stamp, d.made = now, err == nil
	return d, t, err
}
