package tokenfile

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func recogniseFigma(f *syntax.File, _ Options) string {
	switch meta := f.Root.Find("meta"); {
	case meta.Find("variables").IsObject() && meta.Find("variableCollections").IsObject():
		return "it has meta.variables and meta.variableCollections"
	case figmaListsOf(f.Root) != nil:
		return "it has lists of collections and variables, as plugins write them"
	}
	return ""
}

// figma is one conversion of an answer of Figma.
type figma struct {
	Options
	variables, collections *jsontree.Node
	places                 map[string]string           // of variables by id, if they stand in lists
	names                  map[string]jsontree.Pointer // of variables by id
	usedNames              map[string]string           // dotted path -> id of the variable that has it
	modes                  []string                    // the names of all modes, for messages
	modeFound              bool
	styles                 map[string]string // the lists of styles that are read as variables, by their ids, which are pointers
	part                   Part
}

func newFigma(root *jsontree.Node, o Options) *figma {
	meta := root.Find("meta")
	f := figma{
		Options: o, variables: meta.Find("variables"), collections: meta.Find("variableCollections"),
		names: map[string]jsontree.Pointer{}, usedNames: map[string]string{}, styles: map[string]string{},
		part: Part{Tree: jsontree.NewObject(), Origins: map[string]string{}},
	}
	if lists := figmaListsOf(root); lists != nil {
		f.variables, f.collections, f.places, f.part.Faults = lists.variables, lists.collections, lists.places, lists.faults
	}
	return &f
}

// readFigma makes a part of the variables of Figma, in the order of their collections. A name's
// slashes make groups. A variable that is also the beginning of others' names is its group's $root.
func readFigma(root *jsontree.Node, o Options) ([]Part, error) {
	f := newFigma(root, o)
	f.takeStyles(root, nil)
	f.uniqueModes()
	ids := f.order()
	if err := f.chooseModes(ids); err != nil {
		return nil, err
	}
	f.nameAll(ids)
	inner := f.inner(ids)
	for _, id := range ids {
		if !inner[id] {
			f.add(id)
		} else if !f.Overrides {
			f.part.Concessions = append(f.part.Concessions, Concession{oneName, f.place(id), strings.Join(f.names[id], "."), "another of this name is an alias of it, and counts"})
		}
	}
	if o.Mode != "" && !f.modeFound {
		return nil, noMode(o.Mode, f.modes)
	}
	tree.Index(f.part.Tree)
	f.nameDeleted()
	return []Part{f.part}, nil
}

// oneName is the kind of the concessions of variables of several collections that have one name.
const oneName = "variables of one name"

// figmaMembers are the members that are read of a file of variables and of its meta.
var figmaMembers = []string{"collections", "variableCollections", "variables"}

// uniqueModes gives the second of two modes of a collection that have one name another.
func (f *figma) uniqueModes() {
	f.collections = tree.MapChildren(f.collections, func(id string, c *jsontree.Node) *jsontree.Node {
		var names []string
		modes := tree.MapChildren(c.Find("modes"), func(_ string, mode *jsontree.Node) *jsontree.Node {
			name := textOf(mode.Find("name"))
			for n := 2; slices.Contains(names, name); n++ {
				name = textOf(mode.Find("name")) + " " + itoa(n)
			}
			if names = append(names, name); name == textOf(mode.Find("name")) {
				return mode
			}
			f.concede("modes of one name", jsontree.Pointer{"meta", "variableCollections", id}.String(), textOf(c.Find("name")), "its second mode "+textOf(mode.Find("name"))+" is "+name+" now")
			return tree.With(mode, "name", jsontree.NewString(name))
		})
		if modes == c.Find("modes") {
			return c
		}
		return tree.With(c, "modes", modes)
	})
}

// nameModes names the values of a variable that are of a mode that its collection does not have, and the mode that
// alone has a value.
func (f *figma) nameModes(v *jsontree.Node, path, origin string) {
	id := textOf(v.Find("variableCollectionId"))
	collection, values, known := f.collections.Find(id), membersOf(v.Find("valuesByMode")), map[string]string{}
	if collection == nil {
		return
	}
	for _, c := range append(f.extensionsOf(id), collection) {
		for _, mode := range itemsOf(c.Find("modes")) {
			known[textOf(mode.Find("modeId"))] = textOf(mode.Find("name"))
		}
	}
	for _, m := range values {
		switch message := "its value for the mode " + m.Name + ", which its collection does not have, is left out: " + spelled(m.Value); {
		case known[m.Name] != "":
		case f.places != nil: // else it may be a mode that was deleted
			f.fault(origin, path, message)
		default:
			f.concede("values of modes that are not there", origin, path, message)
		}
	}
	if len(values) > 0 && v.Find("valuesByMode").Find(textOf(collection.Find("defaultModeId"))) == nil && !f.Overrides {
		f.concede(oneModeAlone, origin, path, "its collection's default mode has no value for it; that of "+cmp.Or(known[values[0].Name], values[0].Name)+" counts in all modes without one")
	}
}

// nameDeleted names the variables that order leaves out.
func (f *figma) nameDeleted() {
	for _, v := range f.variables.Members {
		at := f.place(v.Name)
		switch {
		case !v.Value.IsObject():
			f.fault(at, v.Name, "it is not a variable: "+spelled(v.Value))
		case isTrue(v.Value.Find("deletedButReferenced")) && !f.Overrides:
			f.concede("variables that are deleted in Figma", at, textOf(v.Value.Find("name")), "it is left out")
		}
	}
}

// order lists the ids of the variables as their collections have them, without those that another
// file's library lends or that are deleted.
func (f *figma) order() []string {
	var ids []string
	seen := map[string]bool{}
	take := func(id string) {
		v := f.variables.Find(id)
		if !v.IsObject() || seen[id] || isTrue(v.Find("deletedButReferenced")) {
			return
		}
		seen[id] = true
		ids = append(ids, id)
	}
	for _, c := range f.collections.Members {
		for _, id := range itemsOf(c.Value.Find("variableIds")) {
			take(textOf(id))
		}
	}
	for _, v := range f.variables.Members {
		take(v.Name)
	}
	return ids
}

// nameAll gives every variable its place in the tree.
func (f *figma) nameAll(ids []string) {
	groups := map[string]bool{}
	for _, id := range ids {
		written := textOf(f.variables.Find(id).Find("name"))
		names := segments(written)
		if said := lostParts(written, names); said != "" && !f.Overrides {
			f.concede(lessNames, f.place(id), strings.Join(names, "."), said)
		}
		for i, name := range names {
			if names[i] = FixedName(name); names[i] != name && !f.Overrides {
				f.concede(WrongNames, f.place(id), strings.Join(names[:i+1], "."), Renamed(name, names[i]))
			}
		}
		f.names[id] = names
	}
	f.separate(ids)
	for _, id := range ids {
		for i := 1; i < len(f.names[id]); i++ {
			groups[strings.Join(f.names[id][:i], ".")] = true
		}
	}
	for _, id := range ids {
		if groups[strings.Join(f.names[id], ".")] {
			f.names[id] = append(f.names[id], "$root")
		}
	}
}

// segments are the names of a path that a variable's name gives.
func segments(name string) jsontree.Pointer {
	var names jsontree.Pointer
	for part := range strings.SplitSeq(name, "/") {
		if part = strings.TrimLeft(strings.TrimSpace(part), "$"); part != "" {
			names = append(names, part)
		}
	}
	return names
}

// lessNames is the kind of the concessions of lostParts.
const lessNames = "names with parts that are left out"

// lostPart is a part of a name that is empty or begins with $.
var lostPart = regexp.MustCompile(`(^|/)\s*(/|\$|$)`)

// lostParts says what segments leaves out of a name; empty if it is nothing, or all, or the $ of a $root, or no name.
func lostParts(name string, names jsontree.Pointer) string {
	if name == "" || len(names) == 0 || !lostPart.MatchString(strings.ReplaceAll(name, "$root", "root")) {
		return ""
	}
	return strconv.Quote(name) + " is " + strings.Join(names, ".") + " now: an empty name is left out, and so is a $ at the beginning of one"
}

// FixedName returns a name of a token or group, or a JSON Pointer, without what no name may hold: dots become hyphens,
// braces underscores.
func FixedName(name string) string { return fixer.Replace(name) }

var fixer = strings.NewReplacer(".", "-", "{", "_", "}", "_")

// WrongNames is the kind of the concessions of names that FixedName changes.
const WrongNames = "names with dots or braces"

// Renamed says that a name is another now.
func Renamed(old, now string) string { return `"` + old + `" is "` + now + `" now, in aliases too` }

// sameName returns the id of the variable of which a value of another one is an alias, if both have one name: a
// collection of components chains brands so. It is empty if it is not such an alias.
func (f *figma) sameName(id string, value *jsontree.Node) string {
	target := textOf(value.Find("id"))
	if textOf(value.Find("type")) != "VARIABLE_ALIAS" || target == id || !slices.Equal(f.names[target], f.names[id]) {
		return ""
	}
	return target
}

// inner has the variables that others of their name stand for. Of a circle none does.
func (f *figma) inner(ids []string) map[string]bool {
	inner := map[string]bool{}
	for _, id := range ids {
		for _, m := range membersOf(f.variables.Find(id).Find("valuesByMode")) {
			if target := f.sameName(id, m.Value); target != "" && !inner[id] {
				inner[target] = true
			}
		}
	}
	return inner
}

// followed is valueOf of a variable, or of the one of its name that it is an alias of.
func (f *figma) followed(id string) (v, value *jsontree.Node, isOwn bool) {
	v = f.variables.Find(id)
	value, isOwn = f.valueOf(v)
	seen := map[string]bool{id: true}
	for target := f.sameName(id, value); target != "" && !seen[target]; target = f.sameName(target, value) {
		own := false
		seen[target] = true
		value, own = f.valueOf(f.variables.Find(target))
		isOwn = isOwn || own
	}
	return v, value, isOwn
}

func (f *figma) add(id string) {
	v, raw, isOwn := f.followed(id)
	names := f.names[id]
	path := strings.Join(names, ".")
	origin := f.place(id)
	switch first, twice := f.usedNames[path]; {
	case len(names) == 0:
		f.fault(origin, id, "its name "+strconv.Quote(textOf(v.Find("name")))+" is none")
		return
	case twice:
		f.fault(origin, path, "the variables "+first+" and "+id+" have one name; rename one of them in Figma")
		return
	}
	f.usedNames[path] = id
	f.nameModes(v, path, origin)
	if f.Overrides && !isOwn {
		return
	}
	value, problem := f.value(v, raw)
	switch {
	case problem != "":
		f.fault(origin, path, problem)
		return
	case textOf(value) == "{"+path+"}" && f.names[textOf(raw.Find("id"))] == nil:
		f.concede(oneName, origin, path, "it is an alias of the variable of this name in another file, which counts")
		return
	}
	tree.Put(f.part.Tree, names, jsontree.NewObject(f.members(v, value)...))
	f.part.Origins[names.String()] = origin
}

// place is where a variable stands, as a pointer.
func (f *figma) place(id string) string {
	if f.styles[id] != "" {
		return id
	}
	return cmp.Or(f.places[id], jsontree.Pointer{"meta", "variables", id}.String())
}

func (f *figma) concede(kind, pointer, path, message string) {
	f.part.Concessions = append(f.part.Concessions, Concession{kind, pointer, path, message})
}

func (f *figma) fault(pointer, path, message string) {
	f.part.Faults = append(f.part.Faults, Fault{pointer, path, message})
}

// valueOf returns the value of a variable in the wanted mode, and whether that is another than in the
// default mode.
func (f *figma) valueOf(v *jsontree.Node) (value *jsontree.Node, isOwn bool) {
	id := textOf(v.Find("variableCollectionId"))
	collection := f.collections.Find(id)
	values := v.Find("valuesByMode")
	usual := values.Find(textOf(collection.Find("defaultModeId")))
	if usual == nil && values.IsObject() && len(values.Members) > 0 {
		usual = values.Members[0].Value
	}
	type inMode struct {
		mode  string
		value *jsontree.Node
	}
	var all []inMode // those of collections that extend this one first
	var names []string
	for _, e := range f.extensionsOf(id) {
		for _, mode := range itemsOf(e.Find("modes")) {
			own := e.Find("variableOverrides").Find(textOf(v.Find("id"))).Find(textOf(mode.Find("modeId")))
			all = append(all, inMode{extensionMode(e, mode), cmp.Or(own, values.Find(textOf(mode.Find("parentModeId"))))})
		}
	}
	for _, mode := range itemsOf(collection.Find("modes")) {
		all = append(all, inMode{textOf(mode.Find("name")), values.Find(textOf(mode.Find("modeId")))})
	}
	for _, one := range all {
		names = append(names, one.mode)
	}
	wanted := f.ModeAmong(textOf(collection.Find("name")), names)
	for _, one := range all {
		if one.mode != wanted {
			f.modes = AppendNew(f.modes, one.mode)
			continue
		}
		if f.modeFound = true; one.value != nil {
			return one.value, usual == nil || !jsontree.Equal(one.value, usual)
		}
	}
	return usual, wanted == ""
}

// extensionsOf lists the collections that extend another: their modes are those of the other with values of their own,
// as a brand has them.
func (f *figma) extensionsOf(id string) (list []*jsontree.Node) {
	for _, m := range f.collections.Members {
		if textOf(m.Value.Find("parentVariableCollectionId")) == id || textOf(m.Value.Find("rootVariableCollectionId")) == id && m.Name != id {
			list = append(list, m.Value)
		}
	}
	return list
}

// extensionMode names a mode of a collection that extends another: by both names, since the other has a mode of that
// name too.
func extensionMode(collection, mode *jsontree.Node) string {
	name := textOf(collection.Find("name"))
	if len(itemsOf(collection.Find("modes"))) > 1 {
		name += " " + textOf(mode.Find("name"))
	}
	return name
}

// value makes a DTCG value of one of Figma.
func (f *figma) value(v, raw *jsontree.Node) (*jsontree.Node, string) {
	switch {
	case raw == nil:
		return nil, "it has no value"
	case textOf(raw.Find("type")) == "VARIABLE_ALIAS":
		target := f.target(v, textOf(raw.Find("id")))
		if target == nil {
			return nil, "it is an alias of " + textOf(raw.Find("id")) + ", which no file has; name the file of its collection too"
		}
		return jsontree.NewString("{" + strings.Join(target, ".") + "}"), ""
	case textOf(v.Find("resolvedType")) == "COLOR" && raw.IsObject():
		return figmaColor(raw)
	case raw.IsObject() || isArray(raw):
		return figmaStyle(textOf(v.Find("resolvedType")), raw)
	case isPercent(v) && raw.Kind == jsontree.Number:
		return &jsontree.Node{Kind: jsontree.Number, Text: hundredth(raw.Text)}, ""
	case figmaType(v) == "dimension":
		return jsontree.NewObject(jsontree.Member{Name: "value", Value: raw}, jsontree.Member{Name: "unit", Value: jsontree.NewString("px")}), ""
	}
	return raw, ""
}

func (f *figma) members(v, value *jsontree.Node) []jsontree.Member {
	members := []jsontree.Member{{Name: "$type", Value: jsontree.NewString(figmaType(v))}, {Name: "$value", Value: value}}
	if d := v.Find("description"); textOf(d) != "" {
		members = append(members, jsontree.Member{Name: "$description", Value: d})
	}
	identity := jsontree.NewObject(jsontree.Member{Name: "variableId", Value: v.Find("id")})
	if v.Find("id").IsString() {
		extensions := jsontree.NewObject(jsontree.Member{Name: "com.figma", Value: identity})
		members = append(members, jsontree.Member{Name: "$extensions", Value: extensions})
	}
	return members
}

// lengthScopes are the uses of a number in Figma that measure a length.
var lengthScopes = []string{
	"WIDTH_HEIGHT", "GAP", "CORNER_RADIUS", "STROKE_FLOAT", "EFFECT_FLOAT", "FONT_SIZE", "LINE_HEIGHT",
	"LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT",
}

// figmaType returns the $type of a variable: by its own type, and for numbers and strings by what it may
// be used for. A number of any use is a number.
func figmaType(v *jsontree.Node) string {
	var scopes []string
	for _, s := range itemsOf(v.Find("scopes")) {
		scopes = append(scopes, textOf(s))
	}
	only := func(allowed ...string) bool {
		return len(scopes) > 0 && !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(allowed, s) })
	}
	switch kind := textOf(v.Find("resolvedType")); {
	case kind == "COLOR":
		return "color"
	case kind == "typography":
		return kind
	case kind == "effect":
		return "shadow"
	case kind == "BOOLEAN":
		return "boolean"
	case kind == "FLOAT" && only(lengthScopes...):
		return "dimension"
	case kind == "FLOAT" && only("FONT_WEIGHT"):
		return "fontWeight"
	case kind == "FLOAT":
		return "number"
	case only("FONT_FAMILY"):
		return "fontFamily"
	}
	return "string"
}

// isPercent reports whether a number of Figma is one of hundred: an opacity.
func isPercent(v *jsontree.Node) bool {
	scopes := itemsOf(v.Find("scopes"))
	return len(scopes) == 1 && textOf(scopes[0]) == "OPACITY"
}

// figmaColor keeps the numbers as Figma spells them, and says the colour in hexadecimal too.
func figmaColor(raw *jsontree.Node) (*jsontree.Node, string) {
	hex, components := "#", &jsontree.Node{Kind: jsontree.Array}
	for _, name := range []string{"r", "g", "b"} {
		n := raw.Find(name)
		part, err := strconv.ParseFloat(numberOf(n), 64)
		if err != nil || part < 0 || part > 1 {
			return nil, "its colour has no part " + name + " between 0 and 1"
		}
		components.AddItem(n)
		hex += byteHex(part)
	}
	color := jsontree.NewObject(
		jsontree.Member{Name: "colorSpace", Value: jsontree.NewString("srgb")},
		jsontree.Member{Name: "components", Value: components},
	)
	if a := raw.Find("a"); a != nil && numberOf(a) != "1" {
		color.Members = append(color.Members, jsontree.Member{Name: "alpha", Value: a})
	}
	color.Members = append(color.Members, jsontree.Member{Name: "hex", Value: jsontree.NewString(hex)})
	return color, ""
}

func numberOf(n *jsontree.Node) string {
	if n == nil || n.Kind != jsontree.Number {
		return ""
	}
	return n.Text
}

// byteHex spells a part between 0 and 1 as two hexadecimal digits.
func byteHex(part float64) string {
	const digits = "0123456789abcdef"
	n := int(math.Round(part * 255))
	return string([]byte{digits[n>>4], digits[n&15]})
}

// alphaHex is byteHex of a number's text, which a pattern has checked.
func alphaHex(text string) string {
	part, _ := strconv.ParseFloat(text, 64)
	return byteHex(min(part, 1))
}

func isTrue(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.Bool && n.True }

// native reads a document of files that Figma itself exported.
type native struct {
	in   *dtcg.Document
	said []Concession
}

// WithFigma returns a document of files that Figma itself exported as Figma means it, and what it names. A token that
// is an alias there is one, if the token that it names is in a document; Figma writes the value of the mode that the
// file was exported in. A number that is used as a length is one of pixels, and an opacity a part of one.
func WithFigma(root *jsontree.Node, in *dtcg.Document) (*jsontree.Node, []Concession) {
	f := native{in: in}
	return f.group(root, nil), f.said
}

func (f *native) group(n *jsontree.Node, at jsontree.Pointer) *jsontree.Node {
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case m.Value.Find("$value") == nil:
			m.Value = f.group(m.Value, below)
		default:
			m.Value = f.token(m.Value, below)
		}
		return m
	})
}

func (f *native) token(n *jsontree.Node, at jsontree.Pointer) *jsontree.Node {
	value, extensions := n.Find("$value"), n.Find("$extensions")
	of := func(name string) *jsontree.Node {
		return cmp.Or(extensions.Find("com.figma."+name), extensions.Find("com.figma").Find(name))
	}
	v := jsontree.NewObject(jsontree.Member{Name: "resolvedType", Value: jsontree.NewString("FLOAT")}, jsontree.Member{Name: "scopes", Value: of("scopes")})
	if textOf(n.Find("$type")) == "number" && value.Kind == jsontree.Number {
		switch {
		case isPercent(v):
			part := hundredth(value.Text)
			n = tree.With(n, "$value", &jsontree.Node{Kind: jsontree.Number, Text: part})
			f.concede("opacities of Figma", at, value.Text+" is "+part+" now")
		case figmaType(v) == "dimension":
			n = tree.With(tree.With(n, "$type", jsontree.NewString("dimension")), "$value", jsontree.NewString(value.Text+"px"))
			f.concede("lengths of Figma", at, value.Text+" is "+value.Text+"px now, as its scopes say")
		}
	}
	path := strings.Join(segments(textOf(of("aliasData").Find("targetVariableName"))), ".")
	if path == "" || path == strings.Join(at, ".") || f.in.Token(path) == nil || strings.HasPrefix(textOf(value), "{") {
		return n
	}
	return tree.With(n, "$value", jsontree.NewString("{"+path+"}"))
}

func (f *native) concede(kind string, at jsontree.Pointer, message string) {
	f.said = append(f.said, Concession{kind, at.String(), strings.Join(at, "."), message})
}
