package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/arithmetic"
	"example.com/livery/cli/tokenfile/cssvalue"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

func recogniseStudio(f *syntax.File, _ Options) string {
	meta := f.Root.Find("$metadata")
	switch {
	case meta.Find("activeSets") != nil || meta.Find("activeThemes") != nil:
		return "its $metadata has active sets and themes, as Penpot writes them"
	case meta.Find("tokenSetOrder") != nil:
		return "its $metadata has a tokenSetOrder"
	case isArray(f.Root.Find("$themes")):
		return "it has $themes"
	}
	return ""
}

func recogniseBareStudio(f *syntax.File, o Options) string {
	if o.NotSets || !isBareStudio(f.Root, o.Sets) {
		return ""
	}
	return "each member is a token set, as its aliases show"
}

// convertStudio makes a part of each wanted token set.
func convertStudio(root *jsontree.Node, o Options) ([]Part, error) {
	at, names := func(set string) *jsontree.Node { return root.Find(set) }, setNames(root)
	wanted, err := StudioSets(root, names, at, o)
	if err != nil {
		return nil, err
	}
	sets := make([]*jsontree.Node, len(names))
	for i, name := range names {
		sets[i] = at(name)
	}
	o = o.Memo.withTokens(o, root, sets)
	parts, standings := make([]Part, 0, len(wanted)), Standings(root, names, at)
	for _, name := range wanted {
		set := root.Find(name)
		part := o.Memo.set(set, func() Part { return convertSet(name, set, jsontree.Pointer{name}, studioTokens, o) })
		part.Standing = standings[name]
		parts = append(parts, part)
	}
	beside := tree.MapMembers(root, func(m jsontree.Member) jsontree.Member {
		if isMeta(m.Name) || !isToken(m.Value) {
			m.Value = nil
		}
		return m
	})
	if len(o.Sets) == 0 && len(beside.Members) > 0 {
		parts = append(parts, convertSet("", beside, nil, studioTokens, o))
	}
	if len(parts) == 0 {
		parts = []Part{{Tree: jsontree.NewObject()}} // no theme takes any
	}
	first := &parts[0]
	first.AddThemes(root, names, at)
	for _, name := range LeftSets(names, wanted, o) {
		first.Concessions = append(first.Concessions, Concession{"token sets that are left out", jsontree.Pointer{name}.String(), name, leftSet})
	}
	first.Concessions = append(first.Concessions, MissingSets(root, names)...)
	first.Faults = append(first.Faults, Outside(root, nil, func(name string) bool { return !isMeta(name) })...)
	for _, m := range root.Members {
		if !isMeta(m.Name) && !m.Value.IsObject() {
			first.Concessions = append(first.Concessions, Concession{
				"members that are neither group nor token", jsontree.Pointer{m.Name}.String(), m.Name, spelled(m.Value) + " is left out",
			})
		}
	}
	return parts, nil
}

// MissingSets names the token sets that $metadata or a theme takes and that are not among sets. meta holds these
// members.
func MissingSets(meta *jsontree.Node, sets []string) (list []Concession) {
	add := func(at jsontree.Pointer, name, who string) {
		if !slices.Contains(sets, name) {
			list = append(list, Concession{"token sets that are missing", at.String(), name, who + " takes it, and there is no such token set"})
		}
	}
	for i, n := range itemsOf(meta.Find("$metadata").Find("tokenSetOrder")) {
		add(jsontree.Pointer{"$metadata", "tokenSetOrder", itoa(i)}, textOf(n), "the tokenSetOrder")
	}
	for i, theme := range itemsOf(meta.Find("$themes")) {
		for _, m := range membersOf(theme.Find("selectedTokenSets")) {
			if state := textOf(m.Value); state == "enabled" || state == "source" {
				add(jsontree.Pointer{"$themes", itoa(i), "selectedTokenSets", m.Name}, m.Name, "the theme "+textOf(theme.Find("name")))
			}
		}
	}
	return list
}

// leftSet says what to do about a token set that is left out.
const leftSet = "--sets takes it too, and a push to a Variant takes what it overrides"

// LeftSets lists the token sets that a document lacks because the options choose others.
func LeftSets(sets, wanted []string, o Options) []string {
	if o.Overrides || o.Choice != nil {
		return nil // the document of a Variant has what it overrides
	}
	return slices.DeleteFunc(slices.Clone(sets), func(name string) bool { return slices.Contains(wanted, name) })
}

// setNames lists the token sets of a file in the order in which they are laid over each other; a set
// that the order does not name comes last. A token is none.
func setNames(root *jsontree.Node) []string {
	var names []string
	for _, n := range itemsOf(root.Find("$metadata").Find("tokenSetOrder")) {
		if set := root.Find(textOf(n)); set.IsObject() && !slices.Contains(names, n.Text) {
			names = append(names, n.Text)
		}
	}
	for _, m := range root.Members {
		if !isMeta(m.Name) && m.Value.IsObject() && !isToken(m.Value) && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// StudioSets returns which of the token sets are wanted, in their order: those that the options name,
// those of the theme that is their mode, or all. meta holds the member $themes, if there is one, and at returns a
// set. It returns an *Error with the valid names if a name does not exist.
func StudioSets(meta *jsontree.Node, sets []string, at func(set string) *jsontree.Node, o Options) ([]string, error) {
	for _, name := range o.Sets {
		if !slices.Contains(sets, name) {
			return nil, &Error{"the file has no token set " + name, "Valid values: " + strings.Join(sets, ", ") + "."}
		}
	}
	switch {
	case len(o.Sets) > 0:
		return o.Sets, nil
	case o.Choice != nil:
		return chosenSets(themesOf(meta, sets, at), sets, o), nil
	case o.Mode == "":
		return sets, nil
	}
	var modes []string
	themes := themesOf(meta, sets, at)
	for _, t := range themes {
		if t.name != o.Mode {
			modes = AppendNew(modes, t.name)
			continue
		}
		together := chosenStates(themes, Options{Choice: map[string]string{t.group: t.name}})
		for name, state := range t.states {
			if state == "together" {
				t.states[name] = together[name]
			}
		}
		if o.Overrides {
			return withState(sets, t.states, "enabled"), nil
		}
		return takenSets(sets, t.states), nil
	}
	for _, name := range sets {
		if set := at(name); set.IsObject() {
			for _, mode := range convertSet(name, set, nil, studioTokens, Options{Choice: map[string]string{}}).ModeNames {
				modes = AppendNew(modes, mode)
			}
		}
	}
	if slices.Contains(modes, o.Mode) { // values have it
		return sets, nil
	}
	return nil, noMode(o.Mode, modes)
}

func noMode(name string, modes []string) error {
	next := "It has no modes at all; leave --token-mode out."
	if len(modes) > 0 {
		next = "Valid values: " + strings.Join(modes, ", ") + "."
	}
	return &Error{"the file has no mode " + name, next}
}

func itemsOf(n *jsontree.Node) []*jsontree.Node {
	if n == nil {
		return nil
	}
	return n.Items()
}

func membersOf(n *jsontree.Node) []jsontree.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// ConvertSet makes a part of one token set of Tokens Studio that is a file of its own.
func ConvertSet(name string, set *jsontree.Node, o Options) Part {
	return convertSet(name, set, nil, studioTokens, o)
}

// studioToken makes a DTCG token of one of Tokens Studio.
func (c *setConverter) studioToken(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	kind, value := textOf(either(n, "$type", "type")), c.withoutEmpty(either(n, "$value", "value"), path)
	if kind != "" && studioTypes[kind].alias != "string" {
		value = MapStrings(value, func(text string) string { return dollarAlias.ReplaceAllString(text, "{$1}") })
	}
	switch weight := WithoutStyle(value); {
	case kind == "fontWeights" && weight != value:
		c.concede("styles in weights", path, "of "+spelled(value)+" "+spelled(weight)+" counts; set font-style and font-stretch beside it")
		value = weight
	case kind == "asset" && strings.Contains(textOf(value), "/"):
		c.concede("addresses of assets", path, spelled(value)+asText)
	}
	if value != nil && value.Kind == jsontree.Number && value.Text != "0" && slices.Contains(pixelTypes, kind) {
		value = jsontree.NewString(value.Text + "px")
	}
	if value.IsString() && kind != "" {
		if text := literal(kind, value.Text); text != value.Text {
			value = jsontree.NewString(text)
		}
	}
	if kind != "" {
		kind, value = c.standard(kind, value, path)
	}
	return newToken(n, kind, value)
}

// dollarAlias is an alias as Tokens Studio wrote it first, $a.b.
var dollarAlias = regexp.MustCompile(`\$([A-Za-z_][\w-]*(?:\.[\w-]+)*)`)

// withoutEmpty returns a composite value, or layers of one, without the parts that are an empty text. A shadow has 0
// there.
func (c *setConverter) withoutEmpty(n *jsontree.Node, path jsontree.Pointer) *jsontree.Node {
	if isArray(n) {
		return tree.MapChildren(n, func(_ string, layer *jsontree.Node) *jsontree.Node { return c.withoutEmpty(layer, path) })
	}
	if !n.IsObject() {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch {
		case !m.Value.IsString() || m.Value.Text != "":
		case slices.Contains(shadowLengths, m.Name):
			c.concede("empty parts of values", path, m.Name+` is "", which counts as 0`)
			m.Value = jsontree.NewString("0")
		default:
			c.concede("empty parts of values", path, m.Name+` is "", and left out`)
			m.Value = nil
		}
		return m
	})
}

// shadowLengths are the parts of a shadow that are lengths.
var shadowLengths = []string{"x", "y", "offsetX", "offsetY", "blur", "spread"}

// The weight of a font as a number with a style, and what may stand beside it in words: a width, and the number of a
// family such as Helvetica, "65 Medium".
var (
	styledNumber = regexp.MustCompile(`(?i)^(\d+)\s+(?:italic|oblique)$`)
	width        = regexp.MustCompile(`(?i)^[2-9]5 |\b(?:(?:ultra|extra|semi)[ -]?)?(?:condensed|compressed|narrow|expanded|extended|wide)\b`)
)

// WithoutStyle returns a weight of a font without its style, if the weight is a number, and without its width; else n
// itself.
func WithoutStyle(n *jsontree.Node) *jsontree.Node {
	text := textOf(n)
	if m := styledNumber.FindStringSubmatch(text); m != nil {
		return jsontree.NewString(m[1])
	}
	if weight := WithoutWidth(text); weight != text {
		return jsontree.NewString(weight)
	}
	return n
}

// WithoutWidth returns a weight of a font in words without the words of its width, if a weight is left.
func WithoutWidth(text string) string {
	weight := strings.Join(strings.Fields(width.ReplaceAllString(text, "")), " ")
	if len(weight) == len(text) || strings.Contains(text, "{") || !Fits("fontWeight", jsontree.NewString(weight)) {
		return text
	}
	return weight
}

// literal computes an expression without aliases, so that its value tells its type. A number that is a length is one of
// pixels: whatever it is an alias in, it has the unit.
func literal(kind, text string) string {
	if _, isStudio := studioTypes[kind]; isStudio {
		if result, ok := arithmetic.Evaluate(text); ok {
			text = result
		}
	}
	if slices.Contains(pixelTypes, kind) && cssvalue.IsUnitless(text) {
		return text + "px"
	}
	return StudioPercentage(kind, text)
}

// pixelTypes are the types of Tokens Studio whose numbers are pixels.
var pixelTypes = []string{"borderRadius", "borderWidth", "strokeWidth", "dimension", "fontSizes", "sizing", "spacing"}

// StudioPercentage returns a percentage of a line height or an opacity as a number and one of a letter spacing in em,
// as sd-transforms does; any other text as it is. kind is a type of Tokens Studio or the name of a part of typography.
func StudioPercentage(kind, text string) string {
	if !percentage.MatchString(text) {
		return text
	}
	unit := ""
	switch kind {
	case "lineHeights", "lineHeight", "opacity":
	case "letterSpacing", "letterSpacings":
		unit = "em"
	default:
		return text
	}
	return hundredth(strings.TrimSuffix(text, "%")) + unit
}

// hundredth is a number divided by 100.
func hundredth(number string) string {
	part, _ := arithmetic.Evaluate(number + " / 100")
	return part
}

var percentage = regexp.MustCompile(`^-?[\d.]+%$`)

// newToken makes a DTCG token of a type and a value, with what n says beside them: a description, and what has a dollar
// sign.
func newToken(n *jsontree.Node, kind string, value *jsontree.Node) *jsontree.Node {
	members := make([]jsontree.Member, 0, len(n.Members))
	if kind != "" {
		members = append(members, jsontree.Member{Name: "$type", Value: jsontree.NewString(kind)})
	}
	members = append(members, jsontree.Member{Name: "$value", Value: value})
	if d := descriptionOf(n); d != nil {
		members = append(members, jsontree.Member{Name: "$description", Value: d})
	}
	if d := deprecationOf(n); d != nil {
		members = append(members, jsontree.Member{Name: "$deprecated", Value: d})
	}
	for _, m := range n.Members {
		if isMeta(m.Name) && m.Name != "$type" && m.Name != "$value" && m.Name != "$description" {
			members = append(members, m)
		}
	}
	return jsontree.NewObject(members...)
}

// descriptionOf is what a token says of itself in one of the members in which people write comments; nil if it says
// nothing.
func descriptionOf(n *jsontree.Node) *jsontree.Node {
	for _, name := range append([]string{"$description", "description"}, commentNames...) {
		if d := n.Find(name); textOf(d) != "" {
			return d
		}
	}
	return nil
}

// deprecationOf is what a token says of its deprecation in the members that Style Dictionary's own examples have: a
// reason, or true; nil if it is not deprecated.
func deprecationOf(n *jsontree.Node) *jsontree.Node {
	d, reason := n.Find("deprecated"), n.Find("deprecated_comment")
	isTrue := d != nil && d.Kind == jsontree.Bool && d.True
	switch {
	case n.Find("$deprecated") != nil || !isTrue && textOf(d) == "":
		return nil
	case isTrue && textOf(reason) != "":
		return reason
	}
	return d
}

func either(n *jsontree.Node, first, second string) *jsontree.Node {
	return cmp.Or(n.Find(first), n.Find(second))
}

// mapping says what a type of Tokens Studio becomes: the first type that the value fits, the last if
// it fits none, or alias if the value is one.
type mapping struct {
	types []string
	alias string
}

var (
	lengths = mapping{[]string{"dimension", "string"}, "dimension"}
	words   = mapping{[]string{"string"}, "string"}

	studioTypes = map[string]mapping{
		"borderRadius": lengths, "borderWidth": lengths, "strokeWidth": lengths, "sizing": lengths, "spacing": lengths, "dimension": lengths,
		"fontSizes": lengths, "paragraphSpacing": lengths, "paragraphIndent": lengths,
		"letterSpacing": {lengths.types, "letterSpacing"},
		"lineHeights":   {[]string{"number", "dimension", "lineHeights"}, "lineHeights"},
		"opacity":       {[]string{"number", "opacity"}, "opacity"},
		"fontFamilies":  {[]string{"fontFamily"}, "fontFamily"},
		"fontWeights":   {[]string{"fontWeight", "string"}, "fontWeight"},
		"boxShadow":     {[]string{"shadow"}, "shadow"},
		"rotation":      {[]string{"number", "string"}, "number"}, // of Penpot, in degrees
		"text":          words, "other": words, "asset": words, "textCase": words, "textDecoration": words,
	}
)

// ownTypes are types that only Tokens Studio has.
var ownTypes = []string{"boxShadow", "fontFamilies", "fontSizes", "fontWeights", "lineHeights", "paragraphSpacing", "sizing"}

// HasStudioTypes reports whether a token of a file in the form before DTCG has a type that only Tokens Studio has: its
// expressions are those of Tokens Studio then.
func HasStudioTypes(root *jsontree.Node) (found bool) {
	eachToken(root, isLegacyToken, func(token *jsontree.Node) { found = found || slices.Contains(ownTypes, textOf(token.Find("type"))) })
	return found
}

// standard is the function of that name, but for a value that only a string takes: a text that has no shape is named,
// and any other value keeps its type, for the repair to judge.
func (c *setConverter) standard(kind string, value *jsontree.Node, path jsontree.Pointer) (string, *jsontree.Node) {
	if short := MapStrings(value, WithoutSemicolon); kind == "other" && short != value && Shape(short) != "" {
		c.concede(EndsOfDeclarations, path, spelled(value)+" is read as "+spelled(short))
		value = short
	}
	became, spelt := standard(kind, value)
	first := studioTypes[kind].types
	if became != "string" || kind == became || first[0] == became {
		return became, spelt
	}
	if shape := Shape(value); shape != "" && shape != "typography" || !value.IsString() { // which takes nearly any words
		return first[0], spelt
	}
	c.concede(disagreeing, path, spelled(value)+" is not a value of "+first[0]+" and stays as a string")
	return became, spelt
}

// EndsOfDeclarations is the kind of the concessions of values with a semicolon or the like behind them.
const EndsOfDeclarations = "ends of declarations behind values"

// disagreeing is the kind of the concessions of values that their types do not have.
const disagreeing = "types that disagree with the value"

// standard returns the DTCG type for a type of Tokens Studio, and the value as that type spells it. A
// type that it does not know stays, for the origin to judge.
func standard(kind string, value *jsontree.Node) (string, *jsontree.Node) {
	value = respell(kind, value)
	m, ok := studioTypes[kind]
	switch {
	case !ok:
		return kind, value
	case value.IsString() && strings.Contains(value.Text, "{"):
		return m.alias, value
	}
	for _, candidate := range m.types {
		if Fits(candidate, value) {
			return candidate, value
		}
	}
	return m.types[len(m.types)-1], value
}
