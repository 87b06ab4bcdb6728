// Package devfile finds the livery dev that runs on a data directory.
//
// The default data directory lies in the working directory, which may be a checkout of somebody else's files. Nothing in it is
// believed because it is there: Read returns only what a live process of this user wrote, and only an origin on this machine.
package devfile

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

const (
	// DefaultDir is the data directory of livery dev.
	DefaultDir = ".livery"
	// LockName is the file in a data directory that its server keeps locked.
	LockName = "lock"
	// Subject is the subject of livery dev's token.
	Subject = "dev"
)

// File is what a running livery dev writes to dev.json in its data directory.
type File struct {
	OriginURL      string            `json:"originURL"`
	APIURL         string            `json:"apiURL"`
	EdgeURL        string            `json:"edgeURL"`
	EdgeTLSURL     string            `json:"edgeTLSURL,omitempty"`
	OpsURL         string            `json:"opsURL"`
	Token          string            `json:"token"`
	OperatorSocket string            `json:"operatorSocket"`
	Environments   map[string]string `json:"environments"` // slug to id
}

// Path returns the path of the file in the data directory dir.
func Path(dir string) string { return filepath.Join(dir, "dev.json") }

// Read returns the file of the livery dev that this user runs on dir. The error is fs.ErrNotExist if none runs: the
// directory's lock must be held, and the lock and dev.json must be private files of this user. The origin must have a loopback
// address.
func Read(dir string) (File, error) {
	var f File
	path, lock := Path(dir), filepath.Join(dir, LockName)
	if !localfile.IsOwn(path) || !localfile.IsOwn(lock) || !localfile.IsLocked(lock) {
		return f, fmt.Errorf("devfile: %s: %w", path, fs.ErrNotExist)
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

// RefuseLinks returns a failure if dir is the default data directory and it, or anything in it, is a symbolic link: a command
// must not open or write what a checkout links to.
func RefuseLinks(dir string) error {
	if filepath.Clean(dir) != DefaultDir {
		return nil
	}
	return filepath.WalkDir(DefaultDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be listed cannot be followed
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return term.Fail("Remove it, or name the directory that it leads to with --data.", "%s is a symbolic link, and links are not followed in the default data directory", path)
		}
		return nil
	})
}
