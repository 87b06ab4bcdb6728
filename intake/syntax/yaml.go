package syntax

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"example.com/livery/renderer/jsontree"
)

// The bounds of a text in YAML. maxYAMLNesting is far beyond that of a document, for brackets in texts count too.
const (
	maxYAMLRepeated = 1 << 20 // bytes that its aliases may repeat, with yamlNodeBytes for each node
	yamlNodeBytes   = 16
	maxYAMLNesting  = 4096
)

// directive is one before a document, such as %YAML 1.2, which says nothing that is not known.
var directive = regexp.MustCompile(`(?m)\A((?:[#\s].*\n|\n)*)%(.*\n(?:[#%\s].*\n|\n)*---)`)

// parseYAML reads the one document of a text. Anchors, aliases and merge keys are applied.
func parseYAML(text string) (*File, error) {
	for directive.MatchString(text) {
		text = directive.ReplaceAllString(text, "$1#$2")
	}
	if at := tooDeep(text); at >= 0 {
		return nil, &Error{at, "it nests too deep", YAML}
	}
	file, err := parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, yamlError(text, err)
	}
	r := newYAMLReader(text)
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
	return &File{root, YAML, r.duplicates, r.positions}, nil
}

// tooDeep returns the place at which brackets, or lists on one line, nest beyond all measure; -1 if they do not. The
// parser takes time and memory that grow with the square of the nesting.
func tooDeep(text string) int {
	depth, lists := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '\n':
			lists = 0
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case ' ':
			if i > 0 && strings.IndexByte("-?", text[i-1]) >= 0 {
				lists++
			}
		}
		if depth+lists > maxYAMLNesting {
			return i
		}
	}
	return -1
}

func yamlError(text string, err error) error {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
		r := newYAMLReader(text)
		return &Error{r.offset(e.GetToken()), e.GetMessage(), YAML}
	}
	return &Error{0, err.Error(), YAML}
}

// yamlReader makes a tree of one document.
type yamlReader struct {
	members
	starts []int // of the lines

	characters map[int][]int // their offsets, by the start of their line; nil if each is a byte

	anchors map[string]ast.Node

	aliases  int // around the node at hand
	repeated int // bytes that aliases repeat
}

func newYAMLReader(text string) *yamlReader {
	return &yamlReader{members: newMembers(text), starts: lineStarts(text), characters: map[int][]int{}, anchors: map[string]ast.Node{}}
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
	at, end := r.starts[t.Position.Line-1], len(r.text)
	if t.Position.Line < len(r.starts) {
		end = r.starts[t.Position.Line] - 1
	}
	characters, known := r.characters[at]
	if !known && utf8.RuneCountInString(r.text[at:end]) < end-at {
		for i := range r.text[at:end] {
			characters = append(characters, at+i)
		}
	}
	r.characters[at] = characters
	switch before := max(0, t.Position.Column-1); {
	case characters == nil:
		return min(at+before, end)
	case before < len(characters):
		return characters[before]
	}
	return end
}

func (r *yamlReader) value(n ast.Node, at jsontree.Pointer) (*jsontree.Node, error) {
	if r.aliases > 0 {
		r.repeated += yamlNodeBytes + len(n.GetToken().Value)
	}
	if r.repeated > maxYAMLRepeated || len(at) > jsontree.MaxDepth {
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
		r.aliases++
		defer func() { r.aliases-- }()
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
	result, isWritten := jsontree.NewObject(), map[string]bool{} // or else a merge key gave it
	places := map[string]int{}                                   // of the members of result
	for _, v := range values {
		if v.Key.IsMergeKey() {
			if err := r.merge(result, places, v.Value, at); err != nil {
				return nil, err
			}
			continue
		}
		name := nameOf(v.Key)
		below := append(at[:len(at):len(at)], name)
		i, known := places[name]
		if isWritten[name] {
			r.override(below.String(), result.Members[i].Value)
		}
		isWritten[name], r.offsets[below.String()] = true, r.offset(v.Key.GetToken())
		value, err := r.value(v.Value, below)
		if err != nil {
			return nil, err
		}
		if known {
			result.Members[i].Value = value // a merge key or a member before gave it
			continue
		}
		places[name] = len(result.Members)
		result.Members = append(result.Members, jsontree.Member{Name: name, Value: value})
	}
	result.Index()
	return result, nil
}

// merge adds the members of the mappings that a merge key names, unless places has them.
func (r *yamlReader) merge(into *jsontree.Node, places map[string]int, n ast.Node, at jsontree.Pointer) error {
	value, err := r.value(n, at)
	if err != nil {
		return err
	}
	for _, from := range append(value.Items(), value) {
		for _, m := range from.Members {
			if _, known := places[m.Name]; !known {
				places[m.Name] = len(into.Members)
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
		if n.Token.Type == token.StringType { // 1e3 is not in quotes, and a number
			return numberNode(n.Value, n.Value)
		}
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
