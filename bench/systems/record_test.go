package systems

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

var (
	recordTo = flag.String("record", "", "the folder that the records are written to")
	corpus   = flag.String("corpus", "", "a folder of NAME.tokens.json, and NAME.variant-VARIANT.json, that are recorded too")
	commands = flag.String("commands", "push --env sandbox --theme {theme} --create --integration react/plainCSS --publish --accept-loss --json {args} {files}",
		"what is run for the files of a system, with semicolons between; {args} is what make systems adds")
)

// record is what a push of the files of one system says, and what an edge serves then.
type record struct {
	Name       string                `json:"name"`
	Files      []string              `json:"files"`
	Commands   []string              `json:"commands"`
	Exit       int                   `json:"exit"`                 // of the first command that ends with another than 0
	In         int                   `json:"in"`                   // tokens in the files
	Served     int                   `json:"served"`               // tokens in tokens.flat.json
	Named      int                   `json:"named"`                // tokens that are in no file, and that a report names
	Silent     []string              `json:"silent"`               // paths of the tokens that neither has
	Modes      []client.ManifestMode `json:"modes"`                // of the Theme
	Contexts   []recordedContext     `json:"contexts"`             // the first is the default
	Rules      []recordedContext     `json:"rules,omitempty"`      // of a package's stylesheet: each selector with its at-rules
	NotInFiles []string              `json:"notInFiles,omitempty"` // of a package's stylesheet: custom properties that are no token of the files
	Sheets     map[string]string     `json:"sheets"`               // tokens.css of all dimensions, by what they are of
	Report     string                `json:"report"`               // standard error
	Answers    []json.RawMessage     `json:"answers"`              // standard output of each command
}

// recordedContext is the custom properties of a tokens.css, but of the default only those that differ from it.
type recordedContext struct {
	Names  []string          `json:"names"`
	Values map[string]string `json:"values"`
}

// absent is the value of a custom property that only the default has.
const absent = "(absent)"

// TestRecord records what a program makes of every system and of every document of a corpus.
func TestRecord(t *testing.T) {
	if *recordTo == "" {
		t.Skip("it pushes the packages that make systems installs")
	}
	dev, err := world.StartDev(t.Context(), *livery, t.TempDir(), world.AnyCore, "--empty")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Stop()
	for i, s := range append(slices.Clone(all), documents(t)...) {
		if !regexp.MustCompile(*only).MatchString(s.name) {
			continue
		}
		r := &record{Name: s.name, Files: s.files}
		took := r.run(t, dev, s, fmt.Sprintf("s%d", i))
		writeRecord(t, *recordTo, r)
		fmt.Fprintf(os.Stderr, "%-30s exit %d %6d in %6d served %5d named %4d silent %3d contexts %6d ms of processor\n", s.name, r.Exit, r.In, r.Served, r.Named, len(r.Silent), len(r.Contexts), took.Milliseconds())
	}
}

// documents are those of the corpus.
func documents(t *testing.T) (list []system) {
	t.Helper()
	if *corpus == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(*corpus, "*.json"))
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

// run pushes the files of a system to a Theme of its own, and a document of the corpus with its Variants, and reads what
// is served. It returns the processor time of the pushes.
func (r *record) run(t *testing.T, dev *world.Dev, s system, theme string) (took time.Duration) {
	t.Helper()
	defer os.Remove("livery.yaml") // of a push that fails
	names := s.files
	if !filepath.IsAbs(names[0]) {
		names = installed(t, names)
	}
	took = r.push(t, dev, theme, s.args, names)
	stem, _, _ := strings.Cut(names[0], ".tokens.json")
	variants, _ := filepath.Glob(stem + ".variant-*.json")
	for _, file := range variants {
		_, variant, _ := strings.Cut(strings.TrimSuffix(file, ".json"), ".variant-")
		took += r.push(t, dev, theme, []string{"--variant", variant}, []string{file})
	}
	os.Remove("livery.yaml")
	for found, err := range dev.API.EveryTheme(t.Context(), dev.Environments["sandbox"]) {
		if err != nil {
			t.Fatal(err)
		}
		if found.Slug != theme || found.LatestVersion == nil {
			continue
		}
		r.read(t, dev, found.ID)
		counted := &row{system: system{name: s.name, files: names}}
		counted.count(t, dev, theme, r.Answers...)
		r.In, r.Served, r.Named, r.Silent = counted.in, counted.served, counted.named, counted.silent
	}
	return took
}

// push runs the commands until one fails.
func (r *record) push(t *testing.T, dev *world.Dev, theme string, args, files []string) (took time.Duration) {
	t.Helper()
	for _, command := range strings.Split(*commands, ";") {
		var words []string
		for _, word := range strings.Fields(command) {
			switch word {
			case "{args}":
				words = append(words, args...)
			case "{files}":
				words = append(words, files...)
			default:
				words = append(words, strings.ReplaceAll(word, "{theme}", theme))
			}
		}
		r.Commands = append(r.Commands, strings.Join(words, " "))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		cmd := exec.CommandContext(ctx, *livery, words...)
		cmd.Env = append(os.Environ(), "LIVERY_URL="+dev.APIURL(), "LIVERY_TOKEN="+dev.Token())
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		cancel()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		took += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		r.Report += stderr.String()
		if json.Valid(stdout.Bytes()) {
			r.Answers = append(r.Answers, stdout.Bytes())
		} else {
			r.Report += stdout.String()
		}
		if r.Exit = cmd.ProcessState.ExitCode(); r.Exit != 0 {
			break
		}
	}
	return took
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
