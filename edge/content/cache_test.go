package content

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/feedproto"
	"example.com/livery/wasm/abi"
)

// smallStore is a Store of 32 MiB.
func smallStore(t *testing.T) *Store {
	return New(t.Context(), Config{Budget: 32 << 20, Slots: 1, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

// pairs are the addresses that a Store is asked for, by what they lead to.
type pairs struct {
	store *Store
	leads []*Inputs
}

func (p *pairs) publish(i, version int, ahead bool) {
	next := NewInputs(feedproto.Pair{Plan: hashOf("plan", version), Overlay: hashOf("overlay", i)})
	old := p.leads[i]
	if ahead && old != nil {
		p.store.References.Succeed(old, &next)
		p.store.putOf(&next, Key{next.ID, abi.TokensCSS}, hotBody)
	}
	p.store.References.Replace(old, &next)
	p.leads[i] = &next
}

// hotBody is a body of 21 KiB.
var hotBody = NewBody(abi.TokensCSS, make([]byte, 21<<10), coding.Gzip, coding.Gzip, false, nil)

// ask asks for all, makes what is missing, and returns how many were.
func (p *pairs) ask() (misses int) {
	for _, in := range p.leads {
		if _, ok := p.store.File(Key{in.ID, abi.TokensCSS}); !ok {
			misses++
			p.store.putOf(in, Key{in.ID, abi.TokensCSS}, hotBody)
		}
	}
	return misses
}

// flood asks for as many bytes as the budget has, at addresses that are not asked for again.
func (p *pairs) flood(round int) {
	for i := range 32 << 20 / (21 << 10) {
		in := NewInputs(feedproto.Pair{Plan: hashOf(fmt.Sprint("flood", round), i)})
		p.store.References.Replace(nil, &in)
		p.store.putOf(&in, Key{in.ID, abi.TokensCSS}, hotBody)
	}
}

// After each of 100 publishes at a full cache at most one in a hundred hot addresses misses, whether the files are made
// before the publish is seen or when they are asked for next.
func TestPublishKeepsWhatIsHot(t *testing.T) {
	for _, ahead := range []bool{true, false} {
		p := &pairs{smallStore(t), make([]*Inputs, 300)}
		for i := range p.leads {
			p.publish(i, 0, false)
		}
		p.ask()
		p.ask()
		for version := range 100 {
			if version%10 == 0 {
				p.flood(version)
			}
			for i := range p.leads {
				p.publish(i, version+1, ahead)
			}
			if !ahead {
				p.ask()
			}
			if misses := p.ask(); misses > 3 {
				t.Fatalf("ahead = %t: %d of 300 hot addresses miss after publish %d", ahead, misses, version+1)
			}
		}
		if p.store.files.Evicted() == 0 {
			t.Error("nothing was evicted: the cache was not full")
		}
	}
}

// What no address leads to any more is dropped at once; what another address leads to stays.
func TestSupersededIsDropped(t *testing.T) {
	p := &pairs{smallStore(t), make([]*Inputs, 100)}
	for i := range p.leads {
		p.publish(i, 0, false)
	}
	p.ask()
	pinned := p.leads[7]
	p.store.References.Replace(nil, pinned)
	p.store.PutInput(hashOf("plan", 0), make([]byte, 1000))
	held := p.store.Bytes()
	for version := range 20 {
		for i := range p.leads {
			p.publish(i, version+1, true)
		}
		p.store.PutInput(hashOf("plan", version+1), make([]byte, 1000))
	}
	one := (&File{}).with(hotBody).cost() + 1000 + inputCost + 100
	if now := p.store.Bytes(); now > held+uint64(one) {
		t.Errorf("%d bytes are held after 20 publishes, %d before: want one file and one plan more", now, held)
	}
	if _, ok := p.store.File(Key{pinned.ID, abi.TokensCSS}); !ok {
		t.Error("what another address leads to was dropped")
	}
	if _, ok := p.store.HeldInput(hashOf("plan", 0)); !ok {
		t.Error("the plan of another address was dropped")
	}
	p.store.References.Replace(pinned, nil)
	for _, in := range p.leads {
		p.store.References.Replace(in, nil)
	}
	if left := p.store.files.Bytes(); left != 0 || len(p.store.References.addresses) != 0 {
		t.Errorf("%d bytes and %d references are held when every address is gone", left, len(p.store.References.addresses))
	}
}

// A file that clients may have as a dictionary outlives the publish that supersedes it, and not the next one, and it makes
// place before anything else.
func TestDictionaryOutlivesOnePublish(t *testing.T) {
	p := &pairs{smallStore(t), make([]*Inputs, 1)}
	var keys []Key
	for version := range 4 {
		p.publish(0, version, true)
		p.ask()
		p.store.Offer(Line{Files: "line"}, p.leads[0], abi.TokensCSS)
		keys = append(keys, Key{p.leads[0].ID, abi.TokensCSS})
	}
	for version, want := range []bool{false, false, true, true} {
		if _, ok := p.store.Peek(keys[version]); ok != want {
			t.Errorf("version %d of 4 is held = %t, want %t", version+1, ok, want)
		}
	}
	p.ask()
	p.flood(0)
	for version, want := range map[int]bool{2: false, 3: true} {
		if _, ok := p.store.Peek(keys[version]); ok != want {
			t.Errorf("under pressure version %d of 4 is held = %t, want %t", version+1, ok, want)
		}
	}
}

// An address that is evicted leads nowhere, and what it led to stays until room is needed.
func TestEvictedAddressKeepsItsFiles(t *testing.T) {
	p := &pairs{smallStore(t), make([]*Inputs, 1)}
	p.publish(0, 0, false)
	p.ask()
	p.store.References.Forget(p.leads[0])
	if _, ok := p.store.Peek(Key{p.leads[0].ID, abi.TokensCSS}); !ok || len(p.store.References.addresses) != 0 {
		t.Errorf("the file is held = %t, %d references are left", ok, len(p.store.References.addresses))
	}
}
