package systems

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
)

var (
	results = flag.String("results", "", "the file that the table is written to")
	livery  = flag.String("livery", "../../bin/livery", "the program")
)

// system is the published tokens of a design system.
type system struct {
	name  string
	files []string // or folders, in node_modules
	css   []string // the package's own stylesheets of the same tokens; none if it has none
	strip string   // the prefix of the names in these
}

// all are the systems. What a package publishes as the source of its other files is taken, as it lies there.
var all = []system{
	{"Adobe Spectrum", []string{"@adobe/spectrum-tokens/src"}, nil, ""},
	{"Amsterdam", []string{"@amsterdam/design-system-tokens/dist/index.json"}, []string{"@amsterdam/design-system-tokens/dist/index.css"}, ""},
	{"Atlassian", []string{"@atlaskit/tokens/figma/atlassian-light.json"}, nil, ""},
	{"Auro", []string{"@aurodesignsystem/design-tokens/src/themes/auro-classic"}, []string{"@aurodesignsystem/design-tokens/dist/legacy/auro-classic/CSSCustomProperties.css"}, ""},
	{"Canvas", []string{"@workday/canvas-tokens-web/css/base/_variables.css"}, []string{"@workday/canvas-tokens-web/css/base/_variables.css"}, ""},
	{"Cloudscape", []string{"@cloudscape-design/design-tokens/index-visual-refresh.json"}, nil, ""},
	{"Designsystemet", []string{"@digdir/designsystemet-theme/brand/digdir.css"}, []string{"@digdir/designsystemet-theme/brand/digdir.css"}, ""},
	{"Duet", []string{"@duetds/tokens/lib/tokens.raw.json"}, []string{"@duetds/tokens/lib/tokens.custom-properties.css"}, ""},
	{"Entur", []string{"@entur/tokens/dist/primitive.css", "@entur/tokens/dist/base.css"}, []string{"@entur/tokens/dist/primitive.css", "@entur/tokens/dist/base.css"}, ""},
	{"GitLab Pajamas", []string{"@gitlab/ui/src/tokens/constant"}, []string{"@gitlab/ui/src/tokens/build/css/tokens.css"}, "gl-"},
	{"Helios", []string{"@hashicorp/design-system-tokens/dist/docs/products/tokens.json"}, []string{"@hashicorp/design-system-tokens/dist/products/css/tokens.css"}, "token-"},
	{"HPE", []string{"hpe-design-tokens/dist/css/primitives.css"}, []string{"hpe-design-tokens/dist/css/primitives.css"}, ""},
	{"LaunchPad", []string{"@launchpad-ui/tokens/dist/tokens.json"}, []string{"@launchpad-ui/tokens/dist/index.css"}, "lp-"},
	{"Lyne", []string{"@sbb-esta/lyne-design-tokens/dist/js/sbb-tokens-raw.json"}, []string{"@sbb-esta/lyne-design-tokens/dist/css/sbb-variables.css"}, "sbb-"},
	{"Momentum", []string{"@momentum-design/tokens/dist/json/theme/webex/light-stable.json"}, []string{"@momentum-design/tokens/dist/css/theme/webex/light-stable.css"}, "mds-"},
	{"Mozilla Protocol", []string{"@mozilla-protocol/tokens/dist/index.json"}, nil, ""},
	{"Aksel", []string{"@navikt/ds-tokens/dist/tokens.css"}, []string{"@navikt/ds-tokens/dist/tokens.css"}, ""},
	{"Neptune", []string{"@transferwise/neptune-tokens/colors.json"}, nil, ""},
	{"NL Voorbeeld", []string{"@nl-design-system-unstable/voorbeeld-design-tokens/figma/voorbeeld.tokens.json"}, nil, ""},
	{"Nord", []string{"@nordhealth/tokens/lib/tokens.raw.json"}, nil, ""},
	{"Open Props", []string{"open-props/open-props.tokens.json"}, nil, ""},
	{"Paste", []string{"@twilio-paste/design-tokens/dist/tokens.raw.json"}, []string{"@twilio-paste/design-tokens/dist/tokens.custom-properties.css"}, ""},
	{"PIE", []string{"@justeat/pie-design-tokens/dist/tokens.json"}, nil, ""},
	{"Polaris", []string{"@shopify/polaris-tokens/dist/css/styles.css"}, []string{"@shopify/polaris-tokens/dist/css/styles.css"}, ""},
	{"Primer", []string{"@primer/primitives/src/tokens/base"}, nil, ""},
	{"Rijkshuisstijl", []string{"@rijkshuisstijl-community/design-tokens/dist/index.tokens.json"}, []string{"@rijkshuisstijl-community/design-tokens/dist/index.css"}, ""},
	{"Salesforce Lightning", []string{"@salesforce-ux/design-system/design-tokens/dist/bg-standard.raw.json"}, nil, ""},
	{"Skyscanner Backpack", []string{"@skyscanner/bpk-foundations-web/tokens/base.raw.json"}, nil, ""},
	{"Spectrum CSS", []string{"@spectrum-css/tokens/dist/json/tokens.json"}, nil, ""},
	{"Telekom Scale", []string{"@telekom/design-tokens/src/core", "@telekom/design-tokens/src/semantic", "@telekom/design-tokens/src/telekom"}, []string{"@telekom/design-tokens/dist/css/design-tokens.all.css"}, "telekom-"},
	{"Utrecht", []string{"@utrecht/design-tokens/src/common", "@utrecht/design-tokens/src/brand"}, []string{"@utrecht/design-tokens/dist/root.css"}, ""},
}

// row is what became of a system.
type row struct {
	system
	in, served, named int
	sheet             string   // its tokens.css
	silent            []string // paths of what is lost without a word
	compared, differ  int
	examples          []string // of what differs
	took              time.Duration
	peers             [2]peer
}

// peer is what another tool made of the same files.
type peer struct {
	Properties int
	Ms         int
	Refused    string
}

func (p peer) String() string {
	if p.Refused != "" {
		return "refused"
	}
	return fmt.Sprint(p.Properties)
}

// No token of a published package is lost without a word.
func TestSystems(t *testing.T) {
	if *results == "" {
		t.Skip("it installs and pushes 31 packages (make systems)")
	}
	dev, err := world.StartDev(t.Context(), *livery, t.TempDir(), world.AnyCore, "--empty")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Stop()
	var rows []*row
	for i, s := range all {
		for k := range s.files {
			s.files[k] = filepath.Join("node_modules", s.files[k])
		}
		r := &row{system: s}
		r.push(t, dev, fmt.Sprintf("s%d", i))
		r.compare(t)
		for k, tool := range []string{"style-dictionary", "terrazzo"} {
			r.peers[k] = peerOf(t, tool, s.files)
		}
		if len(r.silent) > 0 {
			t.Errorf("%s: %d tokens are lost in silence: %q", s.name, len(r.silent), r.silent[:min(5, len(r.silent))])
		}
		rows = append(rows, r)
		fmt.Fprintf(os.Stderr, "%-20s %6d in %6d served %5d named %4d silent %5d differ of %d\n", s.name, r.in, r.served, r.named, len(r.silent), r.differ, r.compared)
	}
	if err := os.WriteFile(*results, page(rows), 0o644); err != nil {
		t.Fatal(err)
	}
}

// push pushes the files, and counts by path.
func (r *row) push(t *testing.T, dev *world.Dev, theme string) {
	t.Helper()
	began := time.Now()
	said := r.cli(t, dev, append([]string{
		"push", "--env", "sandbox", "--theme", theme, "--create", "--integration", "react/plainCSS",
		"--publish", "--accept-loss", "--json",
	}, r.files...)...)
	r.took = time.Since(began)
	var served map[string]json.RawMessage
	if err := json.Unmarshal(r.cli(t, dev, "preview", "--env", "sandbox", "--theme", theme, "tokens.flat.json"), &served); err != nil {
		t.Fatalf("%s: tokens.flat.json: %v", r.name, err)
	}
	r.served = len(served)
	r.sheet = string(r.cli(t, dev, "preview", "--env", "sandbox", "--theme", theme, "tokens.css"))
	named := map[string]bool{}
	collect(said, named)
	collect(r.cli(t, dev, "check", "--env", "sandbox", "--theme", theme, "--json"), named)
	collect(r.cli(t, dev, append([]string{"check", "--json"}, r.files...)...), named)
	known := map[string]bool{}
	for path := range served {
		known[key(path)] = true
	}
	for _, leaf := range leaves(t, r.files) {
		path := leaf.path
		r.in++
		switch k := key(path); {
		case known[k]:
		case named[k] || named[key(leaf.file)]:
			r.named++
		default:
			r.silent = append(r.silent, path)
		}
	}
}

// cli runs the program; push and check may end with 1 if they say why.
func (r *row) cli(t *testing.T, dev *world.Dev, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(*livery, args...)
	cmd.Env = append(os.Environ(), "LIVERY_URL="+dev.APIURL(), "LIVERY_TOKEN="+dev.Token())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && (args[0] != "check" || cmd.ProcessState.ExitCode() != 1) {
		t.Fatalf("%s: livery %s: %v\n%s", r.name, args[0], err, stderr.String())
	}
	return stdout.Bytes()
}

// collect notes every path that an answer of the program names.
func collect(text []byte, into map[string]bool) {
	var v any
	if json.Unmarshal(text, &v) == nil {
		walk(v, func(member string, value any) {
			if s, ok := value.(string); ok && (member == "path" || member == "pointer") {
				into[key(s)] = true
			}
		})
	}
}

func walk(v any, visit func(member string, value any)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			visit(name, value)
			walk(value, visit)
		}
	case []any:
		for _, value := range v {
			walk(value, visit)
		}
	}
}

// key spells a path so that the ways to join names are one.
func key(path string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", "/", "", " ", "", "$root", "", "{", "", "}", "").Replace(strings.ToLower(path))
}

func peerOf(t *testing.T, tool string, files []string) (p peer) {
	t.Helper()
	if slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, ".css") }) {
		return peer{Refused: "no reader for CSS"}
	}
	out, err := exec.Command("node", append([]string{"peers.mjs", tool}, files...)...).Output()
	if err != nil || json.Unmarshal(out, &p) != nil {
		return peer{Refused: "it ends without an answer"}
	}
	return p
}

func page(rows []*row) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Design systems, pushed as they come\n\n`make systems` on %s: the packages of bench/systems/package.json, each by one\n`livery push`.\n\n", time.Now().UTC().Format(time.DateOnly))
	b.WriteString("In: tokens in the files, counted by the test and not by Livery. Served: in tokens.flat.json. Named: left out, with a\n" +
		"reason, by push or check. Silent: neither. Differ: of the custom properties that the package's own stylesheet has under\nthe same name, those with another value. SD, TZ: custom properties that Style Dictionary and Terrazzo make of the files.\n\n")
	b.WriteString("| system | in | served | named | silent | differ | ms | SD | TZ |\n|-|-:|-:|-:|-:|-:|-:|-:|-:|\n")
	for _, r := range rows {
		differ := "-"
		if r.compared > 0 {
			differ = fmt.Sprintf("%d of %d", r.differ, r.compared)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %d | %s | %s |\n", r.name, r.in, r.served, r.named, len(r.silent), differ, r.took.Milliseconds(), r.peers[0], r.peers[1])
	}
	b.WriteString("\n## What differs from the packages' own stylesheets\n\n")
	for _, r := range rows {
		for _, line := range r.examples {
			fmt.Fprintf(&b, "- %s: %s\n", r.name, line)
		}
	}
	return b.Bytes()
}

// inOrder sorts groups of differences, the largest first.
func inOrder(groups map[string][]string) []string {
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(groups[b])-len(groups[a]), strings.Compare(a, b)) })
	return names
}
