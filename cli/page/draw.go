package page

import (
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
)

// sample is how one token is shown: the style of an element that uses its custom property, and a text in it.
type sample struct{ class, style, text string }

// use is a reference to the custom property.
func (e entry) use() string { return "var(" + e.property + ")" }

// kind says as what the token is rendered.
func (e entry) kind() css.Kind {
	kind, _ := dtcg.KindOf(e.token.Resolved)
	return kind
}

const pangram = "Sphinx of black quartz, judge my vow 0123"

// draw returns how a token of a section is shown in a column: by the property of the section, or that of its kind.
func (s section) draw(c *column, e entry) sample {
	drawn := sample{class: s.sample, style: s.property + e.use()}
	if s.sample == "specimen" {
		drawn.text = pangram
	}
	switch e.kind() {
	case css.Typography:
		drawn.style = c.typographyStyle(e)
	case css.FontWeight:
		drawn.style = "font-weight:" + e.use()
	case css.StrokeStyle:
		drawn.style = "border-style:" + e.use()
	case css.CubicBezier:
		drawn.style = "animation-timing-function:" + e.use()
	case css.Transition:
		drawn.style = "transition:left " + e.use()
	}
	return drawn
}

// The parts of a typography value that have custom properties of their own.
var typographyParts = []string{"font-family", "font-size", "font-weight", "line-height", "letter-spacing", "font-style"}

// typographyStyle uses the shorthand if there is one, and else the parts that there are.
func (c *column) typographyStyle(e entry) string {
	style, whole := "", c.declared[e.property] != ""
	if whole {
		style = "font:" + e.use()
	}
	for _, part := range typographyParts {
		name := e.property + "-" + part
		if c.declared[name] != "" && (!whole || part == "letter-spacing") {
			style += ";" + part + ":var(" + name + ")"
		}
	}
	return style
}

// parts lists the parts of a typography value that has no shorthand.
func (c *column) parts(property string) string {
	var list []string
	for _, part := range typographyParts {
		if value, ok := c.declared[property+"-"+part]; ok {
			list = append(list, part+": "+value)
		}
	}
	return strings.Join(list, "; ")
}
