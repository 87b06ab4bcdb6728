// Package compute gives tokens of Tokens Studio the values that their expressions say: arithmetic with aliases,
// modifiers of colours, gradients. What CSS has no place for is named. It is pure.
package compute

import (
	"regexp"
	"slices"
	"strings"

	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Document returns a document in which each expression that can be computed is its value, as sd-transforms computes it. An expression that
// cannot be computed stays. Of a document without a language, it computes only the modifiers of colours, since an expression is one of CSS.
func Document(root *jsontree.Node, language model.Language) model.Pass {
	c := computer{language: language, d: dtcg.Read(root), values: map[string]*jsontree.Node{}, types: map[string]string{}, busy: map[string]bool{}, texts: map[string]spelled{}}
	for i := range c.d.Tokens {
		if t := &c.d.Tokens[i]; c.d.Names(t) {
			c.value(t)
			c.nameUnused(t)
		}
	}
	c.Tree = tree.MapTokens(root, c.retoken)
	return c.Pass
}

// computer computes the tokens of one document, each once.
type computer struct {
	language model.Language
	d        *dtcg.Document
	values   map[string]*jsontree.Node // by path, of tokens that are done
	types    map[string]string         // by path, of tokens that get another type
	busy     map[string]bool           // paths of tokens that are or were under way: without a value yet, a circle
	texts    map[string]spelled        // by path
	model.Pass
}

// value returns the computed value of a token.
func (c *computer) value(t *dtcg.Token) *jsontree.Node {
	if v, done := c.values[t.Path]; done {
		return v
	}
	c.busy[t.Path] = true
	v := c.token(t)
	c.values[t.Path] = v
	return v
}

func (c *computer) token(t *dtcg.Token) *jsontree.Node {
	v := t.Value
	kind, _ := dtcg.KindOf(t.Resolved)
	switch {
	case kind == css.Color && v.IsString():
		if c.language == model.StudioMaths {
			v = c.gradient(t, v)
		}
		return c.modified(t, v)
	case c.language == model.Plain:
	case slices.Contains(numeric, kind) && v.IsString():
		v = value.WithoutStyle(c.number(v, t.OwnType()))
		if kind == css.Dimension && c.language == model.StudioMaths && v != t.Value && cssvalue.IsUnitless(v.Text) {
			v = jsontree.NewString(v.Text + "px")
		}
		return v
	case (kind == css.Unknown || kind == css.String) && strings.Contains(v.Text, "{"): // of a type of the author's own
		return c.number(v, "")
	case kind == css.Typography || kind == css.Shadow || kind == css.Border:
		return c.parts(v)
	}
	return v
}

// numeric are the kinds whose values may be expressions.
var numeric = []css.Kind{css.Dimension, css.Number, css.NumberOrDimension, css.FontWeight, css.Duration}

// number computes an expression.
func (c *computer) number(v *jsontree.Node, typ string) *jsontree.Node {
	text, whole := c.substituted(v.Text)
	if !whole || tree.IsAlias(v) && (c.language != model.StudioMaths || value.StudioPercentage(typ, text) == text) {
		return v
	}
	result, ok := value.Evaluate(text)
	if !ok {
		result = text
	}
	if c.language == model.StudioMaths {
		result = value.StudioPercentage(typ, result)
	}
	if !ok && result == text && !(suffixed.MatchString(v.Text) && lengths.MatchString(text)) {
		return v // aliases side by side, which the renderer puts in
	}
	if text = result; text == v.Text {
		return v
	}
	return jsontree.NewString(text)
}

// lengths are numbers, most of them with units; suffixed is an alias with a unit behind it.
var (
	lengths  = regexp.MustCompile(`^-?[\d.]+[a-z%]*( -?[\d.]+[a-z%]*)*$`)
	suffixed = regexp.MustCompile(`\}[a-z%]`)
)

// parts computes the members of a composite value.
func (c *computer) parts(v *jsontree.Node) *jsontree.Node {
	return tree.MapChildren(v, func(name string, part *jsontree.Node) *jsontree.Node {
		switch {
		case v.Kind == jsontree.Array:
			return c.parts(part)
		case name == "fontWeight":
			return value.WithoutStyle(part)
		case name == "fontFamily" || name == "color" || name == "style" || !part.IsString():
			return part
		}
		return c.number(part, name)
	})
}

// substituted returns a text with the values of the tokens that its aliases name; whole is false if one has none that
// is a text.
func (c *computer) substituted(text string) (result string, whole bool) {
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(text, "{")
		path, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !opened || !closed {
			return b.String(), !opened
		}
		value, ok := c.text(strings.TrimSpace(path))
		if !ok {
			return "", false
		}
		if after != "" && (after[0] == '%' || after[0] >= 'a' && after[0] <= 'z') { // {a}rem of a length is that many rem
			value = strings.TrimSuffix(value, "px")
		}
		b.WriteString(value)
		text = after
	}
}

// spelled is the value of a token as one text, without aliases; whole is false if it has none.
type spelled struct {
	text  string
	whole bool
}

// text spells the value of a token.
func (c *computer) text(path string) (string, bool) {
	t := c.d.Token(path)
	if t == nil || c.busy[path] && c.values[path] == nil {
		return "", false
	}
	v := c.value(t)
	known, done := c.texts[path]
	if !done {
		c.texts[path] = known // so is a circle
		known.text, known.whole = c.spell(t, v)
		c.texts[path] = known
	}
	return known.text, known.whole
}

func (c *computer) spell(t *dtcg.Token, v *jsontree.Node) (string, bool) {
	kind, _ := dtcg.KindOf(t.Resolved)
	text, ok := v.Text, v.IsString() || v.Kind == jsontree.Number
	if v.IsString() && strings.Contains(text, "{") {
		text, ok = c.substituted(text)
	}
	if kind == css.Dimension && c.language == model.StudioMaths && cssvalue.IsUnitless(text) {
		text += "px"
	}
	if ok || v.IsString() {
		return text, ok
	}
	spelled, misfit := css.Append(nil, kind, v)
	return string(spelled), misfit == nil
}

// nameUnused names what a token says and no served file has.
func (c *computer) nameUnused(t *dtcg.Token) {
	kind, _ := dtcg.KindOf(t.Resolved)
	if kind == css.FontWeight && t.Value.IsString() {
		c.nameStyle(t, t.Value.Text)
	}
	known, isComposite := servedParts[kind]
	if !isComposite {
		return
	}
	for _, layer := range append(t.Value.Items(), t.Value) {
		for _, m := range layer.Members {
			switch {
			case !slices.Contains(known, m.Name):
				c.nameMember(t, m)
			case m.Name == "fontWeight":
				weight, _ := c.substituted(m.Value.Text)
				c.nameStyle(t, weight)
			case m.Name == "fontStyle":
				if style, _ := c.substituted(m.Value.Text); !slices.Contains([]string{"normal", "italic", "oblique"}, strings.ToLower(style)) {
					c.nameMember(t, m)
				}
			}
		}
	}
}

// servedParts are the members of composite values that tokens.css has, by kind, as DTCG and other tools call them.
var servedParts = map[css.Kind][]string{
	css.Shadow:     {"offsetX", "x", "offsetY", "y", "blur", "blurRadius", "spread", "spreadRadius", "color", "inset", "type"},
	css.Border:     {"width", "style", "color"},
	css.Transition: {"duration", "timingFunction", "easing", "delay"},
	css.Gradient:   {"color", "position"},
	css.Typography: {"fontFamily", "fontSize", "fontStyle", "fontWeight", "lineHeight", "letterSpacing"},
}

// saysNothing are the values of members that change nothing.
var saysNothing = []string{"", "0", "0px", "[]", "false", "none", "normal", "null", "{}"}

// nameMember names a member of a composite value that tokens.css does not have, unless it says nothing.
func (c *computer) nameMember(t *dtcg.Token, m jsontree.Member) {
	text := string(jsontree.Append(nil, m.Value))
	if slices.Contains(saysNothing, strings.Trim(strings.ToLower(text), `"`)) {
		return
	}
	what := "parts of values that tokens.css does not have"
	if kind, _ := dtcg.KindOf(t.Resolved); kind == css.Typography {
		what = "parts of typography without a place in CSS's font"
	}
	c.Report(t.Pointer(), what, m.Name+" "+value.Clip(text)+" has no place in tokens.css")
}

// nameStyle names a style and a width inside a weight.
func (c *computer) nameStyle(t *dtcg.Token, weight string) {
	if rest := value.WithoutWidth(weight); rest != weight {
		c.Report(t.Pointer(), "styles in weights", `of "`+value.Clip(weight)+`" "`+rest+`" counts; set font-stretch beside it`)
	}
	for _, style := range []string{"italic", "oblique"} {
		if strings.HasSuffix(strings.ToLower(weight), style) {
			c.Report(t.Pointer(), "styles in weights", `of "`+value.Clip(weight)+`" the weight counts; set font-style: `+style+" beside it")
		}
	}
}

// retoken returns a token with its computed value. A modifier that was applied is called modified.
func (c *computer) retoken(at jsontree.Pointer, n *jsontree.Node) *jsontree.Node {
	path := strings.Join(at, ".")
	value, typ := c.values[path], c.types[path]
	if t := c.d.Token(path); t == nil || t.Node != n || value == t.Value && typ == "" {
		return n
	}
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch {
		case m.Name == "$value":
			m.Value = value
		case m.Name == "$type" && typ != "":
			m.Value = jsontree.NewString(typ)
		case m.Name == "$extensions" && typ == "":
			m.Value = withoutModifier(m.Value)
		}
		return m
	})
}
