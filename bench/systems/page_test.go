package systems

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// page is the document of the results.
func page(t *testing.T, rows []*row) []byte {
	t.Helper()
	var b bytes.Buffer
	dictionary, terrazzo := version(t, "style-dictionary"), version(t, "@terrazzo/parser")
	fmt.Fprintf(&b, "# Design systems, pushed as they come\n\n`make systems` on %s: the packages of bench/systems/package.json, each by one\n`livery push`, those with a * by the livery.yaml in bench/systems/testdata.\n\n", time.Now().UTC().Format(time.DateOnly))
	fmt.Fprintf(&b, "In: tokens in the files, counted by the test and not by Livery. Served: in tokens.flat.json. Named: left out, with a\n"+
		"reason, by push or check. Silent: neither. Differ: of the custom properties that the package's own stylesheet has under\n"+
		"the same name, those with another value, all explained below, unexplained %d; - if it has none. SD, TZ: custom\nproperties with a value that Style Dictionary %s and Terrazzo %s make of the same files.\n\n", unexplained(rows), dictionary, terrazzo)
	b.WriteString("| system | in | served | named | silent | differ | ms | SD | TZ |\n|-|-:|-:|-:|-:|-:|-:|-:|-:|\n")
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
	differences(&b, rows)
	for k, tool := range []string{"Style Dictionary " + dictionary, "Terrazzo " + terrazzo} {
		outcomes(&b, tool, rows, k)
	}
	return b.Bytes()
}

func unexplained(rows []*row) (n int) {
	for _, r := range rows {
		n += r.unexplained
	}
	return n
}

// differences writes the classes of what differs, the largest first, with the systems and an example of each.
func differences(b *bytes.Buffer, rows []*row) {
	b.WriteString("\n## What differs from the packages' own stylesheets\n\nThe test decides the class from the values, and fails if a difference has none. A few are explained by hand, each on its own.\n")
	counts := map[string]int{}
	for _, r := range rows {
		for why, list := range r.why {
			counts[why] += len(list)
		}
	}
	byCount := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, why := range byCount {
		fmt.Fprintf(b, "\n**%d: %s.**\n\n", counts[why], why)
		for _, r := range rows {
			if list := r.why[why]; len(list) > 0 {
				fmt.Fprintf(b, "- %s, %d: %s\n", r.name, len(list), list[0])
			}
		}
	}
}

// outcomes writes why a tool makes less of files than they have tokens.
func outcomes(b *bytes.Buffer, tool string, rows []*row, k int) {
	fmt.Fprintf(b, "\n## %s: refused, nothing found, or not a value\n\n", tool)
	css := 0
	for _, r := range rows {
		switch p := r.peers[k]; {
		case p.Refused == noCSS:
			css++
		case p.Refused != "":
			fmt.Fprintf(b, "- %s: refused: `%s`\n", r.name, strings.ReplaceAll(p.Refused, "`", "'"))
		case p.Properties+p.Unusable == 0:
			fmt.Fprintf(b, "- %s: no error, and no token\n", r.name)
		case p.Unusable > 0:
			fmt.Fprintf(b, "- %s: %d with a value, %d with `undefined`, `[object Object]` or an alias in braces\n", r.name, p.Properties, p.Unusable)
		}
	}
	fmt.Fprintf(b, "- %d systems whose tokens are a stylesheet: it does not read CSS\n", css)
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
