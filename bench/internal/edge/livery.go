//go:build linux

package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

// cacheBytes is the edge's memory for files, as much as it has by default.
const cacheBytes = 256 << 20

// startLivery starts an edge with an origin behind it, publishes a Theme for each file, and writes what the edge serves into
// dir, so that the others serve the same bytes. end ends both.
func startLivery(ctx context.Context, binary, dir string, secure bool) (s *subject, end func(), err error) {
	var o *world.Origin
	var e *world.Edge
	end = func() {
		if e != nil {
			_ = e.Stop()
		}
		if o != nil {
			_ = o.Stop()
		}
	}
	var flags []string
	if secure {
		flags = []string{"--http2-streams-per-client", "0"}
		if err := world.Certify(ctx, dir); err != nil {
			return nil, end, err
		}
		flags = append(flags, world.Secure(dir)...)
	}
	if o, err = world.StartOrigin(ctx, binary, dir, loadCore); err != nil {
		return nil, end, err
	}
	if e, err = world.StartEdge(ctx, o, dir, "edge", serverCore, cacheBytes, flags...); err != nil {
		return nil, end, err
	}
	s = &subject{name: "livery", dir: dir, address: e.Host(), secure: secure, process: e.Process(), paths: map[string]string{}}
	for name, size := range fileSizes {
		id, err := publishFile(ctx, o, strings.TrimSuffix(name, ".css"), size)
		if err != nil {
			return nil, end, err
		}
		s.paths["/"+name] = "/" + o.Environment + "/" + id + "/-/1/tokens.css"
		for suffix, coding := range map[string]string{"": "identity", ".gz": "gzip"} {
			content, err := fetch(e.URL()+s.paths["/"+name], coding)
			if err != nil {
				return nil, end, err
			}
			if err := os.WriteFile(filepath.Join(dir, name+suffix), content, 0o644); err != nil {
				return nil, end, err
			}
		}
	}
	return s, end, nil
}

// publishFile publishes a Theme whose stylesheet is about that long, and returns its id.
func publishFile(ctx context.Context, o *world.Origin, slug string, size int) (id string, err error) {
	integration := client.Integration{Framework: "react", Library: "plainCSS"}
	created, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{Slug: slug, DisplayName: slug, Integration: &integration})
	if err != nil {
		return "", err
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(document(size), &groups); err != nil {
		return "", err
	}
	var batch []client.Operation
	for name, group := range groups {
		batch = append(batch, client.Operation{Operation: "add", Path: "/" + name, Value: group})
	}
	if _, err := o.API.EditThemeTokens(ctx, o.Environment, created.ID, client.EditOptions{}, batch); err != nil {
		return "", err
	}
	_, err = o.API.PublishTheme(ctx, o.Environment, created.ID, client.PublishOptions{})
	return created.ID, err
}

// document makes colours whose stylesheet is about that long, as varied as a design system's.
func document(size int) []byte {
	const line = len("  --fg-scale-12-hover: #123456;\n")
	tokens := map[string]map[string]map[string]any{}
	for i := range uint32(max(1, size/line)) {
		h := (i + 1) * 2654435761
		part := []string{"fg", "bg", "border", "accent"}[h>>30]
		step := "scale-" + strconv.Itoa(int(i))
		if tokens[part] == nil {
			tokens[part] = map[string]map[string]any{}
		}
		channel := func(shift int) float64 { return math.Round(float64(h>>shift&0xff)/255*1e4) / 1e4 }
		tokens[part][step] = map[string]any{"$type": "color", "$value": map[string]any{"colorSpace": "srgb", "components": []float64{channel(0), channel(8), channel(16)}}}
	}
	text, err := json.Marshal(tokens)
	if err != nil {
		panic(err) // maps of texts and finite numbers
	}
	return text
}

// fetch returns a file in one coding, once the edge has it in that coding for good.
func fetch(url, coding string) ([]byte, error) {
	var before []byte
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(300 * time.Millisecond) {
		content, err := fetchOnce(url, coding)
		if err != nil || bytes.Equal(content, before) || time.Now().After(end) {
			return content, err
		}
		before = content
	}
}

func fetchOnce(url, coding string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", coding)
	resp, err := insecure.Do(request)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, resp.StatusCode, content)
	}
	return content, err
}
