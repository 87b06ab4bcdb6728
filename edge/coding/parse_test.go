package coding

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/wasm/abi"
	"github.com/andybalholm/brotli"
)

// edited returns a content that random edits make of text, a hundredth of it or so, and what both share.
func edited(random *rand.Rand, text []byte) (content []byte, spans []abi.Span) {
	from, mean := 0, 1+random.IntN(1<<random.IntN(14))
	for from < len(text) {
		length := min(random.IntN(2*mean), len(text)-from)
		spans = append(spans, abi.Span{At: len(content), From: from, Length: length})
		content = append(content, text[from:from+length]...)
		from += length
		switch random.IntN(4) {
		case 0: // a part is left out
			from += min(random.IntN(2*mean), len(text)-from)
		case 1: // one comes twice, later
			content = append(content, text[:min(random.IntN(200), len(text))]...)
		case 2:
			from += min(random.IntN(9), len(text)-from)
			content = append(content, "#a1b2c3d4"[:random.IntN(9)]...)
		}
	}
	return content, spans
}

func decodedAs(t testing.TB, encoded []byte, enc Encoding) []byte {
	t.Helper()
	var r io.Reader = brotli.NewReader(bytes.NewReader(encoded))
	if enc == Gzip {
		z, err := gzip.NewReader(bytes.NewReader(encoded)) // the standard library's
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// holdParsed fails unless every coding of content by a Parse of text says content, and says it the same way twice.
func holdParsed(t testing.TB, p *Encoders, text, content []byte, spans []abi.Span) {
	t.Helper()
	parse := NewParse(text)
	for _, enc := range []Encoding{Gzip, Brotli} {
		encoded := p.EncodeParsed(t.Context(), content, enc, Shared{Text: text, Parse: parse, Spans: spans})
		if encoded == nil {
			t.Fatalf("%s: nothing of %d bytes", Names[enc], len(content))
		}
		if got := decodedAs(t, encoded, enc); !bytes.Equal(got, content) {
			t.Fatalf("%s of %d bytes by %d spans says something else, of %d bytes", Names[enc], len(content), len(spans), len(got))
		}
		if !bytes.Equal(encoded, p.EncodeParsed(t.Context(), content, enc, Shared{Text: text, Parse: parse, Spans: spans})) {
			t.Errorf("%s of %d bytes differs the second time", Names[enc], len(content))
		}
	}
}

// What is encoded by the matches of another text says what it was made from, whatever they share.
func TestParsedCodingsSayTheContent(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	p := NewEncoders(1)
	for i := range 150 {
		text := rows(random.IntN(1 << (6 + i%12)))
		switch i % 3 {
		case 1:
			for range len(text) / 40 {
				text[random.IntN(len(text))] = byte(random.IntN(256))
			}
		case 2:
			text = bytes.Repeat([]byte("abcdefg"[:1+i%7]), len(text)/7+1) // copies that overlap themselves
		}
		content, spans := edited(random, text)
		holdParsed(t, p, text, content, spans)
		holdParsed(t, p, text, text, []abi.Span{{Length: len(text)}})
		holdParsed(t, p, text, content, nil)
	}
}

func FuzzParsed(f *testing.F) {
	f.Add(rows(3000), uint64(1))
	f.Add(bytes.Repeat([]byte("--a:1;"), 400), uint64(2))
	p := NewEncoders(1)
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		if len(text) > 1<<16 {
			return
		}
		content, spans := edited(rand.New(rand.NewPCG(seed, 1)), text)
		holdParsed(t, p, text, content, spans)
	})
}

// Nothing is encoded by spans that do not hold, or are out of order.
func TestParsedCodingsRefuseWrongSpans(t *testing.T) {
	t.Parallel()
	p, text := NewEncoders(1), rows(4<<10)
	parse := NewParse(text)
	changed := bytes.Clone(text)
	changed[100] ^= 1
	for name, spans := range map[string][][3]int{
		"another byte":        {{0, 0, 200}},
		"past the end":        {{0, 0, 50}, {50, 50, len(text)}},
		"backwards":           {{200, 200, 100}, {0, 0, 50}},
		"overlapping":         {{0, 0, 60}, {50, 50, 20}},
		"before the content":  {{-1, 0, 20}},
		"before the text":     {{0, -1, 20}},
		"of a length below 0": {{0, 0, -1}},
	} {
		by := Shared{Text: text, Parse: parse}
		for _, s := range spans {
			by.Spans = append(by.Spans, abi.Span{At: s[0], From: s[1], Length: s[2]})
		}
		if got := p.EncodeParsed(t.Context(), changed, Gzip, by); got != nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	if got := p.EncodeParsed(t.Context(), text, Zstd, Shared{Text: text, Parse: parse, Spans: []abi.Span{{Length: len(text)}}}); got != nil {
		t.Errorf("zstd: %d bytes", len(got))
	}
}

// A brand of a Theme is as short by the Theme's matches as by its own.
func TestParsedCodingsAreShort(t *testing.T) {
	t.Parallel()
	p, random := NewEncoders(1), rand.New(rand.NewPCG(3, 4))
	var text, content []byte
	for i := range 2000 {
		text = fmt.Appendf(text, "  --color-group-%d-token-%d: #%06x;\n", i/20, i%20, random.IntN(1<<24))
	}
	var spans []abi.Span
	for from := 0; from < len(text); from += 600 {
		part := text[from:min(from+592, len(text))]
		spans = append(spans, abi.Span{At: len(content), From: from, Length: len(part)})
		content = append(content, part...)
		content = append(content, []byte{'#', byte('a' + random.IntN(6)), byte('a' + random.IntN(6)), byte('0' + random.IntN(10)), ';'}...)
	}
	parse := NewParse(text)
	for _, enc := range []Encoding{Gzip, Brotli} {
		long, err := p.EncodeFast(content, enc)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.EncodeParsed(t.Context(), content, enc, Shared{Text: text, Parse: parse, Spans: spans}); len(got) > len(long)*11/10 {
			t.Errorf("%s: %d bytes, by matches of its own %d", Names[enc], len(got), len(long))
		}
	}
}

// versions returns a text that every call changes in a few places, as publishes do.
func versions(random *rand.Rand) func() []byte {
	var text []byte
	for i := range 500 {
		text = fmt.Appendf(text, "--color-step-%d: #%06x;\n", i, random.IntN(1<<24))
	}
	return func() []byte {
		text = bytes.Clone(text)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(text) - 40)
			with := fmt.Appendf(nil, "--new-%x: #%06x;\n", random.IntN(99), random.IntN(1<<24))
			text = append(text[:at:at], append(with[:random.IntN(len(with))], text[at+random.IntN(40):]...)...)
		}
		return text
	}
}

// The matches of a text are carried over to its next version: what is encoded by them says the content, and is about as short
// as by matches that were searched, however many versions there were. A text that is not alike has none.
func TestMatchesOutliveVersions(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	p, next := NewEncoders(1), versions(random)
	old := next()
	parse, searches := NewParse(old), 0
	for i := range 60 {
		text := next()
		if parse = Reparse(text, Shared{Text: old, Parse: parse}); parse == nil {
			parse, searches = NewParse(text), searches+1
		}
		content, spans := edited(random, text)
		encoded := p.EncodeParsed(t.Context(), content, Gzip, Shared{Text: text, Parse: parse, Spans: spans})
		if !bytes.Equal(decodedAs(t, encoded, Gzip), content) {
			t.Fatalf("version %d says something else", i)
		}
		if fresh := NewParse(text); len(parse.coded.bits) > len(fresh.coded.bits)*106/100 {
			t.Errorf("version %d has %d bytes by the matches of versions before, %d by its own", i, len(parse.coded.bits), len(fresh.coded.bits))
		}
		old = text
	}
	if searches > 30 {
		t.Errorf("matches were searched for %d versions of 60", searches)
	}
	for name, other := range map[string][]byte{"nothing": nil, "another text": rows(9000), "the end alone": old[len(old)-9:]} {
		if Reparse(other, Shared{Text: old, Parse: parse}) != nil {
			t.Errorf("%s takes over the matches of a text that it is not like", name)
		}
	}
}
