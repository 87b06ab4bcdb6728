package release

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"html"
	"strings"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
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
func (a *app) showTags(ctx context.Context, c *client.Client, f target.Resolved, served client.ServedFile, pinned bool) error {
	if !strings.HasSuffix(served.File, ".css") {
		return term.UsageError("For another file take its address (livery open --print), and the integrity option of fetch.", "--html prints the tags of a stylesheet")
	}
	t := newTags(served.URL, "")
	if pinned {
		version := *f.Theme.LatestVersion
		if f.Variant != nil && (f.Variant.LatestVersion == nil || *f.Variant.LatestVersion != version) {
			return term.Fail("Publish the Variant: livery publish --variant. Or take --pinned=false, without integrity.",
				"what %s serves can still change: the Variant has not published at this version", served.URL)
		}
		content, err := c.Scope(f.Env.ID, f.Theme.ID).Preview(ctx, f.VariantID(), served.File, client.PreviewOptions{Version: version})
		if err != nil {
			return err
		}
		sum := sha512.Sum384(content)
		t = newTags(served.URL, "sha384-"+base64.StdEncoding.EncodeToString(sum[:]))
	} else {
		a.Warn("latest follows every publish, so the tags have no integrity: a browser would refuse the next version. Leave out --pinned=false to have it.")
	}
	return a.Show(t, func() {
		for line := range strings.Lines(t.HTML) {
			a.Say("%s", strings.TrimSpace(line))
		}
	})
}
