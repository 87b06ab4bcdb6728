package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// fixed are the settings that a machine could have otherwise.
var fixed = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off"}

// buildPrograms builds the program for every target. The renderer module is embedded as it stands in the sources.
func (r *release) buildPrograms(ctx context.Context) error {
	link := "-s -w -X example.com/livery/cli.releaseVersion=" + r.version + " -X example.com/livery/cli.releaseCommit=" + r.commit
	for _, t := range targets {
		env := append(slices.Clone(fixed), "GOOS="+t.os, "GOARCH="+t.arch)
		if _, err := r.command(ctx, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", link, "-o", r.program(t), "."); err != nil {
			return err
		}
	}
	return nil
}

// writeManual writes manual pages and completions, which are those of every system.
func (r *release) writeManual(ctx context.Context) error {
	_, err := r.command(ctx, fixed, "go", "run", "-trimpath", "-buildvcs=false", "./deploy/manual", "-version", r.version, "-date", r.at.Format("2006-01-02"), filepath.Join(r.work, "manual"))
	return err
}

// writeBills writes what each program is made of as a CycloneDX document.
func (r *release) writeBills(ctx context.Context) error {
	for _, t := range targets {
		bill, err := r.command(ctx, fixed, "go", "run", "-trimpath", "-buildvcs=false", "./deploy/sbom", "-version", r.version, r.program(t))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, r.stem(t)+".cdx.json"), bill, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// modules returns the modules in the programs of the release, sorted, and the Go that built them.
func (r *release) modules() (list []*debug.Module, goVersion string, err error) {
	all := map[string]*debug.Module{}
	for _, t := range targets {
		info, err := buildinfo.ReadFile(r.program(t))
		if err != nil {
			return nil, "", err
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			all[m.Path+"@"+m.Version] = m
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list, goVersion, nil
}

// licenses returns the licence texts of every module in the programs, which their licences want beside them.
func (r *release) licenses(ctx context.Context) ([]byte, error) {
	modules, _, err := r.modules()
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}}@{{.Version}} {{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	folders, err := r.command(ctx, fixed, "go", args...)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for line := range strings.Lines(string(folders)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := appendLicenses(&text, name, folder); err != nil {
			return nil, err
		}
	}
	return []byte(text.String()), nil
}

// appendLicenses appends the licence files at the top of a module's folder.
func appendLicenses(text *strings.Builder, module, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		switch name, _, _ := strings.Cut(strings.ToUpper(e.Name()), "."); name {
		case "LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "LICENSE-MIT", "LICENSE-APACHE":
		default:
			continue
		}
		license, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "==== %s: %s\n\n%s\n", module, e.Name(), license)
		found = true
	}
	if !found {
		return fmt.Errorf("the module %s has no licence file in %s", module, folder)
	}
	return nil
}
