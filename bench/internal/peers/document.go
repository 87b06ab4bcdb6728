package peers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// overridden is how many tokens one more brand changes.
const overridden = 50

// shortest is how long one sample of ours lasts at least: what is quicker is done again and again.
const shortest = 100 * time.Millisecond

// document is what every tool is measured with, and what came of it.
type document struct {
	what            string // in the tables
	file            string
	text            string
	tokens          int
	compiled        *renderer.CompiledTheme
	overrides       string       // JSON text: a value for each of some tokens
	plan            plan.Plan    // of tokens.css
	overlay         plan.Overlay // of tokens.css
	out             []byte       // reused
	all             samples      // text to all five files
	brand           samples      // overrides' text to all five files
	compile         samples      // overrides' text over a compiled overlay to tokens.css
	compiledOverlay samples      // compiled overlay to tokens.css
	peers           [len(peers)]builds
}

const oneToken = `{"color":{"$type":"color","accent":{"$value":{"colorSpace":"srgb","components":[0.2,0.4,0.6],"hex":"#336699"}}}}`

// documents reads what is measured. scratch takes the document that is written here.
func (b *bench) documents(scratch string) ([]*document, error) {
	one := filepath.Join(scratch, "one.tokens.json")
	if err := os.WriteFile(one, []byte(oneToken), 0o644); err != nil {
		return nil, err
	}
	all := []*document{
		{what: "one token", file: one},
		{what: "Primer", file: filepath.Join(b.corpus, "github-primer.tokens.json")},
		{what: "NL Design System", file: filepath.Join(b.corpus, "nl-design-system-ma-merged.tokens.json")},
		{what: "synthetic", file: filepath.Join(b.corpus, "livery-synthetic-large-10000.tokens.json")},
	}
	for _, d := range all {
		if err := d.prepare(); err != nil {
			return nil, fmt.Errorf("%s: %w", d.what, err)
		}
	}
	return all, nil
}

// prepare reads the document and compiles its plan and the overlay of one brand.
func (d *document) prepare() error {
	text, err := os.ReadFile(d.file)
	if err != nil {
		return err
	}
	d.text = string(text)
	root, err := jsontree.Parse(d.text)
	if err != nil {
		return err
	}
	tokens := dtcg.Read(root).Tokens
	d.tokens = len(tokens)
	overrides := brandOf(tokens)
	d.overrides = string(jsontree.Append(nil, overrides))
	d.compiled = renderer.Compile(root, "")
	if d.plan, err = plan.Open(d.compiled.Plan(renderer.TokensCSS)); err != nil {
		return err
	}
	if err := d.compileBrand(); err != nil {
		return err
	}
	if string(d.overlay.Append(nil)) != string(renderer.LoadTree(root, overrides, "").Append(nil, renderer.TokensCSS)) {
		return errors.New("the plan gives other bytes than the renderer")
	}
	return nil
}

// compileBrand compiles the overlay of tokens.css from the overrides' text.
func (d *document) compileBrand() error {
	overrides, err := jsontree.Parse(d.overrides)
	if err != nil {
		return err
	}
	d.overlay, err = plan.OpenOverlay(d.plan, d.compiled.Overlay(d.compiled.Load(overrides), renderer.TokensCSS))
	return err
}

// brandOf gives tokens spread over the document the value of the next token of their type.
func brandOf(tokens []dtcg.Token) *jsontree.Node {
	overrides := jsontree.NewObject()
	step := max(1, len(tokens)/overridden)
	for i := 0; i < len(tokens) && len(overrides.Members) < overridden; i += step {
		for _, next := range tokens[i+1:] {
			if next.Served != nil && next.Resolved == tokens[i].Resolved {
				overrides.Members = append(overrides.Members, jsontree.Member{Name: tokens[i].Path, Value: next.Served})
				break
			}
		}
	}
	return overrides
}

// render takes one sample of everything that is ours.
func (d *document) render() error {
	var err error
	d.all.add(func() {
		var set *renderer.Set
		if set, err = renderer.Load(d.text, "", ""); err == nil {
			d.files(set)
		}
	})
	if err != nil {
		return err
	}
	d.brand.add(func() {
		var overrides *jsontree.Node
		if overrides, err = jsontree.Parse(d.overrides); err == nil {
			d.files(d.compiled.Load(overrides))
		}
	})
	if err != nil {
		return err
	}
	d.compile.add(func() {
		if err = d.compileBrand(); err == nil {
			d.out = d.overlay.Append(d.out[:0])
		}
	})
	d.compiledOverlay.add(func() { d.out = d.overlay.Append(d.out[:0]) })
	return err
}

func (d *document) files(set *renderer.Set) {
	for f := range renderer.File(renderer.FileCount) {
		d.out = set.Append(d.out[:0], f)
	}
}
