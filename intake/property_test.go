package intake

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// design is a random mapping with its files. Each declaration has a value of its own.
type design struct {
	mapping   *Mapping
	documents map[string]*model.Document // by file
	files     memory
}

var (
	scheme  = model.Axis{Kind: model.Value, Name: "scheme"}
	brand   = model.Axis{Kind: model.Resolver, Name: "brand"}
	compact = model.Axis{Kind: model.CSS, Name: ".compact"}
)

func designs(t *rapid.T) *design {
	d := &design{&Mapping{}, map[string]*model.Document{}, memory{}}
	names := []string{"a.json", "b.json", "t/a.json", "t/b.json", "v/a.json", "v/b.json"}
	value := 0
	for _, name := range names {
		document := &model.Document{Form: "a test", Dimensions: []model.Dimension{{Axis: scheme, Modes: []string{"light", "dark"}, Default: "light"}, {Axis: brand, Modes: []string{"acme", "globex"}, Default: "acme"}, {Axis: compact}}}
		for range rapid.IntRange(1, 4).Draw(t, "declarations of "+name) {
			value++
			path := strings.Split(rapid.SampledFrom([]string{"x", "y", "z", "x.a", "x.a.b"}).Draw(t, "path"), ".")
			n, _ := jsontree.Parse(fmt.Sprintf(`{"$type":"number","$value":%d}`, value))
			var contexts []model.Context
			for range rapid.IntRange(0, 2).Draw(t, "contexts") {
				all := []model.Condition{{Axis: scheme, Mode: "dark"}, {Axis: brand, Mode: "globex"}, {Axis: brand, Mode: "acme"}, {Axis: compact}}
				contexts = append(contexts, rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 2, func(c model.Condition) model.Axis { return c.Axis }).Draw(t, "context"))
			}
			document.Decls = append(document.Decls, model.Decl{Path: path, Type: "number", Node: n, When: contexts, Place: model.Place{Pointer: fmt.Sprintf("/%d", len(document.Decls))}})
		}
		d.files[name], d.documents[name] = "{}", document
	}
	lists := rapid.SampledFrom([][]string{{"a.json"}, {"a.json", "b.json"}, {"t"}, {"t", "a.json"}, {"b.json", "t/*"}})
	d.mapping.Files = lists.Draw(t, "files")
	selects := rapid.SampledFrom([]Select{{}, {}, {Value: map[string]string{"scheme": "dark"}}, {Resolver: map[string]string{"brand": "globex"}}, {CSS: []string{".compact"}}, {CSS: []string{".compact"}, Value: map[string]string{"scheme": "dark"}}})
	if rapid.IntRange(0, 3).Draw(t, "ignored") == 0 {
		d.mapping.Ignore = []Select{{CSS: []string{".compact"}}}
	}
	d.mapping.Select = selects.Draw(t, "select")
	for _, v := range []Variant{{Slug: "b"}, {Slug: "m", Mode: "scheme.dark"}, {Slug: "bm", Mode: "scheme.dark", For: "b"}} {
		if rapid.Bool().Draw(t, v.Slug) && (v.For == "" || d.mapping.variant(v.For) != nil) {
			v.Select = selects.Draw(t, "select")
			v.Files = rapid.SampledFrom([][]string{nil, {"v/a.json"}, {"v/b.json", "v/a.json"}, {"v"}, {"b.json"}}).Draw(t, "files")
			d.mapping.Variants = append(d.mapping.Variants, v)
		}
	}
	return d
}

// read reads the design.
func (d *design) read() (*Plan, error) {
	r := NewReader(d.files)
	r.read = func(files []*model.File, _ form.Options) (documents []*model.Document, _ error) {
		for _, f := range files {
			own := *d.documents[f.Name]
			own.Files, own.Decls = []*model.File{f}, slices.Clone(own.Decls)
			for i := range own.Decls {
				own.Decls[i].File = f
			}
			documents = append(documents, &own)
		}
		return documents, nil
	}
	return r.Read(d.mapping)
}

// TestRead_LosesNothing: each declaration of each file ends in the result, or in what is reported.
func TestRead_LosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := designs(t)
		plan, err := d.read()
		if _, isConflict := errors.AsType[*Conflict](err); isConflict {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		tell := func(place model.Place) { told[place.File.Name+place.Pointer] = true }
		for _, v := range plan.Variants {
			for _, m := range v.Values.Members {
				told[m.Value.Text] = true
			}
		}
		for token := range strings.FieldsSeq(flat(plan.Theme.Tree)) {
			_, value, _ := strings.Cut(token, "=")
			told[value] = true
		}
		for _, g := range plan.Problems {
			for _, one := range g.List {
				tell(one.Place)
			}
		}
		for _, pair := range plan.Replaced {
			for _, one := range pair.Examples {
				tell(one.Was)
			}
		}
		unsent := map[model.Condition]bool{{Axis: compact}: d.mapping.Ignore != nil}
		for _, u := range plan.Unsent {
			unsent[u.Condition] = true
		}
		for _, document := range plan.Documents {
			for i := range document.Decls {
				d := &document.Decls[i]
				isUnsent := slices.ContainsFunc(d.Conditions(), func(c model.Condition) bool { return unsent[c] })
				if !told[d.Node.Find("$value").Text] && !told[d.File.Name+d.Pointer] && !isUnsent {
					t.Fatalf("nothing tells of %s of %s%s %v:\n%s", d.Name(), d.File.Name, d.Pointer, d.When, show(plan))
				}
			}
		}
	})
}
