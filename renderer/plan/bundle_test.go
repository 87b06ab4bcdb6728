package plan_test

import (
	"bytes"
	"testing"

	"example.com/livery/renderer/plan"
)

func TestBundleKeepsItsParts(t *testing.T) {
	parts := [][]byte{[]byte("first"), nil, []byte("third"), {}, []byte("f")}
	blob := plan.AppendBundle([]byte("before"), parts)[len("before"):]
	bundle, err := plan.OpenBundle(blob)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		if got := bundle.Part(uint8(i)); !bytes.Equal(got, part) {
			t.Errorf("Part(%d) = %q, want %q", i, got, part)
		}
	}
	for _, i := range []uint8{5, 255} {
		if got := bundle.Part(i); got != nil {
			t.Errorf("Part(%d) = %q, want none", i, got)
		}
	}
}

func TestBundleOfNothing(t *testing.T) {
	bundle, err := plan.OpenBundle(plan.AppendBundle(nil, nil))
	if err != nil || bundle.Part(0) != nil {
		t.Errorf("an empty bundle = %q, %v", bundle.Part(0), err)
	}
}

func TestDamagedBundlesAreRefused(t *testing.T) {
	whole := plan.AppendBundle(nil, [][]byte{[]byte("one"), []byte("two")})
	for n := range whole {
		if _, err := plan.OpenBundle(whole[:n]); err == nil {
			t.Errorf("the first %d bytes of a bundle open", n)
		}
	}
	if _, err := plan.OpenBundle(append(bytes.Clone(whole), 0)); err == nil {
		t.Error("a bundle with a byte too much opens")
	}
	const table = 8
	for at := range table + 2*8 {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1 << bit
			if _, err := plan.OpenBundle(damaged); err == nil {
				t.Errorf("a bundle with bit %d of byte %d turned opens", bit, at)
			}
		}
	}
}

func FuzzOpenBundle(f *testing.F) {
	f.Add(plan.AppendBundle(nil, [][]byte{[]byte("one"), nil, []byte("two")}))
	f.Add([]byte("LVYS\x01\x00\xff\xff"))
	f.Fuzz(func(t *testing.T, blob []byte) {
		bundle, err := plan.OpenBundle(blob)
		if err != nil {
			return
		}
		parts := make([][]byte, int(blob[6])|int(blob[7])<<8)
		for i := range min(len(parts), 256) {
			parts[i] = bundle.Part(uint8(i))
		}
		if len(parts) <= 256 && !bytes.Equal(plan.AppendBundle(nil, parts), blob) {
			t.Errorf("the parts of a bundle make another one")
		}
	})
}
