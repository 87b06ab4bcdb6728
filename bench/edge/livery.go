//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/livery/bench/world"
	"example.com/livery/client"
)

// startLivery starts the built binary, a whole origin and edge of which the edge is measured, publishes a Theme for
// each file, and writes what its edge serves into dir, so that the others serve the same bytes.
func startLivery(ctx context.Context, binary, dir string) (*world.Dev, *subject, error) {
	l, err := world.StartDev(ctx, binary, filepath.Join(dir, "livery"), serverCore)
	if err != nil {
		return nil, nil, err
	}
	s := &subject{name: "livery", address: l.EdgeHost(), process: l.Process(), etags: map[string]string{}, paths: map[string]string{}}
	for name, size := range fileSizes {
		path, err := publish(ctx, l, binary, dir, strings.TrimSuffix(name, ".css"), size)
		if err != nil {
			return l, nil, err
		}
		s.paths["/"+name] = path
		for suffix, coding := range map[string]string{"": "identity", ".gz": "gzip"} {
			content, err := fetch(l.EdgeURL()+path, coding)
			if err != nil {
				return l, nil, err
			}
			if err := os.WriteFile(filepath.Join(dir, name+suffix), content, 0o644); err != nil {
				return l, nil, err
			}
		}
	}
	return l, s, nil
}

// publish brings a Theme in whose stylesheet is about that long, and returns its pinned address.
func publish(ctx context.Context, l *world.Dev, binary, dir, slug string, size int) (string, error) {
	file := filepath.Join(dir, slug+".tokens.json")
	if err := os.WriteFile(file, document(size), 0o644); err != nil {
		return "", err
	}
	push := exec.CommandContext(ctx, binary, "push", file, "--env", "sandbox", "--theme", slug, "--create", "--integration", "react/plainCSS")
	push.Env = append(os.Environ(), "LIVERY_URL="+l.APIURL(), "LIVERY_TOKEN="+l.Token())
	if out, err := push.CombinedOutput(); err != nil {
		return "", fmt.Errorf("push: %w: %s", err, out)
	}
	environment := l.Environments["sandbox"]
	page, err := l.API.Themes(ctx, environment, client.ListOptions{Slug: slug})
	if err != nil || len(page.Items) != 1 {
		return "", fmt.Errorf("the pushed Theme %s is not there: %w", slug, err)
	}
	theme := page.Items[0].ID
	_, err = l.API.PublishTheme(ctx, environment, theme, client.PublishOptions{})
	return "/" + environment + "/" + theme + "/-/1/tokens.css", err
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
	resp, err := http.DefaultClient.Do(request)
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
