//go:build linux

package edge

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/livery/bench/internal/world"
)

// cacheBytes is the edge's memory for files, as much as it has by default.
const cacheBytes = 256 << 20

// bytesAToken is what a token of a Theme takes in its stylesheet.
const bytesAToken = 32

// startLivery starts an edge with an origin behind it, publishes a Theme for each file, and writes what the edge serves into
// dir, so that the others serve the same bytes. end ends both.
func startLivery(ctx context.Context, binary string, p *phase) (s *subject, end func(), err error) {
	end = func() {
		if s != nil {
			_ = s.edge.Stop()
		}
		if p.origin != nil {
			_ = p.origin.Stop()
		}
	}
	var flags []string
	if p.secure {
		if err := world.Certify(ctx, p.dir); err != nil {
			return nil, end, err
		}
		flags = append(flags, world.Secure(p.dir)...)
	}
	if p.origin, err = world.StartOrigin(ctx, binary, p.dir, loadCore); err != nil {
		return nil, end, err
	}
	e, err := world.StartEdge(ctx, p.origin, p.dir, "edge", serverCore, cacheBytes, flags...)
	if err != nil {
		return nil, end, err
	}
	s = &subject{name: "livery", dir: p.dir, address: e.Host(), secure: p.secure, process: e.Process(), paths: map[string]string{}, edge: e}
	for name, size := range fileSizes {
		themes, err := p.origin.Fill(ctx, strings.TrimSuffix(name, ".css"), size, 1, world.Size{Tokens: size / bytesAToken, Versions: 1, OneFile: true}, nil)
		if err != nil {
			return s, end, err
		}
		s.paths["/"+name] = p.origin.Path(themes[0], 0, 1, world.Files[0])
		for suffix, coding := range map[string]string{"": "identity", ".gz": "gzip"} {
			content, err := s.fetch(s.paths["/"+name], coding)
			if err != nil {
				return s, end, err
			}
			if err := os.WriteFile(filepath.Join(p.dir, name+suffix), content, 0o644); err != nil {
				return s, end, err
			}
		}
	}
	return s, end, nil
}

// fetch returns a file in one coding, once the edge has it in that coding for good.
func (s *subject) fetch(path, coding string) (before []byte, err error) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(300 * time.Millisecond) {
		response, content, err := s.ask(insecure, scenario{path: path, headers: []string{"Accept-Encoding: " + coding}})
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s: %s", path, response.Status, content)
		}
		if err != nil || bytes.Equal(content, before) || time.Now().After(end) {
			return content, err
		}
		before = content
	}
}
