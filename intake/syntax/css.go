package syntax

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"example.com/livery/renderer/jsontree"
)

// parseCSS reads the custom properties of a stylesheet (CSS Syntax Level 3, section 5). The tree is a list of statements in
// the order of the text, each one of
//
//	{"name": "--a", "value": "1px"}           a custom property, or initial-value in @property
//	{"prelude": ":root", "block": [ … ]}      a rule, with the statements of its block
//	{"prelude": "@layer a, b"}                a statement without a block
//
// The last kind contains @layer, @import, the @keyframes of a Tailwind @theme, and invalid declarations of custom properties.
// Other declarations are omitted, and so are empty rules, except @layer, which sets the order of layers.
func parseCSS(text string) (*File, error) {
	r := cssReader{lexer: css.NewLexer(parse.NewInputString(text)), offsets: map[string]int{}}
	root, _ := r.block("", "", 0)
	if r.err != nil {
		return nil, r.err
	}
	return &File{root, CSS, nil, func() *Positions { return &Positions{text, r.offsets} }}, nil
}

// cssReader reads the tokens of a stylesheet.
type cssReader struct {
	lexer   *css.Lexer
	at      int            // the offset of the next token
	offsets map[string]int // of the statements, by pointer
	err     *Error         // the first
}

// cssStatement is a statement or the prelude of a block, without comments.
type cssStatement struct {
	text   string
	name   int // length of the first token
	offset int
	end    css.TokenType // ; { } or the end of the text
}

// maxBlocks is how deep blocks may nest. Each is an array and an object of the tree.
const maxBlocks = jsontree.MaxDepth / 2

// block reads the statements of the block after a prelude, up to its closing brace. Flags are the name of a daisyUI theme, and
// "default" if it is.
func (r *cssReader) block(prelude, pointer string, depth int) (list *jsontree.Node, flags string) {
	list = jsontree.NewArray()
	if depth > maxBlocks {
		r.fail(r.at, "it nests too deep")
	}
	isProperty, isPlugin := strings.HasPrefix(prelude, "@property"), strings.HasPrefix(prelude, "@plugin")
	for r.err == nil {
		s := r.statement(isProperty)
		place := pointer + "/" + strconv.Itoa(len(list.Items()))
		r.offsets[place] = s.offset
		switch name, value, isDeclaration := s.declaration(); {
		case s.end == css.LeftBraceToken:
			r.rule(list, prelude, s.text, place, depth)
		case isDeclaration && (strings.HasPrefix(name, "--") || isProperty && strings.EqualFold(name, "initial-value")):
			list.AddItem(statementNode("name", name, "value", jsontree.NewString(value)))
		case isDeclaration && isPlugin && name == "name":
			flags = " " + strings.Join(strings.Fields(strings.Trim(value, `"'`)), "-") + flags
		case isDeclaration && isPlugin && name == "default" && value == "true":
			flags += " default"
		case strings.HasPrefix(s.text, "--"), strings.HasPrefix(s.text, "@layer"), strings.HasPrefix(s.text, "@import"), LaterProperty.MatchString(s.text):
			list.AddItem(statementNode("prelude", s.text, "", nil))
		}
		if s.end == css.ErrorToken || s.end == css.RightBraceToken && depth > 0 {
			break
		}
	}
	return list, flags
}

// LaterProperty matches a custom property that begins a later line of a statement. A browser reads it as part of the statement.
var LaterProperty = regexp.MustCompile(`\n[ \t]*(--[^\s:;]+)\s*:`)

// rule reads a block and adds it to the list of the statements around it.
func (r *cssReader) rule(list *jsontree.Node, around, prelude, place string, depth int) {
	block, flags := r.block(prelude, place+"/block", depth+1)
	switch isKeyframes := strings.HasPrefix(prelude, "@keyframes"); {
	case isKeyframes && strings.HasPrefix(around, "@theme"):
		list.AddItem(statementNode("prelude", prelude, "", nil))
	case !isKeyframes && !strings.HasPrefix(prelude, "@-webkit-keyframes") && (len(block.Items()) > 0 || strings.HasPrefix(prelude, "@layer")):
		list.AddItem(statementNode("prelude", prelude+flags, "block", block))
	}
}

// statementNode returns an object of one or two members.
func statementNode(first, text, second string, value *jsontree.Node) *jsontree.Node {
	members := []jsontree.Member{{Name: first, Value: jsontree.NewString(text)}}
	if value != nil {
		members = append(members, jsontree.Member{Name: second, Value: value})
	}
	return jsontree.NewObject(members...)
}

// declaration splits a statement at the colon after its first token.
func (s cssStatement) declaration() (name, value string, ok bool) {
	name, value = s.text[:s.name], s.text[s.name:]
	if rest, isReset := strings.CutPrefix(value, "*"); isReset { // Tailwind's --color-*: initial
		name, value = name+"*", rest
	}
	value, ok = strings.CutPrefix(strings.TrimLeft(value, blanks), ":")
	return name, strings.TrimLeft(value, blanks), ok
}

// closerOf maps the tokens that open brackets to those that close them.
var closerOf = map[css.TokenType]css.TokenType{
	css.FunctionToken: css.RightParenthesisToken, css.LeftParenthesisToken: css.RightParenthesisToken,
	css.LeftBracketToken: css.RightBracketToken, css.LeftBraceToken: css.RightBraceToken,
}

// statement reads up to the token that ends a statement. No token in brackets ends it, nor does a brace in the value of a custom
// property.
func (r *cssReader) statement(isProperty bool) (s cssStatement) {
	var text strings.Builder
	var closers []css.TokenType // of the brackets that are open
	bracket := 0                // the offset of the first of them
	for {
		kind, token := r.lexer.Next()
		offset := r.at
		r.at += len(token)
		isClosed := func(open int, by string) bool {
			return len(token) >= open+len(by) && bytes.HasSuffix(token, []byte(by))
		}
		isEnd := kind == css.SemicolonToken || kind == css.RightBraceToken || kind == css.LeftBraceToken && !isProperty
		switch {
		case kind == css.ErrorToken || isEnd && len(closers) == 0:
			if len(closers) > 0 {
				r.fail(bracket, "this bracket is never closed")
			}
			s.text, s.end = strings.TrimRight(text.String(), blanks), kind
			s.name = min(s.name, len(s.text))
			return s
		case kind == css.CommentToken:
			if !isClosed(len("/*"), "*/") {
				r.fail(offset, "this comment is never closed")
			}
			kind, token = css.WhitespaceToken, []byte(" ")
		case kind == css.BadStringToken, kind == css.StringToken && !isClosed(1, string(token[:1])):
			r.fail(offset, "this string is never closed")
		case (kind == css.URLToken || kind == css.BadURLToken) && !isClosed(0, ")"):
			r.fail(offset+len("url"), "this bracket is never closed")
		case len(closers) > 0 && kind == closers[len(closers)-1]:
			closers = closers[:len(closers)-1]
		case closerOf[kind] != 0:
			if len(closers) == 0 {
				bracket = r.at - 1
			}
			if closers = append(closers, closerOf[kind]); len(closers) > jsontree.MaxDepth {
				r.fail(bracket, "it nests too deep")
			}
		}
		if text.Len() == 0 {
			if kind == css.WhitespaceToken {
				continue
			}
			s.offset, s.name = offset, len(token)
			isProperty = isProperty || kind == css.CustomPropertyNameToken
		}
		text.Write(token)
	}
}

// blanks are the characters that CSS takes for white space.
const blanks = " \t\r\n\f"

// fail keeps the first error of the text.
func (r *cssReader) fail(at int, what string) { r.err = cmp.Or(r.err, &Error{at, what, CSS}) }
