package tokenfile

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/cssvalue"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/spelling"
)

func recogniseDTCG(f *syntax.File, _ Options) string {
	path, ok := firstAt(f.Root, func(n *jsontree.Node) bool { return n.Find("$value") != nil || isMisspelled(n, "$value") })
	if ok {
		return named(path) + " has a $value"
	}
	if strings.Contains(textOf(f.Root.Find("$schema")), "json-schema.org") {
		return ""
	}
	if path, ok = firstAt(f.Root, isReference); !ok {
		return ""
	}
	return named(path) + " has a $ref or $extends"
}

// isReference reports whether an object is a reference of DTCG to a token or group.
func isReference(n *jsontree.Node) bool {
	return strings.Contains(textOf(n.Find("$ref")), "#/") || strings.HasPrefix(textOf(n.Find("$extends")), "{")
}

func readDTCG(root *jsontree.Node, o Options) ([]Part, error) {
	return []Part{ConvertDTCG(root, nil, o)}, nil
}

// ConvertDTCG makes a part of a DTCG document, which stands at a place of its file.
func ConvertDTCG(root *jsontree.Node, at jsontree.Pointer, o Options) Part {
	return convertSet("", root, at, dollarTokens, o)
}

// dialect is how the tokens of a tree are written.
type dialect uint8

const (
	dollarTokens     dialect = iota // $value; what is written so stays as it is
	studioTokens                    // value or $value, with types of Tokens Studio
	dictionaryTokens                // value, as Style Dictionary reads it
)

// convertSet makes a DTCG tree of one tree of tokens. at is its place in its file.
func convertSet(name string, set *jsontree.Node, at jsontree.Pointer, d dialect, o Options) Part {
	c := setConverter{part: Part{Name: name, At: at.String(), Origins: map[string]string{}}, at: at, dialect: d, holds: map[*jsontree.Node]bool{}, modes: modeValues{Options: o.ofValues()}}
	c.modes.concede = c.concede
	set = c.modes.withExtensions(set, cmp.Or(usualExtension(set), "default"), nil)
	c.modes.learn(set)
	c.part.Tree = c.group(set, nil)
	c.nameLeft()
	c.part.ModeNames = c.modes.names
	if len(c.modes.names) > 0 {
		c.part.Dimensions = []Dimension{{Modes: UsualFirst(c.modes.names)}}
	}
	return c.part
}

type setConverter struct {
	part    Part
	at      jsontree.Pointer
	dialect dialect
	modes   modeValues
	above   string                  // the $type of the nearest group
	holds   map[*jsontree.Node]bool // groups that were looked at -> whether a token is among their members
	left    []leftMember
	moved   map[string]jsontree.Pointer // by the place of what stood inside a token: its place in the tree that was read
}

// group converts what stands in a group.
func (c *setConverter) group(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	above := c.above
	defer func() { c.above = above }()
	if typ := textOf(n.Find("$type")); typ != "" {
		c.above = typ
	}
	return tree.MapMembers(c.movedOut(n, path), func(m jsontree.Member) jsontree.Member {
		below := append(path[:len(path):len(path)], m.Name)
		if !isMeta(m.Name) {
			m.Value = c.spell(m.Value, below)
		}
		return c.member(n, m, below)
	})
}

// WithTokens returns o for trees that are read together, whether each of them counts or not: what is a token in one of
// them and a group in another is a token with others inside.
func (o Options) WithTokens(trees ...*jsontree.Node) Options {
	o.tokens = maps.Clone(o.tokens)
	if o.tokens == nil {
		o.tokens = map[string]bool{}
	}
	for _, n := range trees {
		o.addTokens(n, nil)
	}
	return o
}

func (o Options) addTokens(n *jsontree.Node, at jsontree.Pointer) {
	for _, m := range n.Members {
		if isMeta(m.Name) || isOfToken(m.Name) || !m.Value.IsObject() {
			continue
		}
		below := append(at[:len(at):len(at)], m.Name)
		if isToken(m.Value) && compositionOf(m.Value) == nil {
			o.tokens[below.String()] = true
		}
		o.addTokens(m.Value, below)
	}
}

// movedOut returns a group with what stands inside its tokens beside them, under both names: what is b in a is a.b in
// the group, which the repair of names makes a-b, in aliases too; also if a is a token only in another tree that is
// read with this one. A document of DTCG keeps its tokens as they are.
func (c *setConverter) movedOut(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	if c.dialect == dollarTokens {
		return n
	}
	var moved []jsontree.Member
	n = tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		at, isOwn := slices.Clip(append(path[:len(path):len(path)], m.Name)), isToken(m.Value)
		switch value := compositionOf(m.Value); {
		case isMeta(m.Name) || !m.Value.IsObject() || !isOwn && !c.modes.tokens[c.source(at).String()]:
			return m
		case c.dialect == studioTokens && value != nil:
			c.concede("compositions", at, "each of its parts is a token of its own now")
			for _, part := range value.Members {
				if twice := m.Value.Find(part.Name); twice != nil && !c.hidden(twice, append(at, part.Name), insideToken(at)) {
					c.concede(besideKind, at, part.Name+" is in no file: "+spelled(twice))
				}
				c.move(append(at, part.Name), append(at, valueName(m.Value), part.Name))
			}
			m.Value = partsOfComposition(m.Value, c.withoutEmpty(value, at))
			return m
		}
		above := m.Value.Find("$type")
		m.Value = tree.MapMembers(m.Value, func(inner jsontree.Member) jsontree.Member {
			name := m.Name + "." + inner.Name
			isKept := isMeta(inner.Name) || isBuilt(m.Value) && inner.Name == "attributes" || isOwn && (isOfToken(inner.Name) || modeMember.MatchString(inner.Name))
			if isKept || n.Find(name) != nil || len(notRead(inner.Value, nil, "")) == 0 {
				return inner
			}
			c.move(append(path[:len(path):len(path)], name), append(at, inner.Name))
			if !isOwn && above != nil && either(inner.Value, "$type", "type") == nil {
				inner.Value = tree.With(inner.Value, "$type", above)
			}
			moved = append(moved, jsontree.Member{Name: name, Value: inner.Value})
			return jsontree.Member{Name: inner.Name}
		})
		isMore := func(m jsontree.Member) bool { return !isMeta(m.Name) && !slices.Contains(commentNames, m.Name) }
		if !isOwn && !slices.ContainsFunc(m.Value.Members, isMore) {
			m.Value = nil
		}
		return m
	})
	if len(moved) == 0 {
		return n
	}
	n = jsontree.NewObject(append(slices.Clone(n.Members), moved...)...)
	n.Index()
	return c.movedOut(n, path)
}

// move remembers where something stood in the tree that was read.
func (c *setConverter) move(to, from jsontree.Pointer) {
	if c.moved == nil {
		c.moved = map[string]jsontree.Pointer{}
	}
	c.moved[to.String()] = slices.Clone(from)
}

// spell returns a token or group whose metadata have the names of DTCG, also if they are written in other letters:
// $Value.
func (c *setConverter) spell(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	if !n.IsObject() {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		i := slices.IndexFunc(metadataNames, func(name string) bool { return name != m.Name && strings.EqualFold(name, m.Name) })
		if i < 0 {
			return m
		}
		name, isSame := metadataNames[i], func(other jsontree.Member) bool { return strings.EqualFold(other.Name, m.Name) }
		counts := name
		if n.Find(name) == nil {
			counts = n.Members[slices.IndexFunc(n.Members, isSame)].Name
		}
		if counts == m.Name {
			c.concede("names in other letters", path, m.Name+" counts as "+name)
			m.Name = name
		} else {
			c.concede("names in other letters", path, m.Name+" is left out, for there is a "+counts+": "+spelled(m.Value))
		}
		return m
	})
}

// isMisspelled reports whether an object has a member of that name only in other letters, upper or lower.
func isMisspelled(n *jsontree.Node, name string) bool {
	return n.Find(name) == nil && slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return strings.EqualFold(m.Name, name) })
}

// member converts a member of a group; the result has no value if nothing is left of it.
func (c *setConverter) member(group *jsontree.Node, m jsontree.Member, path jsontree.Pointer) jsontree.Member {
	switch {
	case isMeta(m.Name):
		isFree := slices.Contains(freeNames, m.Name)
		if !isFree || m.Name == "$value" || m.Name == "$defs" && c.dialect != dollarTokens {
			c.hidden(m.Value, path, "its name, or that of its group, begins with $, which no token's does; rename it")
		}
	case !m.Value.IsObject() || c.dialect == dollarTokens && isPlainValue(m.Value) && Fits(Shape(m.Value), m.Value) && !holds(m.Value, "$value"):
		return c.stray(group, m, path)
	case m.Value.Find("$value") != nil || isLegacyToken(m.Value) && !(c.dialect == dollarTokens && isBlank(m.Value)) ||
		c.dialect == dictionaryTokens && isQuantity(m.Value):
		m.Value = c.token(m.Value, path)
		if m.Value != nil {
			c.note(path)
		}
	default:
		c.nameEmpty(m.Value, path)
		m.Value = c.group(m.Value, path)
	}
	return m
}

// withoutValue is the kind of the concessions of nameEmpty.
const withoutValue = "tokens without a value"

// nameEmpty names a group that has a $type and nothing of this type: most likely a token whose value stands in its
// $extensions or is forgotten. One that has a value under a name that no token's has, such as $val, is lost.
func (c *setConverter) nameEmpty(group *jsontree.Node, path jsontree.Pointer) {
	ofGroup := func(m jsontree.Member) bool { return !isMeta(m.Name) || m.Name == "$ref" || m.Name == "$extends" }
	if slices.ContainsFunc(group.Members, ofGroup) {
		return
	}
	for _, m := range group.Members {
		if !slices.Contains(metadataNames, m.Name) && spelling.Nearest(m.Name, metadataNames) == "$value" {
			c.part.Faults = append(c.part.Faults, Fault{c.pointer(path), strings.Join(path, "."), "it has a " + m.Name + " and no $value; write $value"})
			return
		}
	}
	if group.Find("$type").IsString() {
		c.concede(withoutValue, path, "it has a $type and no $value, so it is a group without tokens; give it a $value")
	}
}

// isBlank reports whether n is an object that says nothing but of itself and of such objects: a group without tokens,
// also if a group in it is called value.
func isBlank(n *jsontree.Node) bool {
	return n.IsObject() && !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return !isMeta(m.Name) && !isBlank(m.Value) })
}

// hidden names the tokens in a value that is not read, and reports whether there are some.
func (c *setConverter) hidden(n *jsontree.Node, path jsontree.Pointer, why string) bool {
	list := notRead(n, path, why)
	for i := range list {
		p, _ := jsontree.ParsePointer(list[i].Pointer)
		list[i].Pointer = c.pointer(p)
	}
	c.part.Faults = append(c.part.Faults, list...)
	return len(list) > 0
}

// token converts one token, or returns nil if the mode that is wanted gives it no value of its own.
func (c *setConverter) token(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	c.nameBeside(n, path)
	c.nameSecond(n, path)
	n = c.mendValue(n, path)
	switch {
	case c.dialect == studioTokens:
		n = c.studioToken(n, path)
	case c.dialect == dictionaryTokens:
		n = c.dictionaryToken(n, path)
	case n.Find("$value") == nil:
		c.concede("tokens without dollar signs", path, "its value counts as its $value: "+spelled(n.Find("value")))
		n = c.dictionaryToken(n, path)
	}
	value := n.Find("$value")
	if text := gradientOf(value); text != nil {
		c.concede("gradients as objects", path, spelled(value)+" is "+spelled(text)+" now")
		n, value = tree.With(n, "$value", text), text
	}
	chosen, isOwn := c.modes.choose(value, path)
	switch {
	case !isOwn:
		return nil
	case chosen != value:
		n = jsontree.NewObject(slices.Clone(n.Members)...)
		n.Members[n.IndexOf("$value")].Value = chosen
	}
	return c.nameText(n, path)
}

// nameText names the value of a token without a type that only quotes keep in its declaration, or that is an address.
// In the category of colours or sizes it has their type, which it does not fit.
func (c *setConverter) nameText(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	_, isKnown := dtcg.KindOf(cmp.Or(textOf(n.Find("$type")), c.above))
	text := WithoutSemicolon(textOf(n.Find("$value")))
	if isKnown || aliasInText.MatchString(text) || !isQuoted(jsontree.NewString(text)) {
		return n
	}
	isAddress, kind := cssvalue.HasAddress(text), typesOfCategories[ModeKey(path[0])]
	isOfTailwind := themeCall.MatchString(text) || strings.HasSuffix(text, "<alpha-value>)") // and named as such
	switch {
	case isOfTailwind, !isAddress && !cssvalue.IsBroken(text):
	case kind != "":
		return tree.With(n, "$type", jsontree.NewString(kind))
	case isAddress:
		c.concede(addresses, path, Clip(text)+asText)
	default:
		c.concede(inQuotes, path, Clip(text)+asQuoted)
	}
	return n
}

// typesOfCategories are the types of the categories whose values are all of one.
var typesOfCategories = map[string]string{"color": "color", "colors": "color", "size": "dimension", "sizes": "dimension"}

// isQuoted reports whether a value without a type is served as a text in quotes.
func isQuoted(value *jsontree.Node) bool {
	served, misfit := css.Append(nil, css.Unknown, value)
	return misfit == nil && served[0] == '"' && served[len(served)-1] == '"'
}

// The kinds of the concessions of values that are texts where a declaration may need more, and the ends of their
// messages.
const (
	addresses    = "addresses"
	fontsOfPages = "fonts that a page sets"
	asText       = " is text in the served files: nothing in them makes a browser fetch anything"
	inQuotes     = "values that are text in quotes"
	asQuoted     = " is served in quotes: what is not known to be safe is a text"
)

// Quoted are the kinds of concessions that name values of which the served files have a text alone, or nothing.
var Quoted = []string{addresses, inQuotes, fontsOfPages}

// blankBeforeUnit is a number with blanks before its unit, which no value of CSS has.
var blankBeforeUnit = regexp.MustCompile(`^([-+]?[\d.]+) +(px|rem|em|%|ms|s)$`)

// isInset reports whether a layer of a shadow says by its type that it is inset, in the word of CSS.
func isInset(layer *jsontree.Node) bool { return textOf(layer.Find("type")) == "inset" }

// mendValue returns a token whose value has no blanks between numbers and units, unless it is a text, and with a colour
// as Figma's plugins write it, an object of r, g and b, as DTCG has it.
func (c *setConverter) mendValue(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	name := valueName(n)
	kind, _ := dtcg.KindOf(cmp.Or(textOf(either(n, "$type", "type")), c.above))
	value := n.Find(name)
	joined := MapStrings(value, func(text string) string { return blankBeforeUnit.ReplaceAllString(text, "$1$2") })
	color, problem := figmaColor(value)
	switch {
	case c.dialect == dollarTokens && kind == css.Shadow && slices.ContainsFunc(append(itemsOf(value), value), isInset): // as Style Dictionary reads it
		joined = shadow(value)
		c.concede("shadows whose type is inset", path, `its type inset counts as "inset": true`)
	case problem == "":
		joined = color
		c.concede("colours of Figma", path, spelled(value)+" is "+spelled(color)+" now")
	case joined == value || kind == css.String || kind == css.FontFamily:
		return n
	default:
		c.concede("blanks before units", path, spelled(value)+" is "+spelled(joined)+" now")
	}
	return tree.With(n, name, joined)
}

// ownMembers are the members of a token whose objects with values are not tokens inside it.
var ownMembers = []string{"value", "sets", "original"}

// isOfToken reports whether a member of a token is never a token inside it.
func isOfToken(name string) bool {
	return slices.Contains(freeNames, name) || slices.Contains(ownMembers, name)
}

// nameSecond names the value of a token that has a $value too, if it says something else: the $value is what counts.
func (c *setConverter) nameSecond(n *jsontree.Node, path jsontree.Pointer) {
	if message := secondValue(n); message != "" {
		c.concede(twoValues, path, message)
		c.hidden(n.Find("value"), append(path[:len(path):len(path)], "value"), insideToken(path))
	}
}

// twoValues is the kind of the concessions of secondValue.
const twoValues = "tokens with two values"

// secondValue says which of the two values of a token is served; empty if it has one, or two that are equal.
func secondValue(n *jsontree.Node) string {
	counts, second := n.Find("$value"), n.Find("value")
	if counts == nil || second == nil || jsontree.Equal(counts, second) {
		return ""
	}
	return "its $value " + spelled(counts) + " is served, and its value is left out: " + spelled(second)
}

// insideToken says of a token why it is left out if it stands in another at a path.
func insideToken(path jsontree.Pointer) string {
	return "it stands inside the token " + strings.Join(path, ".") + ", and a token holds no other; move it out"
}

// besideValue are members of a token that say what its path, its type or its value says.
var besideValue = []string{"name", "path", "key", "id", "type", "originalValue", ".rawValue", "filePath", "isSource"}

// besideKind is the kind of the concessions of nameBeside.
const besideKind = "members beside the value of a token"

// modeMember is the name of a member of a token that has its value in another mode.
var modeMember = regexp.MustCompile(`(?i)(dark|light|contrast).*value|value.*(dark|light|contrast)|^\$?(dark|light|modes|values|valuesByMode|themes)$`)

// nameBeside names what stands in a token beside its value and that no served file has: as lost tokens and values in
// other modes, and else what has the shape of a value, or of a document of DTCG anything, which it keeps.
func (c *setConverter) nameBeside(n *jsontree.Node, path jsontree.Pointer) {
	for _, m := range n.Members {
		below, isMode := append(path[:len(path):len(path)], m.Name), modeMember.MatchString(m.Name)
		isNumber := func(l leaf) bool { return isMode && l.value.Kind == jsontree.Number }
		isLeaf := func(l leaf) bool { return l.isToken() || isNumber(l) }
		isChild := c.dialect == dollarTokens && n.Find("$value") != nil && !isMeta(m.Name) // of any shape: check names them too
		switch {
		case isOfToken(m.Name) || slices.Contains(metadataNames, m.Name) || isBuilt(n) && m.Name == "attributes":
		case c.hidden(m.Value, below, insideToken(path)), isBuilt(n), slices.Contains(besideValue, m.Name):
		case slices.Contains(commentNames, m.Name):
			c.leave(n, m, path)
		case !isChild && !slices.ContainsFunc(leaves(jsontree.NewObject(jsontree.Member{Name: strings.TrimPrefix(m.Name, "$"), Value: m.Value}), nil, nil), isLeaf):
			c.leave(n, m, path)
		case isMode:
			message := "its member " + m.Name + " is left out: " + spelled(m.Value) + `; write {"light": …, "dark": …} as the value`
			c.part.Faults = append(c.part.Faults, Fault{c.pointer(below), strings.Join(path, "."), message})
		default:
			c.concede(besideKind, path, m.Name+" is in no file: "+spelled(m.Value))
		}
	}
}

// leftMember is a member that tokens of one tree have and the tokens of DTCG made of them do not.
type leftMember struct {
	name, said string
	first      jsontree.Pointer // the first token with it
	count      int
}

// leave notes a member of a token that nothing is made of, unless it says nothing.
func (c *setConverter) leave(n *jsontree.Node, m jsontree.Member, path jsontree.Pointer) {
	d := descriptionOf(n)
	isSaid := m.Name == "deprecated" && n.Find("$deprecated") == nil || m.Value == deprecationOf(n) || d != nil && jsontree.Equal(d, m.Value)
	isKept := isSaid || isMeta(m.Name) || c.dialect == dollarTokens && n.Find("$value") != nil || m.Name == "unit" && isQuantity(n)
	isEmpty := m.Value.Kind == jsontree.Null || m.Value.IsString() && m.Value.Text == "" || (m.Value.IsObject() || isArray(m.Value)) && len(below(m.Value)) == 0
	if isKept || isEmpty {
		return
	}
	i := slices.IndexFunc(c.left, func(l leftMember) bool { return l.name == m.Name })
	if i < 0 {
		i, c.left = len(c.left), append(c.left, leftMember{m.Name, spelled(m.Value), path, 0})
	}
	c.left[i].count++
}

// nameLeft names the members that were left, each name once.
func (c *setConverter) nameLeft() {
	for _, l := range c.left {
		others, next := "", "write it into $extensions to keep it"
		if l.count > 1 {
			others = ", as in " + plural(l.count-1, "more token", "more tokens")
		}
		if slices.Contains(commentNames, l.name) {
			next = "the token has another text that is its description"
		}
		c.concede("members of tokens that are left out", l.first, "its "+l.name+" is left out"+others+": "+l.said+"; "+next)
	}
}

// note remembers the place of a token in the file, if that differs from its place in the tree.
func (c *setConverter) note(path jsontree.Pointer) {
	if origin := c.pointer(path); origin != path.String() {
		c.part.Origins[path.String()] = origin
	}
}

// pointer is the place in the file of a place in the tree.
func (c *setConverter) pointer(path jsontree.Pointer) string {
	return slices.Concat(c.at, c.source(path)).String()
}

// source is the place in the tree that was read of a place in the tree.
func (c *setConverter) source(path jsontree.Pointer) jsontree.Pointer {
	for i := len(path); i > 0 && len(c.moved) > 0; i-- {
		if from, ok := c.moved[path[:i].String()]; ok {
			path, i = append(from[:len(from):len(from)], path[i:]...), len(from)
		}
	}
	return path
}

func (c *setConverter) concede(kind string, path jsontree.Pointer, message string) {
	c.part.Concessions = append(c.part.Concessions, Concession{kind, c.pointer(path), strings.Join(path, "."), message})
}

// spelled writes a value for a message.
func spelled(n *jsontree.Node) string {
	if n == nil {
		return "null"
	}
	return Clip(strings.ReplaceAll(string(jsontree.Append(nil, n)), `\u003c`, "<"))
}

// Spelled writes a value for a message.
func Spelled(n *jsontree.Node) string { return spelled(n) }

// mostShown is the most of a value that a message shows, in bytes.
const mostShown = 60

// Clip returns the beginning of a text for a message.
func Clip(text string) string {
	if len(text) <= mostShown {
		return text
	}
	cut := mostShown
	for cut > 0 && text[cut]&0xc0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

// Fits reports whether a value without aliases is one of a type by kind and grammar.
func Fits(typ string, value *jsontree.Node) bool {
	return dtcg.Fits(noTokens, typ, value)
}

// noTokens is a document in which no alias leads anywhere.
var noTokens = dtcg.Read(jsontree.NewObject())
