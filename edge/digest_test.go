package edge_test

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

// digestOf returns the value of Repr-Digest for a representation (RFC 9530 section 3).
func digestOf(representation string) string {
	sum := sha256.Sum256([]byte(representation))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// An answer with a file has the digest of what is sent, in its coding; a head alone and a part have that of the whole.
// A Variant's file as it is is hashed for nothing else: if it is made for the request the answer does not wait for that,
// unless the client wants it (RFC 9530).
func TestAnswersHaveTheirDigest(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 1, `{"space.s1":"6px"}`, true)
	r := run(t, f)
	for _, variant := range []string{"-", brand} {
		address := path(variant, "1", "tokens.css")
		for _, coding := range []string{"identity", "gzip", "zstd", "br"} {
			for made := true; ; made = false { // then from memory
				got, want := r.get(address, "Accept-Encoding: "+coding), ""
				if !made || variant == "-" || coding != "identity" {
					want = digestOf(got.body)
				}
				header(t, got, "Repr-Digest", want)
				head := r.do("HEAD", address, "Accept-Encoding: "+coding)
				if head.header.Get("Etag") == got.header.Get("Etag") { // else a smaller one was made meanwhile
					header(t, head, "Repr-Digest", digestOf(got.body))
				} else if head.header.Get("Repr-Digest") == "" {
					t.Errorf("HEAD in %s: no digest: %v", coding, head.header)
				}
				header(t, r.get(address, "Accept-Encoding: "+coding, "If-None-Match: *"), "Repr-Digest", "")
				if !made {
					break
				}
			}
		}
		whole := r.get(address).body
		header(t, r.get(address, "Range: bytes=2-9", "Accept-Encoding: gzip"), "Repr-Digest", digestOf(whole))
		header(t, r.get(address, "Range: bytes=999999-"), "Repr-Digest", "")
		header(t, r.get(path(variant, "7", "tokens.css")), "Repr-Digest", "")
	}
	for _, tt := range []struct {
		file, line string
		made       bool // the answer with the file that was made for it has the digest
	}{
		{"tokens.json", "Accept: */*", false},
		{"tokens.flat.json", "Want-Repr-Digest: sha-256=10", true},
		{"tokens.values.json", "Accept-Encoding: gzip", true},
	} {
		address := path(brand, "latest", tt.file)
		got := r.get(address, tt.line)
		wanted := ""
		if tt.made {
			wanted = digestOf(got.body)
		}
		header(t, got, "Repr-Digest", wanted)
		header(t, r.get(address, tt.line), "Repr-Digest", digestOf(got.body))
	}
}
