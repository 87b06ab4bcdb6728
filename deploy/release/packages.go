package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// writePackages writes packages for Debian and Red Hat, as deploy/package/nfpm.yaml says.
func (r *release) writePackages(context.Context) error {
	if err := r.stage(); err != nil {
		return err
	}
	for _, t := range targets {
		if t.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			if err := r.writePackage(t, format); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage writes what packages hold in another form than the sources and the archives.
func (r *release) stage() error {
	folder := filepath.Join(r.work, "systemd")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, unit := range []string{"livery-origin.service", "livery-edge.service"} {
		text, err := os.ReadFile(filepath.Join(r.root, "deploy", "systemd", unit))
		if err != nil {
			return err
		}
		packaged := strings.Replace(string(text), "ExecStart=/usr/local/bin/livery ", "ExecStart=/usr/bin/livery ", 1)
		if err := os.WriteFile(filepath.Join(folder, unit), []byte(packaged), 0o644); err != nil {
			return err
		}
	}
	notes, err := os.ReadFile(filepath.Join(r.out, notesName))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.work, notesName), notes, 0o644)
}

// writePackage writes the package of one format for one target.
func (r *release) writePackage(t target, format string) error {
	values := map[string]string{"VERSION": r.version, "ARCH": t.arch, "SOURCES": r.root, "WORK": r.work, "PROGRAM": r.program(t)}
	config, err := nfpm.ParseFileWithEnvMapping(filepath.Join(r.root, "deploy", "package", "nfpm.yaml"), func(name string) string { return values[name] })
	if err != nil {
		return err
	}
	info, err := config.Get(format)
	if err != nil {
		return err
	}
	for _, script := range []*string{&info.Scripts.PostInstall, &info.Scripts.PreRemove, &info.Scripts.PostRemove} {
		*script = filepath.Join(r.root, *script) // nfpm replaces variables in contents alone
	}
	info.MTime = r.at
	for _, c := range info.Contents {
		c.FileInfo.MTime = r.at
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	return create(filepath.Join(r.out, packager.ConventionalFileName(info)), func(w io.Writer) error { return packager.Package(info, w) })
}
