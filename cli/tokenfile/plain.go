package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// leaf is a value in a tree that has no members of tokens.
type leaf struct {
	path   jsontree.Pointer
	value  *jsontree.Node
	origin jsontree.Pointer // its place in the file, if that is another
	is     bool             // what stands around the value says that it is one of a token
	isType bool             // it is the type of a token that has no value
}

// leaves lists the values of plain JSON: all but objects, objects that are values by their shape, and objects of modes;
// of the scales in it the items, and of a size with parts the size and the parts.
func leaves(n *jsontree.Node, at jsontree.Pointer, list []leaf) []leaf {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isMeta(m.Name):
		case m.Value.IsObject() && !isPlainValue(m.Value) && !isPlainModes(m.Value):
			list = leaves(m.Value, below, list)
		case isSizeWithParts(m.Value):
			list = leaves(m.Value.Items()[1], below, append(list, leaf{path: below, value: m.Value.Items()[0]}))
		case isArray(m.Value) && isScale(m.Value, below):
			is := slices.ContainsFunc(m.Value.Items(), isValue) || isLength(below)
			for i, item := range m.Value.Items() {
				list = append(list, leaf{path: append(below[:len(below):len(below)], strconv.Itoa(i)), value: item, is: is})
			}
		default:
			list = append(list, leaf{path: below, value: m.Value, isType: m.Name == "type" && isTypeAlone(n)})
		}
	}
	return list
}

// isTypeAlone reports whether an object is a token of a known type without a value.
func isTypeAlone(n *jsontree.Node) bool {
	_, isStudio := studioTypes[textOf(n.Find("type"))]
	return (isStudio || SameType(textOf(n.Find("type"))) != "") && !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool {
		return m.Name != "type" && !isMeta(m.Name) && !slices.Contains(commentNames, m.Name)
	})
}

// isPlainValue reports whether an object is a value by its shape. One with a size of a font and other members than
// those of typography is a group of them, and so is one whose parts are groups.
func isPlainValue(n *jsontree.Node) bool {
	isGroup := func(m jsontree.Member) bool { return m.Value.IsObject() && css.InferType(m.Value) == "" }
	if slices.ContainsFunc(membersOf(n), isGroup) {
		return false
	}
	switch css.InferType(n) {
	case "":
		return false
	case "color": // else it says what the colours of others are of
		return n.Find("components") != nil
	case "typography":
		return !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return !slices.Contains(typographyNames, m.Name) })
	}
	return true
}

// typographyNames are the members of typography.
var typographyNames = []string{"fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "fontStyle", "textTransform", "textDecoration", "textCase"}

// isPlainModes reports whether an object is one value for each mode, and no group of that many tokens: a condition such
// as _dark stands in it, or light and dark, and colours, shadows or aliases of them. Other modes have no value that
// tells them from sizes and weights, and light and dark beside a default are shades of it.
func isPlainModes(n *jsontree.Node) bool {
	isOfScheme := func(m jsontree.Member) bool {
		return m.Value.IsString() && (strings.HasPrefix(m.Value.Text, "{") || slices.Contains([]string{"color", "shadow", "gradient"}, Shape(m.Value)))
	}
	has := func(mode string) bool {
		return slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return ModeKey(m.Name) == mode })
	}
	switch {
	case !isModes(n):
		return false
	case n.Find("_dark") != nil || n.Find("_light") != nil:
		return !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return m.Value.IsObject() && !isPlainModes(m.Value) })
	}
	isShades := has("default") || has("base")
	return !isShades && has("light") && has("dark") && !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return !isOfScheme(m) })
}

// isSizeWithParts reports whether a value is a size with an object of what goes with it, as Tailwind writes the sizes
// of fonts.
func isSizeWithParts(n *jsontree.Node) bool {
	items := itemsOf(n)
	return len(items) == 2 && Shape(items[0]) == "dimension" && !items[0].IsObject() && items[1].IsObject()
}

// isScale reports whether an array of plain JSON is a scale of values, each a token, as theme-ui and MUI have them:
// lengths, times, colours, shadows or numbers, also as texts, but for four numbers of a curve. 0 is one of any.
func isScale(n *jsontree.Node, at jsontree.Pointer) bool {
	kind := ""
	for _, item := range n.Items() {
		own := Shape(item)
		if bareNumber.MatchString(textOf(item)) {
			own = "number"
		}
		switch {
		case item.IsString() && slices.Contains(scaleWords, item.Text), own == "number" && item.Text == "0":
			continue
		case !slices.Contains(scaleTypes, own) || item.IsObject() || isArray(item):
			return false
		case own == "number" && kind == "dimension":
			own = kind
		}
		if kind != "" && kind != own && !(kind == "number" && own == "dimension") {
			return false
		}
		kind = own
	}
	return (kind != "" || slices.ContainsFunc(n.Items(), func(item *jsontree.Node) bool { return item.Text == "0" })) && !isCurve(n, at)
}

// curveName is the name of curves.
var curveName = regexp.MustCompile(`(?i)eas(e|ing)|curve|bezier|timing`)

// isCurve reports whether an array is the four numbers of a curve, as a name says. Under other names they are the ones
// of a scale if all of them rise, or all fall, or if no curve has them.
func isCurve(n *jsontree.Node, at jsontree.Pointer) bool {
	isOfNumbers := func(name string) bool { return isNumberName(name) || isLength(jsontree.Pointer{name}) }
	switch {
	case Shape(n) != "cubicBezier":
		return false
	case slices.ContainsFunc(at, curveName.MatchString):
		return true
	case slices.ContainsFunc(at, isOfNumbers) || !Fits("cubicBezier", n):
		return false
	}
	steps, last := map[int]int{}, 0.0 // how many rise, and how many fall
	for i, item := range n.Items() {
		number, _ := strconv.ParseFloat(item.Text, 64)
		if i > 0 {
			steps[cmp.Compare(number, last)]++
		}
		last = number
	}
	return max(steps[1], steps[-1]) < 3
}

// scaleTypes are the types of the values of scales, and scaleWords what may stand among them.
var (
	scaleTypes = []string{"dimension", "duration", "color", "number", "shadow", "border", "transition", "gradient"}
	scaleWords = []string{"none", "auto", "normal", "inherit", "initial"}
)

// isValue reports whether a value of plain JSON is one of a token, and not of any other file: its shape tells a type
// that numbers and booleans do not have, or it is an alias.
func isValue(n *jsontree.Node) bool {
	if isPlainModes(n) {
		return isValue(n.Members[0].Value)
	}
	if isArray(n) && Shape(n) == "fontFamily" { // or any list of texts
		return slices.ContainsFunc(n.Items(), func(item *jsontree.Node) bool { return slices.Contains(everywhere, textOf(item)) })
	}
	text := textOf(n)
	return !isCommon(n) && Shape(MapStrings(n, WithoutSemicolon)) != "" || strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
}

// numberNames are the groups whose numbers are those of tokens, and of hardly any other file.
var numberNames = []string{"zindex", "fontweight", "lineheight"}

// isToken is isValue for a leaf: a number may be a value by the name of its token or group.
func (l leaf) isToken() bool {
	return l.is || isValue(l.value) || l.value.Kind == jsontree.Number && slices.ContainsFunc(l.path, isNumberName)
}

// isNumberName reports whether a name is one of numbers.
func isNumberName(name string) bool {
	key := ModeKey(name)
	return slices.ContainsFunc(numberNames, func(known string) bool { return strings.HasPrefix(key, known) })
}

// WithoutSemicolon returns a text without a semicolon or !important at its end, which a declaration has and a value
// does not.
func WithoutSemicolon(text string) string {
	if !strings.ContainsAny(text, "!;") { // as nearly all
		return text
	}
	return endOfDeclaration.ReplaceAllString(text, "")
}

// endOfDeclaration is what may follow the value in a declaration.
var endOfDeclaration = regexp.MustCompile(`(?i)\s*(!\s*important\s*;?|;)\s*$`)

// isCommon reports whether a value says nothing of what its file is.
func isCommon(n *jsontree.Node) bool {
	return n.Kind == jsontree.Number || n.Kind == jsontree.Bool || n.Kind == jsontree.Null
}

// likeTokens reports whether there are values of tokens, and at least half as many as others, so that the file is not a
// configuration. Among variables of an environment there must be three times as many.
func likeTokens(list []leaf) bool {
	count, others, isEnvironment := 0, 0, false
	for _, l := range list {
		isEnvironment = isEnvironment || variableName.MatchString(l.path[0])
		switch {
		case l.isToken():
			count++
		case !isCommon(l.value):
			others++
		}
	}
	return count > 0 && 2*count >= others && (!isEnvironment || count >= 3*others)
}

// variableName is the name of a variable of an environment, as DATABASE_URL or PORT, and of no token.
var variableName = regexp.MustCompile(`^([A-Z0-9]+_)*(URL|URI|HOST|PORT|KEY|TOKEN|SECRET|PASSWORD|USER|ENV|ID)$`)

// Unlike says of which objects with a value a file is, if these are too little like tokens; empty if there are none.
func Unlike(root *jsontree.Node) string {
	list, _ := legacyLeaves(root, nil)
	list = append(list, listedLeaves(listsOf(root, nil))...)
	if len(list) == 0 || likeTokens(list) {
		return ""
	}
	return strings.Join(list[0].path, ".") + " has a value, and what says that it is a token's is missing: a type, an alias, a group " +
		"such as color or size, or that a third of the texts in such values are colours, lengths or the like"
}

// recognisePlain takes trees, and for a Theme also maps of names. A map of dotted paths belongs to a Variant.
func recognisePlain(f *syntax.File, o Options) string {
	list := leaves(f.Root, nil, nil)
	i := slices.IndexFunc(list, func(l leaf) bool { return l.isToken() && (len(l.path) > 1 || !o.Overrides) })
	if i < 0 || !likeTokens(list) || isFlat(f.Root, list) || o.Overrides && hasDottedNames(f.Root) {
		return ""
	}
	return strings.Join(list[i].path, ".") + " is " + spelled(list[i].value) + ", and no $value or value stands in it"
}

// isFlat reports whether the values of a file are the members of its root, some with dotted paths as names.
func isFlat(root *jsontree.Node, values []leaf) bool {
	return len(values) == len(root.Members) && hasDottedNames(root) && !slices.ContainsFunc(values, func(l leaf) bool { return len(l.path) > 1 })
}

func hasDottedNames(root *jsontree.Node) bool {
	return slices.ContainsFunc(root.Members, func(m jsontree.Member) bool { return strings.Contains(m.Name, ".") })
}

func recogniseFlat(f *syntax.File, _ Options) string {
	if isFlat(f.Root, leaves(f.Root, nil, nil)) {
		return "its members are dotted paths"
	}
	return ""
}

// readFlat finds no token in a flat map: its values are for the tokens of a Theme, which the file does not have.
func readFlat(root *jsontree.Node, _ Options) ([]Part, error) {
	part := Part{Tree: jsontree.NewObject()}
	for _, m := range root.Members {
		part.Faults = append(part.Faults, Fault{jsontree.Pointer{m.Name}.String(), m.Name, "a flat map of paths to values is for a Variant (--variant)"})
	}
	return []Part{part}, nil
}

// lengthGroups are the groups whose numbers are lengths, as everyone writes them.
var lengthGroups = []string{"size", "sizes", "sizing", "space", "spaces", "spacing", "radius", "radii", "borderradius", "borderwidth", "fontsize", "fontsizes", "gap", "breakpoint", "breakpoints", "width", "height"}

// readPlain makes a part of plain JSON: each value is a token, whose type its shape tells.
func readPlain(root *jsontree.Node, o Options) ([]Part, error) {
	tree := placed{root: jsontree.NewObject(), part: Part{Origins: map[string]string{}}}
	joined := joinGroups(tree.withReferences(leaves(root, nil, nil)))
	o.groups, tree.part.Concessions = joined.modes, append(tree.part.Concessions, joined.said...)
	hasGroups := slices.ContainsFunc(root.Members, func(m jsontree.Member) bool { return m.Value.IsObject() })
	for _, l := range joined.list {
		path, origin := dottedPath(l.path), cmp.Or(l.origin.String(), l.path.String())
		switch written := "." + strings.Join(l.path, ".") + "."; {
		case len(path) == 0:
			tree.fault(origin, "", "a name is not empty")
			continue
		case strings.Contains(written, ".."):
			tree.part.Concessions = append(tree.part.Concessions, Concession{
				"names that are empty", origin, strings.Join(path, "."), strconv.Quote(written[1:len(written)-1]) + " has an empty name, which is left out",
			})
		}
		switch {
		case l.isType:
			path := strings.Join(l.path[:len(l.path)-1], ".")
			tree.part.Concessions = append(tree.part.Concessions, Concession{withoutValue, origin, path, "it has the type " + spelled(l.value) + " and no value; give it one"})
			continue
		case l.isOfFile(hasGroups):
			message := spelled(l.value) + " is left out"
			if isArray(l.value) {
				message = "an empty array is left out"
			}
			tree.part.Concessions = append(tree.part.Concessions, Concession{"members that are not tokens", origin, strings.Join(l.path, "."), message})
			continue
		case l.value.Kind == jsontree.Null:
			tree.fault(origin, strings.Join(l.path, "."), "it has no value")
			continue
		case l.value.Kind == jsontree.Array && Shape(l.value) == "":
			tree.fault(origin, strings.Join(l.path, "."), "an array of this shape cannot be the value of a token: "+spelled(l.value))
			continue
		}
		if l.value.Kind == jsontree.Number && l.value.Text != "0" && isLength(path) {
			tree.part.Concessions = append(tree.part.Concessions, Concession{
				"numbers without a unit", origin, strings.Join(path, "."), l.value.Text + " has no unit and stays a number; write " + strconv.Quote(l.value.Text+"px") + " for a length",
			})
		}
		tree.add(path, jsontree.NewObject(jsontree.Member{Name: "$value", Value: l.value}), origin)
	}
	tree.part.Faults = append(tree.part.Faults, dollarValues(root, nil)...)
	return tree.parts(dollarTokens, o), nil
}

// fileNames are the names by which a file says what it is, beside its groups.
var fileNames = append([]string{"name", "displayName", "title", "version", "author", "license", "homepage", "repository", "publisher", "id", "type"}, commentNames...)

// isOfFile reports whether a value of plain JSON is none of a token: an empty array, a sentence that is called a comment,
// or what a file with groups says of itself beside them.
func (l leaf) isOfFile(hasGroups bool) bool {
	name := l.path[len(l.path)-1]
	isText := isCommon(l.value) || l.value.IsString() && slices.Contains([]string{"", "number"}, Shape(l.value))
	isComment := isComment(name) && strings.Contains(textOf(l.value), " ")
	isBeside := hasGroups && len(l.path) == 1 && slices.Contains(fileNames, name)
	return isArray(l.value) && len(l.value.Items()) == 0 || isText && (isComment || isBeside)
}

// themeCall is a reference of Tailwind to another value of its theme.
var themeCall = regexp.MustCompile(`^theme\(\s*['"]?([^'"()]+?)['"]?\s*\)$`)

// withReferences returns values with aliases for the references that themes have without braces: theme(colors.a) of
// Tailwind, and red.500 in the semanticTokens.colors of Chakra for colors.red.500. It names what else of Tailwind no
// browser knows.
func (p *placed) withReferences(list []leaf) []leaf {
	known := map[string]bool{}
	for _, l := range list {
		known[strings.Join(l.path, ".")] = true
	}
	for i, l := range list {
		prefix, at := "", slices.Index(l.path, "semanticTokens")
		if at >= 0 && at+2 < len(l.path) {
			prefix = strings.Join(append(l.path[:at:at], l.path[at+1]), ".") + "."
		}
		list[i].value = MapStrings(l.value, func(text string) string {
			names := []string{prefix + text}
			if call := themeCall.FindStringSubmatch(text); call != nil {
				names = []string{call[1], "theme." + call[1], "theme.extend." + call[1]}
			} else if prefix == "" {
				names = nil
			}
			isKnown := func(name string) bool { return known[name] }
			switch i := slices.IndexFunc(names, isKnown); {
			case i >= 0:
				return "{" + names[i] + "}"
			case strings.Contains(text, "theme(") || strings.Contains(text, "<alpha-value>"):
				message := strconv.Quote(text) + " is a text in the served files: only Tailwind gives it a value"
				p.part.Concessions = append(p.part.Concessions, Concession{"expressions of Tailwind", l.path.String(), strings.Join(l.path, "."), message})
			}
			return text
		})
	}
	return list
}

// dollarValues lists the values of plain JSON that are those of tokens and whose names, or those of their groups, begin
// with $.
func dollarValues(n *jsontree.Node, at jsontree.Pointer) (list []Fault) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch isHidden := slices.ContainsFunc(below, isMeta); {
		case slices.Contains(metadataNames, m.Name):
		case isHidden && (isValue(m.Value) || !m.Value.IsObject() && !m.Value.IsString()):
			list = append(list, Fault{below.String(), strings.Join(below, "."), "its name, or that of its group, begins with $, which no token's does; rename it"})
		case m.Value.IsObject():
			list = append(list, dollarValues(m.Value, below)...)
		}
	}
	return list
}

// dottedPath splits the names of a path at their dots, but for numbers such as 0.5.
func dottedPath(names jsontree.Pointer) (path jsontree.Pointer) {
	for _, name := range names {
		if bareNumber.MatchString(name) {
			path = append(path, name)
			continue
		}
		for part := range strings.SplitSeq(name, ".") {
			if part != "" {
				path = append(path, part)
			}
		}
	}
	return path
}

func isLength(path jsontree.Pointer) bool {
	return slices.ContainsFunc(path, func(name string) bool { return slices.Contains(lengthGroups, ModeKey(name)) })
}
