package syntax

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"example.com/livery/renderer/jsontree"
)

// maxYAMLNodes bounds what aliases of YAML may multiply.
const maxYAMLNodes = 1 << 20

// directive is one before a document, such as %YAML 1.2, which says nothing that is not known.
var directive = regexp.MustCompile(`(?m)\A((?:[#\s].*\n|\n)*)%(.*\n(?:[#%\s].*\n|\n)*---)`)

// parseYAML reads the one document of a text. Anchors, aliases and merge keys are applied.
func parseYAML(text string) (*File, error) {
	for directive.MatchString(text) {
		text = directive.ReplaceAllString(text, "$1#$2")
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, yamlError(text, err)
	}
	r := yamlReader{text: text, starts: lineStarts(text), anchors: map[string]ast.Node{}, offsets: map[string]int{}}
	var root *jsontree.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case root != nil:
			return nil, &Error{r.offset(doc.Body.GetToken()), "a second document begins; write each into a file of its own", YAML}
		default:
			root, err = r.value(doc.Body, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	if root == nil {
		root = jsontree.NewObject()
	}
	return &File{root, YAML, r.twice, func() *Positions { return &Positions{text, r.offsets} }}, nil
}

func yamlError(text string, err error) error {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
		r := yamlReader{text: text, starts: lineStarts(text)}
		return &Error{r.offset(e.GetToken()), e.GetMessage(), YAML}
	}
	return &Error{0, err.Error(), YAML}
}

// yamlReader makes a tree of one document.
type yamlReader struct {
	text    string
	starts  []int // of the lines
	anchors map[string]ast.Node
	offsets map[string]int
	nodes   int
	twice   []Duplicate
}

// lineStarts returns the offset of each line.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offset is the place of a word; the parser counts lines and characters from 1.
func (r *yamlReader) offset(t *token.Token) int {
	if t == nil || t.Position == nil || t.Position.Line < 1 || t.Position.Line > len(r.starts) {
		return 0
	}
	at := r.starts[t.Position.Line-1]
	line, _, _ := strings.Cut(r.text[at:], "\n")
	count := 1
	for i := range line {
		if count == t.Position.Column {
			return at + i
		}
		count++
	}
	return at + len(line)
}

func (r *yamlReader) value(n ast.Node, at jsontree.Pointer) (*jsontree.Node, error) {
	if r.nodes++; r.nodes > maxYAMLNodes || len(at) > jsontree.MaxDepth {
		return nil, &Error{r.offset(n.GetToken()), "it is too large or nests too deep, with what its aliases repeat", YAML}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.mapping(n.Values, at)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{n}, at)
	case *ast.SequenceNode:
		return r.sequence(n, at)
	case *ast.AnchorNode:
		r.anchors[n.Name.String()] = n.Value
		return r.value(n.Value, at)
	case *ast.AliasNode:
		target, err := r.target(n)
		if err != nil {
			return nil, err
		}
		return r.value(target, at)
	case *ast.TagNode:
		return r.value(n.Value, at)
	}
	return scalar(n), nil
}

func (r *yamlReader) target(n *ast.AliasNode) (ast.Node, error) {
	if target := r.anchors[n.Value.String()]; target != nil {
		return target, nil
	}
	return nil, &Error{r.offset(n.GetToken()), fmt.Sprintf("nothing before it is anchored as &%s", n.Value), YAML}
}

func (r *yamlReader) sequence(n *ast.SequenceNode, at jsontree.Pointer) (*jsontree.Node, error) {
	list := &jsontree.Node{Kind: jsontree.Array}
	for i, v := range n.Values {
		below := append(at[:len(at):len(at)], strconv.Itoa(i))
		r.offsets[below.String()] = r.offset(v.GetToken())
		item, err := r.value(v, below)
		if err != nil {
			return nil, err
		}
		list.AddItem(item)
	}
	return list, nil
}

func (r *yamlReader) mapping(values []*ast.MappingValueNode, at jsontree.Pointer) (*jsontree.Node, error) {
	result, seen := jsontree.NewObject(), map[string]int{}
	for _, v := range values {
		if v.Key.IsMergeKey() {
			if err := r.merge(result, v.Value, at); err != nil {
				return nil, err
			}
			continue
		}
		name := nameOf(v.Key)
		below := append(at[:len(at):len(at)], name)
		i := result.IndexOf(name)
		if line, ok := seen[name]; ok {
			r.twice = append(r.twice, Duplicate{below.String(), line, result.Members[i].Value})
		}
		key := v.Key.GetToken()
		seen[name] = key.Position.Line
		r.offsets[below.String()] = r.offset(key)
		value, err := r.value(v.Value, below)
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			result.Members[i].Value = value // a merge key or a member before gave it
			continue
		}
		result.Members = append(result.Members, jsontree.Member{Name: name, Value: value})
	}
	result.Index()
	return result, nil
}

// merge adds the members of the mappings that a merge key names, unless they are there.
func (r *yamlReader) merge(into *jsontree.Node, n ast.Node, at jsontree.Pointer) error {
	value, err := r.value(n, at)
	if err != nil {
		return err
	}
	for _, from := range append(value.Items(), value) {
		for _, m := range from.Members {
			if into.IndexOf(m.Name) < 0 {
				into.Members = append(into.Members, m)
			}
		}
	}
	return nil
}

// nameOf is the text of a key as it is written.
func nameOf(key ast.MapKeyNode) string {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		return k.Value.String()
	}
	return key.GetToken().Value
}

// scalar makes a node of a value that holds no other. Numbers stay as they are written if JSON knows the spelling.
func scalar(n ast.Node) *jsontree.Node {
	switch n := n.(type) {
	case *ast.StringNode:
		return jsontree.NewString(n.Value)
	case *ast.LiteralNode:
		return jsontree.NewString(n.Value.Value)
	case *ast.BoolNode:
		return &jsontree.Node{Kind: jsontree.Bool, True: n.Value}
	case *ast.IntegerNode:
		return numberNode(n.Token.Value, n.Value)
	case *ast.FloatNode:
		return numberNode(n.Token.Value, n.Value)
	case *ast.NullNode:
		return &jsontree.Node{}
	}
	return jsontree.NewString(strings.TrimSpace(n.String()))
}

func numberNode(word string, value any) *jsontree.Node {
	for _, spelling := range []string{word, fmt.Sprint(value)} {
		if parsed, err := jsontree.Parse(spelling); err == nil && parsed.Kind == jsontree.Number {
			return parsed
		}
	}
	return jsontree.NewString(word)
}
