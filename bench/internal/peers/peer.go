package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// peer is one of the tools beside us.
type peer struct {
	name, script string
	module       string // whose version is told
}

var peers = [...]peer{
	{"Style Dictionary", "style-dictionary.mjs", "style-dictionary"},
	{"Terrazzo", "terrazzo.mjs", "@terrazzo/parser"},
}

// patience is how long one build may take.
const patience = 2 * time.Minute

// builds are the times of one peer with one document.
type builds struct {
	whole   samples // from the start of the process to its end
	work    samples // from the moment when its modules were loaded: parse, resolve, tokens.css
	refused string  // why the document is not built; empty when it is
}

// build runs one process of the peer. A refusal, or a build past all
// patience, ends the measuring of this document.
func (b *builds) build(ctx context.Context, script, file string) error {
	if b.refused != "" {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	out, err := exec.CommandContext(bounded, "node", script, file).Output()
	whole := time.Since(began)
	if bounded.Err() != nil && ctx.Err() == nil {
		b.refused = fmt.Sprintf("not done after %s", patience)
		return nil
	}
	if err != nil {
		return err
	}
	var said struct {
		WorkMs     float64 `json:"workMs"`
		Properties int     `json:"properties"`
		Refused    string  `json:"refused"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return fmt.Errorf("it printed %.100q: %w", out, err)
	}
	b.refused = said.Refused
	if b.refused == "" && said.Properties == 0 {
		b.refused = "no custom property came out"
	}
	b.whole = append(b.whole, whole)
	b.work = append(b.work, time.Duration(said.WorkMs*float64(time.Millisecond)))
	return nil
}

// version returns the installed version of the peer.
func (p peer) version(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", filepath.FromSlash(p.module), "package.json"))
	if err != nil {
		return "", err
	}
	var said struct {
		Version string `json:"version"`
	}
	err = json.Unmarshal(text, &said)
	return said.Version, err
}
