package content

import (
	"crypto/sha256"
	"strings"
	"testing"

	"example.com/livery/edge/coding"
	"example.com/livery/wasm/abi"
)

// A client that has a delta to a file has the file: the validator that it names says so.
func TestDeltaValidators(t *testing.T) {
	p := newPlainInfo([]byte("the file"))
	tag := string(p.deltaTag(sha256.Sum256([]byte("a delta"))))
	other := string(newPlainInfo([]byte("another")).deltaTag(sha256.Sum256([]byte("a delta"))))
	if tag == string(p.deltaTag(sha256.Sum256([]byte("a second delta")))) {
		t.Error("two deltas have one validator")
	}
	for _, tt := range []struct{ field, want string }{
		{tag, tag},
		{"W/" + tag, tag},
		{`"x", ` + tag, tag},
		{other + "," + tag, tag},
		{other, ""},
		{tag[:len(tag)-2] + `"`, ""},
		{tag[:len(tag)-1] + `a"`, ""},
		{tag[:len(tag)-2] + `="`, ""},
		{strings.Replace(tag, deltaMark, "-dcb-", 1), ""},
		{tag[:len(tag)-1], ""},
		{"*", ""},
		{"", ""},
	} {
		if got := string(p.Matches([]byte(tt.field))); got != tt.want {
			t.Errorf("matched(%s) = %s, want %s", tt.field, got, tt.want)
		}
	}
	b := NewBody(abi.TokensCSS, []byte("the file"), coding.Identity, coding.Identity, false, nil)
	if got := string(b.Matches([]byte(tag))); got != tag {
		t.Errorf("who has a delta and is sent the file as it is: %q, want %q", got, tag)
	}
}

// What is made for the sake of a coding makes place for it; what was asked for stays, and so does what a coding that
// does not pay sends.
func TestPlainMakesPlaceForItsCodings(t *testing.T) {
	content := []byte(strings.Repeat("--color-step: #0a64d2;\n", 1000))
	small, err := coding.NewEncoders(1).Encode(content, coding.Gzip, coding.Fast)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(asked bool) *Body {
		b := NewBody(abi.TokensCSS, content, coding.Identity, coding.Identity, false, nil)
		b.requested = asked
		return b
	}
	coded := NewBody(abi.TokensCSS, small, coding.Gzip, coding.Gzip, true, newPlainInfo(content))
	useless := NewBody(abi.TokensCSS, content, coding.Brotli, coding.Identity, false, newPlainInfo(content))
	for _, tt := range []struct {
		name   string
		bodies []*Body
		held   bool
		bytes  int
	}{
		{"a by-product", []*Body{plain(false), coded}, false, len(small)},
		{"a by-product of a coding that does not pay", []*Body{plain(false), useless}, true, len(content)},
		{"both", []*Body{plain(false), useless, coded}, false, len(content) + len(small)},
		{"asked for", []*Body{plain(true), coded}, true, len(content) + len(small)},
		{"asked for later", []*Body{coded, plain(true)}, true, len(content) + len(small)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f *File
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
			if says := f.plain(); says == nil || !says.says(content) {
				t.Errorf("it says %v", says)
			}
		})
	}
}

// What one file is sent by is bounded, and the oldest makes place.
func TestDeltasOfAFileAreBounded(t *testing.T) {
	f := &File{}
	key := func(i int) DictionaryKey {
		return DictionaryKey{Line: Line{Files: "line"}, File: abi.TokensCSS, Digest: coding.Digest{byte(i)}}
	}
	for i := range 100 {
		f = f.withDelta(delta{from: key(i), body: &Body{Bytes: make([]byte, 100)}})
	}
	if len(f.deltas) != maxDeltas || f.cost() < (&File{}).cost()+maxDeltas*100 {
		t.Errorf("%d deltas are held, and weigh %d", len(f.deltas), f.cost())
	}
	last, first := key(99), key(0)
	if _, known := f.delta(&last); !known {
		t.Error("the newest is not held")
	}
	if _, known := f.delta(&first); known {
		t.Error("the oldest is held")
	}
	elsewhere := last
	elsewhere.Line.Modes = "scheme.dark"
	if _, known := f.delta(&elsewhere); known {
		t.Error("another line's delta is sent")
	}
	if f = f.withDelta(delta{from: last}); len(f.deltas) != maxDeltas {
		t.Errorf("one that is made again leaves %d", len(f.deltas))
	}
}
