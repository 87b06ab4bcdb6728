package wasm

import (
	"errors"
	"sync/atomic"
	"time"
)

// Stats is what a Runtime did and has. The first group is of the moment, the second counts from its start.
type Stats struct {
	Modules     int   // loaded
	Instances   int   // of all modules
	MemoryBytes int64 // linear memory of all instances
	Plans       int   // held by all instances
	PlanBytes   int64 // of these
	CodeBytes   int64 // of compiled modules on disk, of other processes too

	Started       uint64        // instances
	StartTime     time.Duration // that took, all together
	PlanHits      uint64        // renders whose instance held the plan
	PlanMisses    uint64        // renders whose instance had to be given the plan
	Recycled      uint64        // instances that were closed sound: they had grown too large, or were overdue
	Dropped       uint64        // modules that were unused, or too many
	Overdue       uint64        // calls that lost their place
	FailedTrap    uint64        // calls that did not return: trap, panic, exit, no memory
	FailedBroken  uint64        // calls whose answer broke the contract
	FailedToStart uint64        // instances that could not be made
}

// counts is what Stats is read from. The zero value is empty.
type counts struct {
	instances, memory, plans, planBytes, startTime            atomic.Int64
	started, planHits, planMisses, recycled, dropped, overdue atomic.Uint64
	failedTrap, failedBroken, failedStart                     atomic.Uint64
}

// fail counts a failed call by its cause.
func (c *counts) fail(err error) {
	if trap := (*trapError)(nil); errors.As(err, &trap) {
		c.failedTrap.Add(1)
		return
	}
	c.failedBroken.Add(1)
}

// Stats returns the numbers for metrics. It is cheap.
func (r *Runtime) Stats() Stats {
	c := &r.counts
	var codeBytes int64
	if r.code != nil {
		codeBytes = r.code.bytes()
	}
	return Stats{
		CodeBytes:     codeBytes,
		Modules:       len(r.pools()),
		Instances:     int(c.instances.Load()),
		MemoryBytes:   c.memory.Load(),
		Plans:         int(c.plans.Load()),
		PlanBytes:     c.planBytes.Load(),
		Started:       c.started.Load(),
		StartTime:     time.Duration(c.startTime.Load()),
		PlanHits:      c.planHits.Load(),
		PlanMisses:    c.planMisses.Load(),
		Recycled:      c.recycled.Load(),
		Dropped:       c.dropped.Load(),
		Overdue:       c.overdue.Load(),
		FailedTrap:    c.failedTrap.Load(),
		FailedBroken:  c.failedBroken.Load(),
		FailedToStart: c.failedStart.Load(),
	}
}
