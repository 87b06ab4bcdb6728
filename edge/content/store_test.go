package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/feedproto"
	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/renderer/plan"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// lines is content of so many bytes that codings make shorter.
func lines(length int) []byte {
	return bytes.Repeat([]byte("--color-ababab-step: #0a64d2;\n"), length/30+1)[:length]
}

// Any coding gives the file back, to the byte; memory that has changed gives nothing, and is told of.
func TestCodingsSayWhatTheyWereMadeFrom(t *testing.T) {
	race.Skip(t)
	var told bytes.Buffer
	s := &Store{encoders: coding.NewEncoders(1), config: Config{Logger: slog.New(slog.NewTextHandler(&told, nil))}}
	for enc := coding.Gzip; int(enc) < coding.Count; enc++ {
		for _, length := range []int{1, coding.MinBytes, 20 << 10, 300 << 10, 5 << 20} {
			content := lines(length)
			small, err := s.encoders.Encode(content, enc, coding.Fast)
			if err != nil {
				t.Fatal(err)
			}
			says := newPlainInfo(content)
			got := s.decode(abi.TokensCSS, (*File)(nil).with(NewBody(abi.TokensCSS, small, enc, enc, false, says)))
			want := NewBody(abi.TokensCSS, content, coding.Identity, coding.Identity, false, nil)
			if got == nil || !bytes.Equal(got.Bytes, content) || !bytes.Equal(got.ETag, want.ETag) || got.Encoding != coding.Identity || !got.Plain.says(content) {
				t.Fatalf("%d bytes as %s do not come back: %s", length, coding.Names[enc], told.String())
			}
			if told.Len() > 0 {
				t.Fatalf("what is sound is told of: %s", told.String())
			}
			changed := bytes.Clone(small)
			changed[len(changed)/2] ^= 0x10
			for name, b := range map[string]*Body{
				"changed":       NewBody(abi.TokensCSS, changed, enc, enc, false, says),
				"cut off":       NewBody(abi.TokensCSS, small[:len(small)/2], enc, enc, false, says),
				"another":       NewBody(abi.TokensCSS, small, enc, enc, false, newPlainInfo(lines(length+1))),
				"not so long":   NewBody(abi.TokensCSS, small, enc, enc, false, &PlainInfo{sum: says.sum, length: length - 1, name: says.name}),
				"other content": NewBody(abi.TokensCSS, small, enc, enc, false, &PlainInfo{sum: says.sum + 1, length: length, name: says.name}),
			} {
				if got := s.decode(abi.TokensCSS, (*File)(nil).with(b)); got != nil {
					t.Errorf("%d bytes as %s, %s: it says %d bytes", length, coding.Names[enc], name, len(got.Bytes))
				}
				if !strings.Contains(told.String(), "coding="+string(coding.Names[enc])) {
					t.Errorf("%d bytes as %s, %s: nothing is told: %s", length, coding.Names[enc], name, told.String())
				}
				told.Reset()
			}
		}
	}
}

func hashOf(kind string, i int) record.Hash { return record.HashOf(fmt.Appendf(nil, "%s %d", kind, i)) }

func idOf(i int) ID { return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// The budget is one of memory: what is counted for an entry is what it takes, with the table that it is
// in, and not much more.
func TestWhatIsCountedIsWhatIsHeld(t *testing.T) {
	race.Skip(t)
	for name, tt := range map[string]struct {
		count int
		fill  func(s *Store, i int)
	}{
		"small inputs":  {20000, func(s *Store, i int) { s.PutInput(hashOf("input", i), make([]byte, 700)) }},
		"larger inputs": {200, func(s *Store, i int) { s.PutInput(hashOf("input", i), make([]byte, 130<<10)) }},
		"small files":   {20000, func(s *Store, i int) { fillFile(s, i, 300) }},
		"usual files":   {1000, func(s *Store, i int) { fillFile(s, i, 18500) }},
		"large files":   {200, func(s *Store, i int) { fillFile(s, i, 70<<10) }},
		"failed files": {20000, func(s *Store, i int) {
			s.files.Set(Key{idOf(i), 0}, &File{failed: errNotAsMade, failedAt: time.Now()})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			heaptest.Agree(t, 0.95, 1.25, func() (counted, taken int64) {
				s := newStore(t)
				taken = heaptest.Taken(func() {
					for i := range tt.count {
						tt.fill(s, i)
					}
				})
				return int64(s.Bytes()), taken
			})
		})
	}
}

func fillFile(s *Store, i, size int) {
	for enc := range coding.Encoding(coding.Count) {
		length := size
		if enc != coding.Identity {
			length = size / 4
		}
		content := make([]byte, length)
		binary.BigEndian.PutUint64(content, uint64(i)<<8|uint64(enc))
		s.Put(Key{idOf(i), abi.TokensCSS}, NewBody(abi.TokensCSS, content, enc, enc, true, nil))
	}
}

// newStore returns a Store that finds nothing to make files from.
func newStore(t *testing.T) *Store {
	return New(t.Context(), Config{Budget: 1 << 40, Slots: 1, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

// What is held of a pair is all that upstream said, the cursor apart.
func TestPairKeepsItsRecord(t *testing.T) {
	for name, fed := range map[string]feedproto.Pair{
		"the Theme's own": {Version: 7, Plan: hashOf("plan", 1), Module: hashOf("module", 1)},
		"a Variant's":     {Version: 1, Plan: hashOf("plan", 1), Overlay: hashOf("overlay", 1), Module: hashOf("module", 2), Sealed: true},
	} {
		told := fed
		told.Cursor = "12.abc"
		in := NewInputs(told)
		if got := in.Pair(); got != fed {
			t.Errorf("%s: %+v is held, want %+v", name, got, fed)
		}
	}
}

// A client with many versions can ask for the delta between any two, but not have the edge do nothing else.
func TestDeltasAreMadeAtABoundedRate(t *testing.T) {
	s := newStore(t)
	in, old := NewInputs(feedproto.Pair{Plan: hashOf("plan", 1)}), NewInputs(feedproto.Pair{Plan: hashOf("plan", 2)})
	plain := NewBody(abi.TokensCSS, lines(3000), coding.Identity, coding.Identity, false, nil)
	s.Put(Key{in.ID, abi.TokensCSS}, plain)
	line := Line{Files: "line"}
	made, unmade := DictionaryKey{line, abi.TokensCSS, sha256.Sum256([]byte("made"))}, DictionaryKey{line, abi.TokensCSS, sha256.Sum256([]byte("unmade"))}
	s.putDelta(Key{in.ID, abi.TokensCSS}, delta{from: made, body: newDelta(abi.TokensCSS, []byte("a delta"), plain.Plain)})
	s.offers.table.Set(unmade, []*Inputs{&old})
	file, _ := s.File(Key{in.ID, abi.TokensCSS})
	now := time.Now().Add(time.Hour)
	if b, more := s.Delta(unmade, &in, file, now); b != nil || !more {
		t.Fatalf("a delta that can be made is %v, more = %t", b, more)
	}
	for s.deltas.making.Take(now) {
	}
	for from, want := range map[DictionaryKey]bool{made: true, unmade: false} {
		if b, more := s.Delta(from, &in, file, now); (b != nil) != want || more {
			t.Errorf("%x: a delta = %t, more = %t, want %t", from.Digest[:4], b != nil, more, want)
		}
	}
}

// bundleOf returns a plan whose parts are a text.
func bundleOf(text string) []byte {
	var parts [][]byte
	for f := range abi.File(abi.FileCount) {
		parts = append(parts, plan.Append(nil, uint8(f), []byte(text)))
	}
	return plan.AppendBundle(nil, parts)
}

// The matches in the texts of a plan are known before any file of the plan is encoded, from those of the plan that it
// replaces, unless the two are not alike.
func TestPlansInheritMatches(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "--color-step-%d: #%06x;\n", i, i*i*7919%(1<<24))
	}
	for name, tt := range map[string]struct {
		next  string
		known bool
	}{
		"a changed value": {strings.Replace(text.String(), "step-77: #", "step-77: #f", 1), true},
		"another text":    {strings.Repeat("a{b:c}\n", 3000), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			var in [2]Inputs
			for i, text := range []string{text.String(), tt.next} {
				bundle := bundleOf(text)
				in[i] = NewInputs(feedproto.Pair{Version: uint32(i + 1), Plan: record.HashOf(bundle), Module: hashOf("module", 1)})
				s.PutInput(record.HashOf(bundle), bundle)
			}
			for range 2 { // the first is encoded by itself
				s.parses.of(&in[0], abi.TokensCSS)
			}
			s.References.Succeed(&in[0], &in[1])
			for f := range abi.File(abi.FileCount) {
				held, ok := s.parses.Peek(parseKey{in[1].plan, f})
				if known := ok && held.parse != nil; known != (tt.known && f == abi.TokensCSS) {
					t.Errorf("the matches in %s are known: %t", f.Name(), known)
				}
			}
			if s.parses.of(&in[1], abi.TokensCSS) == nil {
				t.Error("the matches are not searched at the first file that is encoded")
			}
		})
	}
}
