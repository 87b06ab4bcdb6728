// Package arithmetic evaluates the expressions that Tokens Studio takes as values: numbers with one unit, + - * / ^, round
// brackets, and functions such as roundTo. It is pure.
package arithmetic

import (
	"math"
	"strconv"
	"strings"
)

// fractionDigits is how many digits after the point a result has at most.
const fractionDigits = 4

// maxDepth bounds how deep brackets nest.
const maxDepth = 64

// Evaluate returns the value of an expression, or of several with spaces between them; a result has the unit that its
// expression has. ok is false if there is nothing to compute, or if it is not an expression of one unit.
func Evaluate(text string) (value string, ok bool) {
	p := parser{text: strings.TrimSpace(text)}
	var results []string
	for p.at < len(p.text) {
		p.unit, p.failed = "", false
		n := p.sum(0)
		if p.failed || p.at < len(p.text) && p.text[p.at] != ' ' || math.IsNaN(n) || math.IsInf(n, 0) {
			return "", false
		}
		results = append(results, spell(n)+p.unit)
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

// parser evaluates while it reads.
type parser struct {
	text     string
	at       int
	unit     string // of the expression at hand
	computed bool   // an operator or a function was met
	failed   bool
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

func (p *parser) sum(depth int) float64 {
	n := p.product(depth)
	for !p.failed {
		switch p.operator("+-") {
		case '+':
			n += p.product(depth)
		case '-':
			n -= p.product(depth)
		default:
			return n
		}
	}
	return n
}

func (p *parser) product(depth int) float64 {
	n := p.power(depth)
	for !p.failed {
		switch p.operator("*/") {
		case '*':
			n *= p.power(depth)
		case '/':
			n /= p.power(depth)
		default:
			return n
		}
	}
	return n
}

func (p *parser) power(depth int) float64 {
	n := p.factor(depth)
	if !p.failed && p.operator("^") != 0 {
		return math.Pow(n, p.power(depth))
	}
	return n
}

// factor reads a number, an expression in brackets or a call of a function.
func (p *parser) factor(depth int) float64 {
	p.space()
	if p.at >= len(p.text) || depth > maxDepth {
		p.failed = true
		return 0
	}
	switch c := p.text[p.at]; {
	case c == '-' || c == '+':
		p.at++
		n := p.factor(depth + 1)
		if c == '-' {
			return -n
		}
		return n
	case c == '(':
		list := p.list(depth)
		if len(list) == 1 {
			unit := p.at
			p.skip("abcdefghijklmnopqrstuvwxyz%")
			p.measure(p.text[unit:p.at])
			return list[0]
		}
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case c >= 'a' && c <= 'z':
		return p.call(depth)
	}
	p.failed = true
	return 0
}

func (p *parser) number() float64 {
	start := p.at
	p.skip("0123456789.")
	n, err := strconv.ParseFloat(p.text[start:p.at], 64)
	unit := p.at
	p.skip("abcdefghijklmnopqrstuvwxyz%")
	p.measure(p.text[unit:p.at])
	p.failed = p.failed || err != nil
	return n
}

func (p *parser) skip(bytes string) {
	for p.at < len(p.text) && strings.IndexByte(bytes, p.text[p.at]) >= 0 {
		p.at++
	}
}

// measure notes the unit of a number: an expression has one at most.
func (p *parser) measure(unit string) {
	if unit == "" {
		return
	}
	p.failed = p.failed || p.unit != "" && p.unit != unit
	p.unit = unit
}

// list reads the values between round brackets.
func (p *parser) list(depth int) (list []float64) {
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

func (p *parser) call(depth int) float64 {
	start := p.at
	p.skip("abcdefghijklmnopqrstuvwxyzTO")
	name := p.text[start:p.at]
	if p.at >= len(p.text) || p.text[p.at] != '(' {
		p.failed = true
		return 0
	}
	args := p.list(depth)
	p.computed = true
	f := functions[name]
	switch {
	case p.failed || len(args) == 0:
	case f != nil && len(args) == 1:
		return f(args[0])
	case name == "roundTo" && len(args) <= 2:
		scale := 1.0
		if len(args) == 2 {
			scale = math.Pow(10, math.Trunc(args[1]))
		}
		return math.Floor(args[0]*scale+0.5) / scale
	case name == "min" || name == "max":
		return extreme(name == "max", args)
	case name == "pow" && len(args) == 2:
		return math.Pow(args[0], args[1])
	}
	p.failed = true
	return 0
}

func extreme(largest bool, list []float64) float64 {
	n := list[0]
	for _, other := range list[1:] {
		if largest {
			n = max(n, other)
		} else {
			n = min(n, other)
		}
	}
	return n
}
