package source_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const untyped = "nothing in the example gives a type: ours tells it by the shape of the value, Terrazzo has the value without a type"

// differences are the tokens of the examples whose types do not agree, by file and path, with the reason.
var differences = map[string]string{
	"034 input.field.background": untyped, "034 input-amount.field.background": untyped, // the second extends the first
	"040 base": untyped, "040 alias": untyped,
	"041 base": untyped, "041 alias": untyped,
}

// TestExamplesAgreeWithTerrazzo: each example of the specification gives the tokens that Terrazzo makes of it, with their
// types and values, references and extended groups applied.
func TestExamplesAgreeWithTerrazzo(t *testing.T) {
	t.Parallel()
	const peers, examples = "../../../bench/peers", "../../../../shared/suites/dtcg-spec-examples/0*.json"
	files, _ := filepath.Glob(examples)
	if _, err := os.Stat(peers + "/node_modules/@terrazzo/parser"); err != nil || len(files) == 0 {
		t.Skipf("SKIPPED: Terrazzo is not installed, or the examples are not there (make agreement): %v, %s", err, examples)
	}
	said, err := exec.Command("node", append([]string{peers + "/resolve.mjs"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs map[string]struct {
		Refused string
		Tokens  map[string]struct {
			Type  string
			Value any
		}
	}
	if err := json.Unmarshal(said, &theirs); err != nil {
		t.Fatal(err)
	}
	agreed, explained := 0, map[string]bool{}
	for _, name := range files {
		base := filepath.Base(name)
		if theirs[base].Refused != "" {
			continue
		}
		ours := resolved(t, name)
		differs := func(path, format string, args ...any) {
			key := strings.SplitN(base, "-", 2)[0] + " " + path
			explained[key] = true
			if differences[key] == "" {
				t.Errorf("%s: "+format, append([]any{key}, args...)...)
			}
		}
		for path, want := range theirs[base].Tokens {
			got, ok := ours[strings.TrimSuffix(path, ".$root")]
			delete(ours, strings.TrimSuffix(path, ".$root"))
			switch {
			case !ok:
				differs(path, "only they have it: %v", want)
			case !reflect.DeepEqual(alike(got.Value), alike(want.Value)):
				t.Errorf("%s %s: value %v, theirs %v", base, path, alike(got.Value), alike(want.Value))
			case got.Type != want.Type:
				differs(path, "type %q, theirs %q", got.Type, want.Type)
			default:
				agreed++
			}
		}
		for path, got := range ours {
			differs(path, "only we have it: %v", got)
		}
	}
	for key, reason := range differences {
		if !explained[key] {
			t.Errorf("%s agrees now, which was explained: %s", key, reason)
		}
	}
	t.Logf("%d tokens agree, %d are explained", agreed, len(explained))
	if agreed == 0 {
		t.Error("no token agrees")
	}
}

// servedToken is a token as the served files have it.
type servedToken struct {
	Type  string
	Value any
}

// resolved lists the tokens of a file by path.
func resolved(t *testing.T, name string) map[string]servedToken {
	t.Helper()
	tokens := map[string]servedToken{}
	s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
	if err != nil {
		return tokens // refused; theirs say whether it has tokens
	}
	d := dtcg.Read(s.Tree)
	for i := range d.Tokens {
		token := &d.Tokens[i]
		if token.Served == nil {
			continue
		}
		var value any
		if err := json.Unmarshal(jsontree.Append(nil, token.Served), &value); err != nil {
			t.Fatal(err)
		}
		tokens[strings.TrimSuffix(token.Path, ".$root")] = servedToken{token.Resolved, value}
	}
	return tokens
}

// weights are the keywords of font weights, of which Terrazzo makes numbers.
var weights = map[string]float64{"extra-bold": 800}

// alike brings a value into the one shape in which both tools are compared: Terrazzo adds the alpha 1 of a colour and the inset
// of a shadow, and writes one font family or one shadow as a list of it.
func alike(v any) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			return alike(v[0])
		}
		for i := range v {
			v[i] = alike(v[i])
		}
	case map[string]any:
		for name, part := range v {
			v[name] = alike(part)
		}
		if v["alpha"] == 1.0 {
			delete(v, "alpha")
		}
		if v["inset"] == false {
			delete(v, "inset")
		}
	case string:
		if number, ok := weights[v]; ok {
			return number
		}
	}
	return v
}
