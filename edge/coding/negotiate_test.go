package coding

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"example.com/livery/internal/test/race"
)

func TestCodingIsNegotiated(t *testing.T) { // decisions 7.4
	for _, tt := range []struct {
		accept string
		want   Encoding
	}{
		{"", Identity},
		{"gzip", Gzip},
		{"x-gzip", Gzip},
		{"GZIP", Gzip},
		{"gzip, deflate, br, zstd", Brotli},
		{"gzip, deflate, br", Brotli},
		{"gzip, zstd", Zstd},
		{"deflate", Identity},
		{"br;q=0.5, gzip", Gzip},
		{"br;q=0.5,zstd;q=0.6,gzip;q=0.7", Gzip},
		{"br;q=0", Identity},
		{"br;q=0, *", Zstd},
		{"*", Brotli},
		{"*;q=0.1, gzip;q=0.2", Gzip},
		{"*;q=0", Identity},
		{"identity", Identity},
		{"identity;q=1, gzip;q=0.5", Identity},
		{"identity;q=0.5, gzip;q=0.5", Gzip},
		{"identity;q=0, gzip", Gzip},
		{"identity;q=0", Identity},
		{"br; q=1.000 , gzip;q=0.999", Brotli},
		{"br;q=0.001", Brotli},
		{"br;q=2, gzip;q=0.1", Gzip},
		{"br;q=x, gzip;q=0.1", Gzip},
		{"br;level=9, gzip;q=0.1", Gzip},
		{"br;q=0.1234, gzip;q=0.1", Gzip},
		{",,;q=1,", Identity},
	} {
		if got, _ := Negotiate([]byte(tt.accept)); got != tt.want {
			t.Errorf("negotiate(%q) = %s, want %s", tt.accept, Names[got], Names[tt.want])
		}
	}
	if n := testing.AllocsPerRun(100, func() { Negotiate([]byte("gzip, deflate, br;q=0.9, zstd")) }); n != 0 {
		t.Errorf("negotiate allocates %v times", n)
	}
}

func TestEncodingsKeepTheContent(t *testing.T) {
	race.Skip(t)
	random, used := rand.NewChaCha8([32]byte{1}), NewEncoders(1)
	for _, size := range []int{0, 1, 5000, 256 << 10} {
		content := []byte(strings.Repeat("--color-brand-primary: #0a64d2;\n", size/32+1)[:size])
		random.Read(content[:size/10])
		for enc := Gzip; enc < Count; enc++ {
			for _, how := range []Effort{Fast, Best} {
				encoded, err := NewEncoders(1).Encode(content, enc, how)
				if err != nil {
					t.Fatal(err)
				}
				again, err := used.Encode(content, enc, how)
				if err != nil || !bytes.Equal(again, encoded) {
					t.Errorf("%s of %d bytes is different if the encoder was used before (%v)", Names[enc], size, err)
				}
				if got := decoded(t, encoded, enc); !bytes.Equal(got, content) {
					t.Errorf("%s of %d bytes decodes to %d others", Names[enc], size, len(got))
				}
			}
		}
	}
}

func decoded(t *testing.T, encoded []byte, enc Encoding) []byte {
	var r io.Reader
	var err error
	switch enc {
	case Gzip:
		r, err = gzip.NewReader(bytes.NewReader(encoded))
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(encoded), zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer d.Close()
		}
		r = d
	case Brotli:
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
