package tokenfile

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// ModeOf returns the mode whose values a DTCG document of Figma's own export holds; empty if it names none.
func ModeOf(root *jsontree.Node) string {
	extensions := root.Find("$extensions")
	return cmp.Or(textOf(extensions.Find("com.figma.modeName")), textOf(extensions.Find("com.figma").Find("modeName")))
}

// collection is a collection of Figma that has several modes.
type collection struct {
	id, name, usual string // usual is its default mode
	modes           []string
}

// chooseModes notes which mode each collection gives. It returns an *Error if none was asked for and two collections
// have modes of different names: their values are a product, and a document holds one combination.
func (f *figma) chooseModes(ids []string) error {
	all := f.severalModes(ids)
	for _, c := range all {
		i := max(0, slices.Index(c.modes, c.usual))
		f.part.Dimensions = append(f.part.Dimensions, Dimension{Name: c.name, Modes: First(c.modes, i)})
	}
	if f.Choice != nil {
		return nil
	}
	if f.Mode == "" && len(all) > 1 && differ(all) {
		return product(all)
	}
	f.nameLeft(all)
	if len(all) < 2 {
		return nil
	}
	for _, c := range all {
		mode := Mode{c.name, f.Mode, false}
		if !slices.Contains(c.modes, f.Mode) {
			mode = Mode{c.name, c.usual, true}
		}
		f.part.Modes = append(f.part.Modes, mode)
	}
	return nil
}

// nameLeft names the modes whose values a document does not have.
func (f *figma) nameLeft(all []collection) {
	for _, c := range all {
		taken := c.usual
		if slices.Contains(c.modes, f.Mode) {
			taken = f.Mode
		}
		for i, mode := range c.modes {
			if mode != taken && !f.Overrides {
				at := jsontree.Pointer{"meta", "variableCollections", c.id, "modes", itoa(i)}
				f.concede("modes that are left out", at.String(), c.name, taken+" is taken, not "+mode+" (--token-mode)")
			}
		}
	}
}

// severalModes lists the collections of the variables that have more than one mode, in the order of the file.
func (f *figma) severalModes(ids []string) (all []collection) {
	used := map[string]bool{}
	for _, id := range ids {
		used[textOf(f.variables.Find(id).Find("variableCollectionId"))] = true
	}
	for _, m := range f.collections.Members {
		modes, extensions := itemsOf(m.Value.Find("modes")), f.extensionsOf(m.Name)
		if !used[m.Name] || len(modes) < 2 && len(extensions) == 0 {
			continue
		}
		c := collection{id: m.Name, name: cmp.Or(textOf(m.Value.Find("name")), m.Name)}
		for _, mode := range modes {
			name := textOf(mode.Find("name"))
			c.modes = append(c.modes, name)
			if textOf(mode.Find("modeId")) == textOf(m.Value.Find("defaultModeId")) {
				c.usual = name
			}
		}
		for _, e := range extensions {
			for _, mode := range itemsOf(e.Find("modes")) {
				c.modes = append(c.modes, extensionMode(e, mode))
			}
		}
		all = append(all, c)
	}
	return all
}

// differ reports whether two of the collections have no mode of one name.
func differ(all []collection) bool {
	for i, a := range all {
		for _, b := range all[:i] {
			if !slices.ContainsFunc(a.modes, func(name string) bool { return slices.Contains(b.modes, name) }) {
				return true
			}
		}
	}
	return false
}

func product(all []collection) error {
	var names, choices, defaults, example []string
	for _, c := range all {
		names = append(names, c.name+" ("+strings.Join(c.modes, ", ")+")")
		defaults, example = append(defaults, c.usual+" of "+c.name), append(example, c.modes[0])
		for _, mode := range c.modes {
			choices = AppendNew(choices, mode)
		}
	}
	return &Error{
		"it holds collections of different modes, whose combinations do not fit in one document: " + strings.Join(names, ", "),
		"Choose one mode with --token-mode: " + strings.Join(choices, ", ") + ". Its collection gives that mode, each other its default: " +
			strings.Join(defaults, ", ") + ". Or choose one of several collections, with commas between: " + strings.Join(example, ",") + ".",
	}
}

// separate puts variables that have the name of one in another collection into a group that is called as their own
// collection, but for those for which another of the name stands.
func (f *figma) separate(ids []string) {
	aliases := map[string]map[string]int{} // by a variable, those that are aliases of it, and in how many modes
	first := map[string]string{}           // the variable that keeps a name
	for _, id := range ids {
		for _, m := range membersOf(f.variables.Find(id).Find("valuesByMode")) {
			if textOf(m.Value.Find("type")) != "VARIABLE_ALIAS" {
				continue
			}
			target := textOf(m.Value.Find("id"))
			if aliases[target] == nil {
				aliases[target] = map[string]int{}
			}
			aliases[target][id]++
		}
	}
	var others []string
	for _, id := range ids {
		path := strings.Join(f.names[id], ".")
		switch before, twice := first[path]; {
		case f.isStoodFor(id, aliases[id]):
		case !twice:
			first[path] = id
		case aliases[before][id] > 0:
			first[path], others = id, append(others, before)
		default:
			others = append(others, id)
		}
	}
	for _, id := range others {
		path, collection := strings.Join(f.names[id], "."), f.collectionOf(id)
		group := segments(FixedName(cmp.Or(textOf(collection.Find("name")), f.styles[id])))
		isSame := collection == f.collectionOf(first[path]) && f.styles[id] == f.styles[first[path]]
		if len(group) == 0 || path == "" || isSame {
			continue
		}
		f.names[id] = append(group, f.names[id]...)
		if !f.Overrides {
			message := Renamed(path, strings.Join(f.names[id], ".")) + ": a variable of another collection has this name"
			f.concede(oneName, f.place(id), path, message)
		}
	}
}

func (f *figma) collectionOf(id string) *jsontree.Node {
	return f.collections.Find(textOf(f.variables.Find(id).Find("variableCollectionId")))
}

// isStoodFor reports whether another variable of its name stands for a variable: as an alias of it in each mode, or in
// some if no variable of another name is an alias of it. aliases has in how many modes each is one.
func (f *figma) isStoodFor(id string, aliases map[string]int) bool {
	inSome, isNamed := false, false
	for other, modes := range aliases {
		isSame := other != id && slices.Equal(f.names[other], f.names[id])
		if isSame && modes == len(membersOf(f.variables.Find(other).Find("valuesByMode"))) {
			return true
		}
		inSome, isNamed = inSome || isSame, isNamed || !isSame
	}
	return inSome && !isNamed
}

// figmaLists is what plugins of Figma write: lists of collections, with the variables in them, in their modes or beside
// them.
type figmaLists struct {
	variables, collections *jsontree.Node    // as Figma's REST interface has them
	places                 map[string]string // of variables by id, as pointers
	ids                    map[string]string // of variables by "collection/name", and by "/name" of the first of a name
	byID                   map[string]*jsontree.Node
	faults                 []Fault
}

// figmaListsOf returns the variables of a file of a plugin as Figma's REST interface has them, and nil if the file is
// not one.
func figmaListsOf(root *jsontree.Node) *figmaLists {
	name := "collections"
	if isArray(root.Find("variableCollections")) {
		name = "variableCollections"
	}
	f := figmaLists{jsontree.NewObject(), jsontree.NewObject(), map[string]string{}, map[string]string{}, map[string]*jsontree.Node{}, nil}
	isCollection := func(n *jsontree.Node) bool {
		return n.IsObject() && textOf(n.Find("name")) != "" && n.Find("modes") != nil
	}
	for i, c := range itemsOf(root.Find(name)) {
		if !isCollection(c) {
			return nil
		}
		f.collection(c, jsontree.Pointer{name, itoa(i)})
	}
	if root.Find(name) == nil && isCollection(root) { // a file for each collection
		f.collection(root, nil)
	} else {
		for i, v := range itemsOf(root.Find("variables")) {
			id := cmp.Or(textOf(v.Find("variableCollectionId")), textOf(v.Find("collectionId")), textOf(v.Find("collection")))
			f.variable(v, cmp.Or(f.collectionID(id), id), "", jsontree.Pointer{"variables", itoa(i)})
		}
	}
	if len(f.variables.Members) == 0 {
		return nil
	}
	for i := range f.variables.Members {
		v := f.variables.Members[i].Value
		values := v.Find("valuesByMode")
		for j := range values.Members {
			values.Members[j].Value = f.withoutNames(values.Members[j].Value, f.collections.Find(textOf(v.Find("variableCollectionId"))))
		}
	}
	tree.Index(f.variables)
	tree.Index(f.collections)
	return &f
}

// collectionID returns the id of the collection that has a name.
func (f *figmaLists) collectionID(name string) string {
	for _, c := range f.collections.Members {
		if textOf(c.Value.Find("name")) == name {
			return c.Name
		}
	}
	return ""
}

// collection takes a collection with the variables in it.
func (f *figmaLists) collection(c *jsontree.Node, at jsontree.Pointer) {
	id := cmp.Or(textOf(c.Find("id")), textOf(c.Find("name")))
	list, usual := jsontree.NewArray(), jsontree.NewString(textOf(c.Find("defaultModeId")))
	taken := jsontree.NewObject(jsontree.Member{Name: "name", Value: c.Find("name")}, jsontree.Member{Name: "modes", Value: list}, jsontree.Member{Name: "defaultModeId", Value: usual})
	f.collections.Members = append(f.collections.Members, jsontree.Member{Name: id, Value: taken})
	modes, names := itemsOf(c.Find("modes")), []string(nil)
	for _, m := range membersOf(c.Find("modes")) { // an object has them by id
		modes = append(modes, jsontree.NewObject(jsontree.Member{Name: "id", Value: jsontree.NewString(m.Name)}, jsontree.Member{Name: "name", Value: m.Value}))
	}
	for i, mode := range modes {
		name := cmp.Or(textOf(mode), textOf(mode.Find("name")))
		names = append(names, name)
		modeID := jsontree.NewString(cmp.Or(textOf(mode.Find("modeId")), textOf(mode.Find("id")), name))
		list.AddItem(jsontree.NewObject(jsontree.Member{Name: "modeId", Value: modeID}, jsontree.Member{Name: "name", Value: jsontree.NewString(name)}))
		for j, v := range itemsOf(mode.Find("variables")) {
			f.variable(v, id, modeID.Text, append(at[:len(at):len(at)], "modes", itoa(i), "variables", itoa(j)))
		}
	}
	if usual.Text == "" && len(names) > 0 {
		usual.Text = textOf(list.Items()[slices.Index(names, UsualFirst(names)[0])].Find("modeId"))
	}
	for i, v := range itemsOf(c.Find("variables")) {
		f.variable(v, id, "", append(at[:len(at):len(at)], "variables", itoa(i)))
	}
}

// figmaTypes are the types of variables as plugins spell them.
var figmaTypes = map[string]string{"color": "COLOR", "number": "FLOAT", "float": "FLOAT", "boolean": "BOOLEAN", "string": "STRING"}

// variable takes a variable of a collection. mode is the one that its value is of; empty if it has values by mode.
func (f *figmaLists) variable(v *jsontree.Node, collection, mode string, at jsontree.Pointer) {
	name := textOf(v.Find("name"))
	c := f.collections.Find(collection)
	id := cmp.Or(textOf(v.Find("id")), collection+"/"+name)
	values := cmp.Or(v.Find("valuesByMode"), v.Find("values"))
	problem := ""
	switch {
	case name == "":
		problem = "the variable has no name"
	case collection == "":
		problem = "the variable names no collection"
	case c == nil:
		problem = "the variable is of the collection " + strconv.Quote(collection) + ", which the file does not have"
	case mode == "" && !values.IsObject(), mode != "" && v.Find("value") == nil:
		problem = "the variable has no value"
	}
	if problem != "" {
		f.faults = append(f.faults, Fault{at.String(), cmp.Or(name, spelled(v)), problem})
		return
	}
	taken := f.byID[id]
	if taken != nil && (mode == "" || taken.Find("valuesByMode").Find(mode) != nil) {
		f.faults = append(f.faults, Fault{at.String(), name, "two variables have this name; the first counts"})
		return
	}
	if taken == nil {
		kind := strings.ToLower(cmp.Or(textOf(v.Find("resolvedType")), textOf(v.Find("type"))))
		taken = jsontree.NewObject(jsontree.Member{Name: "name", Value: v.Find("name")}, jsontree.Member{Name: "variableCollectionId", Value: jsontree.NewString(collection)},
			jsontree.Member{Name: "resolvedType", Value: jsontree.NewString(cmp.Or(figmaTypes[kind], kind))}, jsontree.Member{Name: "valuesByMode", Value: jsontree.NewObject()})
		for _, other := range []string{"id", "scopes", "description", "resolvedValuesByMode"} {
			if m := v.Find(other); m != nil {
				taken.Members = append(taken.Members, jsontree.Member{Name: other, Value: m})
			}
		}
		f.variables.Members = append(f.variables.Members, jsontree.Member{Name: id, Value: taken})
		f.byID[id], f.places[id] = taken, at.String()
		f.ids[textOf(c.Find("name"))+"/"+name] = id
		f.ids["/"+name] = cmp.Or(f.ids["/"+name], id)
	}
	own := taken.Find("valuesByMode")
	if mode != "" {
		own.Members = append(own.Members, jsontree.Member{Name: mode, Value: v.Find("value")})
	}
	for _, m := range membersOf(values) {
		modes := itemsOf(c.Find("modes"))
		i := slices.IndexFunc(modes, func(mode *jsontree.Node) bool { return textOf(mode.Find("name")) == m.Name })
		if i < 0 {
			i = slices.IndexFunc(modes, func(mode *jsontree.Node) bool { return ModeKey(textOf(mode.Find("name"))) == ModeKey(m.Name) })
		}
		if i >= 0 { // else it is an id
			m.Name = textOf(modes[i].Find("modeId"))
		}
		own.Members = append(own.Members, m)
	}
}

// withoutNames returns a value in which an alias names its target by its id: plugins write its name, and perhaps its
// collection, if that is another than the one of the alias.
func (f *figmaLists) withoutNames(value, collection *jsontree.Node) *jsontree.Node {
	id, name := textOf(value.Find("id")), textOf(value.Find("name"))
	switch kind := textOf(value.Find("type")); {
	case kind == "VARIABLE_ALIAS" || kind == "alias" || name != "" && len(value.Members) == 1:
		own := textOf(collection.Find("name"))
		named := cmp.Or(textOf(either(value, "collection", "collectionName")), own)
		id = cmp.Or(id, f.ids[named+"/"+name], f.ids[own+"/"+name], f.ids["/"+name], name)
	case value.Find("alias").IsString():
		id = cmp.Or(f.ids[value.Find("alias").Text], value.Find("alias").Text)
	case value.Find("collection").IsString() && value.Find("name").IsString():
		path := value.Find("collection").Text + "/" + name
		id = cmp.Or(f.ids[path], path)
	default:
		return value
	}
	return jsontree.NewObject(jsontree.Member{Name: "type", Value: jsontree.NewString("VARIABLE_ALIAS")}, jsontree.Member{Name: "id", Value: jsontree.NewString(id)})
}

// figmaStyle makes a DTCG value of a style of Figma as a plugin writes it beside variables, and says what is wrong with
// it.
func figmaStyle(kind string, raw *jsontree.Node) (*jsontree.Node, string) {
	switch effects := itemsOf(raw.Find("effects")); {
	case kind == "typography" && raw.IsObject():
		style := jsontree.NewObject()
		for _, name := range []string{"fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "textCase", "textDecoration"} {
			value := raw.Find(name)
			switch unit := textOf(raw.Find(name + "Unit")); {
			case value == nil || unit == "AUTO" || value.Text == "ORIGINAL" || value.Text == "NONE":
				continue
			case value.Kind == jsontree.Number && unit == "PERCENT":
				value = jsontree.NewString(StudioPercentage(name, value.Text+"%"))
			case value.Kind == jsontree.Number && name != "fontWeight":
				value = jsontree.NewString(value.Text + "px")
			case name == "fontWeight":
				value = WithoutStyle(value)
			}
			style.Members = append(style.Members, jsontree.Member{Name: name, Value: value})
		}
		return style, ""
	case kind == "effect" && len(effects) > 0:
		layers := jsontree.NewArray()
		for _, e := range effects {
			kind := textOf(e.Find("type"))
			color, problem := e.Find("color"), ""
			if !color.IsString() {
				color, problem = figmaColor(color)
			}
			if !strings.HasSuffix(kind, "_SHADOW") || problem != "" {
				return nil, "an effect of Figma that is not a shadow has no type of DTCG: " + spelled(e)
			}
			px := func(n *jsontree.Node) *jsontree.Node { return jsontree.NewString(cmp.Or(numberOf(n), "0") + "px") }
			layers.AddItem(jsontree.NewObject(jsontree.Member{Name: "color", Value: color}, jsontree.Member{Name: "offsetX", Value: px(e.Find("offset").Find("x"))},
				jsontree.Member{Name: "offsetY", Value: px(e.Find("offset").Find("y"))}, jsontree.Member{Name: "blur", Value: px(e.Find("radius"))}, jsontree.Member{Name: "spread", Value: px(e.Find("spread"))},
				jsontree.Member{Name: "inset", Value: &jsontree.Node{Kind: jsontree.Bool, True: kind == "INNER_SHADOW"}}))
		}
		return layers, ""
	}
	return nil, "a style of Figma of this kind has no type of DTCG: " + spelled(raw)
}

// takeStyles takes the styles of type, shadows and colours that plugins write in lists beside variables as variables without
// modes, and names the others.
func (f *figma) takeStyles(n *jsontree.Node, at jsontree.Pointer) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		if slices.Contains(figmaMembers, m.Name) || m.Name == "modes" {
			continue
		}
		for i, item := range m.Value.Items() {
			name, place := textOf(item.Find("name")), append(below[:len(below):len(below)], itoa(i)).String()
			if name == "" || below[0] != "meta" && isToken(item) { // which Outside names
				continue
			}
			kind, raw := styleOf(item)
			if raw == nil {
				f.fault(place, name, m.Name+" beside the variables are not read: "+spelled(item))
				continue
			}
			v := jsontree.NewObject(jsontree.Member{Name: "name", Value: item.Find("name")}, jsontree.Member{Name: "resolvedType", Value: jsontree.NewString(kind)},
				jsontree.Member{Name: "valuesByMode", Value: jsontree.NewObject(jsontree.Member{Name: "", Value: raw})})
			f.styles[place] = m.Name
			f.variables = jsontree.NewObject(append(slices.Clone(f.variables.Members), jsontree.Member{Name: place, Value: tree.With(v, "description", item.Find("description"))})...)
		}
		if m.Value.IsObject() {
			f.takeStyles(m.Value, below)
		}
	}
	f.variables.Index()
}

// styleOf returns the type of a style of Figma, and its value as a variable has it; nil if it is one of another kind.
func styleOf(item *jsontree.Node) (kind string, raw *jsontree.Node) {
	font, paints, color := item.Find("fontName"), itemsOf(item.Find("paints")), item.Find("color")
	family := cmp.Or(item.Find("fontFamily"), font.Find("family"))
	switch {
	case family != nil && item.Find("fontSize") != nil:
		raw = tree.With(item, "fontFamily", family)
		raw = tree.With(raw, "fontWeight", cmp.Or(item.Find("fontWeight"), item.Find("fontStyle"), font.Find("style")))
		for _, name := range []string{"lineHeight", "letterSpacing"} {
			if n := item.Find(name); n.IsObject() {
				raw = tree.With(tree.With(raw, name, n.Find("value")), name+"Unit", n.Find("unit"))
			}
		}
		return "typography", raw
	case len(itemsOf(item.Find("effects"))) > 0:
		return "effect", item
	case len(paints) == 1 && textOf(paints[0].Find("type")) == "SOLID" && paints[0].Find("color").IsObject():
		return "COLOR", tree.With(paints[0].Find("color"), "a", cmp.Or(paints[0].Find("opacity"), paints[0].Find("color").Find("a")))
	case len(paints) == 0 && (color.IsString() || color.IsObject()):
		return "COLOR", color
	}
	return "", nil
}

// WithVariables returns o with the paths of the variables of several files of Figma, to which aliases of other files
// lead: by their ids, and by their names with and without that of their collection.
func (o Options) WithVariables(roots ...*jsontree.Node) Options {
	o.figmaPaths = maps.Clone(o.figmaPaths)
	if o.figmaPaths == nil {
		o.figmaPaths = map[string]jsontree.Pointer{}
	}
	for _, root := range roots {
		f := newFigma(root, Options{Overrides: true})
		ids := f.order()
		f.nameAll(ids)
		for _, id := range ids {
			name := textOf(f.variables.Find(id).Find("name"))
			for _, known := range []string{id, textOf(f.collectionOf(id).Find("name")) + "/" + name, name} {
				if o.figmaPaths[known] == nil {
					o.figmaPaths[known] = f.names[id]
				}
			}
		}
	}
	return o
}

// target is the path of the variable of which another is an alias, in this file or in one that is read with it; nil if
// none has it.
func (f *figma) target(v *jsontree.Node, id string) jsontree.Pointer {
	if own, ok := f.names[id]; ok {
		return own
	}
	name := ""
	for _, m := range membersOf(v.Find("resolvedValuesByMode")) { // of a plugin, with the name of the target
		if textOf(m.Value.Find("alias")) == id {
			name = textOf(m.Value.Find("aliasName"))
		}
	}
	if target := f.figmaPaths[id]; target != nil {
		return target
	}
	return f.figmaPaths[name]
}
