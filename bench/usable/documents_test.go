package usable

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The sample Theme, the golden design system and this folder's documents are always served.
func TestDocumentsHoldsEveryThemeAndItsVariants(t *testing.T) {
	t.Chdir("../..")
	b := bench{folder: "bench/usable", shared: "../shared"}
	all, err := b.documents()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range all {
		names = append(names, d.name)
		if variant := strings.Contains(d.name, "+"); variant != (d.overrides != "") {
			t.Errorf("%s: is a Variant = %v, has overrides = %v", d.name, variant, d.overrides != "")
		}
	}
	for _, want := range []string{"acorn", "acorn+variant", "tidewater", "tidewater+lantern", "tidewater+midnight", "angular-material", "shadcn", "skeleton", "tailwind"} {
		if !slices.Contains(names, want) {
			t.Errorf("documents() = %v, want %s among them", names, want)
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(all) {
		t.Errorf("documents() = %v, two share a folder", names)
	}
}

// What is served is what the renderer makes, beside what a check needs to judge it.
func TestServeWritesTheFilesAndWhatWasReported(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "d")
	d := document{"d", `{"a":{"$type":"color","$value":"#123456"},"b":{"$value":"{no}"}}`, `{"a":"#654321"}`, "p"}
	if err := d.serve(folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tokens.css":         "--p-a: #654321;",
		"tokens.values.json": `{"a":"#654321"}`,
		"tokens.dtcg.json":   `"{no}"`,
		"source.json":        d.theme,
		"about.json":         `{"prefix":"p","diagnostics":{"b":["aliasMissing"]}}`,
	} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s = %s, %v, want %s in it", name, got, err, want)
		}
	}
}

// Locks name versions and digests and never where the packages come from; versions are exact.
func TestLocksHoldNoAddressAndExactVersions(t *testing.T) {
	exact := regexp.MustCompile(`^    "[^"]+": "\d+\.\d+\.\d+",?$`)
	for _, folder := range []string{".", "../peers", "../color"} {
		lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(lock), "\n") {
			if strings.Contains(line, `"resolved"`) || strings.Contains(line, ".tgz") {
				t.Errorf("%s/package-lock.json holds %s", folder, line)
			}
		}
		manifest, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		_, dependencies, _ := strings.Cut(string(manifest), "\"dependencies\": {\n")
		for line := range strings.SplitSeq(dependencies, "\n") {
			if strings.HasPrefix(line, "    ") && !exact.MatchString(line) {
				t.Errorf("%s/package.json: %s is not an exact version", folder, line)
			}
		}
	}
}
