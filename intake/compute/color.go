package compute

import (
	"regexp"
	"strconv"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// studioName is the member of $extensions in which Tokens Studio writes.
const studioName = "studio.tokens"

// modified applies the modifier of a colour, if it has one, to the colour that its value stands for.
func (c *computer) modified(t *dtcg.Token, v *jsontree.Node) *jsontree.Node {
	found := t.Node.Find("$extensions").Find(studioName).Find("modify")
	if !found.IsObject() {
		return v
	}
	m, ok := c.modifier(found)
	text, isText := c.substituted(v.Text)
	if ok && isText {
		if result, ok := m.apply(text); ok {
			return jsontree.NewString(result)
		}
	}
	c.Report(t.Pointer(), "modifiers of colours that cannot be computed", value.Spell(found)+" is not applied; the colour stays "+value.Clip(v.Text))
	return v
}

// modifier reads a modifier, whose members may be aliases and expressions.
func (c *computer) modifier(n *jsontree.Node) (m modifier, ok bool) {
	texts := map[string]string{}
	for _, name := range []string{"type", "space", "format", "value", "color"} {
		if v := n.Find(name); v != nil && (v.IsString() || v.Kind == jsontree.Number) {
			if texts[name], ok = c.substituted(v.Text); !ok {
				return m, false
			}
		}
	}
	amount := texts["value"]
	if result, ok := value.Evaluate(amount); ok {
		amount = result
	}
	part, err := strconv.ParseFloat(amount, 64)
	return modifier{texts["type"], texts["space"], texts["format"], part, texts["color"]}, err == nil
}

// withoutModifier returns extensions in which the modifier is called modified: who reads the token again finds it
// applied.
func withoutModifier(extensions *jsontree.Node) *jsontree.Node {
	return tree.MapMembers(extensions, func(m jsontree.Member) jsontree.Member {
		if m.Name == studioName {
			m.Value = tree.MapMembers(m.Value, func(inner jsontree.Member) jsontree.Member {
				if inner.Name == "modify" {
					inner.Name = "modified"
				}
				return inner
			})
		}
		return m
	})
}

// hexWithOpacity is how Tokens Studio writes a colour with an opacity.
var hexWithOpacity = regexp.MustCompile(`rgba\(\s*#[0-9a-fA-F]{3,8}\s*,\s*[\d.]+%?\s*\)`)

// gradient gives a colour that is a gradient that type, and spells the colours in it as CSS does.
func (c *computer) gradient(t *dtcg.Token, v *jsontree.Node) *jsontree.Node {
	if !strings.Contains(v.Text, "gradient") {
		return v
	}
	text, whole := c.substituted(v.Text)
	if !whole {
		return v
	}
	text = hexWithOpacity.ReplaceAllStringFunc(text, func(found string) string {
		if c, ok := css.ParseColor(found); ok {
			return string(c.AppendHex(nil))
		}
		return found
	})
	made := jsontree.NewString(value.WithoutSemicolon(strings.ReplaceAll(text, "gradient (", "gradient(")))
	if !value.Fits("gradient", made) {
		return v
	}
	if made.Text != text {
		c.Report(t.Pointer(), "gradients spelled otherwise", value.Clip(text)+" is read as "+value.Clip(made.Text))
	}
	c.types[t.Path] = "gradient"
	return made
}
