package deploy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
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

var (
	metricName = regexp.MustCompile(`\b(?:livery|go|process)_[a-z0-9_]+`)
	selector   = regexp.MustCompile(`(\b(?:livery|go|process)_[a-z0-9_]+)\{([^}]*)\}`)
	labelName  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
	sample     = regexp.MustCompile(`(?m)^([a-z0-9_]+)(?:\{(.*)\})? `)
)

// exposed returns the metrics of the running origin and edge with the names of their labels.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	body(t, site.EdgeURL+site.public) // one render, so that what counts by result is there
	response, err := http.Get(site.OriginURL + "/public/v1/environments")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(body(t, site.originOps+"/metrics"), "\nlivery_webhook_behind_events{"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the origin does not look at its webhook")
		}
	}
	all := map[string][]string{}
	for _, ops := range []string{site.originOps, site.edgeOps} {
		for _, line := range sample.FindAllStringSubmatch(body(t, ops+"/metrics"), -1) {
			for _, label := range labelName.FindAllStringSubmatch(line[2], -1) {
				if !slices.Contains(all[line[1]], label[1]) {
					all[line[1]] = append(all[line[1]], label[1])
				}
			}
			all[line[1]] = append(all[line[1]], "")
		}
	}
	return all
}

// expressions returns every query of the dashboard and the rules by where it stands.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for i, target := range panel.Targets {
			all["panel "+panel.Title+" "+string(rune('A'+i))] = target.Expr
		}
	}
	for _, rule := range rules(t) {
		all["alert "+rule.Alert] = rule.Expr
	}
	return all
}

// rule is one alert of prometheus/rules.yml.
type rule struct {
	Alert, Expr string
	Labels      map[string]string
	Annotations map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal([]byte(read(t, "prometheus/rules.yml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// TestQueriesNameMetricsThatExist: a renamed metric or label must not leave an empty panel or an alert
// that never fires.
func TestQueriesNameMetricsThatExist(t *testing.T) {
	known, queries := exposed(t), expressions(t)
	if len(queries) < 25 {
		t.Fatalf("only %d queries were found", len(queries))
	}
	for where, query := range queries {
		for _, name := range metricName.FindAllString(query, -1) {
			if known[name] == nil {
				t.Errorf("%s: no origin and no edge exposes %s", where, name)
			}
		}
		for _, s := range selector.FindAllStringSubmatch(query, -1) {
			for _, label := range labelName.FindAllStringSubmatch(s[2], -1) {
				if label[1] != "job" && label[1] != "instance" && !slices.Contains(known[s[1]], label[1]) {
					t.Errorf("%s: %s has no label %s", where, s[1], label[1])
				}
			}
		}
	}
}

// TestAlertsSayWhatToDo: each has a severity, a runbook line and a place in the operating guide.
func TestAlertsSayWhatToDo(t *testing.T) {
	guide := read(t, "../docs/operating.md")
	for _, r := range rules(t) {
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["runbook"] == "" {
			t.Errorf("%s lacks a severity, a summary or a runbook line", r.Alert)
		}
		if !strings.Contains(guide, "`"+r.Alert+"`") {
			t.Errorf("the operating guide does not name %s", r.Alert)
		}
	}
}

var update = flag.Bool("update", false, "write the table of metrics in docs/operating.md anew")

// TestTheGuideListsTheMetrics compares the table of metrics in the operating guide with what an origin and an edge expose.
func TestTheGuideListsTheMetrics(t *testing.T) {
	const name, begin, end = "../docs/operating.md", "| metric | labels | meaning |\n|-|-|-|\n", "\n\n"
	guide := read(t, name)
	before, rest, _ := strings.Cut(guide, begin)
	listed, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no table that begins with %q", name, begin)
	}
	table := strings.Join(metricRows(t, listed), "\n")
	switch {
	case table == listed:
	case *update:
		if err := os.WriteFile(name, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s lists other metrics than an origin and an edge expose: run go test ./deploy -run %s -update. They expose\n%s", name, t.Name(), table)
	}
}

// rare are the metrics that a server exposes only once it has counted something.
var rare = regexp.MustCompile("(?m)^\\| `livery_(?:origin_collections|origin_key_set_reads|webhook_attempts)_total` .*$")

// metricRows returns a row of a Markdown table for each metric of Livery, by name. Those of rare metrics are taken from the table
// that is listed.
func metricRows(t *testing.T, listed string) []string {
	t.Helper()
	labels, rows := exposed(t), rare.FindAllString(listed, -1)
	help := regexp.MustCompile(`(?m)^# HELP (livery_\w+) (.*)$`)
	for _, line := range help.FindAllStringSubmatch(body(t, site.originOps+"/metrics")+body(t, site.edgeOps+"/metrics"), -1) {
		names := map[string]bool{}
		for _, sample := range []string{line[1], line[1] + "_count"} {
			for _, label := range labels[sample] {
				names[label] = true
			}
		}
		delete(names, "")
		if row := fmt.Sprintf("| `%s` | %s | %s |", line[1], strings.Join(slices.Sorted(maps.Keys(names)), ", "), line[2]); !rare.MatchString(row) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// TestPromtoolTakesTheDashboard lets Prometheus' own tool read every query, as Grafana would fill it in.
func TestPromtoolTakesTheDashboard(t *testing.T) {
	promtool := tool(t, "promtool")
	fill := strings.NewReplacer("$__rate_interval", "5m", "$edge", ".*")
	var recorded []map[string]string
	for where, query := range expressions(t) {
		recorded = append(recorded, map[string]string{"record": fmt.Sprintf("livery:query_%d", len(recorded)), "expr": fill.Replace(query)})
		if strings.Contains(fill.Replace(query), "$") {
			t.Errorf("%s: a variable without a value: %s", where, query)
		}
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": recorded}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(promtool, "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v: %s", err, said)
	}
}

// TestPromtoolTakesTheRules lets Prometheus' own tool read configuration and rules, and fire them.
func TestPromtoolTakesTheRules(t *testing.T) {
	promtool := tool(t, "promtool")
	for _, args := range [][]string{
		{"check", "config", "prometheus/prometheus.yml"},
		{"check", "rules", "prometheus/rules.yml"},
		{"test", "rules", "prometheus/rules_test.yml"},
	} {
		if said, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v: %s", strings.Join(args, " "), err, said)
		}
	}
}

// counted returns the sum of a counter over its labels.
func counted(t *testing.T, ops, metric string) (sum int) {
	t.Helper()
	for line := range strings.Lines(body(t, ops+"/metrics")) {
		if name, rest, _ := strings.Cut(line, "{"); name == metric {
			n, err := strconv.Atoi(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
