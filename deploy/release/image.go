package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user runs the program in the image and owns the data.
const user = 65532

// imageConfig is what deploy/Dockerfile says, too.
func (r *release) imageConfig() v1.Config {
	return v1.Config{
		User: "65532:65532", WorkingDir: "/data", Env: []string{"LIVERY_DATA=/data"}, Entrypoint: []string{"/livery"},
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080": {}, "8081": {}, "8082": {}, "8090": {}, "8092": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title": "livery", "org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
			"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.description": "Stores, versions and serves design tokens",
		},
	}
}

// writeImage writes the image of both processors as an OCI layout, and that layout in one file.
func (r *release) writeImage(context.Context) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range targets {
		if t.os != "linux" {
			continue
		}
		image, err := r.image(t)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}}})
	}
	folder := filepath.Join(r.out, "livery_"+r.version+"_image")
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	files, err := tree(folder, "")
	if err != nil {
		return err
	}
	return create(folder+".tar", func(w io.Writer) error { return writeTar(w, r.at, files) })
}

// image returns the image for a target: one file, and the folder that a volume takes owner and mode of.
func (r *release) image(t target) (v1.Image, error) {
	program, err := read(r.program(t), "livery", 0o755)
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	if err := writeTar(&files, r.at, []file{program, {name: "data", mode: 0o700, owner: user}}); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	at := v1.Time{Time: r.at}
	image, err := mutate.Append(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON),
		mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: at, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Config = t.os, t.arch, at, r.imageConfig()
	return mutate.ConfigFile(image, config)
}
