package api

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// change is what a request that writes asks for, with its parameters and its body read. Both functions only read, and
// put blobs; they may run more than once.
type change struct {
	// decide applies the rules to the records of one snapshot.
	decide func(r storage.Reader, t target) (decision, error)
	// depends returns the revision of the records that decide reads, as far as they can change. nil: decide runs in
	// the transaction alone.
	depends func(r storage.Reader, t target) (revision, error)
	scans   func(t target) []byte // the prefix that both scan; nil: none
}

// reads returns what both functions read beside what the path names.
func (c change) reads(q *request, t target, key string) storage.Reads {
	reads := storage.Reads{All: true}
	if c.scans != nil {
		reads.Prefixes = [][]byte{c.scans(t)}
	}
	reads.Keys = [][]byte{storage.EventEnds.Key(q.environmentID)}
	if key != "" {
		reads.Keys = append(reads.Keys, storage.Replays.Key(q.environmentID, q.replayName(key)))
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

// draft is a decision made on a snapshot; the zero value is none.
type draft struct {
	decision
	made     bool
	revision revision // of what it depends on
}

// commit carries out a change to what t, which the request's path named when it was authorised, in one transaction.
//
// The decision is made on a snapshot first, while other writers of the Environment go on. The transaction takes it over
// if the records it depends on are still of the same revision, and decides again if not. A refusal by the snapshot is
// final: the snapshot shows every commit that was acknowledged, so the request could as well have been decided at that
// moment, and it changes nothing.
func (h *Handler) commit(q *request, t target, c change) (httpserver.Answer, error) {
	key, err := q.idempotencyKey()
	if err != nil {
		return httpserver.Answer{}, err
	}
	early, err := h.decideEarly(q, t, c, key)
	if err != nil {
		return httpserver.Answer{}, err
	}
	var d decision
	var logged *record.Audit
	_, err = h.config.Store.Update(h.reading(q, t, c.reads(q, t, key)), q.environmentID, func(tx storage.Tx) (record.Change, error) {
		logged = nil // the transaction may run again
		t, err := resolve(tx, q)
		if err != nil {
			return record.Change{}, err
		}
		first, known, err := h.firstAnswer(tx, q, key)
		if err != nil {
			return record.Change{}, err
		}
		if known && first.BodyHash == q.bodyHash() {
			d = decision{}
			d.answer, err = replayed(h.config.Master, q.replayName(key), first)
			return d.entry, err
		}
		if d, err = c.decideIn(tx, t, early); err == nil && d.apply != nil {
			err = cmp.Or(d.apply(tx), h.appendEvents(tx, q, t, d.events))
		}
		if known && !isFault(err) {
			err = theming.Conflicting(theming.IdempotencyKeyReused)
		}
		if err == nil {
			err = h.storeAnswer(tx, q, key, d.answer)
		}
		if err == nil {
			logged, err = h.appendAudit(tx, q, t, d)
		}
		return d.entry, err
	})
	if err != nil {
		return httpserver.Answer{}, err
	}
	if d.after != nil {
		d.after()
	}
	if logged != nil {
		h.config.AuditLogged(*logged)
	}
	return d.answer, nil
}

// decideEarly decides on a snapshot. It returns the zero draft if the change must be decided in the transaction, and if
// the transaction has an answer to the idempotency key already, whatever the state is by now.
func (h *Handler) decideEarly(q *request, t target, c change, key string) (early draft, err error) {
	if c.depends == nil {
		return early, nil
	}
	if c.scans != nil || isHeavy(q, t) { // many Variants have many drafts
		release, err := h.config.HeavyWork.Acquire(h.config.Context)
		if err != nil {
			return early, err
		}
		defer release()
	}
	err = h.config.Store.View(h.reading(q, t, c.reads(q, t, key)), func(r storage.Reader) error {
		t, err := resolve(r, q)
		if err != nil {
			return err
		}
		if _, known, err := h.firstAnswer(r, q, key); known || err != nil {
			return err
		}
		if early.revision, err = c.depends(r, t); err != nil {
			return err
		}
		early.decision, err = c.decide(r, t)
		early.made = err == nil
		return err
	})
	return early, err
}

// decideIn returns the early decision if nothing it depends on has changed since, and else a new one.
func (c change) decideIn(tx storage.Tx, t target, early draft) (decision, error) {
	if early.made {
		now, err := c.depends(tx, t)
		if err != nil {
			return decision{}, err
		}
		if now == early.revision {
			return early.decision, nil
		}
	}
	return c.decide(tx, t)
}

// revision stands for the state of some records: equal revisions mean equal bytes.
type revision [sha256.Size]byte

// onTheme is the revision of what depends on a Theme: its record changes with its draft, whose etag never repeats, and
// with its versions, which themselves never change.
func onTheme(r storage.Reader, t target) (revision, error) {
	return newRevision(func(d *digester) error { return d.record(r, t.themeKey()) })
}

// onVariant is the revision of what depends on a Variant and its Theme.
func onVariant(r storage.Reader, t target) (revision, error) {
	return newRevision(func(d *digester) error { return cmp.Or(d.record(r, t.themeKey()), d.record(r, t.variantKey())) })
}

// onVariantAndVersion is the revision of what depends on a Variant and the newest version of its Theme.
func onVariantAndVersion(r storage.Reader, t target) (revision, error) {
	return newRevision(func(d *digester) error {
		d.part(binary.BigEndian.AppendUint32(nil, t.theme.LatestVersion))
		return d.record(r, t.variantKey())
	})
}

// onThemeAndVariants is the revision of what depends on a Theme and all its Variants, as they are stored: a hundred are
// compared without being decoded.
func onThemeAndVariants(r storage.Reader, t target) (revision, error) {
	return newRevision(func(d *digester) error {
		err := d.record(r, t.themeKey())
		return cmp.Or(err, r.Scan(t.variantsPrefix(), storage.Ascending, func(key, value []byte) bool {
			d.part(key)
			d.part(value)
			return true
		}))
	})
}

// digester digests records, each with its length before it.
type digester struct{ hash.Hash }

func newRevision(fill func(*digester) error) (sum revision, err error) {
	d := digester{sha256.New()}
	err = fill(&d)
	d.Sum(sum[:0])
	return sum, err
}

func (d *digester) part(bytes []byte) {
	_ = binary.Write(d, binary.BigEndian, uint64(len(bytes))) // a hash takes everything
	_, _ = d.Write(bytes)
}

func (d *digester) record(r storage.Reader, key []byte) error {
	value, err := r.Get(key)
	d.part(value)
	return err
}

// From here on a document takes milliseconds to decide about.
const (
	heavyTokens = 1000
	heavyBody   = 64 << 10 // bytes
)

// isHeavy reports whether deciding q takes long, by what its path named when it was authorised.
func isHeavy(q *request, t target) bool {
	return t.theme.TokenCount >= heavyTokens || t.variant.TokenCount >= heavyTokens || len(q.body) >= heavyBody
}
