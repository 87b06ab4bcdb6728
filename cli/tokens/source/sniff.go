package source

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/livery/cli/term"
)

// diagnosis says what a file is that no tokens can be read from, and what to do about it; empty if it is like one.
type diagnosis struct{ what, next string }

// program says what a file of code is: what it exports is known once it has run, which is for its own tools. It also
// says what is not a regular file.
func program(path string) diagnosis {
	if term.IsSpecial(path) {
		return diagnosis{"is a pipe, a socket or a device", "Name a file, or - for the standard input."}
	}
	name, file := strings.TrimSuffix(path, filepath.Ext(path)), strconv.Quote(imported(path))
	run := ""
	switch strings.ToLower(filepath.Ext(path)) {
	case ".js", ".mjs", ".cjs":
		run = "node -e " + shellText("import("+file+").then(m => console.log(JSON.stringify(m.default ?? m)))")
	case ".jsx", ".ts", ".mts", ".cts", ".tsx": // which Node reads from version 22.6 on
		run = "npx tsx -e " + shellText("const m = require("+file+"); console.log(JSON.stringify(m.default ?? m))")
	case ".scss", ".sass", ".less", ".styl":
		return styleSource
	default:
		return diagnosis{}
	}
	return diagnosis{aProgram, "Write what it exports as JSON: " + run + " > " + shellName(name+".json")}
}

const aProgram = "is a program, which Livery does not run"

var styleSource = diagnosis{"is the source of a stylesheet", "Push the CSS that it compiles to, or the JSON that it is made from."}

// shellText is a text in quotes for a shell, and shellName a name that stands without them if it may.
func shellText(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func shellName(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@+") == "" {
		return name
	}
	return shellText(name)
}

// imported is how a program names the file at a path.
func imported(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return "./" + path
}

// sniff looks at how a file that could not be read begins and ends.
func sniff(data string) diagnosis {
	text := strings.TrimSpace(strings.TrimPrefix(data, "\ufeff"))
	head := []byte(data[:min(len(data), 512)])
	switch {
	case text == "":
		return diagnosis{"is empty", "Write tokens into it, or name another file."}
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return diagnosis{"is text in UTF-16", "Save it as UTF-8."}
	case bytes.HasPrefix(head, []byte("\x1f\x8b")) || bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return diagnosis{"is compressed", "Unpack it first."}
	case bytes.IndexByte(head, 0) >= 0:
		return diagnosis{"is not text", "Name a file of tokens, which is JSON."}
	case text[0] == '<':
		return diagnosis{"is a web page or XML, not JSON", "If it was downloaded, check whether the address needs a login."}
	}
	return diagnosis{}
}
