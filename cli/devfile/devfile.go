// Package devfile reads and names the file in which a running livery dev names its addresses.
package devfile

import (
	"encoding/json"
	"os"
	"path/filepath"

	"example.com/livery/cli/term"
)

// DefaultDir is the data directory of livery dev.
const DefaultDir = ".livery"

// Subject is whom the token of livery dev speaks for.
const Subject = "dev"

// File is what a running livery dev says of itself, in dev.json of its data directory.
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

// Read returns what the dev that keeps its data in dir says, or fs.ErrNotExist.
func Read(dir string) (File, error) {
	var f File
	data, err := os.ReadFile(Path(dir))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, term.Fail("Start livery dev again: it writes the file anew.", "%s is not what livery dev writes: %v", Path(dir), err)
	}
	return f, nil
}
