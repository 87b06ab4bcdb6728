package stories

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/livery/client"
	"example.com/livery/internal/test/program"
	"example.com/livery/internal/test/race"
)

// corpus holds real design systems and their Variants. It is not part of this repository.
const corpus = "../../../shared/corpus"

// TestCorpus pushes every real design system with its Variants through the program and looks at all
// five served files: no text of theirs may tell of a value that was not rendered (S19, S20, 6.1).
func TestCorpus(t *testing.T) {
	race.Skip(t)
	documents, err := filepath.Glob(filepath.Join(corpus, "*.tokens.json"))
	if err != nil || len(documents) == 0 {
		t.Skip("SKIPPED: the corpus of real design systems is not beside this repository: " + corpus)
	}
	d := startDev(t)
	for _, document := range documents {
		name := strings.TrimSuffix(filepath.Base(document), ".tokens.json")
		t.Run(name, func(t *testing.T) {
			args := []string{
				"push", document, "--env", "sandbox", "--theme", name, "--create", "--publish",
				"--integration", "react/plainCSS", "--integration", "react/mui", "--integration", "react/buildTimeTokens",
			}
			if r, ok := refused[name]; ok {
				d.checkRefused(t, args, r)
				d.checkSkipped(t, append(args, "--loss", "drop"), r)
			} else {
				d.livery(t, args...)
			}
			variants, _ := filepath.Glob(filepath.Join(corpus, name+".variant-*.json"))
			for _, variant := range variants {
				_, slug, _ := strings.Cut(strings.TrimSuffix(filepath.Base(variant), ".json"), ".variant-")
				d.livery(t, "push", variant, "--env", "sandbox", "--theme", name, "--variant", slug, "--create", "--publish")
			}
			d.checkTheme(t, name, len(variants))
		})
	}
}

// refused are the documents that lose more than a push may: what the program then says is left out.
var refused = map[string]string{
	"fluentui-pipeline-light": "Stored, but in no served file until fixed: 129 tokens.\n",
	"ts-w3c-spec-compliance":  "Stored, but in no served file until fixed: 1 token.\n",

	"livery-synthetic-legacy": ": a value of type number cannot be null\n1 token is left out.\n",
}

// checkRefused wants a push to lose too much for a reason, and to name the flag that helps.
func (d *devProcess) checkRefused(t *testing.T, args []string, says string) {
	t.Helper()
	out, err := exec.Command("livery", append(args, "--data", d.data)...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), says) || !strings.Contains(string(out), "--loss drop") {
		t.Errorf("livery %s = %v, %s, want a refusal that says %s and names --loss drop", strings.Join(args, " "), err, out, says)
	}
}

// checkSkipped wants a push to leave out just what it says.
func (d *devProcess) checkSkipped(t *testing.T, args []string, says string) {
	t.Helper()
	if out := d.livery(t, args...); !strings.Contains(out, says) {
		t.Errorf("livery %s says %s, want %q in it", strings.Join(args, " "), out, says)
	}
}

// checkTheme looks at the files of a Theme and of its Variants, which must differ from the Theme's.
func (d *devProcess) checkTheme(t *testing.T, slug string, variants int) {
	page, err := d.client.Themes(t.Context(), d.sandbox, client.ListOptions{Slug: slug})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("Themes(%s) = %v, %v", slug, page, err)
	}
	theme := page.Items[0]
	if theme.TokenCount == 0 || len(theme.ServingURLs.Latest) != 5 {
		t.Errorf("%s has %d tokens and %d files, want some and 5", slug, theme.TokenCount, len(theme.ServingURLs.Latest))
	}
	own := d.checkFiles(t, "-", theme.ServingURLs)
	list, err := d.client.Variants(t.Context(), d.sandbox, theme.ID, client.ListOptions{})
	if err != nil || len(list.Items) != variants {
		t.Fatalf("Variants(%s) = %d, %v, want %d", slug, len(list.Items), err, variants)
	}
	for _, v := range list.Items {
		if files := d.checkFiles(t, v.Slug, v.ServingURLs); bytes.Equal(files["tokens.css"], own["tokens.css"]) {
			t.Errorf("tokens.css of Variant %s is the Theme's own", v.Slug)
		}
	}
}

func (d *devProcess) checkFiles(t *testing.T, variant string, urls client.ServingURLs) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range urls.Pinned {
		body := get(t, f.URL)
		files[f.File] = body
		if f.File == "tokens.css" {
			checkText(t, variant+"/"+f.File, string(body), true)
			continue
		}
		var content any
		if err := json.Unmarshal(body, &content); err != nil {
			t.Errorf("%s/%s: %v", variant, f.File, err)
		}
		checkValues(t, variant+"/"+f.File, content, f.File != "tokens.dtcg.json")
	}
	return files
}

var (
	unrendered = regexp.MustCompile(`\b(undefined|NaN)\b|\[object`)
	rawAlias   = regexp.MustCompile(`\{[\pL\d_$ -]+(\.[^{}\s]+)*\}`)
	emptyValue = regexp.MustCompile(`: *;`)
)

// checkText refuses what only a value that was not rendered leaves in a text.
func checkText(t *testing.T, where, text string, resolved bool) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if unrendered.MatchString(line) || resolved && rawAlias.MatchString(line) || emptyValue.MatchString(line) {
			t.Errorf("%s holds %q", where, line)
		}
	}
}

// checkValues is checkText for every string of a JSON file but what people wrote about the tokens.
func checkValues(t *testing.T, where string, v any, resolved bool) {
	t.Helper()
	switch v := v.(type) {
	case string:
		checkText(t, where, v, resolved)
	case []any:
		for _, item := range v {
			checkValues(t, where, item, resolved)
		}
	case map[string]any:
		for name, item := range v {
			if !strings.HasPrefix(name, "$") || name == "$value" || name == "$root" {
				checkValues(t, where+"/"+name, item, resolved)
			}
		}
	}
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %d, %v, want 200\n%s", url, res.StatusCode, err, body)
	}
	return body
}

// devProcess is a livery dev of a Go test.
type devProcess struct {
	data    string
	client  *client.Client
	sandbox string // id of the Environment
}

// startDev starts livery dev --empty on free ports and ends it with the test.
func startDev(t *testing.T) *devProcess {
	t.Helper()
	d := program.StartDev(t, "--empty")
	return &devProcess{d.Data, client.New(d.OriginURL, d.Token), d.Environments["sandbox"]}
}

// livery runs a command of the program on this dev and returns what it prints.
func (d *devProcess) livery(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("livery", append(args, "--data", d.data)...).CombinedOutput()
	if err != nil {
		t.Fatalf("livery %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
