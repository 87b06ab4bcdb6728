package theming

import (
	"errors"
	"fmt"
	"time"

	"example.com/livery/origin/patch"
	"example.com/livery/storage/record"
)

// VariantBatch asks to create and to change many Variants of one Theme: all or none.
type VariantBatch struct {
	Items    []VariantItem
	NewID    func() string // of a Variant
	NewETag  func() string // of a draft
	Now      time.Time
	Limits   patch.Limits // of the overrides of one Variant
	MaxBytes int          // of the drafts that the batch writes, together
}

// VariantItem is one Variant of a batch.
type VariantItem struct {
	At         string       // its place in the request; messages begin with it
	ID         string       // of one to change; empty creates one
	Input      VariantInput // of a change, a nil member keeps what is stored
	Operations []patch.Operation
	ETag       *string // of the draft that the caller saw, empty if it saw none; nil claims nothing
}

// VariantOutcome is what an item of a batch makes of its Variant.
type VariantOutcome struct {
	Before  record.Variant // without an id if the Variant is new
	After   VariantState   // without what it serves
	Changes Comparison     // of what the Variant serves with what its overrides are now
	Details bool           // slug, display name or labels of a Variant that was there are others now
}

// Apply returns the outcome of each item. all are the Variants of Theme t by id, and read returns the state of one of
// them. It returns, in this order, a validation refusal that lists every fault of every item, a notFound refusal if the Theme lacks
// a Variant, a planLimit refusal, and a conflict that names the first Variant in the way.
func (b VariantBatch) Apply(t record.Theme, plan record.Plan, all map[string]record.Variant, read func(record.Variant) (VariantState, error)) ([]VariantOutcome, error) {
	var faults batchFaults
	made, existing, size := make([]VariantOutcome, len(b.Items)), len(all), 0
	for i, item := range b.Items {
		var state VariantState
		var err error
		if v, known := all[item.ID]; item.ID == "" {
			state.Variant, err = NewVariant(b.NewID(), t, item.Input, existing, plan, b.Now)
			existing++
		} else if made[i].Before = v; !known {
			err = refuse(NotFound)
		} else if state, err = read(v); err == nil {
			state, err = b.renamed(state, item.Input)
			made[i].Details = !SameRecord(v, state.Variant)
		}
		if err == nil {
			err = b.edit(t, state, item, &made[i])
		}
		if err := faults.add(item, err); err != nil {
			return nil, err
		}
		if draft := made[i].After.Draft; draft != nil && made[i].Drafts() {
			size += len(draft.Overrides)
		}
		if size > b.MaxBytes {
			message := fmt.Sprintf("%s: the drafts up to here take %d bytes; those of one request may take %d together", item.At, size, b.MaxBytes)
			return nil, refuse(Validation, message)
		}
	}
	faults.addTaken(b.Items, made, all)
	return made, faults.refusal()
}

// Drafts reports whether the item made another draft, or ended the one that there was.
func (o VariantOutcome) Drafts() bool { return o.After.Variant.DraftETag != o.Before.DraftETag }

// renamed returns s with what in has of slug, display name and labels.
func (b VariantBatch) renamed(s VariantState, in VariantInput) (_ VariantState, err error) {
	if in == (VariantInput{}) {
		return s, nil
	}
	if in.Slug == nil {
		in.Slug = &s.Variant.Slug
	}
	if in.DisplayName == nil {
		in.DisplayName = &s.Variant.DisplayName
	}
	s.Variant, err = UpdateVariant(s.Variant, in, b.Now)
	return s, err
}

// edit applies the operations of an item to the overrides of s.
func (b VariantBatch) edit(t record.Theme, s VariantState, item VariantItem, o *VariantOutcome) (err error) {
	claim := Claim{ETag: s.etag()}
	if item.ETag != nil {
		claim.ETag = *item.ETag
	}
	o.After, err = EditVariant(t, nil, s, Edit{Operations: item.Operations, Claim: claim, NewETag: b.NewETag(), Now: b.Now, Limits: b.Limits})
	if err == nil {
		o.Changes, err = o.After.Changes()
	}
	o.After.Served = nil // those of a thousand Variants take much memory
	return err
}

// batchFaults are the refusals of the items of a batch.
type batchFaults struct {
	invalid             []string
	notFound, planLimit bool
	conflict            *Error // the first
}

// add takes a refusal of an item, and returns every other error.
func (f *batchFaults) add(item VariantItem, err error) error {
	var refusal *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal):
		return err
	case refusal.Cause == NotFound:
		f.notFound = true
	case refusal.Cause == PlanLimit:
		f.planLimit = true
	case refusal.Cause == Conflict:
		f.addConflict(item, refusal.Reason)
	default:
		for _, message := range refusal.Messages {
			f.invalid = append(f.invalid, item.At+": "+message)
		}
	}
	return nil
}

func (f *batchFaults) addConflict(item VariantItem, r Reason) {
	if f.conflict != nil {
		return
	}
	f.conflict = &Error{Cause: Conflict, Reason: r, Variant: item.ID}
	if item.ID == "" {
		f.conflict.Variant = *item.Input.Slug
	}
}

// addTaken finds the slugs that two Variants would have after the batch: a slug that one gives up another may take.
func (f *batchFaults) addTaken(items []VariantItem, made []VariantOutcome, all map[string]record.Variant) {
	count := map[string]int{}
	for _, v := range all {
		count[v.Slug]++
	}
	for _, o := range made {
		if o.After.Variant.ID == "" {
			continue // it is refused already
		}
		if o.Before.ID != "" {
			count[o.Before.Slug]--
		}
		count[o.After.Variant.Slug]++
	}
	for i, o := range made {
		if slug := o.After.Variant.Slug; slug != "" && slug != o.Before.Slug && count[slug] > 1 {
			f.addConflict(items[i], SlugTaken)
		}
	}
}

func (f *batchFaults) refusal() error {
	switch {
	case len(f.invalid) > 0:
		return invalid(f.invalid)
	case f.notFound:
		return refuse(NotFound)
	case f.planLimit:
		return refuse(PlanLimit)
	case f.conflict != nil:
		return f.conflict
	}
	return nil
}
