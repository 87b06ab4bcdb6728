package deploy_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// documents returns the documents of a YAML file.
func documents(t *testing.T, name string) (all []map[string]any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(read(t, name)))
	for {
		var document map[string]any
		switch err := decoder.Decode(&document); {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, document)
	}
}

var (
	flagName     = regexp.MustCompile(`(?:^|[\s"])--([a-z][a-z-]+)`)
	variableName = regexp.MustCompile(`\bLIVERY_[A-Z_]+\b`)
)

// command is a start of the program somewhere in this folder: its subcommand, and the text that has
// its flags and variables.
type command struct{ where, name, text string }

// starts returns every start of an origin or an edge.
func starts(t *testing.T) (all []command) {
	t.Helper()
	for _, name := range []string{"origin", "edge"} {
		unit := "systemd/livery-" + name + ".service"
		all = append(all, command{unit, name, read(t, unit)})
	}
	compose := documents(t, "compose.yaml")[0]["services"].(map[string]any)
	for service, at := range compose {
		list, _ := at.(map[string]any)["command"].([]any)
		if slices.Contains(list, "origin") || slices.Contains(list, "edge") {
			all = append(all, command{"compose.yaml: " + service, list[0].(string), text(t, at.(map[string]any)["command"])})
		}
	}
	for _, document := range documents(t, "kubernetes/livery.yaml") {
		if kind := document["kind"]; kind == "StatefulSet" || kind == "Deployment" {
			name := strings.TrimPrefix(document["metadata"].(map[string]any)["name"].(string), "livery-")
			all = append(all, command{"kubernetes/livery.yaml: " + name, name, text(t, document)})
		}
	}
	return all
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestStartsUseFlagsThatExist: units, manifests and the compose file start the program as it is.
func TestStartsUseFlagsThatExist(t *testing.T) {
	found := starts(t)
	if len(found) != 7 { // two units, three services, two workloads
		t.Fatalf("%d starts of the program were found, want 7", len(found))
	}
	for _, c := range found {
		help, err := livery(c.name, "--help")
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range flagName.FindAllStringSubmatch(c.text, -1) {
			if !strings.Contains(help, "--"+flag[1]+" ") {
				t.Errorf("%s: livery %s has no flag --%s", c.where, c.name, flag[1])
			}
		}
		for _, variable := range variableName.FindAllString(c.text, -1) {
			if variable != "LIVERY_NAME" && !strings.Contains(help, variable) {
				t.Errorf("%s: livery %s reads no variable %s", c.where, c.name, variable)
			}
		}
	}
}

// TestProcessesHaveTimeToEnd: whatever ends a server gives it 15 s more than its drain delay before it kills it, and a
// workload of a cluster, which is taken out of balancers while it ends, has one.
func TestProcessesHaveTimeToEnd(t *testing.T) {
	const more = 15 * time.Second
	given := regexp.MustCompile(`(?:terminationGracePeriodSeconds: |TimeoutStopSec=|stop_grace_period: )(\d+)s?`)
	drain := regexp.MustCompile(`--drain-delay=(\S+)`)
	grace := given.FindStringSubmatch(read(t, "compose.yaml"))
	for _, c := range starts(t) {
		delay, found := time.Duration(0), given.FindStringSubmatch(c.text)
		if found == nil {
			found = grace
		}
		if at := drain.FindStringSubmatch(c.text); at != nil {
			var err error
			if delay, err = time.ParseDuration(at[1]); err != nil {
				t.Errorf("%s: %v", c.where, err)
			}
		} else if strings.HasPrefix(c.where, "kubernetes/") {
			t.Errorf("%s has no drain delay", c.where)
		}
		if seconds, _ := strconv.Atoi(found[1]); time.Duration(seconds)*time.Second < delay+more {
			t.Errorf("%s is killed after %s s, want %v", c.where, found[1], delay+more)
		}
	}
}

// TestProxiesCloseIdleConnectionsFirst: each shipped proxy closes its connections to edges and origins well before
// these do by default.
func TestProxiesCloseIdleConnectionsFirst(t *testing.T) {
	for _, server := range []string{"origin", "edge"} {
		if help, err := livery(server, "--help"); err != nil || !regexp.MustCompile(`(?s)--idle-timeout .*?default 3m0s`).MatchString(help) {
			t.Errorf("livery %s --help does not say that the idle timeout is 3 minutes: %v", server, err)
		}
	}
	for file, c := range map[string]struct {
		pattern string
		servers int
	}{
		"nginx/livery.conf": {`(?m)^    keepalive_timeout 60s;`, 2},
		"caddy/Caddyfile":   {`(?m)^\s+keepalive 60s`, 2},
		"envoy/envoy.yaml":  {`(?s)HttpProtocolOptions\n\s+common_http_protocol_options: \{idle_timeout: 60s\}`, 1},
	} {
		if found := regexp.MustCompile(c.pattern).FindAllString(read(t, file), -1); len(found) != c.servers {
			t.Errorf("%s limits idle connections to %d of %d upstreams", file, len(found), c.servers)
		}
	}
}

// TestUnitsAreHardened: systemd's own rating of what a unit could do to its machine, 0 to 10, stays
// under 1.5. Offline, so that nothing of this machine counts.
func TestUnitsAreHardened(t *testing.T) {
	program := tool(t, "systemd-analyze")
	for _, unit := range []string{"systemd/livery-origin.service", "systemd/livery-edge.service"} {
		said, err := exec.Command(program, "security", "--offline=true", "--threshold=15", "--no-pager", unit).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", unit, err, said)
		}
	}
}

// TestImageIsBuiltWithTheGoOfTheModule keeps the image's compiler the one the sources ask for.
func TestImageIsBuiltWithTheGoOfTheModule(t *testing.T) {
	of := func(file, pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
		if found == nil {
			t.Fatalf("%s does not match %s", file, pattern)
		}
		return found[1]
	}
	image, module := of("Dockerfile", `(?m)^ARG GO_IMAGE=golang:(\d+\.\d+)$`), of("../go.mod", `(?m)^go (\d+\.\d+)`)
	if image != module {
		t.Errorf("the Dockerfile builds with Go %s, go.mod asks for %s", image, module)
	}
}

// TestContainersAreConfined: every container that runs the program is without privileges, with a
// root that it cannot write.
func TestContainersAreConfined(t *testing.T) {
	for service, at := range documents(t, "compose.yaml")[0]["services"].(map[string]any) {
		s := at.(map[string]any)
		if strings.Contains(s["image"].(string), "LIVERY_IMAGE") && (s["read_only"] != true || s["cap_drop"] == nil || s["security_opt"] == nil) {
			t.Errorf("compose.yaml: %s is not confined", service)
		}
	}
	for _, document := range documents(t, "kubernetes/livery.yaml") {
		if kind := document["kind"]; kind != "StatefulSet" && kind != "Deployment" {
			continue
		}
		manifest := text(t, document)
		for _, want := range []string{"runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false", "automountServiceAccountToken: false", "readinessProbe:", "livenessProbe:"} {
			if !strings.Contains(manifest, want) {
				t.Errorf("kubernetes/livery.yaml: the %s lacks %s", document["kind"], want)
			}
		}
	}
}

// TestTheOriginReachesWhatItsFeaturesNeed: the network policy of the origin lets out names, webhooks and key sets over HTTPS,
// and PostgreSQL.
func TestTheOriginReachesWhatItsFeaturesNeed(t *testing.T) {
	for _, document := range documents(t, "kubernetes/livery.yaml") {
		if document["kind"] != "NetworkPolicy" || document["metadata"].(map[string]any)["name"] != "livery-origin" {
			continue
		}
		spec := document["spec"].(map[string]any)
		if types := text(t, spec["policyTypes"]); !strings.Contains(types, "Egress") {
			t.Errorf("policyTypes = %s, want Egress among them", types)
		}
		egress := text(t, spec["egress"])
		for _, port := range []string{"port: 53", "port: 443", "port: 5432"} {
			if !strings.Contains(egress, port+"\n") {
				t.Errorf("egress lacks %s:\n%s", port, egress)
			}
		}
		return
	}
	t.Fatal("kubernetes/livery.yaml has no NetworkPolicy livery-origin")
}

// TestEveryInstallationShowsFirstGrantsAndAMasterKey: a token without a grant can do nothing, and an origin without a master
// key makes no signing keys, so each way to install tells how to get both.
func TestEveryInstallationShowsFirstGrantsAndAMasterKey(t *testing.T) {
	for _, name := range []string{"kubernetes/livery.yaml", "chart/templates/NOTES.txt", "compose.yaml", "package/origin.env"} {
		shown := strings.ToLower(read(t, name))
		for _, want := range []string{"teams apply", "token --subject", "head -c 32 /dev/urandom | base64", "master-key"} {
			if name == "chart/templates/NOTES.txt" && want == "master-key" {
				want = "masterkeysecret"
			}
			if !strings.Contains(shown, want) {
				t.Errorf("%s does not show %q", name, want)
			}
		}
	}
}

// teamsExample is the teams file of an example, below its first line.
var teamsExample = regexp.MustCompile(`(?m)^[# ]*teams:\n(?:[# ]+[-a-z].*\n)+`)

// TestFirstGrantsApply applies the teams file that each way to install shows.
func TestFirstGrantsApply(t *testing.T) {
	for _, name := range []string{"kubernetes/livery.yaml", "chart/templates/NOTES.txt"} {
		var teams strings.Builder
		for line := range strings.Lines(teamsExample.FindString(read(t, name))) {
			teams.WriteString(strings.TrimPrefix(line, "#"))
		}
		file := filepath.Join(t.TempDir(), "teams.yaml")
		if err := os.WriteFile(file, []byte(teams.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := livery("teams", "apply", file, "--dry-run", "--data", filepath.Join(site.dir, "origin")); err != nil || !strings.Contains(said, "acme") {
			t.Errorf("%s: teams apply of\n%s= %s, %v", name, teams.String(), said, err)
		}
	}
}
