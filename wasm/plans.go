package wasm

import (
	"context"
	"errors"
	"fmt"

	"example.com/livery/wasm/abi"
)

// plans is what one instance holds in its slots, so that a plan is copied into it once and not with
// every render. Past the budget, or if no slot is free, the longest unused go first.
type plans struct {
	slots int // that the module has
	open  map[planKey]*openPlan
	bytes int
	turn  uint64 // counts uses
}

// openPlan is one plan in a slot.
type openPlan struct {
	slot uint32
	at   uint32 // the position of its first byte
	size int
	used uint64 // the turn of the last use
}

func (p *plans) has(key planKey) bool { return p.open[key] != nil }

// hold makes sure that a plan is open in the instance and returns it. A *RefusedError leaves
// the instance sound; after any other error it must not be used again.
func (in *instance) hold(ctx context.Context, j job, budget int, c *counts) (*openPlan, error) {
	p := &in.plans
	p.turn++
	if plan := p.open[j.key]; plan != nil {
		plan.used = p.turn
		c.planHits.Add(1)
		return plan, nil
	}
	c.planMisses.Add(1)
	if len(j.plan) > int(in.info.MaxPlan) {
		return nil, &RefusedError{Status: abi.StatusTooLarge}
	}
	// All slots together hold at most twice as much as one may (package abi).
	if err := in.makeRoom(ctx, len(j.plan), min(budget, 2*int(in.info.MaxPlan)), c); err != nil {
		return nil, err
	}
	slot := p.free()
	at, err := in.open(ctx, slot, j.plan)
	if err != nil {
		return nil, err
	}
	if p.open == nil {
		p.open = map[planKey]*openPlan{}
	}
	plan := &openPlan{slot, at, len(j.plan), p.turn}
	p.open[j.key] = plan
	p.bytes += len(j.plan)
	c.plans.Add(1)
	c.planBytes.Add(int64(len(j.plan)))
	return plan, nil
}

// open writes a plan into a slot, has it checked, and returns where it is. A slot that was refused is empty again.
func (in *instance) open(ctx context.Context, slot uint32, blob []byte) (at uint32, err error) {
	pointer, err := in.call(ctx, in.planAlloc, slot, uint32(len(blob)))
	if err != nil {
		return 0, err
	}
	if pointer == 0 {
		return 0, fmt.Errorf("the module gave no room for a plan of %d bytes in slot %d", len(blob), slot)
	}
	if !in.module.Memory().Write(pointer, blob) {
		return 0, errors.New("the module's slot lies outside its memory")
	}
	status, err := in.call(ctx, in.planOpen, slot)
	if err != nil {
		return 0, err
	}
	_, err = in.result(status)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		if err := in.drop(ctx, slot); err != nil {
			return 0, err
		}
	}
	return pointer, err
}

func (in *instance) drop(ctx context.Context, slot uint32) error {
	status, err := in.call(ctx, in.planDrop, slot)
	if err != nil {
		return err
	}
	if _, err := in.result(status); err != nil {
		return fmt.Errorf("the module does not drop slot %d: %s", slot, err)
	}
	return nil
}

// makeRoom drops plans until one more of size bytes fits.
func (in *instance) makeRoom(ctx context.Context, size, budget int, c *counts) error {
	p := &in.plans
	for len(p.open) > 0 && (p.bytes+size > budget || len(p.open) >= p.slots) {
		key, oldest := p.oldest()
		if err := in.drop(ctx, oldest.slot); err != nil {
			return err
		}
		delete(p.open, key)
		p.bytes -= oldest.size
		c.plans.Add(-1)
		c.planBytes.Add(-int64(oldest.size))
	}
	return nil
}

func (p *plans) oldest() (key planKey, oldest *openPlan) {
	for k, open := range p.open {
		if oldest == nil || open.used < oldest.used {
			key, oldest = k, open
		}
	}
	return key, oldest
}

// free returns a slot that holds nothing; makeRoom saw to it that there is one.
func (p *plans) free() uint32 {
	var taken [abi.PlanSlots]bool
	for _, open := range p.open {
		taken[open.slot] = true
	}
	slot := uint32(0)
	for taken[slot] {
		slot++
	}
	return slot
}

// forget takes the plans of an instance that is closed out of the counts.
func (p *plans) forget(c *counts) {
	c.plans.Add(-int64(len(p.open)))
	c.planBytes.Add(-int64(p.bytes))
}
