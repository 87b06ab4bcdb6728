package edge

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestCodingIsNegotiated(t *testing.T) { // decisions 7.4
	for _, tt := range []struct {
		accept string
		want   encoding
	}{
		{"", identity},
		{"gzip", gzipped},
		{"x-gzip", gzipped},
		{"GZIP", gzipped},
		{"gzip, deflate, br, zstd", brotlied},
		{"gzip, deflate, br", brotlied},
		{"gzip, zstd", zstandard},
		{"deflate", identity},
		{"br;q=0.5, gzip", gzipped},
		{"br;q=0.5,zstd;q=0.6,gzip;q=0.7", gzipped},
		{"br;q=0", identity},
		{"br;q=0, *", zstandard},
		{"*", brotlied},
		{"*;q=0.1, gzip;q=0.2", gzipped},
		{"*;q=0", identity},
		{"identity", identity},
		{"identity;q=1, gzip;q=0.5", identity},
		{"identity;q=0.5, gzip;q=0.5", gzipped},
		{"identity;q=0, gzip", gzipped},
		{"identity;q=0", identity},
		{"br; q=1.000 , gzip;q=0.999", brotlied},
		{"br;q=0.001", brotlied},
		{"br;q=2, gzip;q=0.1", gzipped},
		{"br;q=x, gzip;q=0.1", gzipped},
		{"br;level=9, gzip;q=0.1", gzipped},
		{"br;q=0.1234, gzip;q=0.1", gzipped},
		{",,;q=1,", identity},
	} {
		if got, _ := negotiate([]byte(tt.accept)); got != tt.want {
			t.Errorf("negotiate(%q) = %s, want %s", tt.accept, encodingNames[got], encodingNames[tt.want])
		}
	}
	if n := testing.AllocsPerRun(100, func() { negotiate([]byte("gzip, deflate, br;q=0.9, zstd")) }); n != 0 {
		t.Errorf("negotiate allocates %v times", n)
	}
}

func TestEncodingsKeepTheContent(t *testing.T) {
	random, used := rand.NewChaCha8([32]byte{1}), newEncoders(1)
	for _, size := range []int{0, 1, 5000, 256 << 10} {
		content := []byte(strings.Repeat("--color-brand-primary: #0a64d2;\n", size/32+1)[:size])
		random.Read(content[:size/10])
		for enc := gzipped; enc < encodingCount; enc++ {
			for _, how := range []effort{quick, best} {
				encoded, err := newEncoders(1).encode(content, enc, how)
				if err != nil {
					t.Fatal(err)
				}
				again, err := used.encode(content, enc, how)
				if err != nil || !bytes.Equal(again, encoded) {
					t.Errorf("%s of %d bytes is different where the encoder was used before (%v)", encodingNames[enc], size, err)
				}
				if got := decoded(t, encoded, enc); !bytes.Equal(got, content) {
					t.Errorf("%s of %d bytes decodes to %d others", encodingNames[enc], size, len(got))
				}
			}
		}
	}
}

func decoded(t *testing.T, encoded []byte, enc encoding) []byte {
	var r io.Reader
	var err error
	switch enc {
	case gzipped:
		r, err = gzip.NewReader(bytes.NewReader(encoded))
	case zstandard:
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(encoded), zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer d.Close()
		}
		r = d
	case brotlied:
		r = brotli.NewReader(bytes.NewReader(encoded))
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRangesAreRead(t *testing.T) { // A89
	for _, tt := range []struct {
		field              string
		want               span
		asked, satisfiable bool
	}{
		{"bytes=0-99", span{0, 100}, true, true},
		{"bytes=0-0", span{0, 1}, true, true},
		{"bytes=999-", span{999, 1000}, true, true},
		{"bytes=100-5000", span{100, 1000}, true, true},
		{"bytes=0-99999999999999999999", span{0, 1000}, true, true},
		{"bytes=-10", span{990, 1000}, true, true},
		{"bytes=-5000", span{0, 1000}, true, true},
		{"bytes=1000-", span{1000, 1000}, true, false},
		{"bytes=5000-6000", span{5000, 1000}, true, false},
		{"bytes=-0", span{1000, 1000}, true, false},
		{"bytes=5-4", span{}, false, false},
		{"bytes=-", span{}, false, false},
		{"bytes=", span{}, false, false},
		{"bytes=a-b", span{}, false, false},
		{"bytes=+1-2", span{}, false, false},
		{"bytes=0-1,5-6", span{}, false, false},
		{"lines=0-1", span{}, false, false},
	} {
		got, asked, satisfiable := parseRange([]byte(tt.field), 1000)
		if asked != tt.asked || asked && (got != tt.want || satisfiable != tt.satisfiable) {
			t.Errorf("parseRange(%q) = %v, %t, %t, want %v, %t, %t", tt.field, got, asked, satisfiable, tt.want, tt.asked, tt.satisfiable)
		}
	}
}

func TestValidatorsAreCompared(t *testing.T) { // A89
	for _, tt := range []struct {
		field string
		want  bool
	}{
		{`"a-gz"`, true},
		{`W/"a-gz"`, true},
		{`*`, true},
		{` "x", "a-gz" `, true},
		{`"x","y" , W/"a-gz"`, true},
		{`"a"`, false},
		{`a-gz`, false},
		{`"a-gz`, false},
		{`"x" a-gz`, false},
		{`"*"`, false},
		{``, false},
		{`,,,`, false},
	} {
		if got := anyMatches([]byte(tt.field), []byte(`"a-gz"`)); got != tt.want {
			t.Errorf("anyMatches(%q) = %t, want %t", tt.field, got, tt.want)
		}
	}
}
