package write

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// The one collection and mode that are written.
const (
	figmaCollection = "VariableCollectionId:1:0"
	figmaMode       = "1:0"
)

// variable is a variable of Figma, as its REST interface answers (GET /v1/files/:key/variables/local).
type variable struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Key          string         `json:"key"`
	Collection   string         `json:"variableCollectionId"`
	ResolvedType string         `json:"resolvedType"`
	Values       map[string]any `json:"valuesByMode"`
	Remote       bool           `json:"remote"`
	Description  string         `json:"description"`
	Hidden       bool           `json:"hiddenFromPublishing"`
	Scopes       []string       `json:"scopes"`
	CodeSyntax   struct{}       `json:"codeSyntax"`
}

type variableAlias struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type figmaColor struct {
	R json.Number `json:"r"`
	G json.Number `json:"g"`
	B json.Number `json:"b"`
	A json.Number `json:"a"`
}

// figmaFile collects the variables of a document.
type figmaFile struct {
	d     *dtcg.Document
	ids   map[int]string // of the tokens that Figma can hold, by their positions
	names map[string]bool
}

// member is a member of an object whose order counts.
type member struct {
	name  string
	value any
}

// writeFigma spells the tokens as variables of one collection with one mode. What Figma has no type for is a text, as
// tokens.css spells it; a token without a value is none.
func writeFigma(d *dtcg.Document) (*jsontree.Node, map[string]string) {
	f := figmaFile{d: d, ids: map[int]string{}, names: map[string]bool{}}
	var variables []member
	places, ids := map[string]string{}, []string{}
	place := map[int]int{} // of the variable of a token
	for i := range d.Tokens {
		if v, ok := f.variable(i); ok {
			f.ids[i], place[i] = v.ID, len(variables)
			variables = append(variables, member{v.ID, v})
			ids = append(ids, v.ID)
			places[d.Tokens[i].Pointer().String()] = "/meta/variables" + jsontree.Pointer{v.ID}.String()
		}
	}
	for i := range f.ids {
		if target := f.ids[d.AliasOf(i)]; target != "" {
			variables[place[i]].value.(variable).Values[figmaMode] = variableAlias{"VARIABLE_ALIAS", target}
		}
	}
	collection := map[string]any{
		"id": figmaCollection, "name": "Tokens", "key": figmaCollection, "remote": false, "hiddenFromPublishing": false, "defaultModeId": figmaMode,
		"modes": []map[string]string{{"modeId": figmaMode, "name": "Default"}}, "variableIds": ids,
	}
	return jsontree.NewObject(
		jsontree.Member{Name: "status", Value: node(200)},
		jsontree.Member{Name: "error", Value: node(false)},
		jsontree.Member{Name: "meta", Value: jsontree.NewObject(
			jsontree.Member{Name: "variableCollections", Value: object([]member{{figmaCollection, collection}})},
			jsontree.Member{Name: "variables", Value: object(variables)},
		)},
	), places
}

func object(members []member) *jsontree.Node {
	n := jsontree.NewObject()
	for _, m := range members {
		n.Members = append(n.Members, jsontree.Member{Name: m.name, Value: node(m.value)})
	}
	n.Index()
	return n
}

// node is a value of Go as a tree. Only values that JSON can spell come here.
func node(v any) *jsontree.Node {
	text, err := json.Marshal(v)
	if err != nil {
		panic("write: a value that JSON cannot spell: " + err.Error())
	}
	n, err := jsontree.Parse(string(text))
	if err != nil {
		panic("write: JSON that cannot be read: " + err.Error())
	}
	return n
}

// variable is the variable of token i; ok is false if its value cannot be spelled.
func (f *figmaFile) variable(i int) (v variable, ok bool) {
	t := &f.d.Tokens[i]
	if t.Served == nil {
		return v, false
	}
	id := "VariableID:1:" + strconv.Itoa(i+1)
	v = variable{ID: id, Key: id, Collection: figmaCollection, Scopes: []string{"ALL_SCOPES"}}
	if said := description(t); said != nil {
		v.Description = said.Text
	}
	var value any
	if v.ResolvedType, value, ok = v.read(t); ok {
		v.Name = f.name(t)
		v.Values = map[string]any{figmaMode: value}
	}
	return v, ok
}

// name is the name of a variable, with slashes between its groups; each has its own. Parts are as Figma keeps them, without
// blanks around them: the note has those of the token.
func (f *figmaFile) name(t *dtcg.Token) string {
	segments, parts := t.Segments(), []string{}
	if last := len(segments) - 1; last > 0 && segments[last] == "$root" {
		segments = segments[:last]
	}
	for _, segment := range segments {
		at := len(parts)
		for part := range strings.SplitSeq(segment, "/") {
			part = strings.TrimLeftFunc(strings.TrimSpace(part), func(r rune) bool { return r == '$' || unicode.IsSpace(r) })
			if part != "" {
				parts = append(parts, part)
			}
		}
		if len(parts) == at {
			parts = append(parts, "_")
		}
	}
	name := strings.Join(parts, "/")
	for f.names[name] {
		name += "_"
	}
	f.names[name] = true
	return name
}

// read returns the type and the value of a variable, and what it may be used for.
func (v *variable) read(t *dtcg.Token) (resolvedType string, value any, ok bool) {
	k := kindOf(t)
	primitive, misfit := css.AppendPrimitive(nil, k, t.Served)
	text, misfitToo := css.Append(nil, k, t.Served)
	if misfit != nil || misfitToo != nil {
		return "", nil, false
	}
	number, unit := cutUnit(string(text))
	switch {
	case k == css.Color:
		if c, ok := colorOf(strings.Trim(string(primitive), `"`)); ok {
			return "COLOR", c, true
		}
	case k == css.Boolean:
		return "BOOLEAN", string(text) == "true", true
	case k == css.Dimension && unit == "px":
		v.Scopes = []string{"WIDTH_HEIGHT", "GAP", "CORNER_RADIUS", "STROKE_FLOAT", "FONT_SIZE", "LINE_HEIGHT", "LETTER_SPACING"}
		return "FLOAT", number, true
	case number != "" && unit == "" && t.Resolved != "string":
		if k == css.FontWeight {
			v.Scopes = []string{"FONT_WEIGHT"}
		}
		return "FLOAT", number, true
	case k == css.FontFamily:
		v.Scopes = []string{"FONT_FAMILY"}
	}
	return "STRING", string(text), true
}

var quantity = regexp.MustCompile(`^(-?(?:0|[1-9]\d*)(?:\.\d+)?)([a-z%]*)$`)

// cutUnit cuts a quantity of CSS in two; number is empty if it is none, or none that JSON can spell, as 010.
func cutUnit(text string) (number json.Number, unit string) {
	m := quantity.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return json.Number(m[1]), m[2]
}

var (
	hexColor  = regexp.MustCompile(`^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$`)
	rgbaColor = regexp.MustCompile(`^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$`)
)

// colorOf reads a colour as tokens.values.json spells it.
func colorOf(text string) (figmaColor, bool) {
	if m := hexColor.FindStringSubmatch(text); m != nil {
		return figmaColor{share(m[1], 16), share(m[2], 16), share(m[3], 16), "1"}, true
	}
	if m := rgbaColor.FindStringSubmatch(text); m != nil {
		return figmaColor{share(m[1], 10), share(m[2], 10), share(m[3], 10), json.Number(m[4])}, true
	}
	return figmaColor{}, false
}

// share is a byte as a part between 0 and 1.
func share(text string, base int) json.Number {
	n, _ := strconv.ParseUint(text, base, 8)
	return json.Number(strconv.FormatFloat(float64(n)/255, 'g', -1, 64))
}
