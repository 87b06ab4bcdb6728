package modes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
)

// TestCSSTreeAcceptsEverySheet has css-tree read a stylesheet of two dimensions for each document of the corpus, and
// count the declarations.
func TestCSSTreeAcceptsEverySheet(t *testing.T) {
	if _, err := os.Stat("../peers/node_modules/css-tree"); err != nil {
		t.Skip("NOT PROVEN: css-tree is installed from npm (make modes)")
	}
	files, err := filepath.Glob(filepath.Join(*corpus, "*.tokens.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s: %v", *corpus, err)
	}
	sheets := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for form, lightDark := range map[string]bool{"": false, ", light-dark()": true} {
			sheets[filepath.Base(file)+form] = generated(t, text, lightDark)
		}
	}
	var trees map[string]struct {
		Errors       []string `json:"errors"`
		Declarations int      `json:"declarations"`
	}
	node(t, "../peers/csstree.mjs", sheets, &trees)
	declared := regexp.MustCompile(`(?m)^  [^ :]+: .*;$`)
	for name, sheet := range sheets {
		tree := trees[name]
		if want := len(declared.FindAllString(sheet, -1)); tree.Declarations != want || want == 0 {
			t.Errorf("%s: css-tree finds %d declarations, want %d", name, tree.Declarations, want)
		}
		for _, message := range tree.Errors {
			t.Errorf("%s: %s", name, message)
		}
		if strings.Contains(name, "primer") && strings.Contains(sheet, "light-dark(") != strings.Contains(name, "light-dark") {
			t.Errorf("%s: it has not the form that was asked for", name)
		}
	}
}

// generated is the stylesheet of a document in modes that give some of its tokens the value of another.
func generated(t *testing.T, document []byte, lightDark bool) string {
	t.Helper()
	base := compile(t, document)
	plain := base.Load(tree(t, nil))
	flat, err := jsontree.Parse(string(plain.Append(nil, renderer.TokensFlatJSON)))
	if err != nil {
		t.Fatal(err)
	}
	const distance = 7
	dims := forms(lightDark)
	sheet, err := modesheet.Append(nil, plain.Append(nil, renderer.TokensCSS), dims, func(choice []int) ([]byte, error) {
		overrides := map[string]any{}
		for i, m := range flat.Members {
			for dimension, mode := range choice {
				if mode >= 0 && i%(dimension+2) == 0 {
					other := flat.Members[(i+distance+dimension)%len(flat.Members)].Value
					overrides[m.Name] = json.RawMessage(jsontree.Append(nil, other))
				}
			}
		}
		return base.Load(tree(t, overrides)).Append(nil, renderer.TokensCSS), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(sheet)
}
