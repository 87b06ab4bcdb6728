package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one entry of an archive.
type file struct {
	name    string // with slashes
	mode    fs.FileMode
	owner   int    // number of the user and the group
	content []byte // nil: a folder
}

// tree returns the files below dir, their names beginning with prefix.
func tree(dir, prefix string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files = append(files, file{name: prefix + filepath.ToSlash(name), mode: 0o644, content: content})
		return err
	})
	return files, err
}

// read returns one file of the sources or of an earlier step.
func read(path, name string, mode fs.FileMode) (file, error) {
	content, err := os.ReadFile(path)
	return file{name: name, mode: mode, content: content}, err
}

// sorted orders entries by name, so that the order in which they were found does not show.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// writeTar writes entries as they would be on any machine.
func writeTar(w io.Writer, at time.Time, files []file) error {
	archive := tar.NewWriter(w)
	for _, f := range sorted(files) {
		head := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.content)), ModTime: at,
			Uid: f.owner, Gid: f.owner, Format: tar.FormatPAX,
		}
		if f.content == nil {
			head.Typeflag, head.Name = tar.TypeDir, strings.TrimSuffix(f.name, "/")+"/"
		}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeTarGz writes entries into a compressed archive at path.
func writeTarGz(path string, at time.Time, files []file) error {
	return create(path, func(w io.Writer) error {
		compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := writeTar(compressed, at, files); err != nil {
			return err
		}
		return compressed.Close()
	})
}

// writeZip writes entries into an archive for Windows at path.
func writeZip(path string, at time.Time, files []file) error {
	return create(path, func(w io.Writer) error {
		archive := zip.NewWriter(w)
		for _, f := range sorted(files) {
			head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
			head.SetMode(f.mode)
			entry, err := archive.CreateHeader(head)
			if err != nil {
				return err
			}
			if _, err := entry.Write(f.content); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// create writes the file at path.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// writeArchives writes an archive for each target: the program, its licence and those of what is in it, the notes,
// manual pages and completions.
func (r *release) writeArchives(ctx context.Context) error {
	licenses, err := r.licenses(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.work, "LICENSES.txt"), licenses, 0o644); err != nil {
		return err
	}
	shared, err := tree(filepath.Join(r.work, "manual"), "")
	if err != nil {
		return err
	}
	for _, path := range []string{filepath.Join(r.root, "LICENSE"), filepath.Join(r.work, "LICENSES.txt"), filepath.Join(r.out, notesName)} {
		f, err := read(path, filepath.Base(path), 0o644)
		if err != nil {
			return err
		}
		shared = append(shared, f)
	}
	for _, t := range targets {
		program, err := read(r.program(t), filepath.Base(r.program(t)), 0o755)
		if err != nil {
			return err
		}
		write, end := writeTarGz, ".tar.gz"
		if t.os == "windows" {
			write, end = writeZip, ".zip"
		}
		if err := write(filepath.Join(r.out, r.stem(t)+end), r.at, append(slices.Clone(shared), program)); err != nil {
			return err
		}
	}
	return nil
}
