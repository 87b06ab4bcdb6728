package value

import (
	"math"
	"strconv"
	"strings"
)

// fractionDigits is how many digits after the point a result has at most.
const fractionDigits = 4

// maxDepth bounds how deep brackets nest.
const maxDepth = 64

// Evaluate returns the value of an expression of Tokens Studio, or of several with spaces between them; a result has the unit that its
// expression has. ok is false if there is nothing to compute, or if it is not an expression of one unit.
func Evaluate(text string) (value string, ok bool) {
	p := parser{text: strings.TrimSpace(text)}
	var results []string
	for p.at < len(p.text) {
		p.failed = false
		n := p.sum(0)
		if p.failed || p.at < len(p.text) && p.text[p.at] != ' ' || math.IsNaN(n.number) || math.IsInf(n.number, 0) {
			return "", false
		}
		results = append(results, spell(n.number)+n.unit)
		p.space()
	}
	return strings.Join(results, " "), p.computed
}

func spell(n float64) string {
	text := strconv.FormatFloat(n, 'f', fractionDigits, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

// quantity is a number with a unit, which may be empty.
type quantity struct {
	number float64
	unit   string
}

// parser evaluates while it reads.
type parser struct {
	text     string
	at       int
	computed bool // an operator or a function was met
	failed   bool
}

// added is the unit of a sum: a number without one is in pixels, and 0 in any unit.
func (p *parser) added(a, b quantity) string {
	switch {
	case a.unit == b.unit || b == quantity{}:
		return a.unit
	case a == quantity{} || a.unit == "" && b.unit == "px":
		return b.unit
	case b.unit == "" && a.unit == "px":
		return a.unit
	}
	p.failed = true
	return ""
}

// multiplied is the unit of a product or a quotient: pixels count as a mere number beside another unit, as the length of a token
// that stands for a factor.
func (p *parser) multiplied(a, b quantity) string {
	switch {
	case b.unit == "" || b.unit == a.unit || b.unit == "px" && a.unit != "":
		return a.unit
	case a.unit == "" || a.unit == "px":
		return b.unit
	}
	p.failed = true
	return ""
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// operator takes one of the operators that comes next. A sign after a space and before none begins another value.
func (p *parser) operator(of string) byte {
	start := p.at
	p.space()
	if p.at >= len(p.text) || strings.IndexByte(of, p.text[p.at]) < 0 {
		p.at = start
		return 0
	}
	c := p.text[p.at]
	isSign := (c == '+' || c == '-') && p.at > start && p.at+1 < len(p.text) && p.text[p.at+1] != ' '
	if isSign {
		p.at = start
		return 0
	}
	p.at++
	p.computed = true
	return c
}

func (p *parser) sum(depth int) quantity {
	n := p.product(depth)
	for !p.failed {
		c := p.operator("+-")
		if c == 0 {
			return n
		}
		m := p.product(depth)
		n.unit = p.added(n, m)
		if c == '-' {
			m.number = -m.number
		}
		n.number += m.number
	}
	return n
}

func (p *parser) product(depth int) quantity {
	n := p.power(depth)
	for !p.failed {
		c := p.operator("*/")
		if c == 0 {
			return n
		}
		m := p.power(depth)
		n.unit = p.multiplied(n, m)
		if c == '/' {
			m.number = 1 / m.number
		}
		n.number *= m.number
	}
	return n
}

func (p *parser) power(depth int) quantity {
	n := p.factor(depth)
	if !p.failed && p.operator("^") != 0 {
		n.number = math.Pow(n.number, p.power(depth).number)
	}
	return n
}

// factor reads a number, an expression in brackets or a call of a function.
func (p *parser) factor(depth int) quantity {
	p.space()
	if p.at >= len(p.text) || depth > maxDepth {
		p.failed = true
		return quantity{}
	}
	switch c := p.text[p.at]; {
	case c == '-' || c == '+':
		p.at++
		n := p.factor(depth + 1)
		if c == '-' {
			n.number = -n.number
		}
		return n
	case c == '(':
		if list := p.list(depth); len(list) == 1 {
			if unit := p.unit(); unit != "" {
				list[0].unit = unit
			}
			return list[0]
		}
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case c >= 'a' && c <= 'z':
		return p.call(depth)
	}
	p.failed = true
	return quantity{}
}

func (p *parser) number() quantity {
	start := p.at
	p.skip("0123456789.")
	n, err := strconv.ParseFloat(p.text[start:p.at], 64)
	p.failed = p.failed || err != nil
	return quantity{n, p.unit()}
}

// unit reads the unit that follows a number, if one does.
func (p *parser) unit() string {
	start := p.at
	p.skip("abcdefghijklmnopqrstuvwxyz%")
	return p.text[start:p.at]
}

func (p *parser) skip(bytes string) {
	for p.at < len(p.text) && strings.IndexByte(bytes, p.text[p.at]) >= 0 {
		p.at++
	}
}

// list reads the values between round brackets.
func (p *parser) list(depth int) (list []quantity) {
	p.at++
	for !p.failed {
		list = append(list, p.sum(depth+1))
		p.space()
		if p.at >= len(p.text) {
			p.failed = true
			return list
		}
		c := p.text[p.at]
		p.at++
		switch c {
		case ')':
			return list
		case ',':
		default:
			p.failed = true
		}
	}
	return list
}

// functions are those of one number.
var functions = map[string]func(float64) float64{
	"round": math.Round, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "abs": math.Abs, "sqrt": math.Sqrt,
	"calc": func(x float64) float64 { return x },
}

func (p *parser) call(depth int) quantity {
	start := p.at
	p.skip("abcdefghijklmnopqrstuvwxyzTO")
	name := p.text[start:p.at]
	if p.at >= len(p.text) || p.text[p.at] != '(' {
		p.failed = true
		return quantity{}
	}
	args := p.list(depth)
	p.computed = true
	f := functions[name]
	switch {
	case p.failed || len(args) == 0:
	case f != nil && len(args) == 1:
		return quantity{f(args[0].number), args[0].unit}
	case name == "roundTo" && len(args) <= 2:
		scale := 1.0
		if len(args) == 2 {
			scale = math.Pow(10, math.Trunc(args[1].number))
		}
		return quantity{math.Floor(args[0].number*scale+0.5) / scale, args[0].unit}
	case name == "min" || name == "max":
		return p.extreme(name == "max", args)
	case name == "pow" && len(args) == 2:
		return quantity{math.Pow(args[0].number, args[1].number), args[0].unit}
	}
	p.failed = true
	return quantity{}
}

func (p *parser) extreme(largest bool, list []quantity) quantity {
	n := list[0]
	for _, other := range list[1:] {
		n.unit = p.added(n, other)
		if largest {
			n.number = max(n.number, other.number)
		} else {
			n.number = min(n.number, other.number)
		}
	}
	return n
}
