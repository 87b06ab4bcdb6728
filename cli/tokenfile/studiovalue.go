package tokenfile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/arithmetic"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// hexWithAlpha is how Tokens Studio writes a colour with an opacity.
var hexWithAlpha = regexp.MustCompile(`^rgba\(\s*(#[0-9a-fA-F]{6})\s*,\s*(0?\.\d+|[01](?:\.\d+)?)\s*\)$`)

// respell returns a value as DTCG spells it.
func respell(kind string, value *jsontree.Node) *jsontree.Node {
	switch {
	case kind == "boxShadow" || kind == "shadow":
		return shadow(value)
	case kind == "typography" && value.IsObject():
		return tree.MapMembers(value, func(m jsontree.Member) jsontree.Member {
			if name := partNames[m.Name]; name != "" && value.Find(name) == nil {
				m.Name = name
			}
			return m
		})
	case kind == "boolean" && value.IsString() && (value.Text == "true" || value.Text == "false"):
		return &jsontree.Node{Kind: jsontree.Bool, True: value.Text == "true"}
	case kind == "color" && value.IsString():
		if m := hexWithAlpha.FindStringSubmatch(value.Text); m != nil {
			return jsontree.NewString(m[1] + alphaHex(m[2]))
		}
	}
	return value
}

// partNames are the parts of typography that Penpot names as the types of their tokens.
var partNames = map[string]string{
	"fontFamilies": "fontFamily", "fontSizes": "fontSize", "fontWeights": "fontWeight", "lineHeights": "lineHeight",
	"font-family": "fontFamily", "font-size": "fontSize", "font-weight": "fontWeight", "line-height": "lineHeight",
	"letter-spacing": "letterSpacing", "text-case": "textCase", "text-decoration": "textDecoration",
}

// shadowNames are the members of a shadow of Tokens Studio that DTCG names otherwise.
var shadowNames = map[string]string{"x": "offsetX", "y": "offsetY", "offset-x": "offsetX", "offset-y": "offsetY", "radius": "blur"}

func shadow(value *jsontree.Node) *jsontree.Node {
	switch {
	case isArray(value):
		return tree.MapChildren(value, func(_ string, layer *jsontree.Node) *jsontree.Node { return shadow(layer) })
	case !value.IsObject():
		return value
	}
	result := jsontree.NewObject()
	for _, m := range value.Members {
		switch {
		case m.Name == "type" || m.Name == "shadowType":
			if !slices.Contains([]string{"innerShadow", "inset"}, textOf(m.Value)) {
				continue
			}
			m = jsontree.Member{Name: "inset", Value: &jsontree.Node{Kind: jsontree.Bool, True: true}}
		case m.Name == "color":
			m.Value = respell("color", m.Value)
		case m.Name == "inset":
			m.Value = respell("boolean", m.Value)
		case shadowNames[m.Name] != "":
			m.Name = shadowNames[m.Name]
		}
		result.Members = append(result.Members, m)
	}
	return result
}

// compositionOf returns the parts of a composition of Tokens Studio; nil if n is none.
func compositionOf(n *jsontree.Node) *jsontree.Node {
	value := n.Find(valueName(n))
	if textOf(either(n, "$type", "type")) != "composition" || !value.IsObject() || len(value.Members) == 0 {
		return nil
	}
	return value
}

// partsOfComposition returns a group with a token for each part of a composition, and what else stands in its token.
func partsOfComposition(n, value *jsontree.Node) *jsontree.Node {
	group := jsontree.NewObject()
	for _, part := range value.Members {
		token := jsontree.NewObject(jsontree.Member{Name: "value", Value: part.Value})
		if i := slices.IndexFunc(partTypes, func(p partType) bool { return p.names.MatchString(part.Name) }); i >= 0 {
			token.Members = append(token.Members, jsontree.Member{Name: "type", Value: jsontree.NewString(partTypes[i].kind)})
		} else if _, ok := studioTypes[part.Name]; ok {
			token.Members = append(token.Members, jsontree.Member{Name: "type", Value: jsontree.NewString(part.Name)})
		}
		group.Members = append(group.Members, jsontree.Member{Name: part.Name, Value: token})
	}
	for _, m := range n.Members {
		if !slices.Contains([]string{"type", "$type", "value", "$value"}, m.Name) && value.Find(m.Name) == nil {
			group.Members = append(group.Members, m)
		}
	}
	tree.Index(group)
	return group
}

type partType struct {
	names *regexp.Regexp
	kind  string
}

// partTypes are the types of the parts of compositions that are not called as their type is. The first that matches
// counts.
var partTypes = []partType{
	{regexp.MustCompile(`^borderRadius`), "borderRadius"},
	{regexp.MustCompile(`^borderWidth`), "borderWidth"},
	{regexp.MustCompile(`(?i)padding|spacing`), "spacing"},
	{regexp.MustCompile(`(?i)width$|height$|^size$`), "sizing"},
	{regexp.MustCompile(`(?i)^fill$|color$`), "color"},
}

// pluginTypes are the types of the Figma plugin Design Tokens that are called otherwise than those of DTCG.
var pluginTypes = map[string]string{
	"custom-fontStyle": "typography", "custom-gradient": "gradient", "custom-opacity": "number", "custom-shadow": "shadow",
}

// pluginValue returns a value of that plugin as one of its type: a line height is a length in pixels, layers are a
// list.
func pluginValue(kind string, value *jsontree.Node) *jsontree.Node {
	switch {
	case kind == "custom-fontStyle":
		return tree.MapChildren(value, func(name string, part *jsontree.Node) *jsontree.Node {
			if name == "lineHeight" && part.Kind == jsontree.Number && part.Text != "0" {
				return jsontree.NewString(part.Text + "px")
			}
			return part
		})
	case kind == "custom-shadow" && value.Find("0").IsObject():
		layers := make([]*jsontree.Node, len(value.Members))
		for i, m := range value.Members {
			layers[i] = m.Value
		}
		return jsontree.NewArray(layers...)
	}
	return value
}

// gradientOf returns the function that a gradient is as many tools write it, an object of a type, an angle and stops;
// nil if n is none.
func gradientOf(n *jsontree.Node) *jsontree.Node {
	angle := either(n, "angle", "rotation")
	begin := map[string]string{
		"linear": "linear-gradient(", "linear-gradient": "linear-gradient(", "radial": "radial-gradient(circle, ", "radial-gradient": "radial-gradient(circle, ",
	}[textOf(either(n, "gradientType", "type"))]
	placement := textOf(n.Find("placement")) // of Panda, whose positions beyond 1 are pixels
	switch {
	case begin != "" && placement != "":
		begin = begin[:strings.IndexByte(begin, '(')+1] + placement + ", "
	case begin == "linear-gradient(" && angle != nil:
		begin += strings.TrimSuffix(angle.Text, "deg") + "deg, "
	}
	var stops []string
	for _, stop := range itemsOf(n.Find("stops")) {
		position := either(stop, "position", "offset")
		text := textOf(position)
		number := numberOf(position)
		if part, ok := arithmetic.Evaluate(number + " * 100"); ok && areUpTo1([]string{number}) {
			text = part + "%"
		} else if ok && placement != "" {
			text = number + "px"
		} else if ok {
			text = number + "%"
		}
		stops = append(stops, strings.TrimSpace(textOf(cmp.Or(stop.Find("color"), stop))+" "+text))
	}
	text := begin + strings.Join(stops, ", ") + ")"
	if plain := aliasInside.ReplaceAllString(text, "#000"); begin == "" || len(stops) == 0 || !Fits("gradient", jsontree.NewString(plain)) {
		return nil
	}
	return jsontree.NewString(text)
}

var aliasInside = regexp.MustCompile(`\{[^{}]*\}`)
