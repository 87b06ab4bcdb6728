package site

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// heading is one line of a page's contents.
type heading struct {
	ID, Text string
	Level    int
}

// entry is what the search finds: a section of a page.
type entry struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	Address string `json:"u"`
	Text    string `json:"t"`
}

// renderer renders one page.
type renderer struct {
	builder                *builder
	source, address, title string
	headings               []heading
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute()),
)

// render returns the HTML of a page. Raw HTML of the Markdown is left out.
func (r *renderer) render(source []byte) (string, error) {
	tree := markdown.Parser().Parse(text.NewReader(source))
	var dead []ast.Node
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if n.Destination = r.destination(string(n.Destination)); n.Destination == nil {
				dead = append(dead, n)
			}
		case *ast.Image:
			address, err := r.builder.picture(path.Join(path.Dir(r.source), string(n.Destination)))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(address)
			n.SetAttributeString("loading", []byte("lazy"))
		case *ast.Heading:
			r.heading(n, source)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	for _, n := range dead {
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, c)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	r.index(tree, source)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, tree); err != nil {
		return "", err
	}
	body := strings.ReplaceAll(out.String(), "<pre>", `<pre tabindex="0">`)
	body = strings.NewReplacer("<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>").Replace(body)
	return string(body), nil
}

// heading notes a heading for the contents of the page.
func (r *renderer) heading(n *ast.Heading, source []byte) {
	if id, ok := n.AttributeString("id"); ok && n.Level > 1 && n.Level < 4 {
		r.headings = append(r.headings, heading{string(id.([]byte)), plain(n, source), n.Level})
	}
}

// destination returns where a link leads: to a page of the site if its file is one, to another site as it is, to the console
// if there is one, and for any other file of the repository nowhere.
func (r *renderer) destination(to string) []byte {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || to == documentFile {
		return []byte(to)
	}
	if strings.HasPrefix(to, "../console/") {
		if r.builder.source.Console {
			return []byte(to)
		}
		return nil
	}
	name := path.Join(path.Dir(r.source), u.Path)
	address := r.builder.pages[name]
	if address == "" {
		address = r.builder.pages[path.Join(name, "README.md")]
	}
	if address == "" {
		return nil
	}
	if u.Fragment != "" {
		address += "#" + u.Fragment
	}
	return []byte(address)
}

// index adds the sections of a page to what the search finds.
func (r *renderer) index(tree ast.Node, source []byte) {
	e := entry{Page: r.title, Heading: r.title, Address: r.address}
	var body strings.Builder
	add := func() {
		if e.Text = strings.Join(strings.Fields(body.String()), " "); e.Text != "" {
			r.builder.entries = append(r.builder.entries, e)
		}
		body.Reset()
	}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			body.WriteString(plain(n, source))
			body.WriteByte(' ')
			continue
		}
		add()
		if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
			e.Heading, e.Address = plain(h, source), fmt.Sprintf("%s#%s", r.address, id)
		}
	}
	add()
}

// plain returns the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch {
		case !entering && n.Type() == ast.TypeBlock:
			b.WriteByte(' ')
		case !entering:
		case n.Kind() == ast.KindText:
			t := n.(*ast.Text)
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		case n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}
