package css

// maxRaw is the length in bytes up to which text is written raw.
const maxRaw = 4096

// maxDepth is the nesting of parentheses that is written raw.
const maxDepth = 32

// safe reports whether s, as a whole, may stand raw as the value of a custom property: it fits the
// positive grammar of identifiers, numbers, hashes, strings, operators, balanced parentheses and
// functions of the allow-list, and shows something.
func safe(s string) bool {
	if len(s) > maxRaw || trimLeft(s) == "" {
		return false
	}
	depth := 0
	for s != "" {
		kind, n := nextToken(s)
		if kind == badToken || kind == functionToken && !(allowed(s[:n-1]) && refers(lower(s[:n-1]), s[n:])) {
			return false
		}
		depth += nesting(kind)
		if depth < 0 || depth > maxDepth {
			return false
		}
		s = s[n:]
	}
	return depth == 0
}

// refers reports whether a var() or env() whose arguments begin arguments names something; any other
// function does. A browser drops a declaration that refers to nothing.
func refers(function, arguments string) bool {
	if function != "var" && function != "env" {
		return true
	}
	arguments = trimLeft(arguments)
	if arguments == "" {
		return false
	}
	kind, n := nextToken(arguments)
	if kind != identToken || function == "var" && (n < 3 || arguments[:2] != "--") {
		return false
	}
	rest := trimLeft(arguments[n:])
	for function == "env" && rest != "" { // the indices of a segmented viewport
		_, n := nextToken(rest)
		if digits(rest[:n]) != n {
			break
		}
		rest = trimLeft(rest[n:])
	}
	return rest != "" && (rest[0] == ',' || rest[0] == ')')
}

// nesting returns by how much a token changes the depth of parentheses.
func nesting(kind tokenKind) int {
	switch kind {
	case functionToken, openToken:
		return 1
	case closeToken:
		return -1
	}
	return 0
}

// functionEnd returns the length of the function that the safe text s begins with, its closing
// parenthesis included, 0 if s begins with none.
func functionEnd(s string) int {
	depth, at := 0, 0
	for at < len(s) {
		kind, n := nextToken(s[at:])
		if at == 0 && kind != functionToken {
			return 0
		}
		at += n
		if depth += nesting(kind); depth == 0 {
			return at
		}
	}
	return 0
}

// functionName returns the lower-case name of the function that the safe text s is as a whole, ""
// if it is none or more than one.
func functionName(s string) string {
	if s == "" {
		return ""
	}
	kind, n := nextToken(s)
	if kind != functionToken || functionEnd(s) != len(s) {
		return ""
	}
	return lower(s[:n-1])
}

// split cuts the safe text s at each sep that stands in no parentheses and no string. Cut at
// blanks, it leaves out empty parts; cut at anything else, parts are trimmed and may be empty.
func split(s string, sep byte) []string {
	var parts []string
	depth, start := 0, 0
	for at := 0; at < len(s); {
		kind, n := nextToken(s[at:])
		if depth += nesting(kind); depth == 0 && s[at] == sep {
			parts = appendPart(parts, s[start:at], sep)
			start = at + n
		}
		at += n
	}
	return appendPart(parts, s[start:], sep)
}

func appendPart(parts []string, s string, sep byte) []string {
	if s = trim(s); s == "" && sep == ' ' {
		return parts
	}
	return append(parts, s)
}

// hasFunction reports whether a function called name stands anywhere in the safe text s.
func hasFunction(s, name string) bool {
	for s != "" {
		kind, n := nextToken(s)
		if kind == functionToken && lower(s[:n-1]) == name {
			return true
		}
		s = s[n:]
	}
	return false
}

// misfitText is the misfit of a string that is not what its type wants.
func misfitText(s, what string) *Misfit {
	return &Misfit{Unsafe: s != "" && !safe(s), What: what}
}
