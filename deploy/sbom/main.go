// Command sbom prints what a Go binary is made of as a CycloneDX 1.5 document: every module with its
// version and checksum, as the compiler wrote them into the binary. It reads that file and nothing else,
// and the same binary gives the same document.
//
//	go run ./deploy/sbom bin/livery > bin/livery.cdx.json
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// document is the root of a CycloneDX document.
type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"` // of the document; 1
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

// metadata says what the document describes.
type metadata struct {
	Component component `json:"component"`
}

// component is the binary, a module in it, or the Go it was built with.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"` // unlike that of any other component
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

// hash is a digest of a component's bytes.
type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // hexadecimal
}

// property is a fact that CycloneDX has no word for.
type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	version := flag.String("version", "", "`VERSION` of the binary (default: what the compiler wrote)")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: sbom [-version VERSION] BINARY")
		os.Exit(2)
	}
	if err := describe(os.Stdout, flag.Arg(0), *version); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// describe writes the document of the binary at path, whose version the compiler knows if none is given.
func describe(w io.Writer, path, version string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(content)
	binary := component{
		Type: "application", Ref: info.Path, Name: filepath.Base(path), Version: cmp.Or(version, info.Main.Version),
		Hashes: []hash{{"SHA-256", hex.EncodeToString(digest[:])}},
	}
	for _, s := range info.Settings {
		binary.Properties = append(binary.Properties, property{"go:build:" + s.Key, s.Value})
	}
	components := []component{{Type: "framework", Ref: "pkg:golang/std", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion}}
	for _, module := range info.Deps {
		components = append(components, moduleComponent(module))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document{"CycloneDX", "1.5", 1, metadata{binary}, components})
}

// moduleComponent describes a module, or what stands in its place. Names in a package URL of Go are lower case.
func moduleComponent(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version}
	c.Ref = c.PURL
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}} // of the module's tree of files, not of one file
	}
	return c
}
