package diskcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/internal/test/heaptest"
)

func bodiesAt(t *testing.T, dir string, budget Budget) *Bodies {
	b, err := OpenBodies(dir, budget, func(feedproto.Pair) (id [sha256.Size]byte) { return id })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func bodyName(i int) (name BodyName) {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	copy(name[:], sum[:])
	return name
}

// What is known of a body on disk takes no more memory than it is counted for, and no more than its budget in all.
func TestIndexOfBodiesIsWeighed(t *testing.T) {
	const count = 20_000
	b := bodiesAt(t, t.TempDir(), Budget{1 << 40, count * BodyCost})
	s := &segment{log: b.log}
	taken := heaptest.Taken(func() {
		for i := range 2 * count {
			name := bodyName(i)
			b.put(string(name[:]), place{s, 0, 1}, 0)
		}
	})
	known := 0
	for range b.names.All() {
		known++
	}
	if known > count || known < count*9/10 {
		t.Errorf("%d bodies are known, want %d at most", known, count)
	}
	if own := int(taken) / known; own > BodyCost || own < BodyCost/2 {
		t.Errorf("a body takes %d bytes of memory and is counted as %d", own, BodyCost)
	}
	t.Logf("a body takes %d bytes of memory", int(taken)/known)
}

// A start finds what an earlier run wrote, the newest of it if the budget is smaller now.
func TestBodiesOutlastARestart(t *testing.T) {
	const size = 5000
	dir := t.TempDir()
	b := bodiesAt(t, dir, Budget{1 << 20, 1 << 30})
	for i := range 20 {
		if err := b.Store(bodyName(i), bytes.Repeat([]byte{byte(i)}, size)); err != nil {
			t.Fatal(err)
		}
	}
	b.Close()
	b = bodiesAt(t, dir, Budget{10 * size * budgetParts / prunedParts, 1 << 30})
	if err := b.Store(bodyName(20), bytes.Repeat([]byte{20}, size)); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range 21 {
		if body := b.Load(bodyName(i)); body != nil {
			found++
			if !bytes.Equal(body, bytes.Repeat([]byte{byte(i)}, size)) {
				t.Errorf("body %d = %v", i, body)
			}
		}
	}
	if found != 9 || b.Load(bodyName(20)) == nil || onDisk(t, dir) > 10*size*budgetParts/prunedParts {
		t.Errorf("%d bodies of %d bytes are found, want 9", found, onDisk(t, dir))
	}
	if b.Drop(bodyName(20)); b.Load(bodyName(20)) != nil {
		t.Error("a dropped body is found")
	}
}

// Bodies are never more than their budget, however long one of them is.
func TestBodiesHaveABudget(t *testing.T) {
	const budget = 64 << 10
	dir := t.TempDir()
	b := bodiesAt(t, dir, Budget{budget, 1 << 20})
	for i := range 100 {
		if err := b.Store(bodyName(i), make([]byte, (i*7919)%(60<<10))); err != nil {
			t.Fatal(err)
		}
		if n := onDisk(t, dir); n > budget || n != b.Bytes() {
			t.Fatalf("after %d bodies %d bytes are on disk, %d are counted", i+1, n, b.Bytes())
		}
	}
}
