package source

import (
	"path/filepath"
	"strings"

	"example.com/livery/cli/term"
)

// refuseFile returns the failure that a file of a name is code. What a program exports is known once it has run, which
// is up to its own tools.
func refuseFile(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return term.Fail("Write what it exports as JSON, and name that file.", "%s is a program, which Livery does not run", path)
	case ".scss", ".sass", ".less", ".styl":
		return term.Fail("Push the CSS that it compiles to, or the JSON that it is made from.", "%s is the source of a stylesheet", path)
	}
	return nil
}

// refuseText returns the failure that a text is something else than tokens.
func refuseText(name, text string) error {
	what, next := "", ""
	switch {
	case strings.TrimSpace(text) == "":
		what, next = "is empty", "Write tokens into it, or name another file."
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff"):
		what, next = "is text in UTF-16", "Save it as UTF-8."
	case strings.HasPrefix(text, "\x1f\x8b") || strings.HasPrefix(text, "PK\x03\x04"):
		what, next = "is compressed", "Unpack it first."
	case strings.Contains(text[:min(len(text), 512)], "\x00"):
		what, next = "is not text", "Name a file of tokens, which is JSON."
	case strings.TrimSpace(text)[0] == '<':
		what, next = "is a web page or XML, not JSON", "If it was downloaded, check whether the address needs a login."
	default:
		return nil
	}
	return term.Fail(next, "%s %s", term.NameOf(name), what)
}
