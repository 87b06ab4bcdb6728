package road

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
)

// samples are the times of one kind of wait.
type samples struct {
	name string
	took figures.Times
}

func (s *samples) add(d time.Duration) { s.took = append(s.took, d) }

// measure pushes the document once, then publishes a change of one token again and again.
func (b *bench) measure(ctx context.Context, d *world.Dev) ([]samples, error) {
	environment := d.Environments["sandbox"]
	pushed, err := b.push(ctx, d)
	if err != nil {
		return nil, err
	}
	page, err := d.API.Themes(ctx, environment, client.ListOptions{Slug: "road"})
	if err != nil || len(page.Items) != 1 {
		return nil, fmt.Errorf("the pushed Theme is not there: %w", err)
	}
	theme := page.Items[0].ID
	edits, publishes, latest := samples{name: "edit of one token"}, samples{name: "publish"}, samples{name: "publish answered to latest served"}
	first := make([]samples, len(world.Files))
	shown := ""
	for i := range b.publishes {
		at, err := b.publish(ctx, d.API, environment, theme, i, &edits, &publishes)
		if err != nil {
			return nil, err
		}
		base := d.EdgeURL() + "/" + environment + "/" + theme + "/-/"
		if i%2 == 0 { // latest and pinned share what was rendered: each is asked for first in turn
			if shown, err = changes(ctx, base+"latest/tokens.css", shown, &latest); err != nil {
				return nil, err
			}
			continue
		}
		for f, name := range world.Files {
			first[f].name = "first request of pinned " + name
			took, err := fetch(ctx, fmt.Sprintf("%s%d/%s", base, at, name))
			if err != nil {
				return nil, err
			}
			first[f].add(took)
			b.bar.Step()
		}
		if shown, err = body(ctx, base+"latest/tokens.css"); err != nil {
			return nil, err
		}
	}
	hits, err := b.hit(ctx, fmt.Sprintf("%s/%s/%s/-/1/tokens.css", d.EdgeURL(), environment, theme))
	return append(append([]samples{pushed, edits, publishes, latest}, first...), hits), err
}

// push brings the document in through the command line, as a person would.
func (b *bench) push(ctx context.Context, d *world.Dev) (samples, error) {
	began := time.Now()
	cmd := exec.CommandContext(ctx, b.binary, "push", b.document, "--env", "sandbox", "--theme", "road", "--create",
		"--integration", "react/plainCSS", "--integration", "react/mui", "--integration", "react/buildTimeTokens")
	cmd.Env = append(os.Environ(), "LIVERY_URL="+d.APIURL(), "LIVERY_TOKEN="+d.Token())
	if out, err := cmd.CombinedOutput(); err != nil {
		return samples{}, fmt.Errorf("push: %w: %s", err, out)
	}
	return samples{"push of the whole document", figures.Times{time.Since(began)}}, nil
}

// publish changes one token, publishes, and returns the version.
func (b *bench) publish(ctx context.Context, api *client.Client, environment, theme string, i int, edits, publishes *samples) (int, error) {
	value, err := json.Marshal(fmt.Sprintf("#%06x", 0x102030+i))
	if err != nil {
		return 0, err
	}
	set, err := api.Scope(environment, theme).Tokens(ctx, "", client.ReadOptions{})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	batch := []client.Operation{{Operation: "replace", Path: b.token, Value: value}}
	if _, err := api.EditThemeTokens(ctx, environment, theme, client.EditOptions{ETag: set.DraftETag()}, batch); err != nil {
		return 0, err
	}
	edits.add(time.Since(began))
	began = time.Now()
	t, err := api.PublishTheme(ctx, environment, theme, client.PublishOptions{})
	if err != nil {
		return 0, err
	}
	publishes.add(time.Since(began))
	return i + 1, latestIs(t, i+1)
}

func latestIs(t client.Theme, want int) error {
	if t.LatestVersion == nil || int(*t.LatestVersion) != want {
		return fmt.Errorf("the publish answered version %v, %d was expected", t.LatestVersion, want)
	}
	return nil
}

// changes asks without pause until the answer is another than shown, and returns it.
func changes(ctx context.Context, url, shown string, s *samples) (string, error) {
	began := time.Now()
	for {
		got, err := body(ctx, url)
		if err == nil && got != shown {
			s.add(time.Since(began))
			return got, nil
		}
		if ctx.Err() != nil {
			return "", fmt.Errorf("%s never changed: %w", url, ctx.Err())
		}
	}
}

// hit asks for a file that the edge has cached, over one connection.
func (b *bench) hit(ctx context.Context, url string) (samples, error) {
	s := samples{name: "request of a cached file"}
	for range b.hits {
		took, err := fetch(ctx, url)
		if err != nil {
			return s, err
		}
		s.add(took)
		b.bar.Step()
	}
	return s, nil
}

func fetch(ctx context.Context, url string) (time.Duration, error) {
	began := time.Now()
	_, err := body(ctx, url)
	return time.Since(began), err
}

func body(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s: %s", url, res.Status, data)
	}
	return string(data), err
}
