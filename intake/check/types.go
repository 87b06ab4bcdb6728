package check

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// unknownTypes takes each $type away that is not known. Its tokens get the type that it is another spelling of, else
// that of the target of an alias, else that of the shape of their value.
func (r *repair) unknownTypes() {
	wrong := map[string]string{} // pointer to a token -> its unknown type
	r.Tree = strip(r.Tree, nil, "", wrong)
	r.rewrite("unknown types", func(d *dtcg.Document, i int) (_ *jsontree.Node, typ, message string) {
		t := &d.Tokens[i]
		unknown, ok := wrong[t.Pointer().String()]
		if !ok {
			return nil, "", ""
		}
		kind, became := guess(d, i, unknown)
		if kind != t.Resolved {
			typ = kind
		}
		return nil, typ, quotedType(unknown) + became
	})
}

func quotedType(unknown string) string {
	text := `$type "` + value.Clip(strings.Trim(unknown, `"`)) + `" is not known`
	if near := value.NearestType(unknown); near != "" {
		text += "; the nearest is " + near
	}
	return text
}

// guess returns the type of token i, whose own is unknown, and says why.
func guess(d *dtcg.Document, i int, unknown string) (kind, became string) {
	t := &d.Tokens[i]
	if same := value.SameType(unknown); same != "" && dtcg.Fits(d, same, t.Value) {
		return same, ", which counts"
	}
	if target := lastTarget(d, i); target != nil {
		return target.Resolved, ": the type of " + target.Path + " counts" + ofType(target.Resolved)
	}
	kind = css.InferType(t.Value)
	if _, err := strconv.ParseFloat(t.Value.Text, 64); kind == "" && t.Value.IsString() && err == nil && dtcg.Fits(d, "number", t.Value) {
		kind = "number"
	}
	if kind != "" {
		return kind, ": by its shape " + shown(t.Value) + " is of type " + kind
	}
	if t.Value.IsString() {
		return "string", ": " + shown(t.Value) + " stays as a string"
	}
	return "", ": nothing tells the type of " + shown(t.Value)
}

func ofType(kind string) string {
	if kind == "" {
		return ""
	}
	return ", " + kind
}

func shown(v *jsontree.Node) string { return value.Spell(v) }

// strip returns a tree without unknown types, and notes the tokens that had one, of their own or from a group.
func strip(n *jsontree.Node, at jsontree.Pointer, above string, wrong map[string]string) *jsontree.Node {
	own := n.Find("$type")
	unknown := own != nil && !known(own)
	switch {
	case unknown:
		above = own.Text
		if above == "" {
			above = shown(own)
		}
		n = tree.With(n, "$type", nil)
	case own != nil:
		above = ""
	}
	if len(at) > 0 && dtcg.IsToken(n) {
		if above != "" {
			wrong[at.String()] = above
		}
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		if !dtcg.IsMetadata(m.Name) && m.Value.IsObject() {
			m.Value = strip(m.Value, append(at[:len(at):len(at)], m.Name), above, wrong)
		}
		return m
	})
}

func known(typ *jsontree.Node) bool {
	if !typ.IsString() {
		return false
	}
	_, ok := dtcg.KindOf(typ.Text)
	return ok
}

// channels are those of a colour without a function around them, as stylesheets take them into their own.
var channels = regexp.MustCompile(`^[\d.]+(?:deg)?(?:(?:\s*,\s*|\s+)[\d.]+%?){2}(?:\s*[,/]\s*[\d.]+%?)?$`)

const asChannels = " has the channels of a colour alone, and stays a text; rgb() or hsl() around them make a colour"

// wrongValues gives a token whose value its type never has the type of the shape of the value. A word alone, such as
// red for a dimension, has no shape that says more than the type.
func (r *repair) wrongValues() {
	r.retype("types that disagree with the value", func(d *dtcg.Document, i int, kind css.Kind) (typ, message string) {
		t := &d.Tokens[i]
		if kind == css.Color && t.Value.IsString() && channels.MatchString(t.Value.Text) {
			return "string", shown(t.Value) + asChannels
		}
		isWord := t.Value.IsString() && !strings.ContainsAny(t.Value.Text, " #(0123456789")
		if dtcg.Fits(d, t.Resolved, t.Value) || strings.Contains(shown(t.Value), "{") || isWord && css.FitsKind(kind, t.Value) {
			return "", ""
		}
		shape := value.Shape(t.Value)
		if of, _ := dtcg.KindOf(shape); shape == "" || of == kind || !dtcg.Fits(d, shape, t.Value) {
			return "", ""
		}
		return shape, shown(t.Value) + " is a " + shape + ", which counts"
	})
}

// composites gives a text on several lines, or a list of texts, that has no type the one of its shape: without it the
// text is served in quotes, because only a typed value may span lines, and the list as one of fonts.
func (r *repair) composites() {
	r.giveTypes("values on several lines or in a list", func(_ *dtcg.Document, t *dtcg.Token) (kind string) {
		types := []string{"gradient", "shadow"}
		if t.Value.IsString() && strings.ContainsAny(t.Value.Text, "\n\r\t") {
			types = append(types, "fontFamily")
			kind = value.Shape(jsontree.NewString(strings.Join(strings.Fields(t.Value.Text), " ")))
		}
		for i, item := range t.Value.Items() {
			shape := value.Shape(item)
			if !item.IsString() || i > 0 && shape != kind {
				return ""
			}
			kind = shape
		}
		if !slices.Contains(types, kind) {
			return ""
		}
		return kind
	})
}

// Expressions with aliases that have no type: functions of colours, and arithmetic.
var (
	ofColor    = regexp.MustCompile(`^(?:rgb|hsl)a?\(.*\{[^{}]+\}.*\)$`)
	calculated = regexp.MustCompile(`^[-+*/(). \d]*\{([^{}]+)\}(?: +[-+*/] +|\{[^{}]+\}|[()]|[\d.]+(?:px|rem|em|ms|s|%)?)*$`)
	operator   = regexp.MustCompile(` [-+*/] `)
)

// expressions gives an expression with aliases, of which no value of CSS is made without a type, the one that it has:
// rgba({a}, 0.5) is a colour, and {a} * 2 what {a} is.
func (r *repair) expressions() {
	r.giveTypes("expressions without a type", func(d *dtcg.Document, t *dtcg.Token) string {
		if t.Resolved != "" || !t.Value.IsString() {
			return ""
		}
		if ofColor.MatchString(t.Value.Text) {
			return "color"
		}
		if m := calculated.FindStringSubmatch(t.Value.Text); m != nil && operator.MatchString(t.Value.Text) {
			if target := d.Token(strings.TrimSpace(m[1])); target != nil && slices.Contains([]string{"dimension", "duration"}, target.Resolved) {
				return target.Resolved
			}
		}
		return ""
	})
}

// giveTypes gives tokens of which neither they nor a group or target says the type the one that choose returns for them,
// if it returns one that the value may have.
func (r *repair) giveTypes(what string, choose func(d *dtcg.Document, t *dtcg.Token) (kind string)) {
	r.rewrite(what, func(d *dtcg.Document, i int) (_ *jsontree.Node, typ, message string) {
		t := &d.Tokens[i]
		if t.Resolved != "" && !t.Inferred {
			return nil, "", ""
		}
		if typ = choose(d, t); typ == "" || !dtcg.Fits(d, typ, t.Value) {
			return nil, "", ""
		}
		return nil, typ, shown(t.Value) + " is of type " + typ
	})
}

// farOutside is how far a component may lie from 0 if those of its colour space go from 0 to 1: colours outside the gamut
// of their space do not come near it, and 255 goes beyond it.
const farOutside = 2

// liveColors is the kind of the problems of colours that stay what they are, and that tokens.values.json does not have.
const liveColors = "colours that only a browser can compute"

// nameColors names colours with components of 0 to 255 or of 0 to 100, where DTCG has those of 0 to 1: a browser shows them
// as white. They stay what they are. It names those with a hex of another colour, too, and those that only a browser can compute.
func (r *repair) nameColors() {
	d := dtcg.Read(r.Tree)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Resolved == "color" && t.Served.IsString() && value.Fits("color", t.Served) {
			if _, misfit := css.AppendPrimitive(nil, css.Color, t.Served); misfit != nil {
				r.Report(t.Pointer(), liveColors, shown(t.Value)+" is in all served files but tokens.values.json")
			}
		}
		space, list := t.Value.Find("colorSpace"), t.Value.Find("components")
		if !space.IsString() || list == nil || len(list.Items()) == 0 {
			continue
		}
		components := list.Items()
		switch hex := t.Value.Find("hex"); {
		case space.Text == "srgb" && isOtherColor(hex, components):
			r.Report(t.Pointer(), "colours with two values", "its components "+shown(list)+" count, and its hex is of another colour: "+shown(hex))
			continue
		case slices.Contains([]string{"hsl", "hwb", "lab", "lch"}, space.Text):
			continue
		case slices.Contains([]string{"oklab", "oklch"}, space.Text):
			components = components[:1] // the lightness
		}
		for _, c := range components {
			if f, err := strconv.ParseFloat(c.Text, 64); c.Kind == jsontree.Number && err == nil && math.Abs(f) > farOutside {
				r.Report(t.Pointer(), "components of colours beyond 1", c.Text+" in "+shown(list)+": "+space.Text+" has components from 0 to 1")
				break
			}
		}
	}
}

// isOtherColor reports whether a hex of six digits is that of another colour than components of sRGB from 0 to 1, which may
// be rounded.
func isOtherColor(hex *jsontree.Node, components []*jsontree.Node) bool {
	color, ok := css.ParseColor(value.Text(hex))
	if !ok || len(hex.Text) != len("#rrggbb") || len(components) != 3 {
		return false
	}
	isOther := false
	for i, c := range components {
		component, err := strconv.ParseFloat(c.Text, 64)
		if c.Kind != jsontree.Number || err != nil || math.Abs(component) > farOutside {
			return false
		}
		isOther = isOther || math.Abs(max(0, min(1, component))-color.Components[i])*255 > 1.01
	}
	return isOther
}

// wrongAliases gives an alias whose type its target cannot have the type of the target.
func (r *repair) wrongAliases() {
	r.retype("types that disagree with the target of an alias", func(d *dtcg.Document, i int, kind css.Kind) (typ, message string) {
		t, target := &d.Tokens[i], lastTarget(d, i)
		if target == nil || target.Served == nil || dtcg.Fits(d, t.Resolved, target.Served) {
			return "", ""
		}
		if of, ok := dtcg.KindOf(target.Resolved); !ok || of == kind {
			return "", ""
		}
		return target.Resolved, shown(t.Value) + " leads to a " + target.Resolved + ", which counts"
	})
}

// retype gives tokens whose type is known the type that choose returns for them, if it returns one.
func (r *repair) retype(what string, choose func(d *dtcg.Document, i int, kind css.Kind) (typ, message string)) {
	r.rewrite(what, func(d *dtcg.Document, i int) (_ *jsontree.Node, typ, message string) {
		if kind, ok := dtcg.KindOf(d.Tokens[i].Resolved); ok {
			typ, message = choose(d, i, kind)
		}
		if typ == "" {
			return nil, "", ""
		}
		return nil, typ, `$type "` + d.Tokens[i].Resolved + `": ` + message
	})
}

// longestChain bounds how many aliases lead from one token to the next.
const longestChain = 1000

// lastTarget returns the token at the end of the aliases that begin with token i; nil if its value is not an alias alone. Of a circle it is
// another token in it.
func lastTarget(d *dtcg.Document, i int) (last *dtcg.Token) {
	at := i
	for range longestChain {
		next := d.AliasOf(at)
		if next < 0 || next == i {
			break
		}
		at, last = next, &d.Tokens[next]
	}
	return last
}

// gradients gives a token whose value is an object of stops, a type and perhaps an angle, as many tools write gradients, the function of CSS
// that it means.
func (r *repair) gradients() {
	r.rewrite("gradients as objects", func(d *dtcg.Document, i int) (made *jsontree.Node, typ, message string) {
		t := &d.Tokens[i]
		text := gradientText(t.Value)
		if text == "" {
			return nil, "", ""
		}
		return jsontree.NewString(text), "gradient", shown(t.Value) + " is read as " + value.Clip(text)
	})
}

// gradientFunctions are how the functions begin that the types of gradients mean.
var gradientFunctions = map[string]string{
	"linear": "linear-gradient(", "linear-gradient": "linear-gradient(", "radial": "radial-gradient(circle, ", "radial-gradient": "radial-gradient(circle, ",
}

// gradientText returns the function of CSS for a gradient as an object; "" if n is none.
func gradientText(n *jsontree.Node) string {
	if !n.IsObject() || n.Find("stops") == nil {
		return ""
	}
	begin := gradientFunctions[value.Text(cmp.Or(n.Find("gradientType"), n.Find("type")))]
	angle, placement := cmp.Or(n.Find("angle"), n.Find("rotation")), value.Text(n.Find("placement")) // of Panda, whose positions beyond 1 are pixels
	switch {
	case begin != "" && placement != "":
		begin = begin[:strings.IndexByte(begin, '(')+1] + placement + ", "
	case begin == "linear-gradient(" && angle != nil:
		begin += strings.TrimSuffix(angle.Text, "deg") + "deg, "
	}
	var stops []string
	for _, stop := range n.Find("stops").Items() {
		position := cmp.Or(stop.Find("position"), stop.Find("offset"))
		text := value.Text(position)
		if position != nil && position.Kind == jsontree.Number {
			part, _ := strconv.ParseFloat(position.Text, 64)
			switch {
			case part <= 1:
				text = strconv.FormatFloat(part*100, 'f', -1, 64) + "%"
			case placement != "":
				text = position.Text + "px"
			default:
				text = position.Text + "%"
			}
		}
		stops = append(stops, strings.TrimSpace(value.Text(cmp.Or(stop.Find("color"), stop))+" "+text))
	}
	text := begin + strings.Join(stops, ", ") + ")"
	if plain := aliasInText.ReplaceAllString(text, "#000"); begin == "" || len(stops) == 0 || !value.Fits("gradient", jsontree.NewString(plain)) {
		return ""
	}
	return text
}

var aliasInText = regexp.MustCompile(`\{[^{}]*\}`)
