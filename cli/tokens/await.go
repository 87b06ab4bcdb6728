package tokens

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// awaitPause is how often a file is asked for while an edge is waited for.
const awaitPause = 100 * time.Millisecond

// AwaitServed returns when an edge serves the newest version of the files, under its number and as latest.
// The latest files may be those of before for the cache lifetime of their Environment, beyond which it waits for
// servedWithin. A Variant's file under a number is that of before until the edge hears of the publish:
// it is recognised by its content.
func AwaitServed(ctx context.Context, c *client.Client, f target.Resolved, urls client.ServingURLs) error {
	if len(urls.Pinned) == 0 || len(urls.Latest) == 0 {
		return noFile(f.Theme)
	}
	ctx, cancel := context.WithTimeout(ctx, servedWithin+time.Duration(f.Env.CacheLifetime)*time.Second)
	defer cancel()
	isWanted := func(answer) bool { return true }
	if f.Variant != nil {
		content, err := c.Scope(f.Env.ID, f.Theme.ID).Preview(ctx, f.Variant.ID, urls.Pinned[0].File, client.PreviewOptions{})
		if err != nil {
			return err
		}
		isWanted = func(a answer) bool { return bytes.Equal(a.content, content) }
	}
	pinned, err := awaitFile(ctx, urls.Pinned[0].URL, isWanted)
	if err != nil {
		return err
	}
	_, err = awaitFile(ctx, urls.Latest[0].URL, func(a answer) bool { return a.etag == pinned.etag })
	return err
}

// answer is an answer of an edge.
type answer struct {
	etag    string
	content []byte
}

// awaitFile returns a file once it is served as wanted.
func awaitFile(ctx context.Context, url string, isWanted func(answer) bool) (answer, error) {
	said := "nothing"
	for {
		file, status, err := fileAt(ctx, url)
		switch {
		case status == http.StatusForbidden:
			return file, term.Fail("Request it from a page that is allowed to.", "the edge does not let this machine have %s: the operator sets who may", url)
		case status == http.StatusOK && err == nil && isWanted(file):
			return file, nil
		case err != nil && ctx.Err() == nil:
			said = err.Error()
		case status == http.StatusOK:
			said = "the previous version"
		case status != 0:
			said = strconv.Itoa(status)
		}
		select {
		case <-ctx.Done():
			return file, term.Fail("The version is published; check the edge.", "the edge does not serve %s yet; the last answer was %s", url, said)
		case <-time.After(awaitPause):
		}
	}
}

// fileAt asks an edge for a file. A status of 0 means that there is no answer.
func fileAt(ctx context.Context, url string) (a answer, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return a, 0, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, 0, err
	}
	defer res.Body.Close()
	a.etag = res.Header.Get("ETag")
	a.content, err = io.ReadAll(res.Body)
	return a, res.StatusCode, err
}
