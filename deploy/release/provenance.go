package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names of the last files of a release, which name the others.
const (
	provenanceName = "provenance.intoto.json"
	sumsName       = "SHA256SUMS"
)

// statement is an in-toto Statement v1 with a SLSA provenance v1 in it. It is not signed: the one that publishes the release
// signs it, with a key of its own.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

// resource is a file or a source, with its digests by algorithm, in hexadecimal.
type resource struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

type predicate struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"`
		ResolvedDependencies []resource        `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

// digestOf returns the SHA-256 of a file in hexadecimal.
func digestOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:]), err
}

// digests returns every file of the release with its digest, sorted by name.
func (r *release) digests() (list []resource, err error) {
	err = filepath.WalkDir(r.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		digest, err := digestOf(path)
		name, _ := filepath.Rel(r.out, path)
		list = append(list, resource{Name: filepath.ToSlash(name), Digest: map[string]string{"sha256": digest}})
		return err
	})
	return list, err
}

// writeProvenance writes of what and how the files were made: the commit, the Go, the modules by their hash of go.sum.
func (r *release) writeProvenance(context.Context) error {
	subjects, err := r.digests()
	if err != nil {
		return err
	}
	modules, goVersion, err := r.modules()
	if err != nil {
		return err
	}
	s := statement{Type: "https://in-toto.io/Statement/v1", Subject: subjects, PredicateType: "https://slsa.dev/provenance/v1"}
	build := &s.Predicate.BuildDefinition
	build.BuildType = "https://example.com/livery/docs/releasing.md"
	build.ExternalParameters = map[string]string{"version": r.version, "baseURL": r.baseURL}
	build.InternalParameters = map[string]string{"go": goVersion, "environment": strings.Join(fixed, " "), "SOURCE_DATE_EPOCH": fmt.Sprint(r.at.Unix())}
	build.ResolvedDependencies = []resource{{URI: "git+https://example.com/livery", Digest: map[string]string{"gitCommit": r.commit}}}
	for _, m := range modules {
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil {
			return fmt.Errorf("the sum of %s: %w", m.Path, err)
		}
		build.ResolvedDependencies = append(build.ResolvedDependencies,
			resource{URI: "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version, Digest: map[string]string{"dirHash": hex.EncodeToString(sum)}})
	}
	s.Predicate.RunDetails.Builder.ID = "https://example.com/livery/deploy/release"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, provenanceName), append(text, '\n'), 0o644)
}

// writeSums writes the checksum of every other file, in the form of sha256sum.
func (r *release) writeSums(context.Context) error {
	list, err := r.digests()
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range list {
		fmt.Fprintf(&sums, "%s  %s\n", f.Digest["sha256"], f.Name)
	}
	return os.WriteFile(filepath.Join(r.out, sumsName), []byte(sums.String()), 0o644)
}
