package feedproto

import (
	"strings"

	"example.com/livery/storage/record"
)

// Theme is what an edge needs to know of a Theme to decide any request for its files.
type Theme struct {
	EnvironmentID string         `json:"environmentID"`
	ThemeID       string         `json:"themeID"`
	CacheLifetime uint32         `json:"cacheLifetime"` // seconds, the Environment's
	LatestVersion uint32         `json:"latestVersion"` // 0 before the first publish
	Files         []string       `json:"files"`         // names served under the current integrations, sorted
	Serving       record.Serving `json:"serving"`
	Cursor        string         `json:"cursor"` // of the change log when this was read
}

// Pair is what an edge needs to render one address: the blobs that the files of (Theme version,
// Variant) are made of.
type Pair struct {
	Version uint32      `json:"version"`
	Plan    record.Hash `json:"plan"`    // the plans of the version's files, a bundle of package plan
	Overlay record.Hash `json:"overlay"` // what the Variant and the modes change in them, another bundle; empty: the Theme's own files
	Module  record.Hash `json:"module"`  // the renderer that reads both
	Sealed  bool        `json:"sealed"`  // the bytes can never change
	Cursor  string      `json:"cursor"`  // of the change log when this was read
}

// InputsParameter asks, with a request for a pair, for what the pair is made from too: OverlayInput or AllInputs.
const (
	InputsParameter = "inputs"
	OverlayInput    = "overlay" // the client has the plan, if that is one of its Theme's
	AllInputs       = "all"
)

// PairInputs is a pair and what it is made from, as far as it was asked for and is short. The reader must check the bytes
// against the names in the pair.
type PairInputs struct {
	Pair
	PlanBytes    []byte `json:"planBytes,omitzero"`
	OverlayBytes []byte `json:"overlayBytes,omitzero"`
}

// MaxPairInputs is how many bytes the inputs that come with a pair have together, at most.
const MaxPairInputs = 1 << 20

// Add adds the inputs that the value of InputsParameter asks for. What blob cannot return is left out: the client asks for
// it, and hears why.
func (p *PairInputs) Add(which string, blob func(name record.Hash) ([]byte, error)) {
	if which != OverlayInput && which != AllInputs {
		return
	}
	if content, err := blob(p.Overlay); p.Overlay != "" && err == nil && len(content) <= MaxPairInputs {
		p.OverlayBytes = content
	}
	if which != AllInputs {
		return
	}
	if content, err := blob(p.Plan); err == nil && len(content)+len(p.OverlayBytes) <= MaxPairInputs {
		p.PlanBytes = content
	}
}

// ManifestFile is the last part of the address under which edges serve the manifest of a Theme,
// "/{environment}/{theme}/manifest.json".
const ManifestFile = "manifest.json"

// Manifest is the manifest of a Theme, which edges serve as it is.
type Manifest struct {
	EnvironmentID string `json:"environmentID"`
	ThemeID       string `json:"themeID"`
	Content       []byte `json:"content"` // JSON
}

// NewManifest returns the manifest of the Theme under key, "{environment}/{theme}".
func NewManifest(key string, content []byte) Manifest {
	environment, theme, _ := strings.Cut(key, "/")
	return Manifest{environment, theme, content}
}

// Changes is one answer of the change feed.
type Changes struct {
	Changes []Change `json:"changes"` // in order
	Cursor  string   `json:"cursor"`  // where to go on
	More    bool     `json:"more"`    // the log goes on behind Cursor: poll again before trusting what is held
	Reset   bool     `json:"reset"`   // the cursor asked for is not known: everything held is in doubt
}

// Change is one entry of the feed.
type Change struct {
	Cursor        string `json:"cursor"`
	EnvironmentID string `json:"environmentID"`
	ThemeID       string `json:"themeID"` // empty: every Theme of the Environment
}
