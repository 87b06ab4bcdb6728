package account

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
)

// DevSubject is the subject of livery dev's token.
const DevSubject = "dev"

// DevFile is what a running livery dev writes to dev.json in its data directory.
type DevFile struct {
	OriginURL      string            `json:"originURL"`
	APIURL         string            `json:"apiURL"`
	EdgeURL        string            `json:"edgeURL"`
	EdgeTLSURL     string            `json:"edgeTLSURL,omitempty"`
	OpsURL         string            `json:"opsURL"`
	Token          string            `json:"token"`
	OperatorSocket string            `json:"operatorSocket"`
	Environments   map[string]string `json:"environments"` // slug to id
}

// DevPath returns the path of the file in the data directory dir.
func DevPath(dir string) string { return filepath.Join(dir, "dev.json") }

// ReadDev returns the file of the livery dev that this user runs on dir. The default directory lies in the working directory,
// which may be a checkout of somebody else's files, so nothing in it is believed because it is there. The error is fs.ErrNotExist if none runs: the
// directory's lock must be held, and the lock and dev.json must be private files of this user. The origin must have a loopback
// address.
func ReadDev(dir string) (DevFile, error) {
	var f DevFile
	path, lock := DevPath(dir), filepath.Join(dir, localfile.LockName)
	if !localfile.IsOwn(path) || !localfile.IsOwn(lock) || !localfile.IsLocked(lock) {
		return f, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, term.Fail("Start livery dev again: it rewrites the file.", "%s was not written by livery dev: %v", path, err)
	}
	if !isLoopback(f.OriginURL) {
		return f, term.Fail("Name the origin with --url and --token, or start livery dev with --origin 127.0.0.1:8080.",
			"%s names the origin %s, which is not a loopback address", path, f.OriginURL)
	}
	return f, nil
}

// isLoopback reports whether the host of an address is a loopback IP address.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}
