package crash

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

// theme is what one writer publishes: version n has the value n.
type theme struct {
	environment, id string
	newest          int              // acknowledged
	last            error            // why the writer stopped
	acknowledged    int              // how many
	denied          error            // an edge said that a published file does not exist
	pinned          map[int][32]byte // by version, of the file that the edge served
}

// create makes a Theme for each writer, all of one Environment in turns.
func (c *crash) create(ctx context.Context, s *world.Dev) error {
	environments := slices.Sorted(maps.Values(s.Environments))
	for i := range c.writers {
		environment := environments[i%len(environments)]
		made, err := s.API.CreateTheme(ctx, environment, client.NewTheme{
			Slug: fmt.Sprint("crash-", i), DisplayName: "Crash", Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
		})
		if err != nil {
			return fmt.Errorf("create a Theme: %w", err)
		}
		c.themes = append(c.themes, &theme{environment: environment, id: made.ID, pinned: map[int][32]byte{}})
	}
	return nil
}

// writeAndKill lets every writer publish until the process is killed.
func (c *crash) writeAndKill(ctx context.Context, s *world.Dev) error {
	first, after := make(chan struct{}), time.Duration(c.random.Int64N(int64(c.longest)))
	var once sync.Once
	var wg sync.WaitGroup
	for _, t := range c.themes {
		wg.Go(func() {
			for t.last = nil; t.last == nil; {
				if t.last = t.publish(ctx, s); t.last == nil {
					once.Do(func() { close(first) })
				}
			}
		})
	}
	select {
	case <-first:
	case <-ctx.Done():
	case <-time.After(time.Minute):
		_ = s.Kill()
		wg.Wait()
		return fmt.Errorf("no publish was acknowledged within a minute; the first writer stopped for: %w\n%s", c.themes[0].last, s.Log())
	}
	time.Sleep(after)
	err := s.Kill()
	wg.Wait()
	return err
}

// publish edits and publishes once, and looks at one file in four.
func (t *theme) publish(ctx context.Context, s *world.Dev) error {
	now, err := s.API.Scope(t.environment, t.id).Tokens(ctx, "", client.ReadOptions{})
	if err != nil {
		return err
	}
	next := 1
	if now.LatestVersion != nil {
		next = *now.LatestVersion + 1
	}
	value := json.RawMessage(fmt.Sprintf(`{"$type":"number","$value":%d}`, next))
	if _, err = s.API.EditThemeTokens(ctx, t.environment, t.id, client.EditOptions{ETag: now.DraftETag()}, []client.Operation{{Operation: "add", Path: "/counter", Value: value}}); err != nil {
		return err
	}
	done, err := s.API.PublishTheme(ctx, t.environment, t.id, client.PublishOptions{})
	if err != nil {
		return err
	}
	t.newest = max(t.newest, *done.LatestVersion)
	t.acknowledged++
	if t.newest%4 == 0 {
		sum, err := t.file(ctx, s, t.newest)
		switch {
		case err == nil:
			t.pinned[t.newest] = sum
		case errors.Is(err, errDenied): // else the kill came first, or the edge is not ready: it is looked at later
			t.denied = err
			return err
		}
	}
	return nil
}

// errDenied says that the edge answered 404.
var errDenied = errors.New("the edge says that it does not exist")

// file returns the hash of the file that the edge serves for a version.
func (t *theme) file(ctx context.Context, s *world.Dev, version int) (sum [32]byte, err error) {
	address := fmt.Sprintf("%s/%s/%s/-/%d/tokens.css", s.EdgeURL(), t.environment, t.id, version)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return sum, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return sum, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode == http.StatusNotFound {
		err = fmt.Errorf("GET %s: %w", address, errDenied)
	}
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", address, res.Status)
	}
	return sha256.Sum256(body), err
}
