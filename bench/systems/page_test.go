package systems

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

// page is the command and the table of the results. The test itself explains each value that differs.
func page(t *testing.T, rows []*row) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Design systems, pushed as they come\n\n`make suite NAME=systems`, %s\n\n", time.Now().UTC().Format(time.DateOnly))
	fmt.Fprintf(&b, "| system (*: by a livery.yaml) | tokens in the files | served | named as left out | silent | other value than the package's stylesheet | ms | Style Dictionary %s | Terrazzo %s |\n|-|-:|-:|-:|-:|-:|-:|-:|-:|\n",
		version(t, "style-dictionary"), version(t, "@terrazzo/parser"))
	for _, r := range rows {
		differ := "-"
		if r.compared > 0 {
			differ = fmt.Sprintf("%d of %d", r.differ, r.compared)
		}
		name := r.name
		if r.mapped {
			name += " *"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %d | %s | %s |\n", name, r.In, r.Served, r.Named, len(r.Silent), differ, r.took.Milliseconds(), r.peers[0], r.peers[1])
	}
	return b.Bytes()
}

// version is that of an installed package.
func version(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("node_modules/" + name + "/package.json")
	var p struct{ Version string }
	if err != nil || json.Unmarshal(text, &p) != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p.Version
}
