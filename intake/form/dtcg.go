package form

import (
	"cmp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const dtcgName = "a DTCG document"

// isDTCG reports whether a file is a DTCG document: it has a $value or a reference somewhere, or the $schema of DTCG.
func isDTCG(f *model.File) bool {
	schema := value.Text(f.Root.Find("$schema"))
	isJSONSchema := strings.Contains(schema, "json-schema.org")
	return strings.Contains(schema, "designtokens.org") || isSomewhere(f.Root, func(n *jsontree.Node) bool {
		isValue := func(m jsontree.Member) bool { return strings.EqualFold(m.Name, "$value") }
		return slices.ContainsFunc(n.Members, isValue) || !isJSONSchema && isReference(n)
	})
}

// isSomewhere reports whether a value is an object that matches or has one in its members, metadata aside.
func isSomewhere(n *jsontree.Node, matches func(*jsontree.Node) bool) bool {
	return n.IsObject() && (matches(n) || slices.ContainsFunc(n.Members, func(m jsontree.Member) bool {
		return !dtcg.IsMetadata(m.Name) && isSomewhere(m.Value, matches)
	}))
}

// isDeclaration reports whether an object is a token, or a group that refers to another.
func isDeclaration(n *jsontree.Node) bool { return isAnyToken(n) || isReference(n) }

// isReference reports whether an object refers to a token or group as DTCG does.
func isReference(n *jsontree.Node) bool {
	return strings.Contains(value.Text(n.Find("$ref")), "#/") || strings.HasPrefix(value.Text(n.Find("$extends")), "{")
}

func readDTCG(f *model.File, o Options) (*model.Document, error) {
	r := newDTCGReader(&model.Document{Files: []*model.File{f}}, o)
	r.read(f.Root, model.Place{File: f}, nil)
	return r.finish(), nil
}

// dtcgReader reads trees of DTCG into a document.
type dtcgReader struct {
	document   *model.Document
	values     *valueModes
	extensions []extensionModes
	at         model.Place     // of the tree that is read
	when       []model.Context // in which the tree holds
}

func newDTCGReader(d *model.Document, o Options) *dtcgReader {
	return &dtcgReader{document: d, values: newValueModes(o)}
}

// finish adds the dimensions of all trees, and returns the document.
func (r *dtcgReader) finish() *model.Document {
	r.document.Dimensions = append(r.document.Dimensions, r.values.usedDimensions()...)
	for _, e := range r.extensions {
		if d := e.dimension(); len(d.Modes) > 1 {
			r.document.Dimensions = append(r.document.Dimensions, d)
		}
	}
	return r.document
}

// read adds the declarations of a tree at a place, which hold in the contexts when.
func (r *dtcgReader) read(root *jsontree.Node, at model.Place, when []model.Context) {
	r.at, r.when = at, when
	root = r.spell(root, nil)
	if v := root.Find("$value"); v != nil {
		r.problem(jsontree.Pointer{"$value"}, "tokens without a name", value.Spell(v)+" is left out: the root of a document is a group", true)
		root = tree.With(root, "$value", nil)
	}
	r.group(root, nil, "")
}

// group adds the declarations of a group in the order of its members. Metadata that follows a token is a declaration of its own there.
func (r *dtcgReader) group(n *jsontree.Node, path jsontree.Pointer, above string) {
	above = cmp.Or(value.Text(n.Find("$type")), above)
	var metadata []jsontree.Member
	addMetadata := func() {
		if len(metadata) > 0 || len(n.Members) == 0 {
			node := jsontree.NewObject(metadata...)
			node.Index()
			decl := r.decl(path, above, node)
			decl.Group = true
			r.document.Decls, metadata = append(r.document.Decls, decl), nil
		}
	}
	for _, m := range n.Members {
		if dtcg.IsMetadata(m.Name) && (slices.Contains(metadataNames, m.Name) || !isSomewhere(m.Value, isDeclaration)) {
			metadata = append(metadata, m)
		} else {
			addMetadata()
			r.member(m, append(path[:len(path):len(path)], m.Name), above)
		}
	}
	addMetadata()
}

// member adds the declarations of a member of a group that is not metadata.
func (r *dtcgReader) member(m jsontree.Member, path jsontree.Pointer, above string) {
	n := r.spell(m.Value, path)
	switch {
	case isAnyToken(n) || isReference(n) && isReferenceAlone(n):
		r.token(n, path, above)
	case n.IsObject() && (value.Shape(n) == "" || isSomewhere(n, isDeclaration)):
		r.nameEmpty(n, path)
		r.group(n, path, above)
	case slices.ContainsFunc(itemsOf(n), func(item *jsontree.Node) bool { return isSomewhere(item, isDeclaration) }):
		r.problem(path, strayMember, "it stands in an array, and only groups hold tokens; write a group with a name for each", true)
	default:
		isLost := len(path) > 1 && looksLikeValue(m)
		r.problem(path, strayMember, value.Spell(n)+` is left out; write {"$value": …} if it is a token, else put it into $extensions`, isLost)
	}
}

// strayMember is the kind of the problems of values that stand in a group as they are.
const strayMember = "members that are neither group nor token"

// looksLikeValue reports whether a member that is not read may be the value of a token, by its name and shape.
func looksLikeValue(m jsontree.Member) bool {
	isComment := slices.Contains(commentNames, strings.TrimLeft(strings.ToLower(m.Name), "_"))
	return !isComment && m.Value.Kind != jsontree.Bool && value.Shape(m.Value) != ""
}

// isReferenceAlone reports whether an object with a $ref has no members of a group.
func isReferenceAlone(n *jsontree.Node) bool {
	return n.Find("$ref") != nil && n.Find("$extends") == nil && len(metadataOf(n).Members) == len(n.Members)
}

// nameEmpty reports a group that is likely a token: it has a member such as $vlaue, or a $type and nothing of this type.
func (r *dtcgReader) nameEmpty(n *jsontree.Node, path jsontree.Pointer) {
	i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool {
		return dtcg.IsMetadata(m.Name) && !slices.Contains(metadataNames, m.Name) && spelling.Nearest(m.Name, metadataNames) == "$value"
	})
	switch {
	case i >= 0:
		r.problem(path, "tokens without a $value", "it has a "+n.Members[i].Name+" and no $value; write $value", true)
	case n.Find("$type") != nil && n.Find("$extends") == nil && len(metadataOf(n).Members) == len(n.Members):
		r.problem(path, "tokens without a $value", "it has a $type and no $value, so it is a group without tokens", false)
	}
}

// token adds the declarations of a token and of the tokens inside it. Other members without a dollar sign become problems.
func (r *dtcgReader) token(n *jsontree.Node, path jsontree.Pointer, above string) {
	node, given := metadataOf(n), valueOf(n)
	isPlain := node.Find("$value") == nil && node.Find("$ref") == nil
	if isPlain {
		node = newToken(n, cmp.Or(value.Text(n.Find("$type")), value.Text(n.Find("type"))), given)
		r.problem(path, "tokens without dollar signs", "its value counts as its $value: "+value.Spell(given), false)
	}
	decl := r.decl(path, cmp.Or(value.Text(node.Find("$type")), above), node)
	r.values.addToken(r.document, decl)
	r.addExtensions(decl)
	for _, m := range n.Members {
		isRead := m.Name == "value" && (isPlain || jsontree.Equal(m.Value, given)) || isPlain && slices.Contains(tokenMembers, m.Name)
		switch below := append(path[:len(path):len(path)], m.Name); {
		case dtcg.IsMetadata(m.Name) || isRead:
		case !slices.Contains(tokenMembers, m.Name) && isSomewhere(m.Value, isDeclaration):
			r.member(m, below, above)
		default:
			r.leaveOut(m, below)
		}
	}
}

// leaveOut names a member of a token that is not read.
func (r *dtcgReader) leaveOut(m jsontree.Member, path jsontree.Pointer) {
	isLost := looksLikeValue(m) && m.Value.Kind != jsontree.Number
	r.problem(path, "members of tokens that are left out", value.Spell(m.Value)+" is left out; put it into $extensions to keep it", isLost)
}

// metadataNames are the members of groups and tokens that DTCG defines.
var metadataNames = []string{"$value", "$type", "$description", "$extensions", "$deprecated", "$extends", "$ref", "$schema", "$defs"}

// spell returns a token or group whose metadata have the letters of DTCG: $value for $Value.
func (r *dtcgReader) spell(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	if !n.IsObject() {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		i := slices.IndexFunc(metadataNames, func(name string) bool { return strings.EqualFold(name, m.Name) })
		if i >= 0 && m.Name != metadataNames[i] && n.Find(metadataNames[i]) == nil {
			r.problem(path, "names in other letters", m.Name+" counts as "+metadataNames[i], false)
			m.Name = metadataNames[i]
		}
		return m
	})
}

func (r *dtcgReader) place(path jsontree.Pointer) model.Place {
	return model.Place{File: r.at.File, Pointer: r.at.Pointer + path.String()}
}

func (r *dtcgReader) decl(path jsontree.Pointer, typ string, node *jsontree.Node) model.Decl {
	return model.Decl{Path: slices.Clone(path), Type: typ, Node: node, When: r.when, Place: r.place(path)}
}

func (r *dtcgReader) problem(path jsontree.Pointer, kind, message string, isLost bool) {
	r.document.Report(r.place(path), strings.Join(path, "."), kind, message, isLost)
}

// extensionModes are the modes that tokens have in $extensions.mode.
type extensionModes struct {
	axis    model.Axis
	modes   []string
	differs map[string]bool // modes in which a token has another value than its $value
}

// addExtensions adds the values that a token has in the modes of $extensions.mode. They are those of a collection of Figma if the
// extensions name it.
func (r *dtcgReader) addExtensions(decl model.Decl) {
	extensions := decl.Node.Find("$extensions")
	modes := extensions.Find("mode")
	if !modes.IsObject() {
		return
	}
	axis := model.Axis{Kind: model.Value, Name: "mode"}
	if collection := value.Text(extensions.Find("figma").Find("collection").Find("name")); collection != "" {
		axis = model.Axis{Kind: model.Figma, Name: collection}
	}
	i := slices.IndexFunc(r.extensions, func(e extensionModes) bool { return e.axis == axis })
	if i < 0 {
		i, r.extensions = len(r.extensions), append(r.extensions, extensionModes{axis: axis, differs: map[string]bool{}})
	}
	for _, m := range modes.Members {
		if !slices.Contains(r.extensions[i].modes, m.Name) {
			r.extensions[i].modes = append(r.extensions[i].modes, m.Name)
		}
		if !jsontree.Equal(m.Value, decl.Node.Find("$value")) {
			r.extensions[i].differs[m.Name] = true
			own := decl
			own.Node, own.When = tree.With(decl.Node, "$value", m.Value), withContext(decl.When, model.Context{{Axis: axis, Mode: m.Name}})
			r.values.addToken(r.document, own)
		}
	}
}

// dimension returns the modes as a dimension. The default is the first mode whose values are those of $value; if there is none, it is
// called "default".
func (e extensionModes) dimension() model.Dimension {
	d := model.Dimension{Axis: e.axis, Modes: e.modes, Default: "default"}
	if i := slices.IndexFunc(e.modes, func(mode string) bool { return !e.differs[mode] }); i >= 0 {
		d.Default = e.modes[i]
	} else if !slices.Contains(e.modes, d.Default) {
		d.Modes = slices.Insert(slices.Clone(e.modes), 0, d.Default)
	}
	return d
}
