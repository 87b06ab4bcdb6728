package serve

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// begin is where a PEM block begins, or was meant to.
var begin = regexp.MustCompile(`(?m)^\s*-----BEGIN |----------BEGIN `)

// readBlocks returns the PEM blocks of a file. Text around them counts for nothing, and neither do byte order marks, which
// would hide the blocks behind them. A block that cannot be read is an error.
func readBlocks(path string) ([]*pem.Block, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("\uFEFF"), nil)
	begun := len(begin.FindAll(text, -1))
	var all []*pem.Block
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		all = append(all, block)
	}
	if len(all) != begun {
		return nil, fmt.Errorf("%s: %d of %d PEM blocks cannot be read", path, begun-len(all), begun)
	}
	return all, nil
}

// readCertificates returns the certificates of a PEM file, at least one.
func readCertificates(path string) ([]*x509.Certificate, error) {
	blocks, err := readBlocks(path)
	if err != nil {
		return nil, err
	}
	var all []*x509.Certificate
	for _, block := range blocks {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d: %w", path, len(all)+1, err)
		}
		all = append(all, cert)
	}
	if len(all) == 0 {
		return nil, errors.New(path + " holds no certificate in PEM form")
	}
	return all, nil
}

// readPool returns the certificates of a PEM file as a pool.
func readPool(path string) (*x509.CertPool, error) {
	all, err := readCertificates(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, cert := range all {
		pool.AddCert(cert)
	}
	return pool, nil
}

// readKey returns the first private key of a PEM file (PKCS #1, PKCS #8 or SEC 1) as a block of its own.
func readKey(path string) ([]byte, error) {
	blocks, err := readBlocks(path)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(blocks, func(b *pem.Block) bool { return strings.HasSuffix(b.Type, "PRIVATE KEY") })
	switch {
	case i < 0:
		return nil, errors.New(path + " holds no private key in PEM form")
	case blocks[i].Type == "ENCRYPTED PRIVATE KEY" || blocks[i].Headers["DEK-Info"] != "":
		return nil, errors.New(path + " holds a key that is encrypted with a passphrase: openssl pkey decrypts it")
	}
	return pem.EncodeToMemory(blocks[i]), nil
}

// readPair returns a certificate chain and its private key. The certificates may stand in any order.
func readPair(certFile, keyFile string) (*tls.Certificate, error) {
	key, err := readKey(keyFile)
	if err != nil {
		return nil, err
	}
	chain, err := readCertificates(certFile)
	if err != nil {
		return nil, err
	}
	var fault error // of the order in the file
	for i := range chain {
		var text []byte
		for _, cert := range chainFrom(chain, i) {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})...)
		}
		pair, err := tls.X509KeyPair(text, key)
		if err == nil {
			return &pair, nil
		}
		if fault == nil {
			fault = err
		}
	}
	return nil, fault
}

// chainFrom returns the certificates with that leaf first, each followed by its issuer's; those that are left come last.
func chainFrom(all []*x509.Certificate, leaf int) (chain []*x509.Certificate) {
	rest := slices.Clone(all)
	for i := leaf; i >= 0; {
		last := rest[i]
		chain, rest = append(chain, last), slices.Delete(rest, i, i+1)
		i = slices.IndexFunc(rest, func(c *x509.Certificate) bool { return last.CheckSignatureFrom(c) == nil })
	}
	return append(chain, rest...)
}
