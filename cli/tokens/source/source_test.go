package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/jsontree"
)

const token = `{"a":{"$type":"number","$value":1}}`

// inFolder writes files into a new working directory. A name that ends in @ is a link to the path that is its content.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	work := filepath.Join(t.TempDir(), "work")
	for name, text := range files {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		write := func() error { return os.WriteFile(path, []byte(text), 0o600) }
		if link, isLink := strings.CutSuffix(path, "@"); isLink {
			write = func() error { return os.Symlink(filepath.FromSlash(text), link) }
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(work)
}

// read returns the Theme's document as JSON, or the failure with its hint.
func read(stdin string, f source.Flags, files ...string) string {
	s, err := source.Read(&term.App{In: strings.NewReader(stdin), Err: &strings.Builder{}}, files, f)
	if err != nil {
		explained := term.Explain(err)
		return explained.Sentence + " | " + explained.Next
	}
	return string(jsontree.Append(nil, s.Theme.Tree))
}

func TestRead_Texts(t *testing.T) {
	inFolder(t, map[string]string{
		"bom.json": "\ufeff" + token, "crlf.json": strings.ReplaceAll(token, ",", ",\r\n"), "empty.json": "\ufeff \n", "html.json": "<!doctype html>",
		"latin1.json": "{\n\"b\":{\"$value\":\"Stra\xdfe\"}}", "utf16.json": "\xff\xfe{\x00}\x00", "packed.json": "\x1f\x8b\x08", "zero.json": "{\x00}",
		"my tokens.mjs": "export default {}", "theme.ts": "", "theme.scss": "", "cut.json": "{\n \"a\": {", "other.json": `{"name":{"x":1}}`, "mixed/a.json": token, "mixed/b.json": `{"name":"x"}`, "folder/x.txt": "",
		"livery.yaml": "files: [bom.json]\n",
	})
	for name, want := range map[string]string{
		"bom.json": token, "crlf.json": token, "mixed": token, "mixed/b.json": `{"name":{"$value":"x"}}`,
		"empty.json":    "empty.json is empty | Write tokens into it, or name another file.",
		"html.json":     "html.json is a web page or XML, not JSON | If it was downloaded, check whether the address needs a login.",
		"latin1.json":   "latin1.json:2: the file is not text in UTF-8 | Save it as UTF-8: it is likely in Latin-1 or Windows-1252.",
		"utf16.json":    "utf16.json is text in UTF-16 | Save it as UTF-8.",
		"packed.json":   "packed.json is compressed | Unpack it first.",
		"zero.json":     "zero.json is not text | Name a file of tokens, which is JSON.",
		"my tokens.mjs": `my tokens.mjs is a program, which Livery does not run | Write what it exports as JSON, and name that file.`,
		"theme.ts":      `theme.ts is a program, which Livery does not run | Write what it exports as JSON, and name that file.`,
		"theme.scss":    "theme.scss is the source of a stylesheet | Push the CSS that it compiles to, or the JSON that it is made from.",
		"cut.json":      "cut.json:2: not JSON: a member name was expected | Fix that line and try again.",
		"other.json":    `other.json: not a token file (no "$value" or "value") | Name files that hold design tokens, or leave it out.`,
		"none.json":     "none.json cannot be read: no such file or directory | Name a file that can be read.",
		"folder":        "the folder folder holds no token files | Name a folder with files that end in .json, .yaml or .css.",
		"x*.json":       "x*.json matches no file | Mend the pattern, or remove it: * stands for any part of a name, ** for any folders.",
		"livery.yaml":   "livery.yaml is the mapping and holds no tokens | Leave it out; livery push without files reads it.",
	} {
		if got := read("", source.Flags{}, name); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	if got := read(token, source.Flags{}, "-"); got != token {
		t.Errorf("the standard input: %s", got)
	}
	if got, want := read(token, source.Flags{}), token; got != want {
		t.Errorf("livery.yaml: %s, want %s", got, want)
	}
	if got := read("", source.Flags{Modes: []string{"a=b"}}); got != "--mode chooses among modes of files that the command line names | Write select in livery.yaml." {
		t.Errorf("--mode without files: %s", got)
	}
	t.Chdir("folder")
	if got := read("", source.Flags{}); got != "no files are named, and this folder has no livery.yaml | Name token files, or write livery.yaml with livery init FILES." {
		t.Errorf("a folder without livery.yaml: %s", got)
	}
}

// A file outside of the working directory is opened only if it, or its folder, is named. Links count as the files that they lead to (A150).
func TestRead_StaysInNamedFolders(t *testing.T) {
	const resolver = `{"version":"2025.10","sets":{"x":{"sources":[{"$ref":"REF"}]}},"resolutionOrder":[{"$ref":"#/sets/x"}]}`
	refers := func(to string) string { return strings.Replace(resolver, "REF", to, 1) }
	inFolder(t, map[string]string{
		"../outside/secret.json": token, "../outside/set.resolver.json": refers("secret.json"), "base.json": token,
		"up/out.resolver.json": refers("../../outside/secret.json"), "up/in.resolver.json": refers("../base.json"),
		"linked/secret.json@": "../../outside/secret.json", "far@": "../outside", "near@": "up/../base.json", "absolute.resolver.json": refers("/etc/hostname"),
		"studio/$metadata.json": `{"tokenSetOrder":["../../outside/secret","a"]}`, "studio/a.json": token,
		"node_modules/x.json": token, "hidden/.x/y.json": token,
	})
	const refused = "leads out of the folders that are read | Name it, or its folder, to read it."
	for name, want := range map[string]string{
		"../outside/secret.json": token, "../outside": token, "up/in.resolver.json": token, "far": token, "near": token, "linked/secret.json": token,
		"up/out.resolver.json":         "up/out.resolver.json:1: ../outside/secret.json " + refused,
		"linked":                       "linked/secret.json " + refused,
		"absolute.resolver.json":       "absolute.resolver.json:1: /etc/hostname " + refused,
		"../outside/set.resolver.json": token,
		"studio":                       token,
		"hidden":                       "the folder hidden holds no token files | Name a folder with files that end in .json, .yaml or .css.",
	} {
		if got := read("", source.Flags{}, name); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}
