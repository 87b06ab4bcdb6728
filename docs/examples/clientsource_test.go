package examples_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestClientsCallTheAPI: what the examples of generated clients call is in the document. make suite NAME=clients compiles and runs
// them; this needs no npm.
func TestClientsCallTheAPI(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromFile("../../origin/api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	ids, calls := map[string]bool{}, map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			name := operation.OperationID
			ids[strings.ToLower(name[:1])+name[1:]] = true
			calls[method+" "+path] = true
		}
	}
	found := 0
	for _, call := range regexp.MustCompile(`livery\.([a-z]\w*)\(`).FindAllStringSubmatch(read(t, "clients/src/hey-api.ts"), -1) {
		if found++; !ids[call[1]] {
			t.Errorf("hey-api.ts calls %s, which is not an operationId of the document", call[1])
		}
	}
	source := read(t, "clients/src/openapi-fetch.ts")
	for _, constant := range regexp.MustCompile(`const (\w+) = "(/[^"]*)";`).FindAllStringSubmatch(source, -1) {
		source = strings.ReplaceAll(source, "${"+constant[1]+"}", constant[2])
		source = strings.ReplaceAll(source, "("+constant[1]+",", `("`+constant[2]+`",`)
	}
	for _, call := range regexp.MustCompile("client\\.([A-Z]+)\\([`\"]?([^`\",)]*)").FindAllStringSubmatch(source, -1) {
		if found++; !calls[call[1]+" "+call[2]] {
			t.Errorf("openapi-fetch.ts calls %s %q, which the document does not describe", call[1], call[2])
		}
	}
	if found != 19 {
		t.Errorf("%d calls are found in the sources, want 19", found)
	}
}

// TestLocksNameNoRegistry: npm ci takes each package from the registry that is configured.
func TestLocksNameNoRegistry(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"package-lock.json", filepath.Join("clients", "package-lock.json")} {
		if strings.Contains(read(t, lock), `"resolved"`) {
			t.Errorf("%s names a registry: npm install with the .npmrc beside it", lock)
		}
	}
}
