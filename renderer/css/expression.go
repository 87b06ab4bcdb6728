package css

// appendExpression appends the values of s, with what is computed inside calc(): design tools write
// "4px * 2" and "-calc(1px)" if CSS wants calc(4px * 2). A number that ends up where a
// measure is wanted gets the unit of a bare number.
func (q *quantity) appendExpression(dst []byte, s string) ([]byte, bool) {
	if s == "" || len(s) > maxRaw {
		return dst, false
	}
	p := expression{q: q, s: s, dst: dst}
	for count := 1; ; count++ {
		start := len(p.dst)
		p.computed = false
		if !p.auto() {
			m, ok := p.sum()
			if !ok || !p.finish(start, m) {
				return p.dst, false
			}
		}
		if p.at == len(s) {
			return p.dst, true
		}
		if count >= q.max || s[p.at-1] != ' ' {
			return p.dst, false
		}
		p.dst = append(p.dst, ' ')
	}
}

// expression reads sums of products of numbers, functions and parentheses, and appends them as
// calc() wants them. Its depth is bounded.
type expression struct {
	q        *quantity
	s        string
	at       int
	depth    int  // of parentheses
	computed bool // holds an operator or a parenthesis, so it needs calc()
	dst      []byte
}

// auto reads the one keyword that stands among lengths: margins are "0 auto".
func (p *expression) auto() bool {
	start := p.at
	p.space()
	n := identEnd(p.s[p.at:])
	if p.q.max == 1 || lower(p.s[p.at:p.at+n]) != "auto" {
		p.at = start
		return false
	}
	p.at += n
	p.space()
	p.dst = append(p.dst, "auto"...)
	return true
}

// finish completes the value that begins at start and measures m.
func (p *expression) finish(start int, m measure) bool {
	if m != pure || p.q.bare == "" {
		if p.computed {
			p.wrap(start, "calc(", ")")
		}
		return m == live || m&p.q.measures != 0 && !p.negative(start)
	}
	if !p.computed {
		p.dst = append(p.dst, p.q.bare...)
		return !p.negative(start)
	}
	p.wrap(start, "calc((", ") * 1"+p.q.bare+")")
	return true
}

func (p *expression) negative(start int) bool { return p.q.nonNegative && p.dst[start] == '-' }

func (p *expression) wrap(start int, before, after string) {
	p.insert(start, before)
	p.dst = append(p.dst, after...)
}

// insert puts text before what begins at at.
func (p *expression) insert(at int, text string) {
	p.dst = append(p.dst, text...)
	copy(p.dst[at+len(text):], p.dst[at:])
	copy(p.dst[at:], text)
}

// space skips blanks and reports whether there were any.
func (p *expression) space() bool {
	start := p.at
	for p.at < len(p.s) && p.s[p.at] == ' ' {
		p.at++
	}
	return p.at > start
}

func (p *expression) peek() byte {
	if p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

func (p *expression) sum() (measure, bool) {
	start := len(p.dst)
	left, ok := p.product()
	for ok {
		operator := p.plusOrMinus()
		if operator == 0 {
			return left, true
		}
		p.computed = true
		end := len(p.dst)
		p.dst = append(p.dst, ' ', operator, ' ')
		var right measure
		if right, ok = p.product(); ok {
			left, ok = p.add(start, end, left, right)
		}
	}
	return live, false
}

// plusOrMinus consumes the sign that continues a sum: "4px -2px" is two values if two may
// stand, "4px - 2px" and "4px-2px" are one.
func (p *expression) plusOrMinus() byte {
	spaced := p.space()
	c := p.peek()
	if c != '+' && c != '-' {
		return 0
	}
	ends := p.at+1 == len(p.s) || p.s[p.at+1] == ' '
	if spaced && !ends && p.depth == 0 && p.q.max > 1 {
		return 0
	}
	p.at++
	return c
}

// add returns the measure of a sum whose left side stands from start to end. A number beside a
// measure gets the unit of a bare number.
func (p *expression) add(start, end int, left, right measure) (measure, bool) {
	const relative = length | percent
	switch {
	case left == right, right == live:
		return left, true
	case left == live:
		return right, true
	case left&relative != 0 && right&relative != 0:
		return length, true
	case p.q.bare == "":
		return live, false
	case right == pure:
		p.dst = append(p.dst, " * 1"+p.q.bare...)
		return left, true
	case left == pure:
		p.insert(end, ") * 1"+p.q.bare)
		p.insert(start, "(")
		return right, true
	}
	return live, false
}

func (p *expression) product() (measure, bool) {
	left, ok := p.factor(true)
	for ok {
		start := p.at
		p.space()
		operator := p.peek()
		if operator != '*' && operator != '/' {
			p.at = start
			return left, true
		}
		p.at++
		p.computed = true
		p.dst = append(p.dst, ' ', operator, ' ')
		var right measure
		if right, ok = p.factor(false); ok {
			left, ok = multiply(operator, left, right)
		}
	}
	return live, false
}

// multiply returns the measure of a product or quotient.
func multiply(operator byte, left, right measure) (measure, bool) {
	switch {
	case right == pure:
		return left, true
	case right == live:
		return left &^ pure, true
	case operator == '*' && (left == pure || left == live):
		return right, true
	}
	return live, false
}

// factor reads one operand. If it is not the first of its product, one that begins with a sign
// of its own stands in parentheses.
func (p *expression) factor(first bool) (measure, bool) {
	p.space()
	if n := numberEnd(p.s[p.at:]); n > 0 {
		return p.number(n)
	}
	switch c := p.peek(); {
	case c == '-':
		return p.negated(first)
	case c == '(':
		return p.group()
	}
	return p.function()
}

func (p *expression) number(n int) (measure, bool) {
	text := p.s[p.at : p.at+n]
	p.at += n
	unit := p.unit()
	m := pure
	if unit != "" {
		m = measureOf(unit)
	}
	if m == live || m != pure && m&p.q.measures == 0 {
		return live, false
	}
	dst, ok := appendNumber(p.dst, text)
	p.dst = append(dst, unit...)
	return m, ok
}

// unit reads letters or a percent sign; unlike in CSS a "-" after them is a minus.
func (p *expression) unit() string {
	start := p.at
	if p.peek() == '%' {
		p.at++
		return "%"
	}
	for c := p.peek() | 0x20; c >= 'a' && c <= 'z'; c = p.peek() | 0x20 {
		p.at++
	}
	return lower(p.s[start:p.at])
}

func (p *expression) negated(first bool) (measure, bool) {
	if p.depth++; p.depth > maxDepth {
		return live, false
	}
	p.at++
	p.computed = true
	if !first {
		p.dst = append(p.dst, '(')
	}
	p.dst = append(p.dst, "-1 * "...)
	m, ok := p.factor(first)
	if !first {
		p.dst = append(p.dst, ')')
	}
	p.depth--
	return m, ok
}

func (p *expression) group() (measure, bool) {
	if p.depth++; p.depth > maxDepth {
		return live, false
	}
	p.at++
	p.computed = true
	p.dst = append(p.dst, '(')
	m, ok := p.sum()
	if !ok || p.peek() != ')' {
		return live, false
	}
	p.at++
	p.dst = append(p.dst, ')')
	p.depth--
	return m, true
}

// function copies a function of numbers, or one that the page resolves.
func (p *expression) function() (measure, bool) {
	n := liveEnd(p.s[p.at:], mathFunctions)
	if n == 0 {
		return live, false
	}
	p.dst = append(p.dst, p.s[p.at:p.at+n]...)
	p.at += n
	return live, true
}

// liveEnd returns the length of the function that s begins with, if its name stands in names
// or is one that the page resolves, its text is safe, and it computes no "not a number"; else 0.
func liveEnd(s, names string) int {
	if s == "" {
		return 0
	}
	kind, n := nextToken(s)
	if kind != functionToken {
		return 0
	}
	if name := lower(s[:n-1]); !listed(names, name) && !listed(liveFunctions, name) {
		return 0
	}
	end := functionEnd(s)
	if end == 0 || !safe(s[:end]) || unreal(s[:end]) {
		return 0
	}
	return end
}

// unreal reports whether the safe text s names a number that no calculation should start from.
func unreal(s string) bool {
	for s != "" {
		kind, n := nextToken(s)
		if kind == identToken && listed(" nan infinity -infinity ", lower(s[:n])) {
			return true
		}
		s = s[n:]
	}
	return false
}
