package serve

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// madeChain is a leaf, the intermediate that signed it, and its root.
type madeChain struct {
	leaf, between, root []byte // PEM, with the serial numbers 3, 2 and 1
}

func makeChain(t *testing.T, key crypto.Signer) madeChain {
	t.Helper()
	keys := make([]crypto.Signer, 3)
	certs := make([]*x509.Certificate, 3)
	text := make([][]byte, 3)
	for i, name := range []string{"root", "between", "leaf"} {
		keys[i] = key
		if i < 2 {
			signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			keys[i] = signer
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 1)), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IsCA: i < 2, BasicConstraintsValid: true, DNSNames: []string{name},
		}
		parent, signer := template, keys[i]
		if i > 0 {
			parent, signer = certs[i-1], keys[i-1]
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, keys[i].Public(), signer)
		if err != nil {
			t.Fatal(err)
		}
		if certs[i], err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
		text[i] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	return madeChain{leaf: text[2], between: text[1], root: text[0]}
}

func block(t *testing.T, kind string) func(der []byte, err error) []byte {
	return func(der []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
}

// Certificates and keys are read as other tools write them.
func TestFilesOfOtherToolsAreRead(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c, r := makeChain(t, ec), makeChain(t, rsaKey)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
	mark := []byte("\uFEFF")
	pkcs8 := block(t, "PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(ec))
	sec1 := block(t, "EC PRIVATE KEY")(x509.MarshalECPrivateKey(ec))
	whole := join(c.leaf, c.between)
	attributes := []byte("Bag Attributes\r\n    localKeyID: 01 00\r\nsubject=CN = leaf\r\n\r\n")
	for name, files := range map[string]struct {
		cert, key []byte
		serials   []int64
	}{
		"as Go writes them":           {whole, pkcs8, []int64{3, 2}},
		"SEC 1":                       {whole, sec1, []int64{3, 2}},
		"SEC 1 with its parameters":   {whole, join(block(t, "EC PARAMETERS")([]byte{6, 8, 42, 134, 72, 206, 61, 3, 1, 7}, nil), sec1), []int64{3, 2}},
		"RSA in PKCS #1":              {join(r.leaf, r.between), block(t, "RSA PRIVATE KEY")(x509.MarshalPKCS1PrivateKey(rsaKey), nil), []int64{3, 2}},
		"RSA in PKCS #8":              {join(r.leaf, r.between), block(t, "PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(rsaKey)), []int64{3, 2}},
		"ends of lines of Windows":    {crlf(whole), crlf(pkcs8), []int64{3, 2}},
		"byte order marks":            {join(mark, whole), join(mark, pkcs8), []int64{3, 2}},
		"marks between the blocks":    {join(mark, c.leaf, mark, c.between), pkcs8, []int64{3, 2}},
		"text before the blocks":      {join(attributes, c.leaf, attributes, c.between), join([]byte("Key:\n"), pkcs8), []int64{3, 2}},
		"no end of the last line":     {bytes.TrimSpace(whole), bytes.TrimSpace(pkcs8), []int64{3, 2}},
		"the root as well":            {join(c.leaf, c.between, c.root), pkcs8, []int64{3, 2, 1}},
		"the issuer first":            {join(c.between, c.leaf), pkcs8, []int64{3, 2}},
		"from the root to the leaf":   {join(c.root, c.between, c.leaf), pkcs8, []int64{3, 2, 1}},
		"certificate and key in one":  {join(pkcs8, whole), join(pkcs8, whole), []int64{3, 2}},
		"a certificate of no chain":   {join(r.between, c.leaf, c.between), pkcs8, []int64{3, 2, 2}},
		"without the intermediate":    {c.leaf, pkcs8, []int64{3}},
		"spaces at the ends of lines": {bytes.ReplaceAll(whole, []byte("\n"), []byte(" \n")), pkcs8, []int64{3, 2}},
	} {
		dir := t.TempDir()
		cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		for path, text := range map[string][]byte{cert: files.cert, key: files.key} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		pair, err := readPair(cert, key)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var serials []int64
		var chain []*x509.Certificate
		for _, der := range pair.Certificate {
			cert, err := x509.ParseCertificate(der)
			if err != nil {
				t.Fatal(err)
			}
			chain, serials = append(chain, cert), append(serials, cert.SerialNumber.Int64())
		}
		if len(chain) > 1 && chain[0].CheckSignatureFrom(chain[1]) != nil {
			t.Errorf("%s: the second certificate did not sign the first", name)
		}
		if !slices.Equal(serials, files.serials) {
			t.Errorf("%s: the chain is %v, want %v", name, serials, files.serials)
		}
	}
}

// What cannot be used is refused with a reason, and no block is skipped in silence.
func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := makeChain(t, ec)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := block(t, "PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(ec))
	broken := bytes.Replace(c.between, []byte("\n"), []byte("\n!"), 1)
	for name, files := range map[string]struct {
		cert, key []byte
		want      string
	}{
		"no certificate":      {[]byte("nothing"), key, "no certificate"},
		"no key":              {c.leaf, c.leaf, "no private key"},
		"another's key":       {c.leaf, block(t, "PRIVATE KEY")(x509.MarshalPKCS8PrivateKey(other)), "does not match"},
		"a broken block":      {bytes.Join([][]byte{c.leaf, broken}, nil), key, "1 of 2 PEM blocks"},
		"files without a gap": {bytes.Join([][]byte{bytes.TrimSpace(c.leaf), c.between}, nil), key, "of 2 PEM blocks"},
		"an indented block":   {bytes.Join([][]byte{c.leaf, []byte("  "), c.between}, nil), key, "1 of 2 PEM blocks"},
		"not a certificate":   {bytes.Join([][]byte{c.leaf, block(t, "CERTIFICATE")([]byte("x"), nil)}, nil), key, "certificate 2"},
		"an encrypted key":    {c.leaf, block(t, "ENCRYPTED PRIVATE KEY")([]byte("x"), nil), "passphrase"},
		"an old encryption":   {c.leaf, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"}, Bytes: []byte("x")}), "passphrase"},
	} {
		dir := t.TempDir()
		cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		for path, text := range map[string][]byte{cert: files.cert, key: files.key} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := readPair(cert, key); err == nil || !strings.Contains(err.Error(), files.want) {
			t.Errorf("%s: %v, want %q", name, err, files.want)
		}
	}
}

// A file of CAs is read in the same way, and one that is not read as a whole is refused.
func TestFilesOfAuthoritiesAreRead(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := makeChain(t, ec)
	path := filepath.Join(t.TempDir(), "ca.pem")
	write := func(text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(bytes.Join([][]byte{[]byte("\uFEFFMy CA\r\n"), bytes.ReplaceAll(c.root, []byte("\n"), []byte("\r\n")), []byte("\uFEFF"), c.between}, nil))
	pool, err := readPool(path)
	if err != nil {
		t.Fatal(err)
	}
	want := x509.NewCertPool()
	want.AppendCertsFromPEM(c.root)
	want.AppendCertsFromPEM(c.between)
	if !pool.Equal(want) {
		t.Error("the pool lacks a certificate of the file")
	}
	write(bytes.Join([][]byte{c.root, bytes.Replace(c.between, []byte("\n"), []byte("\n!"), 1)}, nil))
	if _, err := readPool(path); err == nil {
		t.Error("a file with a broken block is taken")
	}
}
