// Package bulk reads requests that name many Variants of one Theme, and holds what they are answered. Which Variant may
// be published or discarded is for package theming to say.
package bulk

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// MaxVariants is how many Variants one request may name.
const MaxVariants = 1000

// MaxNote is how many characters a note may have.
const MaxNote = 500

// Request asks for a publish, or a discard, of many Variants.
type Request struct {
	All    bool   // of the Theme
	Picks  []Pick // in the order of the answer; none if All
	Only   string // Any, Changed or Unchanged
	Note   string // of the versions; empty means none
	DryRun bool   // only say what would be done
	Values bool   // of each override that a draft changes; of a dry run only
}

// Pick is one Variant of a request.
type Pick struct {
	ID   string
	ETag *string // of the draft that the caller saw; nil claims nothing
}

// What Request.Only keeps: drafts that are as what their Variant serves, those that are not, or both.
const (
	Any       = "any"
	Changed   = "changed"
	Unchanged = "unchanged"
)

// NotFound is why a Variant was skipped that the Theme does not have. The other reasons are those of package theming, and
// Changed and Unchanged for what Request.Only leaves out.
const NotFound = "notFound"

// Done is what a publish or a discard did to one Variant, or would do. Paths are dotted.
type Done struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	Version *uint32  `json:"version"`         // that was published; null of a discard
	ETag    string   `json:"etag"`            // of the draft that is gone
	Added   []string `json:"added"`           // overrides of the draft that the Variant did not serve
	Removed []string `json:"removed"`         // overrides that it served and the draft lacks
	Changed []string `json:"changed"`         // overrides with another value
	Values  []Value  `json:"values,omitzero"` // of all of them, in that order; nil unless the request asks for them
}

// Value is what an override is changed from and to. A side without an override is left out.
type Value struct {
	Path string         `json:"path"`
	From jsontext.Value `json:"from,omitzero"`
	To   jsontext.Value `json:"to,omitzero"`
}

// Show adds the values of what a draft changes. served is what the Variant serves, nil for nothing, and draft what it would
// serve.
func (d *Done) Show(served, draft *jsontree.Node) {
	d.Values = []Value{}
	for _, path := range slices.Concat(d.Added, d.Removed, d.Changed) {
		d.Values = append(d.Values, Value{path, valueOf(served, path), valueOf(draft, path)})
	}
}

func valueOf(overrides *jsontree.Node, path string) jsontext.Value {
	if overrides == nil || overrides.Find(path) == nil {
		return nil
	}
	return jsontree.Append(nil, overrides.Find(path))
}

// NewDone returns what is done to the draft with an etag, by what it changes.
func NewDone(id, slug, etag string, c theming.Comparison) Done {
	list := func(paths []string) []string { return append([]string{}, paths...) }
	return Done{ID: id, Slug: slug, ETag: etag, Added: list(c.Added), Removed: list(c.Removed), Changed: list(c.Changed)}
}

// Skipped is a Variant to which nothing was done.
type Skipped struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Batched is what a batch made of one Variant. A minimal one ends with the etag.
type Batched struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	ETag    *string  `json:"etag"` // of the draft; null without one
	Variant any      `json:"variant,omitzero"`
	Added   []string `json:"added,omitzero"`   // overrides that the Variant does not serve
	Removed []string `json:"removed,omitzero"` // overrides that it serves, and that a publish would end
	Changed []string `json:"changed,omitzero"` // overrides with another value than it serves
}

// NewBatched returns what a batch made of v, whose body is as a read of it shows it.
func NewBatched(v record.Variant, c theming.Comparison, body any, minimal bool) Batched {
	b := Batched{ID: v.ID, Slug: v.Slug}
	if v.DraftETag != "" {
		b.ETag = &v.DraftETag
	}
	if !minimal {
		done := NewDone(v.ID, v.Slug, v.DraftETag, c)
		b.Variant, b.Added, b.Removed, b.Changed = body, done.Added, done.Removed, done.Changed
	}
	return b
}

// Parse reads a body, and says everything that is wrong with it.
func Parse(root *jsontree.Node) (r Request, faults []string) {
	fault := func(format string, values ...any) { faults = append(faults, fmt.Sprintf(format, values...)) }
	switch n := root.Find("variants"); {
	case n.IsString() && n.Text == "all":
		r.All = true
	case n == nil || n.Kind != jsontree.Array:
		fault(`variants: must be "all" or a list of ids`)
	case len(n.Items()) > MaxVariants:
		fault("variants: a request may name %d Variants, not %d", MaxVariants, len(n.Items()))
	default:
		r.Picks = picks(n, fault)
	}
	r.Only = Any
	if n := root.Find("only"); n != nil {
		if r.Only = ""; n.IsString() {
			r.Only = n.Text
		}
		if r.Only != Any && r.Only != Changed && r.Only != Unchanged {
			fault("only: must be any, changed or unchanged")
		}
	}
	word := func(name string) bool {
		n := root.Find(name)
		if n != nil && n.Kind != jsontree.Bool {
			fault("%s: must be true or false", name)
		}
		return n != nil && n.True
	}
	r.DryRun, r.Values = word("dryRun"), word("values")
	if r.Values && !r.DryRun {
		fault("values: are of a dry run only")
	}
	var what string
	if r.Note, what = Note(root); what != "" {
		fault("%s", what)
	}
	return r, faults
}

func picks(list *jsontree.Node, fault func(string, ...any)) (all []Pick) {
	seen := map[string]bool{}
	for i, n := range list.Items() {
		id, etag := n, (*jsontree.Node)(nil)
		if n.IsObject() {
			id, etag = n.Find("id"), n.Find("etag")
		}
		switch {
		case !id.IsString():
			fault("variants[%d]: must be an id, or an object with the id and the etag of the draft", i)
			continue
		case etag != nil && !etag.IsString():
			fault("variants[%d]: etag: must be a string", i)
			continue
		case seen[id.Text]:
			fault("variants[%d]: %q stands in the list twice", i, id.Text)
		}
		seen[id.Text] = true
		p := Pick{ID: id.Text}
		if etag != nil {
			p.ETag = &etag.Text
		}
		all = append(all, p)
	}
	return all
}

// Note reads the note of a publish from its body, and says what is wrong with it. No body has no note.
func Note(root *jsontree.Node) (note, fault string) {
	n := root.Find("note")
	if n == nil || n.Kind == jsontree.Null {
		return "", ""
	}
	if !n.IsString() {
		return "", "note: must be a string"
	}
	note = strings.TrimSpace(n.Text)
	if utf8.RuneCountInString(note) > MaxNote || strings.ContainsFunc(note, unicode.IsControl) {
		return "", fmt.Sprintf("note: must be at most %d characters without control characters", MaxNote)
	}
	return note, ""
}

// Skips returns why the request leaves a Variant with a draft alone, by what the draft changes; empty if it does not.
func (r Request) Skips(c theming.Comparison) string {
	changes := len(c.Added)+len(c.Removed)+len(c.Changed) > 0
	switch {
	case r.Only == Changed && !changes:
		return Unchanged
	case r.Only == Unchanged && changes:
		return Changed
	}
	return ""
}
