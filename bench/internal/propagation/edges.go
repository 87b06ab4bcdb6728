//go:build linux

package propagation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"example.com/livery/edge"
	"example.com/livery/wasm"
)

// edgeMemory is what each edge may hold.
const edgeMemory = 16 << 20

// liveEdge is one edge of this process.
type liveEdge struct {
	edge    *edge.Edge
	runtime *wasm.Runtime
	served  chan error
	url     string
	client  *http.Client
}

// startEdges starts edges that follow a feed. Those that were started are returned with an error too.
func (b *bench) startEdges(ctx context.Context, count int, feed string) (edges []*liveEdge, err error) {
	for i := range count {
		e, err := b.startEdge(ctx, fmt.Sprintf("edge-%d-%d", count, i), feed)
		if err != nil {
			return edges, err
		}
		edges = append(edges, e)
	}
	return edges, nil
}

func (b *bench) startEdge(ctx context.Context, name, feed string) (*liveEdge, error) {
	r, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: filepath.Join(b.dir, "compiled"), Instances: 1})
	if err != nil {
		return nil, err
	}
	e, err := edge.New(ctx, edge.Config{
		DataDir: filepath.Join(b.dir, name), Upstreams: []string{feed}, UpstreamToken: b.token, CacheBytes: edgeMemory, Runtime: r,
	})
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, e.Shutdown(ctx), r.Close(ctx))
	}
	live := &liveEdge{edge: e, runtime: r, served: make(chan error, 1), url: "http://" + l.Addr().String(), client: &http.Client{Transport: &http.Transport{}}}
	go func() { live.served <- e.Serve(l) }()
	return live, nil
}

// stop ends the edge.
func (e *liveEdge) stop(ctx context.Context) error {
	e.client.CloseIdleConnections()
	err := e.edge.Shutdown(ctx)
	return errors.Join(err, <-e.served, e.runtime.Close(ctx))
}

func stopAll(ctx context.Context, edges []*liveEdge) (err error) {
	for _, e := range edges {
		err = errors.Join(err, e.stop(ctx))
	}
	return err
}

// shows reports whether the edge serves bytes that hold a text. What it does not serve, it does not show.
func (e *liveEdge) shows(ctx context.Context, path string, text []byte) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+path, http.NoBody)
	if err != nil {
		return false
	}
	response, err := e.client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return err == nil && response.StatusCode == http.StatusOK && bytes.Contains(body, text)
}

// longest is how long an edge is waited for.
const longest = time.Minute

// until asks an edge again and again, with a pause after each answer, and returns when it shows a text.
func (e *liveEdge) until(ctx context.Context, path string, text []byte, pause time.Duration) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for !e.shows(ctx, path, text) {
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("%s%s does not show %q: %w", e.url, path, text, ctx.Err())
		case <-time.After(pause):
		}
	}
	return time.Now(), nil
}
