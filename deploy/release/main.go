// Command release builds what a release of Livery consists of into one folder, without a daemon and without asking any
// server but for Go modules: archives, packages for Debian and Red Hat, an image, a chart, a formula, packages for npm,
// manual pages, completions, bills of materials, provenance, checksums and notes. The same commit and the same Go give
// the same bytes: every time in a file is that of the commit, every list is sorted, and no file names the machine.
//
//	cd deploy/release && go run . -version 1.2.3 -commit "$(git rev-parse HEAD)" -epoch "$(git log -1 --format=%ct)" -out ../../bin/release/1.2.3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// release is what is being built.
type release struct {
	version string    // a semantic version, without "v"
	commit  string    // that the sources are of, as git names it
	at      time.Time // of the commit; the time of every file
	notes   string    // heading of the changelog's section that is the notes
	baseURL string    // that the formula downloads the archives from; the files stand directly under it
	root    string    // the folder of the sources
	out     string    // the folder that is written
	work    string    // a folder for what is not part of the release
}

// target is a system that the program is built for.
type target struct{ os, arch string }

var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// stem returns how the names of the target's files begin.
func (r *release) stem(t target) string { return "livery_" + r.version + "_" + t.os + "_" + t.arch }

// program returns the path of the program for a target.
func (r *release) program(t target) string {
	name := "livery"
	if t.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.work, t.os+"_"+t.arch, name)
}

func main() {
	r, epoch := release{}, int64(0)
	flag.StringVar(&r.version, "version", "", "semantic `VERSION` of the release")
	flag.StringVar(&r.commit, "commit", "", "`COMMIT` that the sources are of")
	flag.Int64Var(&epoch, "epoch", 0, "time of the commit in `SECONDS` since 1970")
	flag.StringVar(&r.baseURL, "base-url", "", "`URL` that the files will stand under (default: https://example.com/livery/releases/VERSION)")
	flag.StringVar(&r.root, "root", "../..", "`FOLDER` of the sources")
	flag.StringVar(&r.out, "out", "", "`FOLDER` to write; it is emptied first")
	flag.Parse()
	r.at = time.Unix(epoch, 0).UTC()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var semanticVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// run checks what was asked for, and builds it.
func (r *release) run(ctx context.Context) error {
	switch {
	case !semanticVersion.MatchString(r.version):
		return fmt.Errorf("%q is not a semantic version such as 1.2.3: give VERSION", r.version)
	case r.commit == "" || r.at.Unix() == 0:
		return errors.New("the commit and its time are not known: give COMMIT and SOURCE_DATE_EPOCH if the sources are not a clone")
	case r.out == "":
		return errors.New("give -out, the folder to write")
	}
	if r.notes == "" {
		r.notes = r.version
	}
	if r.baseURL == "" {
		r.baseURL = "https://example.com/livery/releases/" + r.version
	}
	work, err := os.MkdirTemp("", "livery-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	r.work = work
	if err := errors.Join(absolute(&r.root), absolute(&r.out), os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	return r.build(ctx)
}

func absolute(path *string) (err error) {
	*path, err = filepath.Abs(*path)
	return err
}

// build makes everything, each step of what those before it made.
func (r *release) build(ctx context.Context) error {
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"notes", r.writeNotes},
		{"manual pages and completions", r.writeManual},
		{"programs", r.buildPrograms},
		{"bills of materials", r.writeBills},
		{"archives", r.writeArchives},
		{"packages", r.writePackages},
		{"image", r.writeImage},
		{"chart", r.writeChart},
		{"formula", r.writeFormula},
		{"packages for npm", r.writeModules},
		{"provenance", r.writeProvenance},
		{"checksums", r.writeSums},
	} {
		fmt.Fprintln(os.Stderr, "release:", step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// command runs a program in the folder of the sources and returns what it prints.
func (r *release) command(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = r.root, append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}
