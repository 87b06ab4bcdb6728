package diskcache

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/heaptest"
)

func bodiesAt(t *testing.T, dir string, maxBytes int64) *Bodies {
	b, err := OpenBodies(dir, maxBytes, func(feedproto.Pair) (id [sha256.Size]byte) { return id })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bodyName(i int) (name BodyName) {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	copy(name[:], sum[:])
	return name
}

// What is known of a body on disk takes little memory: a budget of 256 MiB is 65,536 bodies at most.
func TestIndexOfBodiesIsSmall(t *testing.T) {
	const count, most = 20_000, 256
	b := bodiesAt(t, t.TempDir(), 1<<40)
	taken := heaptest.Taken(func() {
		for i := range count {
			b.note(bodyName(i), 1000)
		}
	})
	if held := b.Bytes(); held != count*blockBytes {
		t.Errorf("%d bytes are counted on disk, want %d", held, count*blockBytes)
	}
	if taken/count > most {
		t.Errorf("a body takes %d bytes of memory, want %d at most", taken/count, most)
	}
	t.Logf("a body takes %d bytes of memory", taken/count)
}

// A start finds what an earlier run wrote, the newest of it if the budget is smaller now, and leaves nothing half written.
func TestBodiesOutlastARestart(t *testing.T) {
	dir := t.TempDir()
	b := bodiesAt(t, dir, 1<<20)
	for i := range 20 {
		if err := b.Store(bodyName(i), []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	half := filepath.Join(filepath.Dir(b.path(bodyName(3))), "1"+temporary)
	foreign := filepath.Join(dir, bodiesFolder, "foreign")
	for _, name := range []string{half, foreign} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b = bodiesAt(t, dir, 10*blockBytes)
	found := 0
	for i := range 20 {
		if body := b.Load(bodyName(i)); body != nil {
			found++
			if len(body) != 1 || body[0] != byte(i) {
				t.Errorf("body %d = %v", i, body)
			}
		}
	}
	if found != 10 || b.Bytes() != 10*blockBytes {
		t.Errorf("%d bodies of %d bytes are found, want 10", found, b.Bytes())
	}
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Error("what was half written is left")
	}
	if b.Drop(bodyName(19)); b.Load(bodyName(19)) != nil {
		t.Error("a dropped body is found")
	}
}
