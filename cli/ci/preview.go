package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/livery/cli/target"
	"example.com/livery/client"
)

// preview publishes the files as a Theme of the pull request's own in the Environment of previews, and adds its addresses to
// the comment, or why there are none. Later runs publish it again at the same addresses.
func (r *review) preview(ctx context.Context) error {
	if r.previewEnv == "" {
		return nil
	}
	switch {
	case r.event.isFork():
		r.noPreview("this pull request is of a fork")
		return nil
	case r.isNew && r.place.Variant == "":
		r.noPreview("it is served by the rules of the Theme, which does not exist yet")
		return nil
	case r.faulty:
		r.noPreview("the files have faults")
		return nil
	}
	if err := r.publishPreview(ctx); err != nil {
		code := r.report(err)
		r.noPreview("it could not be published; the log of the job says why")
		r.status = cmp.Or(r.status, code)
		return nil
	}
	return r.tellPreview(ctx)
}

func (r *review) noPreview(why string) { fmt.Fprintf(&r.comment, "\nNo preview: %s.\n", why) }

// previewPrefix begins the names of the previews of every pull request for this place.
func (r *review) previewPrefix() string {
	prefix := r.place.Theme + "-"
	if r.place.Variant != "" {
		prefix += r.place.Variant + "-"
	}
	return prefix + "pr-"
}

// previewPlace returns the place of the preview.
func (r *review) previewPlace() (target.Target, error) {
	number, err := r.event.pullNumber()
	return target.Target{Env: r.previewEnv, Theme: r.previewPrefix() + number, Variant: r.place.Variant}, err
}

// publishPreview publishes what a release of the files would: them, or, if a release would keep tokens that they lack, them
// merged into what exists. The preview of a Variant is that of its Theme as well.
func (r *review) publishPreview(ctx context.Context) error {
	place, err := r.previewPlace()
	if err != nil {
		return err
	}
	files := r.files
	if !r.replace && !r.isNew {
		before, err := r.pull(ctx, r.place, "before.json")
		if err != nil {
			return err
		}
		files = append([]string{before}, files...)
	}
	theme := place
	theme.Variant = ""
	if _, err := target.Lookup(ctx, r.client, theme); err != nil {
		if missing, ok := errors.AsType[*target.Missing](err); !ok || missing.Kind != "Theme" {
			return err
		}
		if err := r.show(ctx, "theme", "create", theme.Theme, "--preview-of", r.place.Theme, "--env", theme.Env, "--url", r.url, "--token", r.token); err != nil {
			return err
		}
	}
	if place.Variant == "" {
		return r.show(ctx, r.pushArgs(files, place, true, false)...)
	}
	document, err := r.pull(ctx, target.Target{Env: r.place.Env, Theme: r.place.Theme}, "theme.json")
	if err != nil {
		return err
	}
	if err := r.show(ctx, r.pushArgs([]string{document}, theme, true, false)...); err != nil {
		return err
	}
	return r.show(ctx, r.pushArgs(files, place, true, true)...)
}

// tellPreview adds the addresses of the preview to the comment, and the first of them to the outputs of the step.
func (r *review) tellPreview(ctx context.Context) error {
	place, err := r.previewPlace()
	if err != nil {
		return err
	}
	f, err := target.Lookup(ctx, r.client, place)
	if err != nil {
		return err
	}
	urls := f.Theme.ServingURLs
	if f.Variant != nil {
		urls = f.Variant.ServingURLs
	}
	if len(urls.Latest) == 0 {
		r.noPreview("the Theme serves no file until it has an integration")
		return nil
	}
	awaitEdge(ctx, urls)
	fmt.Fprint(&r.comment, "\n**Preview**, served by the rules of the Theme until this request is closed:\n\n")
	for _, file := range urls.Latest {
		fmt.Fprintf(&r.comment, "- [`%s`](%s)\n", file.File, file.URL)
	}
	return appendTo(os.Getenv("GITHUB_OUTPUT"), []byte("preview-url="+urls.Latest[0].URL+"\n"))
}

// awaitEdge waits until an edge answers for a pinned file: with it, or that the rules of the Theme do not let this machine
// have it. It gives up after 10 s: the job need not reach an edge.
func awaitEdge(ctx context.Context, urls client.ServingURLs) {
	if len(urls.Pinned) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, urls.Pinned[0].URL, http.NoBody)
		if err != nil {
			return
		}
		if response, err := forgeClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusForbidden {
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// closePreviews deletes the preview of the pull request and, on GitHub, which does not begin a job for every pull request that
// is closed, those for the same place whose pull requests are not open.
func (r *review) closePreviews(ctx context.Context) error {
	if r.previewEnv == "" {
		return nil
	}
	closed, err := r.event.pullNumber()
	if err != nil {
		return err
	}
	env, err := target.FindEnvironment(ctx, r.client, r.previewEnv)
	if err != nil {
		return err
	}
	var numbers []string
	for theme, err := range r.client.EveryTheme(ctx, env.ID) {
		if err != nil {
			return err
		}
		number, ok := strings.CutPrefix(theme.Slug, r.previewPrefix())
		if _, err := strconv.ParseUint(number, 10, 63); ok && err == nil {
			numbers = append(numbers, number)
		}
	}
	open, known, err := openPulls(ctx) // asked after the list of previews, so that every pull request of it is found
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if number != closed && (!known || open[number]) {
			continue
		}
		if err := r.show(ctx, "theme", "delete", r.previewPrefix()+number, "--env", env.ID, "--yes", "--url", r.url, "--token", r.token); err != nil {
			return err
		}
	}
	return nil
}
