package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/arithmetic"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func recogniseStyleDictionary(f *syntax.File, o Options) string {
	if at := themeOf(f.Root); at != nil {
		return strings.Join(append(at, "semanticTokens"), ".") + " stands beside tokens, as Panda and Chakra have them"
	}
	path, ok := firstAt(f.Root, isLegacyToken)
	if !ok {
		return ""
	}
	list, beside := legacyLeaves(f.Root, nil)
	if noteOf(f.Root) == nil && (beside > 10*len(list) || !o.Among && !likeTokens(list)) {
		return "" // a group that is called value, or a configuration
	}
	return named(path) + " has a value"
}

// legacyLeaves lists the values of the tokens below a group, and counts the texts and numbers that stand in none.
func legacyLeaves(n *jsontree.Node, at jsontree.Pointer) (list []leaf, beside int) {
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isMeta(m.Name):
		case isLegacyToken(m.Value):
			list = append(list, tokenLeaves(m.Value, below)...)
		case m.Value.IsObject():
			l, b := legacyLeaves(m.Value, below)
			list, beside = append(list, l...), beside+b
		case m.Value.IsString() || m.Value != nil && m.Value.Kind == jsontree.Number:
			beside++
		}
	}
	return list, beside
}

// tokenLeaves lists the values in an object with a value. They are of a token if it has a $value, a type other than
// that of texts, what Style Dictionary builds, or a category in its path, or if there is an alias in them. A number that
// is a text says nothing.
func tokenLeaves(n *jsontree.Node, path jsontree.Pointer) []leaf {
	kind, last := textOf(either(n, "$type", "type")), len(path)-1
	isText := slices.Contains([]string{"string", "text"}, kind)
	isTyped := isType(kind) || pluginTypes[kind] != ""
	isOfCategory := last > 0 && categories[path[0]].kind != "" || slices.ContainsFunc(path, isCategory)
	is := n.Find("$value") != nil || isBuilt(n) || isTyped && !isText || isOfCategory
	list := leaves(jsontree.NewObject(jsontree.Member{Name: path[last], Value: either(n, "$value", "value")}), path[:last], nil)
	for i, l := range list {
		list[i].is = is || aliasInText.Match(jsontree.Append(nil, l.value))
	}
	return slices.DeleteFunc(list, func(l leaf) bool { return !l.is && bareNumber.MatchString(textOf(l.value)) })
}

// aliasInText is an alias, and not ${NAME} or {{name}}, which other files have.
var aliasInText = regexp.MustCompile(`(?:^|[^${])\{[^{}":;]+\}(?:[^}]|$)`)

// categoryNames are groups of Style Dictionary beside those of lengths and numbers.
var categoryNames = []string{
	"color", "colors", "colour", "colours", "font", "fonts", "typography", "shadow", "shadows", "border", "borders", "opacity", "elevation",
}

// isCategory reports whether a name is a category, and not the name of a variable of an environment.
func isCategory(name string) bool {
	isKnown := slices.Contains(categoryNames, ModeKey(name)) || isNumberName(name) || isLength(jsontree.Pointer{name})
	return isKnown && name != strings.ToUpper(name)
}

func readStyleDictionary(root *jsontree.Node, o Options) ([]Part, error) {
	value := root.Find("value")
	switch {
	case !isLegacyToken(root):
		value = nil
	case !holdsLegacy(root):
		return nil, &Error{"the whole file is one token without a name", "Put the token under a name."}
	default:
		root = tree.With(root, "value", nil)
	}
	at := themeOf(root)
	if at != nil {
		return readTheme(root.Lookup(at), at, o), nil
	}
	part := convertSet("", root, nil, dictionaryTokens, o)
	if value != nil {
		part.Faults = append(part.Faults, Fault{"/value", "value", spelled(value) + " is left out: at the root it is of a token without a name; put it into a token with one"})
	}
	return []Part{part}, nil
}

// readTheme makes the parts of a theme of Panda or Chakra, which stands at a place of its file.
func readTheme(theme *jsontree.Node, at jsontree.Pointer, o Options) (parts []Part) {
	var left []Concession
	for _, name := range themeGroups {
		parts = append(parts, convertSet("", theme.Find(name), append(at[:len(at):len(at)], name), dictionaryTokens, o))
	}
	for _, m := range theme.Members {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case slices.Contains(themeGroups, m.Name):
		case m.Name == "breakpoints":
			parts = append(parts, convertSet("", jsontree.NewObject(m), at, dictionaryTokens, o))
		default:
			left = append(left, Concession{"members beside tokens and semanticTokens", below.String(), strings.Join(below, "."), spelled(m.Value) + " is left out"})
		}
	}
	parts[0].Concessions = append(parts[0].Concessions, left...)
	tokens, semantic := dtcg.Read(parts[0].Tree), dtcg.Read(parts[1].Tree).Tokens
	for i := range semantic {
		if twice := tokens.Token(semantic[i].Path); twice != nil {
			parts[0].Faults = append(parts[0].Faults, Fault{parts[0].At + twice.Pointer().String(), twice.Path, "semanticTokens have a token of this name too, which counts"})
		}
	}
	return parts
}

// themeGroups are the groups of a theme of Panda or Chakra that hold its tokens. Their names stand in no alias.
var themeGroups = []string{"tokens", "semanticTokens"}

// themeOf returns the place of the object that holds these groups; nil if there is none.
func themeOf(root *jsontree.Node) jsontree.Pointer {
	for _, at := range []jsontree.Pointer{{}, {"theme"}, {"theme", "extend"}} {
		theme := root.Lookup(at)
		if !slices.ContainsFunc(themeGroups, func(name string) bool { return !theme.Find(name).IsObject() || !holdsLegacy(theme.Find(name)) }) {
			return at
		}
	}
	return nil
}

// dictionaryToken makes a DTCG token of one of Style Dictionary: an alias may end with .value, and the first name of
// the path of a token without a type is its category (category/type/item).
func (c *setConverter) dictionaryToken(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	kind, value := textOf(either(n, "$type", "type")), withoutValueSuffix(c.original(n, path))
	value = withoutParts(value)
	if text := colorText(value); text != nil && (kind == "color" || kind == "" && path[0] == "color") {
		c.concede("colours as numbers", path, spelled(value)+" is "+text.Text+" now")
		kind, value = "color", text
	}
	if known := pluginTypes[kind]; known != "" {
		kind, value = known, pluginValue(kind, value)
	}
	isSource := n.Find("$value") == nil && !isBuilt(n)
	switch {
	case kind != "" && kind == c.above:
		kind = "" // the group says it
	case isSource && path[0] == "size" && (studioTypes[kind].alias == "dimension" || strings.EqualFold(kind, "fontSize") || kind == "size"):
		kind, value = c.categorised(value, path)
	case kind != "" && (n.Find("$value") != nil || isType(kind)):
		kind, value = c.standard(kind, value, path)
	case strings.Contains(textOf(value), "{"):
	case isSource:
		if of, written := c.categorised(value, path); of != "" {
			kind, value = of, written
		}
	}
	if kind == "dimension" && isSource && bareNumber.MatchString(textOf(value)) && value.Text != "0" {
		c.concede("numbers without a unit", path, value.Text+" is "+value.Text+"px in the served files; write a unit if it is of another")
	}
	return newToken(n, kind, value)
}

// isQuantity reports whether an object is a number and a unit, which among tokens of Style Dictionary is one.
func isQuantity(n *jsontree.Node) bool {
	value := n.Find("value")
	return value != nil && bareNumber.MatchString(value.Text) && textOf(n.Find("unit")) != ""
}

// withoutParts returns a composite value in which a part that is an object with a value is that value.
func withoutParts(n *jsontree.Node) *jsontree.Node {
	if !n.IsObject() {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		if isLegacyToken(m.Value) && m.Value.Find("unit") == nil {
			m.Value = m.Value.Find("value")
		}
		return m
	})
}

// colorText is a colour that is a list of red, green, blue and perhaps alpha, or an object of these or of hue,
// saturation and lightness, as Style Dictionary's transforms read it; nil if n is none. Red, green and blue up to 1 are
// Figma's; saturation and lightness up to 1 are parts of 1, else percentages.
func colorText(n *jsontree.Node) *jsontree.Node {
	var parts []string
	for _, item := range itemsOf(n) {
		parts = append(parts, colorPart(item))
	}
	space := "rgb("
	for _, names := range []string{"rgb", "hsl"} {
		if n.IsObject() && n.Find(names[:1]) != nil {
			for i := range names {
				parts = append(parts, colorPart(n.Find(names[i:i+1])))
			}
			if alpha := n.Find("a"); alpha != nil {
				parts = append(parts, colorPart(alpha))
			}
			space = names + "("
		}
	}
	if len(parts) < 3 || space == "rgb(" && areUpTo1(parts[:3]) {
		return nil
	}
	if space == "hsl(" {
		isOf1 := areUpTo1(parts[1:3])
		for i, part := range parts[1:3] {
			if isOf1 {
				part, _ = arithmetic.Evaluate(part + " * 100")
			}
			parts[i+1] = strings.TrimSuffix(part, "%") + "%"
		}
	}
	text := jsontree.NewString(space + strings.Join(parts, ", ") + ")")
	if !Fits("color", text) {
		return nil
	}
	return text
}

// colorPart is a number in a colour, also if it is a text or a percentage.
func colorPart(n *jsontree.Node) string {
	if text := textOf(n); bareNumber.MatchString(strings.TrimSuffix(text, "%")) {
		return text
	}
	return numberOf(n)
}

// areUpTo1 reports whether parts of a colour are numbers of at most 1.
func areUpTo1(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool {
		number, err := strconv.ParseFloat(part, 64)
		return err != nil || number > 1
	})
}

// original is the value of a token. A built file for iOS has colours as objects of red, green and blue, and beside them
// what the source says; another has the unit of a number apart.
func (c *setConverter) original(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	value := either(n, "$value", "value")
	source := n.Find("original").Find("value")
	if isQuantity(n) {
		return jsontree.NewString(value.Text + n.Find("unit").Text)
	}
	if source.IsString() && value.Find("red") != nil && value.Find("green") != nil && value.Find("blue") != nil {
		c.concede("colours for iOS", path, spelled(value)+" is "+spelled(source)+" now, its original value")
		return source
	}
	return value
}

// isType reports whether a word is a type, if perhaps spelled otherwise, and not a label of the team that wrote the
// file.
func isType(word string) bool {
	_, isStudio := studioTypes[word]
	return isStudio || slices.Contains(dtcg.TypeNames(), word) || NearestType(word) != ""
}

// bareHex is a colour without its #, of which Style Dictionary's transforms make one.
var bareHex = regexp.MustCompile(`^(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)

// bareNumber is a number without a unit, as people write it in a string too.
var bareNumber = regexp.MustCompile(`^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// categories are the types that Style Dictionary's own transforms give to the tokens of a category, and the units that
// its platform css writes after a bare number.
var categories = map[string]struct{ kind, unit string }{
	"size":    {"dimension", "rem"},
	"time":    {"duration", "ms"},
	"content": {"string", ""},
	"asset":   {"string", ""},
	"icon":    {"string", ""},
}

func (c *setConverter) categorised(value *jsontree.Node, path jsontree.Pointer) (string, *jsontree.Node) {
	if path[0] == "color" && value.IsString() && bareHex.MatchString(value.Text) {
		c.concede("colours without #", path, `"`+value.Text+`" is #`+value.Text+" now, as Style Dictionary's css writes the category color")
		return "color", jsontree.NewString("#" + value.Text)
	}
	category, ok := categories[path[0]]
	if !ok || value == nil {
		return "", value
	}
	text := value.Text
	if category.unit == "rem" && isOfNumbers(path, text) {
		return "", value // which Style Dictionary would write as 700rem
	}
	isNumber := (value.Kind == jsontree.Number || value.IsString()) && bareNumber.MatchString(text)
	if category.unit != "" && isNumber {
		value = jsontree.NewString(text + category.unit)
		c.concede("numbers without a unit", path, text+" is "+value.Text+" now, as Style Dictionary's css writes the category "+path[0])
	}
	if !Fits(category.kind, value) {
		return "", value
	}
	return category.kind, value
}

// fontWeight is a number that is more likely a weight of a font than of a border.
var fontWeight = regexp.MustCompile(`^[1-9][05]0$`)

// isOfNumbers reports whether names of a path are those of numbers, such as weights: one alone, or two together.
func isOfNumbers(path jsontree.Pointer, value string) bool {
	for i, name := range path {
		isName := isNumberName(name) || i > 0 && isNumberName(path[i-1]+name)
		if key := ModeKey(name); isName || strings.HasPrefix(key, "weight") && fontWeight.MatchString(value) || key == "leading" {
			return true
		}
	}
	return false
}

// valueSuffix is the end of an alias that names the value of a token and not the token.
var valueSuffix = regexp.MustCompile(`\.(\$?value)\s*\}`)

// withoutValueSuffix returns a value with aliases that name tokens.
func withoutValueSuffix(n *jsontree.Node) *jsontree.Node {
	return MapStrings(n, func(text string) string { return valueSuffix.ReplaceAllString(text, "}") })
}

// MapStrings returns a value with each string in it changed. A value that does not change is returned as it is.
func MapStrings(n *jsontree.Node, change func(string) string) *jsontree.Node {
	if n.IsString() {
		if text := change(n.Text); text != n.Text {
			return jsontree.NewString(text)
		}
		return n
	}
	return tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return MapStrings(value, change) })
}

// recogniseTheo recognises the form of Salesforce's Theo, in which others publish too: props beside aliases or global.
func recogniseTheo(f *syntax.File, _ Options) string {
	props := f.Root.Find("props")
	isProp := func(m jsontree.Member) bool { return isLegacyToken(m.Value) }
	isList := len(itemsOf(props)) > 0 && isListed(props.Items()[0])
	if !isList && !slices.ContainsFunc(membersOf(props), isProp) || f.Root.Find("aliases") == nil && f.Root.Find("global") == nil {
		return ""
	}
	return "it has props beside aliases or global, with values"
}

// theoAlias is an alias of a file of Theo, and maxAliased the size of a value in which none is replaced any more.
var theoAlias = regexp.MustCompile(`\{!([^{}]+)\}`)

const maxAliased = 4 << 10 // bytes

// readTheo makes a part of the props. An alias of the file stands in place as its value, also inside a value and in
// another alias: {!NAME}. One that the file lacks is an alias of a prop.
func readTheo(root *jsontree.Node, o Options) ([]Part, error) {
	aliases := root.Find("aliases")
	inPlace := func(alias string) string {
		target := aliases.Find(theoAlias.FindStringSubmatch(alias)[1])
		if value := cmp.Or(target.Find("value"), target); value.IsString() || value != nil && value.Kind == jsontree.Number {
			return value.Text
		}
		return alias
	}
	props := MapStrings(root.Find("props"), func(text string) string {
		for range membersOf(aliases) { // more cannot lead to each other
			if len(text) > maxAliased || !theoAlias.MatchString(text) {
				break
			}
			text = theoAlias.ReplaceAllStringFunc(text, inPlace)
		}
		return theoAlias.ReplaceAllString(text, "{$1}")
	})
	if isArray(props) {
		return readTokenList(jsontree.NewObject(jsontree.Member{Name: "props", Value: props}), o)
	}
	part := convertSet("", props, jsontree.Pointer{"props"}, dictionaryTokens, o)
	for _, m := range props.Members {
		if !isMeta(m.Name) && !isToken(m.Value) && len(notRead(m.Value, nil, "")) == 0 {
			part.Faults = append(part.Faults, Fault{jsontree.Pointer{"props", m.Name}.String(), m.Name, "it has no value: " + spelled(m.Value)})
		}
	}
	return []Part{part}, nil
}
