// Package yamlfile reads and writes the YAML and JSON files that people write by hand.
//
// A file means what it says. A plain scalar is the text that is written if its place holds a text, so that 1.10, 007, 1_000, no and
// 2026-01-01 stay these texts there; elsewhere numbers and booleans are those of the core schema of YAML 1.2. What a reader could
// take for something else is refused with its place: members that are unknown or occur twice, a second document, anchors, aliases,
// merge keys and tags.
package yamlfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/jsontree"
)

// Document is the document of a file.
type Document struct {
	name string
	root *yaml.Node // nil if the file is empty
}

// Error is a fault of a file, with its place.
type Error struct {
	Sentence string // with the name of the file, the line and the column
	Next     string // what to do, a sentence
}

func (e *Error) Error() string { return e.Sentence }

// Hint returns what to do about the fault.
func (e *Error) Hint() string { return e.Next }

// Texts is a list of texts that may be written as one text. The zero value stands for a member that is left out or null.
type Texts []string

// Decode reads the document of a file into v, as Parse and Document.Decode do.
func Decode(name string, data []byte, v any) error {
	d, err := Parse(name, data)
	if err != nil {
		return err
	}
	return d.Decode(v)
}

// yamlDirective is the version directive of YAML 1.2, which the parser does not know.
var yamlDirective = regexp.MustCompile(`\A(?:#.*\n|\s*\n)*%YAML 1\.2`)

// Parse parses a file that has at most one document. name is the file's name in errors, each of which is an *Error.
func Parse(name string, data []byte) (*Document, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if json.Valid(data) {
		data = adaptJSON(data)
	}
	if at := yamlDirective.FindIndex(data); at != nil {
		data = bytes.Clone(data)
		data[at[1]-1] = '1'
	}
	d := &Document{name: name}
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, d.syntaxFailure(data, err)
		}
		switch body := document.Content[0]; {
		case isEmpty(body):
		case d.root != nil:
			return nil, d.fail(body, "Write one document into a file.", "a second document begins here")
		default:
			if err := d.check(body); err != nil {
				return nil, err
			}
			d.root = body
		}
	}
}

// jsonOnly matches what the YAML parser reads otherwise than JSON means it: escapes that it does not know, and characters that it
// refuses or takes for line ends. The first alternative skips escaped backslashes.
var jsonOnly = regexp.MustCompile(`\\\\|\\/|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[\x{7f}-\x{9f}\x{2028}\x{2029}\x{feff}\x{fffe}\x{ffff}]`)

// adaptJSON returns JSON that the YAML parser reads as what text means.
func adaptJSON(text []byte) []byte {
	return jsonOnly.ReplaceAllFunc(text, func(found []byte) []byte {
		var s string
		switch {
		case string(found) == `\\`:
			return found
		case found[0] != '\\':
			return fmt.Appendf(nil, `\u%04x`, []rune(string(found))[0])
		case json.Unmarshal([]byte(`"`+string(found)+`"`), &s) != nil:
			return found
		}
		return []byte(s)
	})
}

func isEmpty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" }

// syntaxError is how the parser reports a fault. It counts lines from 0 in its own errors, from 1 in those of its scanner, and
// leaves the first line out.
var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

func (d *Document) syntaxFailure(data []byte, err error) error {
	line, what := 1, err.Error()
	if m := syntaxError.FindStringSubmatch(what); m != nil {
		n, _ := strconv.Atoi(m[1])
		if what = m[2]; strings.HasPrefix(what, "did not find expected") {
			n++
		}
		line = max(n, 1)
	}
	column := 1
	if lines := bytes.Split(data, []byte("\n")); line <= len(lines) {
		text := lines[line-1]
		column += len(text) - len(bytes.TrimLeft(text, " \t"))
	}
	return d.fail(&yaml.Node{Line: line, Column: column}, "Fix that line and try again; a text with special characters needs quotes.", "%s", what)
}

// fail returns an error at the place of n.
func (d *Document) fail(n *yaml.Node, next, format string, args ...any) error {
	return &Error{fmt.Sprintf("%s:%d:%d: %s", d.name, n.Line, n.Column, fmt.Sprintf(format, args...)), next}
}

// FailAt returns an error at the place of a member of the document, or of the nearest object around it if the file leaves it out.
// path has the names of the objects and the indexes of the lists that lead to the member.
func (d *Document) FailAt(path []string, next, format string, args ...any) error {
	n := d.root
	if n == nil {
		n = &yaml.Node{Line: 1, Column: 1}
	}
	for _, step := range path {
		below := childOf(n, step)
		if below == nil {
			break
		}
		n = below
	}
	return d.fail(n, next, format, args...)
}

// check refuses what a reader could take for something else, at n and below.
func (d *Document) check(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return d.fail(n, "Write the value out wherever it belongs.", "anchors and aliases are not supported")
	case n.Style&yaml.TaggedStyle != 0:
		return d.fail(n, "Leave it out; a text in quotes is always a text.", "tags such as %s are not supported", n.Tag)
	}
	first := map[string]int{} // line by member
	for i, child := range n.Content {
		if err := d.check(child); err != nil {
			return err
		}
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			continue
		}
		switch line, twice := first[child.Value]; {
		case child.Kind != yaml.ScalarNode:
			return d.fail(child, "Write a text before the colon.", "the name of a member must be a text")
		case child.Style == 0 && child.Value == "<<":
			return d.fail(child, "Write the members out wherever they belong.", "merge keys are not supported")
		case twice:
			return d.fail(child, "Remove one of the two.", "%s occurs twice in one object, first in line %d", child.Value, line)
		}
		first[child.Value] = child.Line
	}
	return nil
}

// Decode stores the document in v, a pointer to a struct, a map or a slice. Members of structs have the names of their json tags. A
// slice of structs with a field that is tagged yaml:"key" is an object, whose members keep their order; the field has the name of the
// member. An empty document leaves v as it is.
func (d *Document) Decode(v any) error {
	if d.root == nil {
		return nil
	}
	return d.decode(d.root, reflect.ValueOf(v).Elem(), "the document")
}

func (d *Document) decode(n *yaml.Node, v reflect.Value, what string) error {
	if texts, ok := v.Addr().Interface().(*Texts); ok {
		return d.decodeTexts(n, texts, what)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if isNull(n) {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(n, v.Elem(), what)
	case reflect.Struct:
		return d.decodeStruct(n, v, what)
	case reflect.Map:
		return d.decodeMap(n, v, what)
	case reflect.Slice:
		if key := keyOf(v.Type().Elem()); key >= 0 {
			return d.decodeKeyed(n, v, key, what)
		}
		if n.Kind != yaml.SequenceNode {
			return d.wants(n, what, "a list", "Write [] for an empty one.")
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			if err := d.decode(item, v.Index(i), "an entry of "+what); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		if n.Kind != yaml.ScalarNode || isNull(n) {
			return d.wants(n, what, "a text", "Write '' for an empty one.")
		}
		v.SetString(n.Value)
		return nil
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.Style != 0 || !isBool.MatchString(n.Value) {
			return d.wants(n, what, "true or false", "")
		}
		v.SetBool(n.Value[0]|' ' == 't')
		return nil
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return d.decodeInteger(n, v, what)
	}
	panic("yamlfile: no support for " + v.Type().String())
}

func (d *Document) decodeStruct(n *yaml.Node, v reflect.Value, what string) error {
	if n.Kind != yaml.MappingNode {
		return d.wants(n, what, "an object", "")
	}
	fields, names := map[string]int{}, []string{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name], names = i, append(names, name)
		}
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		field, known := fields[key.Value]
		if !known {
			next := "It has the members " + strings.Join(names, ", ") + "."
			if near := spelling.Nearest(key.Value, names); near != "" {
				next = "Did you mean " + near + "?"
			}
			return d.fail(key, next, "unknown member %q", key.Value)
		}
		if err := d.decode(n.Content[i+1], v.Field(field), key.Value); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) decodeMap(n *yaml.Node, v reflect.Value, what string) error {
	if n.Kind != yaml.MappingNode {
		return d.wants(n, what, "an object", "Write {} for an empty one.")
	}
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(n.Content[i+1], value, name); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), value)
	}
	return nil
}

// keyOf returns the index of the field of a struct that holds the name of a member, or -1.
func keyOf(t reflect.Type) int {
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if t.Field(i).Tag.Get("yaml") == "key" {
			return i
		}
	}
	return -1
}

// decodeKeyed stores the members of an object in a slice of structs, in the order of the file.
func (d *Document) decodeKeyed(n *yaml.Node, v reflect.Value, key int, what string) error {
	if n.Kind != yaml.MappingNode {
		return d.wants(n, what, "an object", "Write {} for an empty one.")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content)/2, len(n.Content)/2))
	for i := range v.Len() {
		name := n.Content[2*i].Value
		if err := d.decode(n.Content[2*i+1], v.Index(i), name); err != nil {
			return err
		}
		v.Index(i).Field(key).SetString(name)
	}
	return nil
}

func (d *Document) decodeTexts(n *yaml.Node, texts *Texts, what string) error {
	list := []*yaml.Node{n}
	switch {
	case n.Kind == yaml.SequenceNode:
		list = n.Content
	case isNull(n):
		list = nil
	}
	for _, item := range list {
		if item.Kind != yaml.ScalarNode || isNull(item) {
			return d.wants(item, what, "a text or a list of texts", "")
		}
		*texts = append(*texts, item.Value)
	}
	return nil
}

// Scalars of the core schema of YAML 1.2.
var (
	isBool    = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	isInteger = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
)

func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style != 0 {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

func (d *Document) decodeInteger(n *yaml.Node, v reflect.Value, what string) error {
	if n.Kind != yaml.ScalarNode || n.Style != 0 || !isInteger.MatchString(n.Value) {
		return d.wants(n, what, "a whole number", "")
	}
	digits, base := n.Value, 10
	switch {
	case strings.HasPrefix(digits, "0o"):
		digits, base = digits[2:], 8
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	}
	if v.CanInt() {
		i, err := strconv.ParseInt(digits, base, v.Type().Bits())
		v.SetInt(i)
		return d.outOfRange(n, what, err)
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, v.Type().Bits())
	v.SetUint(u)
	return d.outOfRange(n, what, err)
}

func (d *Document) outOfRange(n *yaml.Node, what string, err error) error {
	if err == nil {
		return nil
	}
	return d.fail(n, "Fix that line and try again.", "%s is out of range: %s", what, n.Value)
}

// wants is the failure of a value of another kind than its place needs.
func (d *Document) wants(n *yaml.Node, what, kind, next string) error {
	found := "an object"
	switch {
	case isNull(n):
		found = "nothing"
	case n.Kind == yaml.ScalarNode:
		found = strconv.Quote(n.Value)
	case n.Kind == yaml.SequenceNode:
		found = "a list"
	}
	if next == "" {
		next = "Fix that line and try again."
	}
	return d.fail(n, next, "%s must be %s, not %s", what, kind, found)
}

// Line returns the line of a place such as "teams[0].environments[1].kind", or of the nearest object around it if the file leaves
// it out. It returns 0 if place is not such a place, or the document is empty.
func (d *Document) Line(place string) int {
	if d.root == nil || !isPlace.MatchString(place) {
		return 0
	}
	line, n := d.root.Line, d.root
	for _, step := range strings.FieldsFunc(place, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		below := childOf(n, step)
		if below == nil {
			break
		}
		line, n = below.Line, below
	}
	return line
}

var isPlace = regexp.MustCompile(`^[A-Za-z]+(\.[A-Za-z]+|\[\d+\])*$`)

// childOf returns the value of a member, or the item of that index; nil if there is none.
func childOf(n *yaml.Node, step string) *yaml.Node {
	switch index, err := strconv.Atoi(step); {
	case n.Kind == yaml.SequenceNode && err == nil && index < len(n.Content):
		return n.Content[index]
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

// Encode writes v as YAML that Decode reads back. Members of structs have the names of their json tags.
func Encode(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("yamlfile: encode: %w", err)
	}
	var b bytes.Buffer
	var document yaml.Node
	err = yaml.Unmarshal(adaptJSON(text), &document)
	chooseStyles(&document)
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := errors.Join(err, encoder.Encode(&document), encoder.Close()); err != nil {
		return nil, fmt.Errorf("yamlfile: encode: %w", err)
	}
	return b.Bytes(), nil
}

// chooseStyles writes objects and lists of JSON as blocks, and texts without quotes if the encoder finds that these can be left out.
func chooseStyles(n *yaml.Node) {
	isHidden := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case n.Kind != yaml.ScalarNode:
		n.Style = 0
	case n.Tag == "!!str" && n.Value != "<<" && !strings.ContainsFunc(n.Value, isHidden):
		n.Style = 0
	}
	for _, child := range n.Content {
		chooseStyles(child)
	}
}

// JSON returns a YAML document as JSON with the members in their order. name is the file's name in errors.
func JSON(name string, data []byte) ([]byte, error) {
	d, err := Parse(name, data)
	if err != nil || d.root == nil {
		return []byte("null"), err
	}
	return d.appendJSON(nil, d.root)
}

func (d *Document) appendJSON(dst []byte, n *yaml.Node) (_ []byte, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsontree.AppendString(dst, n.Content[i].Value), ':')
			if dst, err = d.appendJSON(dst, n.Content[i+1]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, child := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = d.appendJSON(dst, child); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return append(dst, "null"...), nil
	case tag != "!!str" && json.Valid([]byte(n.Value)):
		return append(dst, n.Value...), nil
	case tag == "!!int" || tag == "!!float" || tag == "!!bool":
		return nil, d.fail(n, "Write it as JSON does, or in quotes.", "%q is not written as JSON writes it", n.Value)
	}
	return jsontree.AppendString(dst, n.Value), nil
}
