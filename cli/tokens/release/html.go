package release

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"html"
	"net/http"
	"strconv"
	"strings"

	"example.com/livery/cli/term"
)

// tags is what a page needs to use a stylesheet.
type tags struct {
	URL       string `json:"url"`
	Integrity string `json:"integrity,omitempty"` // as Subresource Integrity spells it; empty: the address follows publishes
	HTML      string `json:"html"`
}

// newTags returns the elements for a stylesheet; integrity may be empty.
func newTags(url, integrity string) tags {
	attributes := ` href="` + html.EscapeString(url) + `"`
	if integrity != "" {
		attributes += ` integrity="` + integrity + `"`
	}
	attributes += ` crossorigin="anonymous">`
	return tags{url, integrity, `<link rel="preload" as="style"` + attributes + "\n" + `<link rel="stylesheet"` + attributes}
}

// showTags prints the elements for a stylesheet. At a pinned address they name the hash of its content, which is that of the
// file as it is, in whichever coding it is sent.
func (a *app) showTags(ctx context.Context, url string, pinned bool) error {
	if !strings.HasSuffix(url, ".css") {
		return term.UsageError("For another file take its address (livery open --print), and the integrity option of fetch.", "--html prints the tags of a stylesheet")
	}
	t := newTags(url, "")
	if pinned {
		content, err := finalFile(ctx, url)
		if err != nil {
			return err
		}
		sum := sha512.Sum384(content)
		t = newTags(url, "sha384-"+base64.StdEncoding.EncodeToString(sum[:]))
	} else {
		a.Warn("latest follows every publish, so the tags have no integrity: a browser would refuse the next version. Leave out --pinned=false to have it.")
	}
	return a.Show(t, func() {
		for line := range strings.Lines(t.HTML) {
			a.Say("%s", strings.TrimSpace(line))
		}
	})
}

// finalFile returns the content of an address, which can never change.
func finalFile(ctx context.Context, url string) ([]byte, error) {
	file, err := fileAt(ctx, url)
	switch {
	case err != nil:
		return nil, term.Fail("The integrity is that of the file that the edge serves.", "the edge does not answer: %v", err)
	case file.status == http.StatusForbidden:
		return nil, term.Fail("Request it from a page that is allowed to, or sign it: livery sign --help.", "the edge does not let this machine have %s", url)
	case file.status != http.StatusOK:
		return nil, term.Fail("Wait for it: livery publish --wait.", "the edge answers %s for %s", strconv.Itoa(file.status), url)
	case !file.immutable:
		return nil, term.Fail("Publish the Variant: livery publish --variant. Or take --pinned=false, without integrity.",
			"what %s serves can still change: the Variant has not published at this version", url)
	}
	return file.content, nil
}
