package edge

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"example.com/livery/edge/coding"
)

// lines is content of so many bytes that codings make shorter.
func lines(length int) []byte {
	return bytes.Repeat([]byte("--color-ababab-step: #0a64d2;\n"), length/30+1)[:length]
}

// What is made for the sake of a coding makes place for it; what was asked for stays, and so does what a coding that
// does not pay sends.
func TestPlainMakesPlaceForItsCodings(t *testing.T) {
	content := lines(20 << 10)
	small, err := coding.NewEncoders(1).Encode(content, coding.Gzip, coding.Fast)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(asked bool) *body {
		b := newBody(content, coding.Identity, coding.Identity, false)
		b.asked = asked
		return b
	}
	coded := newBody(small, coding.Gzip, coding.Gzip, true).saying(newPlain(content))
	useless := newBody(content, coding.Brotli, coding.Identity, false).saying(newPlain(content))
	for _, tt := range []struct {
		name   string
		bodies []*body
		held   bool
		bytes  int
	}{
		{"a by-product", []*body{plain(false), coded}, false, len(small)},
		{"a by-product of a coding that does not pay", []*body{plain(false), useless}, true, len(content)},
		{"both", []*body{plain(false), useless, coded}, false, len(content) + len(small)},
		{"asked for", []*body{plain(true), coded}, true, len(content) + len(small)},
		{"asked for later", []*body{coded, plain(true)}, true, len(content) + len(small)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f *file
			for _, b := range tt.bodies {
				f = f.with(b)
			}
			if held := f.bodies[coding.Identity] != nil; held != tt.held {
				t.Errorf("the file as it is is held: %t, want %t", held, tt.held)
			}
			bodies := 0
			for _, b := range f.bodies {
				if b != nil {
					bodies++
				}
			}
			least := tt.bytes + fileCost + bodies*bodyCost
			if cost := int(f.cost()); cost < least || cost > least+tt.bytes/8 {
				t.Errorf("it costs %d, want a little more than %d", cost, least)
			}
			if says := f.says(); says == nil || says.sum != newPlain(content).sum {
				t.Errorf("it says %v", says)
			}
		})
	}
}

// Any coding gives the file back, to the byte; memory that has changed gives nothing, and is told of.
func TestCodingsSayWhatTheyWereMadeFrom(t *testing.T) {
	var told bytes.Buffer
	e := &Edge{encoders: coding.NewEncoders(1), log: slog.New(slog.NewTextHandler(&told, nil))}
	for enc := coding.Gzip; int(enc) < coding.Count; enc++ {
		for _, length := range []int{1, coding.MinBytes, 20 << 10, 300 << 10, 5 << 20} {
			content := lines(length)
			small, err := e.encoders.Encode(content, enc, coding.Fast)
			if err != nil {
				t.Fatal(err)
			}
			says := newPlain(content)
			got := e.plainOf((*file)(nil).with(newBody(small, enc, enc, false).saying(says)))
			want := newBody(content, coding.Identity, coding.Identity, false)
			if got == nil || !bytes.Equal(got.bytes, content) || !bytes.Equal(got.etag, want.etag) || got.encoding != coding.Identity || got.says.sum != want.says.sum {
				t.Fatalf("%d bytes as %s do not come back: %s", length, coding.Names[enc], told.String())
			}
			if told.Len() > 0 {
				t.Fatalf("what is sound is told of: %s", told.String())
			}
			changed := bytes.Clone(small)
			changed[len(changed)/2] ^= 0x10
			for name, b := range map[string]*body{
				"changed":       newBody(changed, enc, enc, false).saying(says),
				"cut off":       newBody(small[:len(small)/2], enc, enc, false).saying(says),
				"another":       newBody(small, enc, enc, false).saying(newPlain(lines(length + 1))),
				"not so long":   newBody(small, enc, enc, false).saying(&plain{sum: says.sum, length: length - 1, name: says.name}),
				"other content": newBody(small, enc, enc, false).saying(&plain{sum: coding.Digest{1}, length: length, name: says.name}),
			} {
				if got := e.plainOf((*file)(nil).with(b)); got != nil {
					t.Errorf("%d bytes as %s, %s: it says %d bytes", length, coding.Names[enc], name, len(got.bytes))
				}
				if !strings.Contains(told.String(), "coding="+string(coding.Names[enc])) {
					t.Errorf("%d bytes as %s, %s: nothing is told: %s", length, coding.Names[enc], name, told.String())
				}
				told.Reset()
			}
		}
	}
}
