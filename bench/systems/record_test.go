package systems

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

// sharedCorpus is a folder of NAME.tokens.json, and of NAME.variant-VARIANT.json, which are pushed too if the folder is there.
const sharedCorpus = "../../../shared/corpus"

// record is what a push of the files of one system says, and what an edge serves then.
type record struct {
	Name     string                `json:"name"`
	Files    []string              `json:"files"`
	Commands []string              `json:"commands"`
	Exit     int                   `json:"exit"`     // of the first command that ends with another than 0
	In       int                   `json:"in"`       // tokens in the files
	Served   int                   `json:"served"`   // tokens in tokens.flat.json
	Named    int                   `json:"named"`    // tokens that are in no file, and that a report names
	Silent   []string              `json:"silent"`   // paths of the tokens that neither has
	Modes    []client.ManifestMode `json:"modes"`    // of the Theme
	Contexts []recordedContext     `json:"contexts"` // the first is the default
	Sheets   map[string]string     `json:"sheets"`   // tokens.css of all dimensions, by what they are of
	Report   string                `json:"report"`   // standard error
	Answers  []json.RawMessage     `json:"answers"`  // standard output of each command
}

// recordedContext is the custom properties of a tokens.css, but of the default only those that differ from it.
type recordedContext struct {
	Names  []string          `json:"names"`
	Values map[string]string `json:"values"`
}

// absent is the value of a custom property that only the default has.
const absent = "(absent)"

// documents lists those of the corpus.
func documents(t *testing.T) (list []system) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(sharedCorpus, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if base := filepath.Base(name); !strings.Contains(base, ".variant-") {
			list = append(list, system{name: "corpus " + strings.Split(base, ".")[0], files: []string{name}})
		}
	}
	return list
}

// run pushes the files of a system to a Theme of its own, and a document of the corpus with its Variants, and reads what is served.
func (r *row) run(t *testing.T, dev *world.Dev, theme string) {
	t.Helper()
	began := time.Now()
	if r.mapped {
		r.push(t, dev, theme)
	} else {
		r.push(t, dev, theme, r.files...)
	}
	r.took = time.Since(began)
	stem, _, _ := strings.Cut(r.files[0], ".tokens.json")
	variants, _ := filepath.Glob(stem + ".variant-*.json")
	for _, file := range variants {
		_, variant, _ := strings.Cut(strings.TrimSuffix(file, ".json"), ".variant-")
		r.push(t, dev, theme, "--variant", variant, file)
	}
	for found, err := range dev.API.EveryTheme(t.Context(), dev.Environments["sandbox"]) {
		if err != nil {
			t.Fatal(err)
		}
		if found.Slug == theme && found.LatestVersion != nil {
			r.read(t, dev, found.ID)
			r.count(t, dev, theme)
		}
	}
}

// push pushes files, or what a mapping names, unless a push before it has failed.
func (r *row) push(t *testing.T, dev *world.Dev, theme string, files ...string) {
	t.Helper()
	if r.Exit != 0 {
		return
	}
	words := append([]string{
		"push", "--env", "sandbox", "--theme", theme, "--create", "--integration", "react/plainCSS", "--publish", "--loss", "drop", "--json",
	}, files...)
	r.Commands = append(r.Commands, strings.Join(words, " "))
	stdout, stderr, exit := r.cli(t, dev, r.folder(t, len(files) == 0), words...)
	r.Report += stderr
	if r.Exit = exit; json.Valid(stdout) {
		r.Answers = append(r.Answers, stdout)
	} else {
		r.Report += string(stdout)
	}
}

// folder returns where a command runs that names no files: a folder with the livery.yaml of the system. Paths in it begin with node_modules.
func (r *row) folder(t *testing.T, mapped bool) string {
	t.Helper()
	if !mapped {
		return "."
	}
	folder := t.TempDir()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := os.ReadFile(filepath.Join("testdata", strings.TrimSuffix(fileName(r.name), ".json")+".yaml"))
	err = errors.Join(err, os.Symlink(modules, filepath.Join(folder, "node_modules")), os.WriteFile(filepath.Join(folder, "livery.yaml"), mapping, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// cli runs the program in a folder.
func (r *row) cli(t *testing.T, dev *world.Dev, folder string, args ...string) (stdout []byte, stderr string, exit int) {
	t.Helper()
	program, err := filepath.Abs(*livery)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "LIVERY_URL="+dev.APIURL(), "LIVERY_TOKEN="+dev.Token())
	var out, report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &report
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.Bytes(), report.String(), cmd.ProcessState.ExitCode()
}

// read downloads what the edge serves of the Theme, of each Variant and in each mode.
func (r *record) read(t *testing.T, dev *world.Dev, theme string) {
	t.Helper()
	manifest, err := dev.API.Scope(dev.Environments["sandbox"], theme).Manifest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := func(variant string, version int) string {
		return fmt.Sprintf("%s/%s/%s/%s/%d/tokens.css", dev.EdgeURL(), manifest.EnvironmentID, manifest.ThemeID, variant, version)
	}
	r.Modes, r.Sheets = manifest.Modes, map[string]string{}
	plainSheet := address("-", manifest.Version)
	r.add("default", properties(download(t, plainSheet)))
	ofModes := map[string]bool{}
	var dimensions []string
	for _, mode := range manifest.Modes {
		ofModes[mode.Variant] = true
		if !slices.Contains(dimensions, mode.Dimension) {
			dimensions = append(dimensions, mode.Dimension)
		}
		if mode.For == "" {
			r.add("mode "+mode.Dimension+"."+mode.Mode, properties(download(t, plainSheet+"?modes="+mode.Dimension+"."+mode.Mode)))
		}
	}
	every := strings.Join(dimensions, ",")
	if every != "" {
		r.Sheets["default"] = download(t, plainSheet+"?modes="+every)
	}
	for slug, variant := range manifest.Variants {
		sheet := address(variant.ID, variant.Version)
		r.add("variant "+slug, properties(download(t, sheet)))
		if every == "" || ofModes[slug] {
			continue
		}
		r.Sheets["variant "+slug] = download(t, sheet+"?modes="+every)
		for _, mode := range manifest.Modes {
			if mode.For == slug {
				r.add("mode "+mode.Dimension+"."+mode.Mode+" of "+slug, properties(download(t, sheet+"?modes="+mode.Dimension+"."+mode.Mode)))
			}
		}
	}
	slices.SortFunc(r.Contexts[1:], func(a, b recordedContext) int { return strings.Compare(a.Names[0], b.Names[0]) })
}

// add notes a context, or its name if another has the same values.
func (r *record) add(name string, values map[string]string) {
	if len(r.Contexts) > 0 {
		differ := maps.Clone(values)
		for property, value := range r.Contexts[0].Values {
			if own, has := values[property]; !has {
				differ[property] = absent
			} else if own == value {
				delete(differ, property)
			}
		}
		if values = differ; len(values) == 0 {
			r.Contexts[0].Names = append(r.Contexts[0].Names, name)
			return
		}
	}
	for i, c := range r.Contexts {
		if i > 0 && fmt.Sprint(c.Values) == fmt.Sprint(values) {
			r.Contexts[i].Names = append(c.Names, name)
			slices.Sort(r.Contexts[i].Names)
			return
		}
	}
	r.Contexts = append(r.Contexts, recordedContext{[]string{name}, values})
}

// properties are the custom properties of a stylesheet with one rule.
func properties(sheet string) map[string]string {
	found := map[string]string{}
	for _, m := range property.FindAllStringSubmatch(withoutComments(sheet), -1) {
		found[m[1]] = strings.TrimSpace(m[2])
	}
	return found
}

// download waits for the edge to hear of the publish.
func download(t *testing.T, address string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && response.StatusCode == http.StatusOK {
			return string(text)
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v %s %s", address, err, response.Status, text)
		}
	}
}

// writeRecord writes a record to a file of its name.
func writeRecord(t *testing.T, folder string, r *record) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	err := errors.Join(encoder.Encode(r), os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, fileName(r.Name)), text.Bytes(), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// fileName is that of the record of a system.
func fileName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), " ", "-") + ".json"
}
