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

func color(_ *column, e entry) sample {
	return sample{class: "swatch", style: "--livery-page-sample:" + e.use()}
}

// The parts of a typography value that have custom properties of their own.
var typographyParts = []string{"font-family", "font-size", "font-weight", "line-height", "letter-spacing", "font-style"}

// typographyOf shows the shorthand if there is one, and else the parts that there are.
func typographyOf(c *column, e entry) sample {
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
	return sample{"specimen", style, pangram}
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

func font(_ *column, e entry) sample {
	property := "font-family:"
	if e.kind() == css.FontWeight {
		property = "font-weight:"
	}
	return sample{"specimen", property + e.use(), pangram}
}

func size(_ *column, e entry) sample { return sample{class: "bar", style: "width:" + e.use()} }

func corner(_ *column, e entry) sample {
	return sample{class: "box", style: "border-radius:" + e.use()}
}

func shadow(_ *column, e entry) sample {
	return sample{class: "box raised", style: "box-shadow:" + e.use()}
}

func gradient(_ *column, e entry) sample { return sample{class: "box", style: "background:" + e.use()} }

func border(_ *column, e entry) sample {
	property := "border:"
	if e.kind() == css.StrokeStyle {
		property = "border-style:"
	}
	return sample{class: "box plain", style: property + e.use()}
}

// motionOf moves a dot from end to end and back.
func motionOf(_ *column, e entry) sample {
	style := "animation-duration:" + e.use()
	switch e.kind() {
	case css.CubicBezier:
		style = "animation-timing-function:" + e.use()
	case css.Transition:
		style = "transition:left " + e.use()
	}
	return sample{class: "track", style: style}
}

func other(*column, entry) sample { return sample{} }
