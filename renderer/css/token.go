package css

import "unicode/utf8"

// tokenKind is a kind of token of the safe grammar. The zero value is not a token of it.
type tokenKind uint8

const (
	badToken      tokenKind = iota
	spaceToken              // one or more blanks
	identToken              // also a custom property name
	functionToken           // a name and its opening parenthesis
	numberToken             // with its unit or percent sign
	hashToken
	stringToken // with its quotes
	openToken
	closeToken
	commaToken
	operatorToken // one of + - * /
)

// nextToken returns the kind of the token that s, which is not empty, begins with, and its length.
func nextToken(s string) (tokenKind, int) {
	switch c := s[0]; c {
	case ' ':
		return spaceToken, len(s) - len(trimLeft(s))
	case '(':
		return openToken, 1
	case ')':
		return closeToken, 1
	case ',':
		return commaToken, 1
	case '"', '\'':
		return quotedToken(s)
	case '#':
		if n := identRest(s[1:]); n > 0 {
			return hashToken, 1 + n
		}
		return badToken, 1
	case '*', '/':
		return slashToken(s)
	}
	if n := numberEnd(s); n > 0 {
		return numberToken, n + unitEnd(s[n:])
	}
	if n := identEnd(s); n > 0 {
		if n < len(s) && s[n] == '(' {
			return functionToken, n + 1
		}
		return identToken, n
	}
	if s[0] == '+' || s[0] == '-' {
		return operatorToken, 1
	}
	return badToken, 1
}

// slashToken refuses what begins or ends a comment, be it CSS's own or a preprocessor's.
func slashToken(s string) (tokenKind, int) {
	if len(s) > 1 && (s[1] == '/' || s[0] == '/' && s[1] == '*') {
		return badToken, 1
	}
	return operatorToken, 1
}

// quotedToken accepts a string that means to CSS, to HTML and to a reader what it shows.
func quotedToken(s string) (tokenKind, int) {
	for i := 1; i < len(s); {
		c := s[i]
		if c == s[0] {
			return stringToken, i + 1
		}
		if c == '\\' || c == '<' || c == '>' || c == '&' || c < ' ' || c == 0x7f {
			return badToken, 1
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !visible(r) {
			return badToken, 1
		}
		i += size
	}
	return badToken, 1
}

// unitEnd returns the length of the unit that follows a number.
func unitEnd(s string) int {
	if s != "" && s[0] == '%' {
		return 1
	}
	return identEnd(s)
}

// identEnd returns the length of the identifier that s begins with, 0 if there is none.
func identEnd(s string) int {
	at := 0
	if s != "" && s[0] == '-' {
		at = 1
		if len(s) > 1 && s[1] == '-' {
			return 2 + identRest(s[2:])
		}
	}
	if at == len(s) || s[at] >= '0' && s[at] <= '9' || s[at] == '-' {
		return 0
	}
	n := identRest(s[at:])
	if n == 0 {
		return 0
	}
	return at + n
}

// identRest returns the length of the run of name characters that s begins with.
func identRest(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if !nameByte(c) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !visible(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// nameBytes tells the ASCII characters of names.
var nameBytes = func() (is [256]bool) {
	for c := range len(is) {
		is[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
	}
	return is
}()

// nameByte reports whether c is an ASCII character of names.
func nameByte(c byte) bool { return nameBytes[c] }

func trimLeft(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s
}
