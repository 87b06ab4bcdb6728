package stories

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// journal is what a server writes to its standard error. It may be read while the server writes.
type journal struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

// Write implements io.Writer.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String returns all that was written.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// waitForLog is the command journal.
func waitForLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || storyOf(ts).servers[args[0]] == nil {
		ts.Fatalf("usage: journal NAME REGEXP")
	}
	s, wanted := storyOf(ts).servers[args[0]], regexp.MustCompile(args[1])
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if wanted.MatchString(s.errors.String()) {
			return
		}
	}
	ts.Fatalf("the log of %s does not say %s:\n%s", args[0], args[1], s.errors)
}

// certify is the command certify.
func certify(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: certify CA [NAME]")
	}
	if len(args) == 1 {
		ts.Check(sign(ts, args[0], args[0], &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}))
		return
	}
	ts.Check(sign(ts, args[1], args[0], &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}))
}

// sign writes NAME.pem and NAME.key for a template, signed by the files of a CA, or by itself.
func sign(ts *testscript.TestScript, name, ca string, template *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if name != ca {
		pair, err := tls.LoadX509KeyPair(ts.MkAbs(ca+".pem"), ts.MkAbs(ca+".key"))
		if err != nil {
			return err
		}
		parent, signer = pair.Leaf, pair.PrivateKey.(*ecdsa.PrivateKey)
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(ts.MkAbs(name+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(name+".pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600)
}

// pollSecurely is the command https.
func pollSecurely(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: https STATUS CAFILE PROTOCOL URL [REGEXP]")
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(ts.ReadFile(args[1]))) {
		ts.Fatalf("%s holds no certificate", args[1])
	}
	wanted := regexp.MustCompile("(?m)" + strings.Join(args[4:], ""))
	transport := &http.Transport{ForceAttemptHTTP2: args[2] == "HTTP/2.0", DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()
	var last answer
	var protocol string
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if last, protocol, err = askSecurely(transport, args[3]); err == nil && strconv.Itoa(last.status) == args[0] && protocol == args[2] && wanted.Match(last.body) {
			storyOf(ts).last = last
			keep(ts, last)
			return
		}
	}
	ts.Fatalf("GET %s never answered %s %s in %s: %v, last %d in %s\n%s", args[3], args[0], wanted, args[2], err, last.status, protocol, last.body)
}

func askSecurely(transport *http.Transport, url string) (a answer, protocol string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return a, "", err
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return a, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text}, res.Proto, err
}
