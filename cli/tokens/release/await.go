package release

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
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
		return term.Fail("Give it one: livery theme update "+f.Theme.Slug+" --integration react/plainCSS", "Theme %s serves no file until it has an integration", f.Theme.Slug)
	}
	ctx, cancel := context.WithTimeout(ctx, servedWithin+time.Duration(f.Env.CacheLifetime)*time.Second)
	defer cancel()
	wanted := func(servedFile) bool { return true }
	if f.Variant != nil {
		content, err := c.PreviewVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, urls.Pinned[0].File)
		if err != nil {
			return err
		}
		wanted = func(s servedFile) bool { return bytes.Equal(s.content, content) }
	}
	pinned, err := awaitFile(ctx, urls.Pinned[0].URL, wanted)
	if err != nil {
		return err
	}
	_, err = awaitFile(ctx, urls.Latest[0].URL, func(s servedFile) bool { return s.etag == pinned.etag })
	return err
}

// servedFile is an answer of an edge. A status of 0 means that there was none.
type servedFile struct {
	status    int
	etag      string
	immutable bool // the address will never have other content
	content   []byte
}

// awaitFile returns a file once it is served as wanted.
func awaitFile(ctx context.Context, url string, wanted func(servedFile) bool) (servedFile, error) {
	said := "nothing"
	for {
		file, err := fileAt(ctx, url)
		switch {
		case file.status == http.StatusForbidden:
			return file, term.Fail("Request it from a page that is allowed to.", "the edge does not let this machine have %s: the operator sets who may", url)
		case file.status == http.StatusOK && wanted(file):
			return file, nil
		case err != nil && ctx.Err() == nil:
			said = err.Error()
		case file.status == http.StatusOK:
			said = "the previous version"
		case file.status != 0:
			said = strconv.Itoa(file.status)
		}
		select {
		case <-ctx.Done():
			return file, term.Fail("The version is published; check the edge.", "the edge does not serve %s yet; the last answer was %s", url, said)
		case <-time.After(awaitPause):
		}
	}
}

// fileAt asks an edge for a file.
func fileAt(ctx context.Context, url string) (servedFile, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return servedFile{}, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return servedFile{}, err
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	immutable := strings.Contains(res.Header.Get("Cache-Control"), "immutable")
	return servedFile{res.StatusCode, res.Header.Get("ETag"), immutable, content}, err
}
