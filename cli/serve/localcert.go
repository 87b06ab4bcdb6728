package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"path/filepath"
	"time"

	"example.com/livery/cli/localfile"
)

// localLife is how long a local certificate is valid: browsers accept 398 days at most.
const localLife = 365 * 24 * time.Hour

// localTLS returns the settings of a listener on this machine alone, for localhost, 127.0.0.1 and ::1, and the path of its
// certificate. It signs itself: a client trusts it that is given that file. It is made in the folder dir on first use, and
// again in the last month before it ends.
func localTLS(dir string, log *slog.Logger) (c *tls.Config, path string, err error) {
	path, key := filepath.Join(dir, "localhost.pem"), filepath.Join(dir, "localhost.key")
	pair, err := tls.LoadX509KeyPair(path, key)
	if err != nil || time.Until(pair.Leaf.NotAfter) < localLife/12 {
		if err := makeLocal(path, key); err != nil {
			return nil, "", err
		}
	}
	flags := tlsFlags{cert: path, key: key}
	c, err = flags.Server(log)
	return c, path, err
}

// makeLocal writes a certificate and its key. It signs no others: a client that trusts it trusts this server alone.
func makeLocal(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "livery dev on this machine"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(localLife),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	if err := localfile.Write(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return localfile.Write(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}
