package edge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/httpd/loop"
)

// TestFullServerReadsListedHeaders walks the sources of the edge: the loop knows every header of a request that they read.
// A header that is not listed in package loop would change the full server's answer alone.
func TestFullServerReadsListedHeaders(t *testing.T) {
	apart := map[string]string{
		"last-event-id": "the loop has no answer to an address of events",
		"traceparent":   "it is passed on to upstream, which a hit does not ask",
	}
	constants := map[string]string{"TraceHeader": "traceparent"}
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == "relay":
			return fs.SkipDir // a server of its own, without a loop
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name := headerRead(n, constants); name != "" {
				found[name] = true
				if loop.FieldOf([]byte(name)).Ignored() && apart[name] == "" {
					t.Errorf("%s reads %q of a request, which fieldNames of package loop does not list", path, name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"accept-encoding", "if-match", "if-none-match", "origin", "range", "user-agent", "want-repr-digest", "x-forwarded-for", "last-event-id", "traceparent"} {
		if !found[name] {
			t.Errorf("no source reads %q: this test does not see what it should", name)
		}
	}
}

var words = regexp.MustCompile("[A-Z]+[a-z]*")

// headerRead returns the name of the header of a request that n reads, in lower case, or "".
func headerRead(n ast.Node, constants map[string]string) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch method.Sel.Name {
	case "UserAgent":
		return "user-agent"
	case "Referer":
		return "referer"
	case "ContentType":
		return "content-type"
	case "Cookie":
		return "cookie"
	case "Peek", "PeekAll":
	default:
		return ""
	}
	if len(call.Args) != 1 {
		return ""
	}
	switch name := call.Args[0].(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(name.Value)
		return strings.ToLower(text)
	case *ast.SelectorExpr:
		if text, ok := constants[name.Sel.Name]; ok {
			return text
		}
		if camel, ok := strings.CutPrefix(name.Sel.Name, "Header"); ok { // as fasthttp names its constants
			return strings.ToLower(strings.Join(words.FindAllString(camel, -1), "-"))
		}
	}
	return ""
}
