package coding

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.com/livery/internal/test/race"
)

// stylesheet returns a file of some length as it is served, and the same with some of its lines changed.
func stylesheet(length, changed int) (before, after []byte) {
	random := rand.New(rand.NewPCG(1, uint64(length)))
	var lines []string
	for n := 0; n < length; n += len(lines[len(lines)-1]) + 1 {
		lines = append(lines, fmt.Sprintf("  --group-%d-step%d-%x: %d.%dpx;", len(lines)/10, len(lines), random.Uint32()&0xff, random.IntN(900), random.IntN(99)))
	}
	before = []byte(strings.Join(lines, "\n"))
	for i := range changed {
		at := i * len(lines) / changed
		name, _, _ := strings.Cut(lines[at], ":")
		lines[at] = fmt.Sprintf("%s: %dpx;", name, 1000+i*37)
	}
	return before, []byte(strings.Join(lines, "\n"))
}

// undelta decodes a delta as a client does.
func undelta(t testing.TB, dictionary, delta []byte) []byte {
	t.Helper()
	sum := sha256.Sum256(dictionary)
	frame, ok := bytes.CutPrefix(delta, append([]byte(deltaMagic), sum[:]...))
	if !ok {
		t.Fatalf("a delta begins with %x", delta[:min(len(delta), 40)])
	}
	var head zstd.Header
	if err := head.Decode(frame); err != nil || head.WindowSize > 8<<20 || head.DictionaryID != 0 {
		t.Fatalf("the frame has the window %d and the dictionary %d (%v)", head.WindowSize, head.DictionaryID, err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderDictRaw(0, dictionary))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	content, err := d.DecodeAll(frame, nil)
	if err != nil {
		t.Fatalf("a delta of %d bytes to %d does not decode: %v", len(delta), len(dictionary), err)
	}
	return content
}

// A delta says the file again, whatever the sizes, and is the same each time (RFC 9842 section 5).
func TestDeltaSaysTheFile(t *testing.T) {
	race.Skip(t)
	for _, tt := range []struct{ length, changed int }{{MinDictionaryBytes, 1}, {20 << 10, 0}, {20 << 10, 7}, {300 << 10, 200}, {MaxDictionaryBytes - 100, 3}} {
		before, after := stylesheet(tt.length, tt.changed)
		delta, err := EncodeDelta(before, sha256.Sum256(before), after)
		if err != nil {
			t.Fatal(err)
		}
		if got := undelta(t, before, delta); !bytes.Equal(got, after) {
			t.Errorf("%d bytes with %d lines changed: the delta says %d others", tt.length, tt.changed, len(got))
		}
		if again, err := EncodeDelta(before, sha256.Sum256(before), after); err != nil || !bytes.Equal(again, delta) {
			t.Errorf("%d bytes with %d lines changed: another delta the second time (%v)", tt.length, tt.changed, err)
		}
	}
}

// The zstd command decodes a delta behind its head of 40 bytes, and the whole of it too, with the
// dictionary as it is.
func TestZstdDecodesDeltas(t *testing.T) {
	program, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no zstd command to decode with: apt-get install zstd")
	}
	before, after := stylesheet(20<<10, 7)
	delta, err := EncodeDelta(before, sha256.Sum256(before), after)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"old": before, "frame.zst": delta[40:], "whole.zst": delta} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"frame.zst", "whole.zst"} {
		out, err := exec.Command(program, "-d", "-c", "-D", filepath.Join(dir, "old"), filepath.Join(dir, name)).Output()
		if err != nil || !bytes.Equal(out, after) {
			t.Errorf("zstd -d of %s = %d bytes (%v), want the file's %d", name, len(out), err, len(after))
		}
	}
}

// An edit of seven lines in a file of 20 KB is a twentieth of what the best encoding takes.
func TestDeltaIsSmall(t *testing.T) {
	before, after := stylesheet(20<<10, 7)
	delta, err := EncodeDelta(before, sha256.Sum256(before), after)
	if err != nil {
		t.Fatal(err)
	}
	shortest := len(after)
	for enc := Gzip; enc < Count; enc++ {
		encoded, err := NewEncoders(1).Encode(after, enc, Best)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes of %d", Names[enc], len(encoded), len(after))
		shortest = min(shortest, len(encoded))
	}
	t.Logf("dcz: %d bytes", len(delta))
	if len(delta) > shortest/20 {
		t.Errorf("a delta takes %d bytes, the best encoding %d", len(delta), shortest)
	}
}

func BenchmarkDelta(b *testing.B) {
	for _, length := range []int{20 << 10, 128 << 10, 1 << 20} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			before, after := stylesheet(length, 7)
			sum := sha256.Sum256(before)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := EncodeDelta(before, sum, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzDelta(f *testing.F) {
	before, after := stylesheet(2<<10, 3)
	f.Add(before, after)
	f.Add(after, before)
	f.Add([]byte{}, []byte{})
	f.Add([]byte("a"), []byte("aaaaaaaa"))
	f.Fuzz(func(t *testing.T, dictionary, content []byte) {
		delta, err := EncodeDelta(dictionary, sha256.Sum256(dictionary), content)
		if err != nil {
			t.Fatal(err)
		}
		if got := undelta(t, dictionary, delta); !bytes.Equal(got, content) {
			t.Errorf("the delta from %q to %q says %q", dictionary, content, got)
		}
	})
}

// named spells a digest as Available-Dictionary does.
func named(content []byte) string {
	sum := sha256.Sum256(content)
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// Available-Dictionary is one byte sequence of 32 bytes, in its one spelling.
func TestDigestIsReadInOneSpelling(t *testing.T) {
	right := named([]byte("a"))
	if got, ok := parseDigest([]byte(right)); !ok || got != sha256.Sum256([]byte("a")) {
		t.Errorf("parseDigest(%s) = %x, %t", right, got, ok)
	}
	for _, wrong := range []string{
		"", "::", ":", right[1:], right[:len(right)-1], right + ";a=1", " " + right, right + "," + right, strings.Replace(right, "=", "", 1),
		":" + base64.StdEncoding.EncodeToString(make([]byte, 31)) + ":", ":" + base64.StdEncoding.EncodeToString(make([]byte, 33)) + ":",
		":" + strings.Repeat("A", 42) + "B=:", ":" + strings.Repeat("_", 43) + "=:", ":" + strings.Repeat("A", 42) + "==:", `"` + right[1:],
	} {
		if got, ok := parseDigest([]byte(wrong)); ok {
			t.Errorf("parseDigest(%q) = %x, want nothing", wrong, got)
		}
	}
}

// Who cannot read the answer is not told its length by a delta (RFC 9842 section 9.3.3).
func TestDeltasAreForWhoReadsThem(t *testing.T) {
	for _, tt := range []struct {
		site, mode, origin string
		want               bool
	}{
		{"", "", "", true},
		{"", "no-cors", "", true},
		{"same-origin", "no-cors", "", true},
		{"cross-site", "", "", true},
		{"cross-site", "navigate", "", true},
		{"cross-site", "same-origin", "", true},
		{"cross-site", "cors", "https://a.example", true},
		{"cross-site", "cors", "null", true},
		{"cross-site", "cors", "", false},
		{"cross-site", "no-cors", "", false},
		{"cross-site", "no-cors", "https://a.example", false},
		{"same-site", "no-cors", "", false},
		{"none", "no-cors", "", false},
		{"cross-site", "websocket", "https://a.example", false},
		{"cross-site", "CORS", "https://a.example", false},
	} {
		h := DictionaryHint{Available: []byte(named(nil)), Site: []byte(tt.site), Mode: []byte(tt.mode), Origin: []byte(tt.origin)}
		if _, got := h.Dictionary(); got != tt.want {
			t.Errorf("%q %q of %q: a delta may answer = %t, want %t", tt.site, tt.mode, tt.origin, got, tt.want)
		}
	}
}

// A delta is for who names it, and weighs it no less than what it would be sent in the place of.
func TestDeltasAreNegotiated(t *testing.T) {
	for _, tt := range []struct {
		accept string
		enc    Encoding
		deltas bool
	}{
		{"gzip, deflate, br, zstd, dcb, dcz", Brotli, true},
		{"gzip, deflate, br, zstd", Brotli, false},
		{"dcz", Identity, true},
		{"DCZ, gzip", Gzip, true},
		{"dcb", Identity, false},
		{"*", Brotli, false},
		{"dcz;q=0", Identity, false},
		{"dcz;q=0.5, br", Brotli, false},
		{"dcz;q=0.5, br;q=0.5", Brotli, true},
		{"dcz;q=0.9, identity", Identity, false},
		{"dcz;q=0.001", Identity, true},
		{"dcz;q=x", Identity, false},
	} {
		if enc, deltas := Negotiate([]byte(tt.accept)); enc != tt.enc || deltas != tt.deltas {
			t.Errorf("negotiate(%q) = %s, %t, want %s, %t", tt.accept, Names[enc], deltas, Names[tt.enc], tt.deltas)
		}
	}
}
