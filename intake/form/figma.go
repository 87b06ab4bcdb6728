package form

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

const figmaName = "a response of Figma's variables API"

// isFigma reports whether a file is a response of Figma's REST API to a request for local variables.
func isFigma(f *model.File) bool {
	meta := f.Root.Find("meta")
	return meta.Find("variables").IsObject() && meta.Find("variableCollections").IsObject()
}

// variable is a variable of Figma.
type variable struct {
	id, collection string
	path           []string // its name, of which slashes make groups
	node           *jsontree.Node
	place          model.Place
	modes          []variableMode // that have a value, the default first
}

// variableMode is the value of a variable in one mode.
type variableMode struct {
	name  string // of the mode; empty of the default
	value *jsontree.Node
}

// figma reads the variables of one file.
type figma struct {
	document    *model.Document
	file        *model.File
	collections *jsontree.Node
	variables   []*variable // in the order of their collections
	byID        map[string]*variable
	inner       map[*variable]bool  // those for which another of the same name stands
	others      map[string][]string // paths of the variables of other files, by id
}

func newFigma(f *model.File, others map[string][]string) *figma {
	meta := f.Root.Find("meta")
	reader := &figma{
		document: &model.Document{Files: []*model.File{f}}, file: f, collections: meta.Find("variableCollections"),
		byID: map[string]*variable{}, inner: map[*variable]bool{}, others: others,
	}
	all := meta.Find("variables")
	for _, c := range reader.collections.Members {
		for _, id := range itemsOf(c.Value.Find("variableIds")) {
			reader.addVariable(value.Text(id), all.Find(value.Text(id)))
		}
	}
	for _, m := range all.Members {
		reader.addVariable(m.Name, m.Value)
	}
	reader.nameVariables()
	return reader
}

// figmaPaths returns the paths of the variables of all files of Figma, by id.
func figmaPaths(files []*model.File) map[string][]string {
	paths := map[string][]string{}
	for _, f := range files {
		if isFigma(f) {
			for id, v := range newFigma(f, nil).byID {
				paths[id] = v.path
			}
		}
	}
	return paths
}

func readFigma(f *model.File, o Options) (*model.Document, error) {
	r := newFigma(f, o.figmaPaths)
	r.addDimensions()
	for _, v := range r.variables {
		switch {
		case len(v.path) == 0:
			r.problem(v, "variables without a name", "its name is empty", true)
		case len(v.modes) == 0:
			r.problem(v, "variables without a value", "it has no value", true)
		case r.inner[v]:
			r.problem(v, "variables of one name", "another of this name is an alias of it, and counts", false)
		default:
			r.declare(v, v, nil, map[*variable]bool{v: true})
		}
	}
	return r.document, nil
}

// addVariable adds a variable with its values. A variable that was deleted in Figma is named and left out.
func (r *figma) addVariable(id string, n *jsontree.Node) {
	if r.byID[id] != nil || n == nil {
		return
	}
	v := &variable{id: id, collection: value.Text(n.Find("variableCollectionId")), node: n}
	v.place = model.Place{File: r.file, Pointer: jsontree.Pointer{"meta", "variables", id}.String()}
	for part := range strings.SplitSeq(value.Text(n.Find("name")), "/") {
		if part = strings.TrimSpace(part); part != "" {
			v.path = append(v.path, part)
		}
	}
	if deleted := n.Find("deletedButReferenced"); deleted != nil && deleted.True {
		r.problem(v, "variables that are deleted in Figma", "it is left out", false)
		return
	}
	r.addModes(v)
	r.byID[id], r.variables = v, append(r.variables, v)
}

// addModes adds the values of a variable: of its collection's default mode first, of its other modes, and of the modes of collections that
// extend it.
func (r *figma) addModes(v *variable) {
	c, values := r.collections.Find(v.collection), v.node.Find("valuesByMode")
	usual := value.Text(c.Find("defaultModeId"))
	if values.Find(usual) == nil && len(membersOf(values)) > 0 {
		usual = values.Members[0].Name
		r.problem(v, "values of one mode alone", "the default mode of its collection has no value for it; that of its first mode counts", false)
	}
	add := func(name string, own *jsontree.Node) {
		if own != nil && !jsontree.Equal(own, v.modes[0].value) {
			v.modes = append(v.modes, variableMode{name, own})
		}
	}
	if first := values.Find(usual); first != nil {
		v.modes = append(v.modes, variableMode{"", first})
	} else {
		return
	}
	known := map[string]bool{usual: true}
	for _, mode := range itemsOf(c.Find("modes")) {
		id := value.Text(mode.Find("modeId"))
		if known[id] = true; id != usual {
			add(value.Text(mode.Find("name")), values.Find(id))
		}
	}
	for _, e := range r.extensionsOf(v.collection) {
		own := e.Find("variableOverrides").Find(v.id)
		for _, mode := range itemsOf(e.Find("modes")) {
			id, parent := value.Text(mode.Find("modeId")), value.Text(mode.Find("parentModeId"))
			known[id] = true
			add(extensionMode(e, mode), cmp.Or(own.Find(id), values.Find(parent)))
		}
	}
	for _, m := range membersOf(values) {
		if !known[m.Name] {
			r.problem(v, "values of modes that are not there", "its value for the mode "+m.Name+", which its collection does not have, is left out: "+value.Spell(m.Value), false)
		}
	}
}

// extensionsOf lists the collections that extend another: their modes are those of the other with values of their own, as a brand has
// them.
func (r *figma) extensionsOf(id string) (list []*jsontree.Node) {
	for _, m := range r.collections.Members {
		if value.Text(m.Value.Find("parentVariableCollectionId")) == id || value.Text(m.Value.Find("rootVariableCollectionId")) == id && m.Name != id {
			list = append(list, m.Value)
		}
	}
	return list
}

// extensionMode names a mode of a collection that extends another by both names, if it has several.
func extensionMode(collection, mode *jsontree.Node) string {
	name := value.Text(collection.Find("name"))
	if len(itemsOf(collection.Find("modes"))) > 1 {
		name += " " + value.Text(mode.Find("name"))
	}
	return name
}

// addDimensions adds the collections that have several modes.
func (r *figma) addDimensions() {
	for _, m := range r.collections.Members {
		d := model.Dimension{Axis: r.axis(m.Name)}
		for _, mode := range itemsOf(m.Value.Find("modes")) {
			name := value.Text(mode.Find("name"))
			d.Modes = append(d.Modes, name)
			if value.Text(mode.Find("modeId")) == value.Text(m.Value.Find("defaultModeId")) {
				d.Default = name
			}
		}
		for _, e := range r.extensionsOf(m.Name) {
			for _, mode := range itemsOf(e.Find("modes")) {
				d.Modes = append(d.Modes, extensionMode(e, mode))
			}
		}
		if len(d.Modes) > 1 && slices.ContainsFunc(r.variables, func(v *variable) bool { return v.collection == m.Name }) {
			d.Default = cmp.Or(d.Default, d.Modes[0])
			r.document.Dimensions = append(r.document.Dimensions, d)
		}
	}
}

func (r *figma) axis(collection string) model.Axis {
	return model.Axis{Kind: model.Figma, Name: cmp.Or(value.Text(r.collections.Find(collection).Find("name")), collection)}
}

// nameVariables finds, of variables of one name, the one that keeps the name: the first that is an alias of another of them, else the
// first. Those that it stands for are inner; the others stand in a group that is called as their collection.
func (r *figma) nameVariables() {
	named := map[string][]*variable{}
	for _, v := range r.variables {
		named[strings.Join(v.path, "/")] = append(named[strings.Join(v.path, "/")], v)
	}
	for _, list := range named {
		if len(list) == 1 {
			continue
		}
		isAlias := func(v *variable) bool {
			return slices.ContainsFunc(list, func(target *variable) bool { return r.aliasesOf(v, target) > 0 })
		}
		keeps := list[max(0, slices.IndexFunc(list, isAlias))]
		for _, v := range list {
			switch {
			case v == keeps:
			case r.isStoodFor(v, list):
				r.inner[v] = true
			default:
				v.path = append([]string{r.axis(v.collection).Name}, v.path...)
			}
		}
	}
}

// aliasesOf counts the modes in which a variable is an alias of another.
func (r *figma) aliasesOf(v, target *variable) (count int) {
	for _, mode := range v.modes {
		if v != target && aliasID(mode.value) == target.id {
			count++
		}
	}
	return count
}

// isStoodFor reports whether a variable of the same name is an alias of v in each mode, or in some if no variable of another name is.
func (r *figma) isStoodFor(v *variable, list []*variable) bool {
	inSome := false
	for _, other := range list {
		count := r.aliasesOf(other, v)
		if count > 0 && count == len(other.modes) {
			return true
		}
		inSome = inSome || count > 0
	}
	isOther := func(other *variable) bool { return !slices.Contains(list, other) && r.aliasesOf(other, v) > 0 }
	return inSome && !slices.ContainsFunc(r.variables, isOther)
}

// aliasID returns the id of the variable of which a value is an alias; "" if it is none.
func aliasID(v *jsontree.Node) string {
	if value.Text(v.Find("type")) != "VARIABLE_ALIAS" {
		return ""
	}
	return value.Text(v.Find("id"))
}

// declare adds the declarations of a variable as those of one whose name it has: in the modes of from, and below a context. Of a variable
// of the same name that it stands for it adds those of each of its modes.
func (r *figma) declare(v, from *variable, above model.Context, seen map[*variable]bool) {
	for _, mode := range from.modes {
		context := slices.Clone(above)
		if mode.name != "" {
			context = append(context, model.Condition{Axis: r.axis(from.collection), Mode: mode.name})
		}
		if target := r.byID[aliasID(mode.value)]; target != nil && r.inner[target] && slices.Equal(target.path, v.path) && !seen[target] {
			seen[target] = true
			r.declare(v, target, context, seen)
			delete(seen, target)
			continue
		}
		token, problem := r.token(v, from, mode.value)
		if problem != "" {
			r.problem(v, "values that cannot be read", problem, true)
			continue
		}
		d := model.Decl{Path: v.path, Type: value.Text(token.Find("$type")), Node: token, Place: v.place}
		if len(context) > 0 {
			d.When = []model.Context{context}
		}
		r.document.Decls = append(r.document.Decls, d)
	}
}

// token returns the token of DTCG for a value of a variable.
func (r *figma) token(v, from *variable, raw *jsontree.Node) (token *jsontree.Node, problem string) {
	kind := variableType(from.node)
	made, problem := r.value(kind, from.node, raw)
	if problem != "" {
		return nil, problem
	}
	token = newToken(v.node, kind, made)
	if id := v.node.Find("id"); id.IsString() {
		identity := jsontree.NewObject(jsontree.Member{Name: "variableId", Value: id})
		token.Members = append(token.Members, jsontree.Member{Name: "$extensions", Value: jsontree.NewObject(jsontree.Member{Name: "com.figma", Value: identity})})
	}
	return token, ""
}

// value returns the value of DTCG for one of Figma.
func (r *figma) value(kind string, v, raw *jsontree.Node) (made *jsontree.Node, problem string) {
	color, opacity := raw.Find("color"), raw.Find("opacity")
	switch {
	case aliasID(raw) != "":
		return r.alias(aliasID(raw))
	case color != nil && opacity != nil:
		return r.translucent(color, opacity)
	case kind == "color" && raw.IsObject():
		return figmaColor(raw)
	case raw.IsObject() || raw.Kind == jsontree.Array:
		return nil, "a value of this kind has no type of DTCG: " + value.Spell(raw)
	case raw.Kind != jsontree.Number:
		return raw, ""
	case hasScopesOf(v.Find("scopes"), "OPACITY"):
		return number(raw, 0.01), ""
	case kind == "dimension":
		return jsontree.NewObject(jsontree.Member{Name: "value", Value: number(raw, 1)}, jsontree.Member{Name: "unit", Value: jsontree.NewString("px")}), ""
	}
	return number(raw, 1), ""
}

func (r *figma) alias(id string) (made *jsontree.Node, problem string) {
	path := r.others[id]
	if target := r.byID[id]; target != nil {
		path = target.path
	}
	if path == nil {
		return nil, "it is an alias of " + id + ", which no file has; name the file of its collection too"
	}
	return jsontree.NewString("{" + strings.Join(path, ".") + "}"), ""
}

// translucent returns the color-mix() of a colour and an opacity in percent, each of which may be an alias.
func (r *figma) translucent(color, opacity *jsontree.Node) (made *jsontree.Node, problem string) {
	base, problem := r.value("color", nil, color)
	if problem != "" {
		return nil, problem
	}
	if !base.IsString() {
		base = base.Find("hex")
	}
	alpha := number(opacity, 0.01).Text
	if id := aliasID(opacity); id != "" {
		part, problem := r.alias(id)
		if problem != "" {
			return nil, problem
		}
		alpha = part.Text
	}
	return jsontree.NewString("rgba(" + base.Text + ", " + alpha + ")"), ""
}

// number returns a number of Figma, which has 32 bits, as people typed it, times a factor.
func number(n *jsontree.Node, factor float64) *jsontree.Node {
	wide, err := strconv.ParseFloat(n.Text, 32)
	if n.Kind != jsontree.Number || err != nil {
		return n
	}
	typed, _ := strconv.ParseFloat(strconv.FormatFloat(wide, 'f', -1, 32), 64)
	text := strconv.FormatFloat(typed, 'f', -1, 64)
	if factor != 1 {
		text = strconv.FormatFloat(typed*factor, 'g', 12, 64)
		plain, _ := strconv.ParseFloat(text, 64)
		text = strconv.FormatFloat(plain, 'f', -1, 64)
	}
	return &jsontree.Node{Kind: jsontree.Number, Text: text}
}

// figmaColor returns a colour of the parts r, g, b and perhaps a, each from 0 to 1, and says it in hexadecimal too.
func figmaColor(raw *jsontree.Node) (color *jsontree.Node, problem string) {
	parsed, components := css.ColorValue{Space: "srgb", Alpha: 1}, jsontree.NewArray()
	for i, name := range []string{"r", "g", "b"} {
		n := raw.Find(name)
		if n == nil || n.Kind != jsontree.Number {
			return nil, "its colour has no part " + name
		}
		part, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || part < 0 || part > 1 {
			return nil, "the part " + name + " of its colour is not between 0 and 1: " + n.Text
		}
		components.AddItem(number(n, 1))
		parsed.Components[i] = part
	}
	color = jsontree.NewObject(jsontree.Member{Name: "colorSpace", Value: jsontree.NewString("srgb")}, jsontree.Member{Name: "components", Value: components})
	if a := raw.Find("a"); a != nil && a.Kind == jsontree.Number && a.Text != "1" {
		color.Members = append(color.Members, jsontree.Member{Name: "alpha", Value: number(a, 1)})
	}
	color.Members = append(color.Members, jsontree.Member{Name: "hex", Value: jsontree.NewString(string(parsed.AppendHex(nil)))})
	return color, ""
}

// lengthScopes are the uses of a number in Figma that measure a length.
var lengthScopes = []string{
	"WIDTH_HEIGHT", "GAP", "CORNER_RADIUS", "STROKE_FLOAT", "EFFECT_FLOAT", "FONT_SIZE", "LINE_HEIGHT",
	"LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT",
}

// hasScopesOf reports whether a variable has scopes, the uses that it is for, and all of them are in a list.
func hasScopesOf(scopes *jsontree.Node, list ...string) bool {
	all := itemsOf(scopes)
	return len(all) > 0 && !slices.ContainsFunc(all, func(s *jsontree.Node) bool { return !slices.Contains(list, value.Text(s)) })
}

// variableType returns the $type of a variable: by its own type, and for numbers and strings by what it may be used for. A number of any
// use is a number.
func variableType(v *jsontree.Node) string {
	scopes := v.Find("scopes")
	switch kind := value.Text(v.Find("resolvedType")); {
	case kind == "COLOR":
		return "color"
	case kind == "BOOLEAN":
		return "boolean"
	case kind == "FLOAT" && hasScopesOf(scopes, lengthScopes...):
		return "dimension"
	case kind == "FLOAT" && hasScopesOf(scopes, "FONT_WEIGHT"):
		return "fontWeight"
	case kind == "FLOAT":
		return "number"
	case hasScopesOf(scopes, "FONT_FAMILY"):
		return "fontFamily"
	}
	return "string"
}

func (r *figma) problem(v *variable, kind, message string, lost bool) {
	r.document.Report(v.place, strings.Join(v.path, "."), kind, message, lost)
}
