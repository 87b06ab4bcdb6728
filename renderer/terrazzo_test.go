package renderer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// terrazzoTokens is what another parser of the same format makes of one token.
type terrazzoTokens struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
}

// Aliases and types resolve as an independent parser resolves them.
func TestAgreesWithTerrazzo(t *testing.T) {
	t.Parallel()
	for name, oracle := range documents(t, suitesDir+"/terrazzo-resolved/*.json") {
		t.Run(name, func(t *testing.T) {
			var want map[string]terrazzoTokens
			if err := json.Unmarshal([]byte(oracle), &want); err != nil {
				t.Fatal(err)
			}
			root, err := jsontree.Parse(documents(t, corpusDir+"/"+name+".tokens.json")[name+".tokens"])
			if err != nil {
				t.Fatal(err)
			}
			d := dtcg.Read(root)
			agreed := 0
			for i := range d.Tokens {
				tok := &d.Tokens[i]
				path := strings.TrimSuffix(tok.Path, ".$root")
				theirs, ok := want[path]
				delete(want, path)
				switch {
				case allowed(name, tok, theirs.Value):
				case !ok:
					t.Errorf("%s: they have no such token", path)
				case tok.Served == nil:
					t.Errorf("%s: left out", path)
				case theirs.Type != tok.Resolved:
					t.Errorf("%s: type %q, theirs %q", path, tok.Resolved, theirs.Type)
				case !same(normal(tok.Resolved, tok.Served), theirs.Value):
					t.Errorf("%s: value %v, theirs %v", path, normal(tok.Resolved, tok.Served), theirs.Value)
				default:
					agreed++
				}
			}
			for path := range want {
				if !slices.ContainsFunc(brought, func(p string) bool { return strings.HasPrefix(name+" "+path, p) }) {
					t.Errorf("%s: only they have it", path)
				}
			}
			if agreed == 0 {
				t.Error("no token agrees")
			}
			t.Logf("%d tokens agree", agreed)
		})
	}
}

// brought are tokens that only the other parser has: $extends and $ref bring them, which ours must
// never apply (S22).
var brought = []string{
	"jsxtools-example color.neutral.", "jsxtools-example color.danger.", "livery-synthetic-ref semantic.primary",
	"livery-synthetic-ref input-amount.bg", "livery-synthetic-ref input-ref.bg",
}

// allowed reports whether a token differs for a known reason.
func allowed(document string, tok *dtcg.Token, theirs any) bool {
	text, isText := theirs.(string)
	switch {
	case tok.Served != nil && strings.Contains(spellNode(tok.Served), `"$ref"`):
		return true // values that a $ref completes: never applied
	case document == "jsxtools-example" && tok.Path == "color.panel.dark":
		return tok.Served == nil // an alias of a token that $extends brings
	case isText && strings.Contains(text, "{") && tok.Served != nil:
		return rawAlias.MatchString(text) // they leave aliases in the types that they do not know
	}
	return false
}

func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// normal brings a value into the one shape that the other parser gives each type.
func normal(typ string, n *jsontree.Node) any {
	var v any
	if err := json.Unmarshal(jsontree.Append(nil, n), &v); err != nil {
		panic(err)
	}
	k, _ := dtcg.KindOf(typ)
	return normalValue(k, v)
}

func normalValue(k css.Kind, v any) any {
	switch k {
	case css.FontFamily:
		return list(v)
	case css.FontWeight:
		if number, ok := weights[v]; ok {
			return number
		}
	case css.Shadow:
		layers := list(v)
		for i, layer := range layers {
			layers[i] = with(normalParts(layer), "inset", false)
		}
		return layers
	}
	return normalParts(v)
}

// normalParts brings what stands inside a value into the other parser's shape.
func normalParts(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = normalParts(v[i])
		}
	case map[string]any:
		for name, part := range v {
			switch name {
			case "fontFamily":
				v[name] = normalValue(css.FontFamily, part)
			case "fontWeight":
				v[name] = normalValue(css.FontWeight, part)
			default:
				v[name] = normalParts(part)
			}
		}
		if v["colorSpace"] != nil {
			return with(v, "alpha", 1)
		}
		if v["timingFunction"] != nil {
			return with(v, "delay", map[string]any{"unit": "ms", "value": 0})
		}
	}
	return v
}

// weights are the keywords that the other parser turns into numbers.
var weights = map[any]any{"thin": 100, "light": 300, "regular": 400, "normal": 400, "medium": 500, "bold": 700, "extra-bold": 800, "black": 900}

func list(v any) []any {
	if items, ok := v.([]any); ok {
		return items
	}
	return []any{v}
}

// with gives v a member that it may lack.
func with(v any, name string, value any) any {
	if m, ok := v.(map[string]any); ok && m[name] == nil {
		m[name] = value
	}
	return v
}
