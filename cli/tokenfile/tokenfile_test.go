package tokenfile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func read(t testing.TB, name, text string) *syntax.File {
	t.Helper()
	f, err := syntax.Parse(name, text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return f
}

// convert recognises a text and converts it.
func convert(t testing.TB, text string, o Options) ([]Part, error) {
	t.Helper()
	f := read(t, "f.json", text)
	k, _ := Recognise(f, o)
	return Convert(k, f.Root, o)
}

func TestRecognise(t *testing.T) {
	cases := []struct {
		text string
		sets []string
		want Kind
	}{
		{`{"a":{"b":{"$value":1}}}`, nil, DTCG},
		{`{"a.b":"#fff"}`, nil, Flat},
		{`{"a.b":{"value":4,"unit":"px"}}`, nil, Flat},
		{`{}`, nil, Flat},
		{`{"a":{"b":{"value":"4px"}}}`, nil, StyleDictionary},
		{`{"global":{"a":{"value":"1","type":"spacing"}},"$metadata":{"tokenSetOrder":["global"]}}`, nil, Studio},
		{`{"global":{"a":{"$value":"1","$type":"spacing"}},"$themes":[]}`, nil, Studio},
		{`{"status":200,"meta":{"variables":{},"variableCollections":{}}}`, nil, Figma},
		{`{"core":{"a":{"value":"#000","type":"color"}},"ui":{"b":{"value":"{a}","type":"color"}}}`, nil, BareStudio},
		{`{"core":{"a":{"value":"1","type":"spacing"},"s":{"value":[{"x":"{a}"}],"type":"boxShadow"}}}`, nil, BareStudio},
		{`{"core":{"a":{"value":"#000","type":"color"}},"ui":{"b":{"value":"{core.a}","type":"color"}}}`, nil, StyleDictionary},
		{`{"core":{"a":{"value":"#000","type":"color"}},"ui":{"b":{"value":"{core.a.value} {a}","type":"color"}}}`, nil, StyleDictionary},
		{`{"core":{"a":{"value":"#000","type":"color"}},"ui":{"b":{"value":"{core.a} {a} {a}","type":"color"}}}`, nil, BareStudio},
		{`{"core":{"a":{"value":"#000"}},"ui":{"b":{"value":"{a}"}}}`, nil, StyleDictionary},
		{`{"core":{"a":{"value":"#000"}},"ui":{"b":{"value":"{a}"}}}`, []string{"ui"}, BareStudio},
		{`{"core":{"a":{"value":"#000"}},"ui":{}}`, []string{"ui"}, BareStudio},
		{`{"core":{"a":{"value":"#000"}}}`, []string{"a"}, StyleDictionary},
		{`{"core":{"value":"#000"},"ui":{"a":{"value":"1"}}}`, []string{"ui"}, StyleDictionary},
		{`{"core":{"a":{"$value":"#000"}},"ui":{"b":{"$value":"{a}"}}}`, []string{"ui"}, BareStudio},
		{`{"core":{"a":{"$value":"#000"}},"ui":{"b":{"$value":"{a}"}}}`, nil, DTCG},
		{`{"core":{"a":{"$value":"#000"}},"ui":{"b":{"$value":"{a}"},"c":{"$value":"{a}"},"d":{"$value":"{b}"}}}`, nil, BareStudio},
		{`{"core":{"a":{"$value":"#000"}},"ui":{"b":{"$value":"{a}"},"c":{"$value":"{a}"},"d":{"$value":"{no}"}}}`, nil, DTCG},
		{`{"API_URL":"x","BRAND":"#fff","TIMEOUT":"30s","PORT":"80px"}`, nil, Plain},
		{`{"API_URL":"x","KEY":"y","BRAND":"#fff","TIMEOUT":"30s"}`, nil, Flat},
		{`{"A":"x","B":"y","BRAND":"#fff","TIMEOUT":"30s"}`, nil, Plain},
		{`{"a":"#fff","b":"0 1px 2px red, 0 0 1px red;","c":"all 0.2s ease","d":"Inter, sans-serif","e":"ease-in","f":"1px solid red"}`, nil, Plain},
		{`{"z-index-modal":100}`, nil, Plain},
		{`{"font":{"line-height":{"tight":1.2}}}`, nil, Plain},
		{`{"name":"a","version":"1.0.0","scripts":{"build":"a b"},"files":["b"],"size":4}`, nil, Flat},
		{`{"family":"api","environment":[{"name":"DB_HOST","value":"db.internal"},{"name":"DB_PASSWORD","value":"hunter2"},{"name":"PORT","value":"8080"}]}`, nil, Flat},
		{`{"environmentVariables":[{"name":"A","value":"secret","type":"PLAINTEXT"}]}`, nil, Flat},
		{`{"data":[{"name":"Jan","value":30},{"name":"Feb","value":20}]}`, nil, Flat},
		{`{"l":[{"name":"a","value":"#fff"},{"name":"b","value":"x"},{"name":"c","value":"y"}]}`, nil, TokenList},
		{`{"l":[{"name":"size/a","value":4},{"name":"b","value":"x","type":"spacing"}]}`, nil, TokenList},
		{`{"name":"My App","env":{"SECRET_TOKEN":{"description":"A secret key","value":"s3cr3t"},"WEB":{"value":"1"},"COLOR":{"value":"${HUE}"}}}`, nil, Flat},
		{`{"outputs":{"password":{"value":"secret","type":"string","sensitive":true}}}`, nil, Flat},
		{`{"rules":{"max-len":{"value":100}},"root":true}`, nil, Flat},
		{`{"get":{"200":{"content":{"json":{"example":{"name":"a","value":"b"}}}}}}`, nil, Flat},
		{`{"z":{"index":{"value":"bold"},"b":{"value":"{z.index} x"}}}`, nil, StyleDictionary},
		{`{"brand":{"font":{"a":{"value":"Inter"}}}}`, nil, StyleDictionary},
		{`{"a":{"value":"bold","type":"fontWeights"}}`, nil, StyleDictionary},
		{`{"a":"a, b","b":"0.5 of it","c":"solid","d":{"width":4}}`, nil, Flat},
	}
	for _, c := range cases {
		if got, _ := Recognise(read(t, "f.json", c.text), Options{Sets: c.sets}); got != c.want {
			t.Errorf("Recognise(%s, sets %v) = %v, want %v", c.text, c.sets, got, c.want)
		}
	}
}

// Auro's files say what their team calls a token in the member type; Style Dictionary's transforms go by the category.
func TestATypeThatIsALabelLeavesTheCategory(t *testing.T) {
	parts, err := convert(t, `{"color":{"a":{"value":"FFF0cd","type":"semantic"},"b":{"value":"139142"},"c":{"value":"fff"},"d":{"value":"{color.a.value}","type":"semantic"}},`+
		`"size":{"a":{"value":0.375,"type":"semantic"},"b":{"value":"wide","type":"semantic"},"c":{"value":4,"type":"number"}}}`, Options{})
	const want = `{"color":{"a":{"$type":"color","$value":"#FFF0cd"},"b":{"$type":"color","$value":"#139142"},"c":{"$type":"color","$value":"#fff"},"d":{"$type":"semantic","$value":"{color.a}"}},` +
		`"size":{"a":{"$type":"dimension","$value":"0.375rem"},"b":{"$type":"semantic","$value":"wide"},"c":{"$type":"number","$value":4}}}`
	if got := spell(parts); err != nil || got != want {
		t.Errorf("Convert() = %s, %v, want %s", got, err, want)
	}
	var paths []string
	for _, c := range parts[0].Concessions {
		paths = append(paths, c.Kind+" "+c.Path)
	}
	if got := strings.Join(paths, ", "); got != "colours without # color.a, colours without # color.b, colours without # color.c, numbers without a unit size.a" {
		t.Errorf("named: %s", got)
	}
}

func TestAColourForIOSIsItsOriginal(t *testing.T) {
	const ios = `{"red":"0.0","green":"0.7","blue":"1.0","alpha":1}`
	parts, err := convert(t, `{"a":{"value":`+ios+`,"original":{"value":"#00b9ff"}},"b":{"value":"#fff","original":{"value":"{a.value}"}},"c":{"value":`+ios+`}}`, Options{})
	if got := spell(parts); err != nil || got != `{"a":{"$value":"#00b9ff"},"b":{"$value":"#fff"},"c":{"$value":`+ios+`}}` {
		t.Errorf("Convert() = %s, %v", got, err)
	}
	if list := parts[0].Concessions; len(list) != 1 || list[0].Path != "a" {
		t.Errorf("named: %+v, want a alone", list)
	}
}

// A token whose value stands in $extensions, as Carbon's themes.json has them, is a group to DTCG: no file would have
// it.
func TestATypeWithoutAValueIsNamed(t *testing.T) {
	for _, text := range []string{
		`{"a":{"$value":1},"b":{"$type":"color","$extensions":{"x":"#fff"}},"g":{"$type":"color","c":{"$value":"#fff"}},"r":{"$type":"color","$ref":"#/g"}}`,
		`{"a":{"value":"1px"},"b":{"$type":"color","$extensions":{"x":{"value":"#fff"}}}}`,
	} {
		parts, err := convert(t, text, Options{})
		if err != nil || len(parts) != 1 {
			t.Fatal(parts, err)
		}
		if list := parts[0].Concessions; len(list) != 1 || list[0].Path != "b" || list[0].Kind != "tokens without a value" {
			t.Errorf("%s: named: %+v, want b alone", text, list)
		}
	}
}

// TestValuesOutsideATokenAreKeptOrLost: what is a value by its shape, or by the type of its group, is a token.
func TestValuesOutsideATokenAreKeptOrLost(t *testing.T) {
	for _, c := range []struct{ beside, want, lost, said string }{
		{`"s":{"a":"4px","b":5,"c":"#fff"}`, `"s":{"a":{"$value":"4px"},"b":{"$value":5},"c":{"$value":"#fff"}}`, "", "s.a s.b s.c"},
		{`"s":{"a":"0 1px 2px #000","b":["Inter","sans-serif"],"c":"{t}"}`, `"s":{"a":{"$value":"0 1px 2px #000"},"b":{"$value":["Inter","sans-serif"]},"c":{"$value":"{t}"}}`, "", "s.a s.b s.c"},
		{`"s":{"a":{"value":4,"unit":"px"},"e":[0.3,0.2,0.3,1]}`, `"s":{"a":{"$value":{"value":4,"unit":"px"}},"e":{"$value":[0.3,0.2,0.3,1]}}`, "", "s.a s.e"},
		{`"s":{"a":[0,"4px"]}`, `"s":{"a":{"0":{"$value":0},"1":{"$value":"4px"}}}`, "", "s.a"},
		{`"s":{"$type":"cubicBezier","a":[0,0.2,0.3,1]},"x":[0,4,8,16]`, `"s":{"$type":"cubicBezier","a":{"$value":[0,0.2,0.3,1]}},"x":{"0":{"$value":0},"1":{"$value":4},"2":{"$value":8},"3":{"$value":16}}`, "", "s.a x"},
		{`"w":{"$type":"fontWeight","a":"bold"},"x":5,"y":"#000"`, `"w":{"$type":"fontWeight","a":{"$value":"bold"}},"x":{"$value":5},"y":{"$value":"#000"}`, "", "w.a x y"},
		{`"s":{"a":"hello","b":null,"c":["x","y"],"d":1}`, `"s":{"d":{"$value":1}}`, "s.a s.b s.c", "s.d"},
		{`"s":{"a":["1rem",{"lineHeight":2}]},"v":{"b":{"value":4,"unit":"px"},"w":"2","version":"3.1"}`, `"s":{},"v":{"b":{"$value":{"value":4,"unit":"px"}},"w":{"$value":"2"}}`, "s.a", "v.b v.w v.version"},
		{`"brand":{"name":"9MM Pro","tagline":"Yours.","domains":["a.com","b.com"]}`, `"brand":{}`, "", "brand.name brand.tagline brand.domains"},
		{`"version":2,"name":"Acme","v":"1.0","s":{"name":"S","notes":"n","published":true}`, `"s":{"$description":"n"}`, "", "version name v s.name s.notes s.published"},
	} {
		parts, err := convert(t, `{"t":{"$value":1},`+c.beside+`}`, Options{})
		if err != nil || len(parts) != 1 {
			t.Fatal(parts, err)
		}
		var said, lost []string
		for _, one := range parts[0].Concessions {
			said = append(said, one.Path)
		}
		for _, one := range parts[0].Faults {
			lost = append(lost, one.Path)
		}
		got := string(jsontree.Append(nil, parts[0].Tree))
		if want := `{"t":{"$value":1},` + c.want + `}`; got != want || strings.Join(said, " ") != c.said || strings.Join(lost, " ") != c.lost {
			t.Errorf("%s: the tokens are %s, want %s; named: %q, lost: %q", c.beside, got, want, said, lost)
		}
	}
}

func TestNamesInOtherLettersAreNamed(t *testing.T) {
	parts, err := convert(t, `{"a":{"$value":1,"$Value":2},"b":{"$VALUE":1,"$Value":2}}`, Options{})
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	var list []string
	for _, c := range parts[0].Concessions {
		list = append(list, c.Path+": "+c.Message)
	}
	const want = "a: $Value is left out, for there is a $value: 2; b: $VALUE counts as $value; b: $Value is left out, for there is a $VALUE: 2"
	if got := strings.Join(list, "; "); got != want {
		t.Errorf("named: %s, want %s", got, want)
	}
}

// spell joins the trees of parts, each with the name of its set.
func spell(parts []Part) string {
	var list []string
	for _, p := range parts {
		text := p.Name + string(jsontree.Append(nil, p.Tree))
		for _, f := range p.Faults {
			text += " !" + f.Path + ": " + f.Message
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestStudioTypesBecomeThoseOfDTCG(t *testing.T) {
	cases := []struct{ rule, token, want string }{
		{"a length", `{"value":"4px","type":"spacing"}`, `{"$type":"dimension","$value":"4px"}`},
		{"several lengths", `{"value":"4px 8px","type":"borderRadius"}`, `{"$type":"dimension","$value":"4px 8px"}`},
		{"an alias keeps what it points at", `{"value":"{a.b}","type":"sizing"}`, `{"$type":"dimension","$value":"{a.b}"}`},
		{"a line height without a unit", `{"value":"1.5","type":"lineHeights"}`, `{"$type":"number","$value":"1.5"}`},
		{"a line height with one", `{"value":"24px","type":"lineHeights"}`, `{"$type":"dimension","$value":"24px"}`},
		{"an alias of a line height fits both", `{"value":"{l}","type":"lineHeights"}`, `{"$type":"lineHeights","$value":"{l}"}`},
		{"an alias of a letter spacing may lead to a percentage", `{"value":"{l}","type":"letterSpacing"}`, `{"$type":"letterSpacing","$value":"{l}"}`},
		{"a blank before a unit", `{"value":"16 px","type":"spacing"}`, `{"$type":"dimension","$value":"16px"}`},
		{"an opacity in percent", `{"value":"50%","type":"opacity"}`, `{"$type":"number","$value":"0.5"}`},
		{"a family", `{"value":"Inter","type":"fontFamilies"}`, `{"$type":"fontFamily","$value":"Inter"}`},
		{"a weight by name", `{"value":"Bold","type":"fontWeights"}`, `{"$type":"fontWeight","$value":"Bold"}`},
		{"what is no length is a string", `{"value":"auto fit!","type":"sizing"}`, `{"$type":"string","$value":"auto fit!"}`},
		{"a boolean is written as text", `{"value":"true","type":"boolean"}`, `{"$type":"boolean","$value":true}`},
		{"a colour with an opacity", `{"value":"rgba(#0055aa, 0.5)","type":"color"}`, `{"$type":"color","$value":"#0055aa80"}`},
		{"a text", `{"value":"hi","type":"other","description":"d"}`, `{"$type":"string","$value":"hi","$description":"d"}`},
		{
			"a shadow",
			`{"value":{"x":"0","y":"1","blur":"2","spread":"0","color":"#000","type":"innerShadow"},"type":"boxShadow"}`,
			`{"$type":"shadow","$value":{"offsetX":"0","offsetY":"1","blur":"2","spread":"0","color":"#000","inset":true}}`,
		},
		{
			"layers of shadow",
			`{"value":[{"x":"0","y":"1","type":"dropShadow"}],"type":"boxShadow"}`,
			`{"$type":"shadow","$value":[{"offsetX":"0","offsetY":"1"}]}`,
		},
		{"a type that is not known stays for the origin to judge", `{"value":{},"type":"composition"}`, `{"$type":"composition","$value":{}}`},
		{"what has a dollar sign already", `{"$value":"4px","$type":"spacing","$extensions":{"a":1}}`, `{"$type":"dimension","$value":"4px","$extensions":{"a":1}}`},
	}
	for _, c := range cases {
		set := ConvertSet("", jsontree.NewObject(jsontree.Member{Name: "a", Value: tokentreetest.Parse(t, c.token)}), Options{})
		got := string(jsontree.Append(nil, set.Tree.Find("a")))
		if got != c.want {
			t.Errorf("%s: ConvertSet(%s) = %s, want %s", c.rule, c.token, got, c.want)
		}
	}
}

const studioFile = `{
  "dark": {"bg": {"value": "#000", "type": "color"}},
  "global": {"bg": {"value": "#fff", "type": "color"}},
  "$themes": [{"name": "Night", "selectedTokenSets": {"global": "source", "dark": "enabled"}}],
  "$metadata": {"tokenSetOrder": ["global", "dark", "gone"]}
}`

func TestStudioSetsAreMergedInTheirOrder(t *testing.T) {
	const global, dark = `global{"bg":{"$type":"color","$value":"#fff"}}`, `dark{"bg":{"$type":"color","$value":"#000"}}`
	cases := []struct {
		rule    string
		options Options
		want    string
	}{
		{"all in tokenSetOrder, without those that the file lacks", Options{}, global + " " + dark},
		{"those that are named, in the order named", Options{Sets: []string{"dark", "global"}}, dark + " " + global},
		{"those of a theme", Options{Mode: "Night"}, global + " " + dark},
		{"the overrides of a theme are the sets that are enabled", Options{Mode: "Night", Overrides: true}, dark},
	}
	for _, c := range cases {
		parts, err := convert(t, studioFile, c.options)
		if got := spell(parts); err != nil || got != c.want {
			t.Errorf("%s: Convert() = %s, %v, want %s", c.rule, got, err, c.want)
		}
	}
	for _, o := range []Options{{Sets: []string{"drak"}}, {Mode: "Day"}} {
		_, err := convert(t, studioFile, o)
		if e, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(e.Next, "Valid values: ") {
			t.Errorf("Convert(%+v) = %v, want an error that lists what there is", o, err)
		}
	}
}

// TestNamesOfTokenSetsImplyThemes: an export without themes has the modes by which its sets are called.
func TestNamesOfTokenSetsImplyThemes(t *testing.T) {
	type choice = map[string]string
	themes := func(list string) *jsontree.Node {
		meta, err := jsontree.Parse(`{"$themes":` + list + `}`)
		if err != nil {
			t.Fatal(err)
		}
		return meta
	}
	at := func(set string) *jsontree.Node { // those of parts have no token in common
		name := "a"
		if strings.HasPrefix(set, "part") {
			name, _, _ = strings.Cut(set, "/")
		}
		tree, err := jsontree.Parse(`{"g":{"` + name + `":{"value":1}}}`)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for _, c := range []struct {
		themes, sets string // the sets divided by commas
		choice       choice
		dims, want   string
	}{
		{`[]`, "global,dark,light,text", choice{}, "=light,dark", "global,light,text"},
		{`[]`, "global,dark,light,text", choice{"": "dark"}, "=light,dark", "global,dark,text"},
		{`[]`, "core,theme/light,theme/dark,theme/base,alias", choice{"theme": "dark"}, "theme=light,dark", "core,theme/dark,theme/base,alias"},
		{`[]`, "core,color-dark,color", choice{}, "color=,dark", "core,color"},
		{`[]`, "core,color-dark,color", choice{"color": "dark"}, "color=,dark", "core,color-dark,color"},
		{`[]`, "RUI Base,RUI Light,RUI Dark", choice{"RUI": "Dark"}, "RUI=Light,Dark", "RUI Base,RUI Dark"},
		{`[]`, "core,light/colors,light/shadows,dark/colors,dark/shadows", choice{"": "dark"}, "=light,dark", "core,dark/colors,dark/shadows"},
		{`[]`, "core,app/light/colors,app/dark/colors", choice{}, "app=light,dark", "core,app/light/colors"},
		{`[]`, "brands/a,brands/b,core,a/mode/x", choice{"brands": "b"}, "brands=a,b", "brands/b,core,a/mode/x"},
		{`[]`, "brands/a,brands/a/fonts,brands/b,brands/b/fonts", choice{}, "brands=a,b", "brands/a,brands/a/fonts"},
		{`[]`, "brands/a,brands/a/fonts,brands/b,brands/b/fonts", choice{"brands": "b"}, "brands=a,b", "brands/b,brands/b/fonts"},
		{`[]`, "core,x/light,x/dark,x/fonts,y/light,y/dark,y/hc", choice{}, "brand=x,y; =light,dark,hc", "core,x/light,x/fonts"},
		{`[]`, "core,x/light,x/dark,x/fonts,y/light,y/dark,y/hc", choice{"": "dark"}, "brand=x,y; =light,dark,hc", "core,x/light,x/dark,x/fonts"},
		{`[]`, "core,x/light,x/dark,x/fonts,y/light,y/dark,y/hc", choice{"brand": "y", "": "hc"}, "brand=x,y; =light,dark,hc", "core,y/light,y/hc"},
		{`[]`, "x/dark,x/light,y/dark,y/light,z", choice{"brand": "y", "": "dark"}, "brand=x,y; =light,dark", "y/light,y/dark,z"},
		{`[]`, "brands/x/light,brands/x/dark,brands/y/light", choice{"brands": "y"}, "brands=x,y; =light,dark", "brands/y/light"},
		{`[]`, "brands/x/light,brands/x/dark,brands/y/light", choice{"brands": "y", "": "dark"}, "brands=x,y; =light,dark", "brands/y/light"},
		{`[]`, "part1/light,part1/dark,part2/light,part2/dark", choice{"part1": "dark"}, "part1=light,dark; part2=light,dark", "part1/dark,part2/light"},
		{`[]`, "core,scheme-dark/core,scheme-dark/a/b,button-light/c,/x/y", choice{"scheme": "dark"}, "scheme=,dark", "core,scheme-dark/core,scheme-dark/a/b,button-light/c,/x/y"},
		{`[]`, "core,dark/a/b", choice{"": "dark"}, "=,dark", "core,dark/a/b"},
		{`[]`, "theme/light,theme/dark,light,dark", choice{"theme": "dark"}, "theme=light,dark; =light,dark", "theme/dark,light"},
		{`[]`, "core,light,base,default", choice{}, "", "core,light,base,default"},
		{`[{"group":"g","name":"a","selectedTokenSets":{"x":"enabled","y":"source","z":"source"}},{"group":"g","name":"a","selectedTokenSets":{"w":"enabled","z":"disabled"}}]`, "w,x,y,z,dark", choice{}, "g=a,a 2", "y,z,x"},
		{`[{"group":"G ","name":"a","selectedTokenSets":{"x":"enabled"}},{"group":"g","name":"b","selectedTokenSets":{"y":"enabled"}},{"name":"c","selectedTokenSets":{"z":"enabled"}}]`, "x,y,z", choice{"G ": "b"}, "G =a,b; =c", "y,z"},
	} {
		meta, sets := themes(c.themes), strings.Split(c.sets, ",")
		var part Part
		part.AddThemes(meta, sets, at)
		var dims []string
		for _, d := range part.Dimensions {
			dims = append(dims, d.Name+"="+strings.Join(d.Modes, ","))
		}
		chosen, err := StudioSets(meta, sets, at, Options{Choice: c.choice})
		if got := strings.Join(chosen, ","); err != nil || got != c.want || strings.Join(dims, "; ") != c.dims {
			t.Errorf("of %s a choice %v takes %s, %v, want %s; the dimensions are %q, want %q", c.sets, c.choice, got, err, c.want, dims, c.dims)
		}
	}
	if sets, err := StudioSets(themes(`[]`), []string{"global", "dark", "light"}, at, Options{Mode: "dark", Overrides: true}); err != nil || !slices.Equal(sets, []string{"dark"}) {
		t.Errorf("the overrides of dark are %q, %v", sets, err)
	}
	for mode, want := range map[string]string{"dark": "core,x/dark", "y": "core,y/light"} {
		sets, err := StudioSets(themes(`[]`), []string{"core", "x/light", "x/dark", "y/light", "y/dark"}, at, Options{Mode: mode})
		if got := strings.Join(sets, ","); err != nil || got != want {
			t.Errorf("the mode %s of brands takes %s, %v, want %s", mode, got, err, want)
		}
	}
}

const figmaFile = `{"status":200,"error":false,"meta":{
  "variableCollections":{"C:1":{"defaultModeId":"1:0","modes":[{"modeId":"1:0","name":"Light"},{"modeId":"1:1","name":"Dark"}],"variableIds":["V:1","V:2","V:3","V:4","V:5"]}},
  "variables":{
    "V:1":{"id":"V:1","name":"color/brand","variableCollectionId":"C:1","resolvedType":"COLOR","valuesByMode":{"1:0":{"r":0,"g":0.2,"b":1,"a":1},"1:1":{"r":1,"g":1,"b":1,"a":0.5}},"description":"The one."},
    "V:2":{"id":"V:2","name":"color/brand/hover","variableCollectionId":"C:1","resolvedType":"COLOR","valuesByMode":{"1:0":{"type":"VARIABLE_ALIAS","id":"V:1"},"1:1":{"type":"VARIABLE_ALIAS","id":"V:1"}}},
    "V:3":{"id":"V:3","name":"space/1.5","variableCollectionId":"C:1","resolvedType":"FLOAT","scopes":["GAP"],"valuesByMode":{"1:0":6,"1:1":6}},
    "V:4":{"id":"V:4","name":"z","variableCollectionId":"C:1","resolvedType":"FLOAT","scopes":["ALL_SCOPES"],"valuesByMode":{"1:0":1.0,"1:1":2}},
    "V:5":{"id":"V:5","name":"far","variableCollectionId":"C:1","resolvedType":"COLOR","valuesByMode":{"1:0":{"type":"VARIABLE_ALIAS","id":"V:9"},"1:1":{"type":"VARIABLE_ALIAS","id":"V:9"}}}
  }}}`

// TestListsOfPluginsAreVariablesOfFigma: each plugin writes them in a way of its own.
func TestListsOfPluginsAreVariablesOfFigma(t *testing.T) {
	const tokens = `"p":{"blue":{"$type":"color","$value":"#00f"}},"bg":{"$type":"color","$value":"{p.blue}"},"gap":{"$type":"number","$value":4}`
	for _, text := range []string{
		`{"collections":[{"name":"P","modes":[{"name":"Value","variables":[{"name":"p/blue","type":"color","isAlias":false,"value":"#00f"}]}]},` +
			`{"name":"C","modes":[{"name":"Dark","variables":[{"name":"bg","type":"color","value":"#000"},{"name":"gap","type":"number","value":4}]},` +
			`{"name":"Light","variables":[{"name":"bg","type":"color","isAlias":true,"value":{"collection":"P","name":"p/blue"}},{"name":"gap","type":"number","value":4}]}]}]}`,
		`{"version":"1.0.4","collections":[{"name":"P","modes":[{"name":"Value","variables":[{"name":"p/blue","type":"color","isAlias":false,"value":"#00f"}]}]},` +
			`{"name":"C","modes":[{"name":"Dark","variables":[{"name":"bg","type":"color","value":"#000"},{"name":"gap","type":"number","value":4}]},` +
			`{"name":"Light","variables":[{"name":"bg","type":"color","isAlias":true,"value":{"name":"p/blue"}},{"name":"gap","type":"number","value":4}]}]}]}`,
		`{"collections":[{"name":"P","modes":["Value"],"variables":[{"name":"p/blue","type":"COLOR","values":{"Value":"#00f"}}]},` +
			`{"name":"C","modes":["Light","Dark"],"variables":[{"name":"bg","type":"COLOR","values":{"Light":{"alias":"P/p/blue"},"Dark":"#000"}},{"name":"gap","type":"FLOAT","values":{"Light":4,"Dark":4}}]}]}`,
		`{"variables":[{"id":"V:1","name":"p/blue","collection":"P","resolvedType":"COLOR","valuesByMode":{"Value":"#00f"}},` +
			`{"id":"V:2","name":"bg","variableCollectionId":"C:2","resolvedType":"COLOR","valuesByMode":{"2:0":{"type":"VARIABLE_ALIAS","id":"V:1"},"2:1":"#000"}},` +
			`{"id":"V:3","name":"gap","collectionId":"C:2","resolvedType":"FLOAT","valuesByMode":{"2:0":4}}],` +
			`"variableCollections":[{"id":"C:1","name":"P","modes":[{"modeId":"1:0","name":"Value"}]},{"id":"C:2","name":"C","defaultModeId":"2:0","modes":[{"modeId":"2:1","name":"Dark"},{"modeId":"2:0","name":"Light"}]}]}`,
	} {
		parts, err := convert(t, text, Options{})
		if got := identity.ReplaceAllString(spell(parts), ""); err != nil || got != "{"+tokens+"}" {
			t.Errorf("of %s the tokens are %s, %v, want {%s}", text, got, err, tokens)
		}
		dark, err := convert(t, text, Options{Mode: "Dark", Overrides: true})
		if got := identity.ReplaceAllString(spell(dark), ""); err != nil || got != `{"bg":{"$type":"color","$value":"#000"}}` {
			t.Errorf("of %s the mode Dark has %s, %v", text, got, err)
		}
	}
	const chain = `{"variables":[{"id":"1","name":"a","variableCollectionId":"c","resolvedType":"COLOR","valuesByMode":{"l":{"type":"VARIABLE_ALIAS","id":"2"},"d":"#111"}},` +
		`{"id":"2","name":"a","variableCollectionId":"b","resolvedType":"COLOR","valuesByMode":{"x":"#222","y":"#333"}}],` +
		`"variableCollections":[{"id":"c","name":"C","modes":[{"modeId":"l","name":"Light"},{"modeId":"d","name":"Dark"}]},{"id":"b","name":"B","modes":[{"modeId":"x","name":"X"},{"modeId":"y","name":"Y"}]}]}`
	for dimension, modes := range map[string]map[string]string{"C": {"Light": "#222", "Dark": "#111"}, "B": {"X": "#222", "Y": "#333"}} {
		for mode, value := range modes {
			parts, err := convert(t, chain, Options{Choice: map[string]string{dimension: mode}})
			if got := identity.ReplaceAllString(spell(parts), ""); err != nil || got != `{"a":{"$type":"color","$value":"`+value+`"}}` {
				t.Errorf("a variable of the name of its target is in %s %s, %v, want %s", mode, got, err, value)
			}
		}
	}
	const styles = `{"collections":[{"name":"S","modes":[{"name":"Style","variables":[{"name":"h","type":"typography","value":{"fontFamily":"Inter","fontSize":32,"fontWeight":"Extended Bold","lineHeight":40,"lineHeightUnit":"PIXELS",` +
		`"letterSpacing":5,"letterSpacingUnit":"PERCENT","textCase":"ORIGINAL"}},{"name":"e","type":"effect","value":{"effects":[{"type":"INNER_SHADOW","color":{"r":0,"g":0,"b":0,"a":1},"offset":{"x":0,"y":1},"radius":2}]}},` +
		`{"name":"g","type":"grid","value":{"columns":3}},{"name":"h","type":"number","value":1},{"name":"n"}]}]}]}`
	parts, err := convert(t, styles, Options{})
	want := `{"h":{"$type":"typography","$value":{"fontFamily":"Inter","fontSize":"32px","fontWeight":"Bold","lineHeight":"40px","letterSpacing":"0.05em"}},` +
		`"e":{"$type":"shadow","$value":[{"color":{"colorSpace":"srgb","components":[0,0,0],"hex":"#000000"},"offsetX":"0px","offsetY":"1px","blur":"2px","spread":"0px","inset":true}]}}` +
		` !h: two variables have this name; the first counts !n: the variable has no value !g: a style of Figma of this kind has no type of DTCG: {"columns":3}`
	if got := spell(parts); err != nil || got != want {
		t.Errorf("the styles are %s, %v, want %s", got, err, want)
	}
}

// TestSetsOfAnyNameAreModes: those of Spectrum's kind, also beside others.
func TestSetsOfAnyNameAreModes(t *testing.T) {
	const text = `{"a":{"sets":{"light":{"value":"#fff"},"dark":{"value":"#000"}}},"b":{"sets":{"spectrum":{"value":"#00f"},"express":{"value":"#f0f"}}},"c":{"value":"#111","sets":{"express":{"value":"#222"}}}}`
	for mode, want := range map[string]string{
		"": `{"a":{"$value":"#fff"},"b":{"$value":"#00f"},"c":{"$value":"#111"}}`, "dark": `{"a":{"$value":"#000"},"b":{"$value":"#00f"},"c":{"$value":"#111"}}`,
		"express": `{"a":{"$value":"#fff"},"b":{"$value":"#f0f"},"c":{"$value":"#222"}}`,
	} {
		parts, err := convert(t, text, Options{Mode: mode})
		if got := spell(parts); err != nil || got != want {
			t.Errorf("the mode %q has %s, %v, want %s", mode, got, err, want)
		}
	}
}

// TestStylesOfFigmaBesideVariablesAreTokens: without modes, and in a group called as their list if a variable has their name.
func TestStylesOfFigmaBesideVariablesAreTokens(t *testing.T) {
	const variables = `{"collections":[{"id":"C","name":"c","modes":["Light","Dark"]}],"variables":[{"name":"a","resolvedType":"STRING","variableCollectionId":"C","values":{"Light":"1","Dark":"2"}}],`
	const own, other = `{"a":{"$type":"string","$value":"1"}`, `{"a":{"$type":"string","$value":"2"}`
	for styles, want := range map[string]string{
		`"textStyles":[{"name":"H/1","fontName":{"family":"Inter","style":"Bold"},"fontSize":20,"lineHeight":{"unit":"PERCENT","value":110},"letterSpacing":{"unit":"PIXELS","value":1},"textCase":"ORIGINAL"}]`: own +
			`,"H":{"1":{"$type":"typography","$value":{"fontFamily":"Inter","fontSize":"20px","fontWeight":"Bold","lineHeight":"1.1","letterSpacing":"1px"}}}}`,
		`"styles":{"text":[{"name":"a","fontFamily":"Inter","fontStyle":"Thin","fontSize":20,"lineHeight":{"unit":"AUTO"},"description":"d"}]}`: own +
			`,"text":{"a":{"$type":"typography","$value":{"fontFamily":"Inter","fontSize":"20px","fontWeight":"Thin"},"$description":"d"}}}`,
		`"effectStyles":[{"name":"e","effects":[{"type":"DROP_SHADOW","color":"#0E11180F","offset":{"x":0,"y":1},"radius":2}]}]`: own +
			`,"e":{"$type":"shadow","$value":[{"color":"#0E11180F","offsetX":"0px","offsetY":"1px","blur":"2px","spread":"0px","inset":false}]}}`,
		`"paintStyles":[{"name":"p","paints":[{"type":"SOLID","color":{"r":1,"g":0,"b":0},"opacity":0.5}]},{"name":"q","color":"#abc"}]`: own +
			`,"p":{"$type":"color","$value":{"colorSpace":"srgb","components":[1,0,0],"alpha":0.5,"hex":"#ff0000"}},"q":{"$type":"color","$value":"#abc"}}`,
		`"paintStyles":[{"name":"p","paints":[{"type":"GRADIENT_LINEAR"}]}]`: own + `} !p: paintStyles beside the variables are not read: {"name":"p","paints":[{"type":"GRADIENT_LINEAR"}]}`,
	} {
		for mode, in := range map[string]string{"Light": want, "Dark": strings.Replace(want, own, other, 1)} {
			parts, err := convert(t, variables+styles+"}", Options{Mode: mode})
			if got := spell(parts); err != nil || got != in {
				t.Errorf("%s in %s: %s, %v, want %s", styles, mode, got, err, in)
			}
		}
		parts, err := convert(t, variables+styles+"}", Options{Mode: "Dark", Overrides: true})
		if got, _, _ := strings.Cut(spell(parts), " !"); err != nil || got != other+"}" {
			t.Errorf("%s over the Theme: %s, %v, want %s}", styles, got, err, other)
		}
	}
}

// TestWhatIsNotReadOfFigmaIsNamed: styles beside variables, values of modes that are not there, and variables of no
// collection.
func TestWhatIsNotReadOfFigmaIsNamed(t *testing.T) {
	const one = `"resolvedType":"FLOAT","variableCollectionId":"C"`
	const collections = `"collections":[{"id":"C","name":"c","modes":["Light","Dark"]}],`
	for _, c := range []struct{ text, mode, want string }{
		{`{` + collections + `"variables":[{"name":"a",` + one + `,"values":{"light":1,"Dark":2,"Sepia":3}},{"name":"b",` + one + `,"values":{"Dark":4}},{"name":"d","collection":"D","values":{"Light":5}}],` +
			`"styles":{"text":[{"name":"H","fontSize":20}]},"modes":[{"name":"x"}]}`, "", `{"a":{"$type":"number","$value":1},"b":{"$type":"number","$value":4}} ` +
			`!d: the variable is of the collection "D", which the file does not have !H: text beside the variables are not read: {"name":"H","fontSize":20} ` +
			`!a: its value for the mode Sepia, which its collection does not have, is left out: 3 ?c ?b`},
		{`{"meta":{"variableCollections":{"C":{"name":"c","defaultModeId":"1","modes":[{"modeId":"1","name":"L"},{"modeId":"2","name":"D"},{"modeId":"3","name":"D"}]}},` +
			`"variables":{"a":{"name":"a",` + one + `,"valuesByMode":{"1":1,"2":2,"3":3,"9":4}}},"textStyles":[{"name":"T","value":1}]}}`, "D 2", `{"a":{"$type":"number","$value":3}} !T: textStyles beside the variables are not read: {"name":"T","value":1} ?c ?c ?c ?a`},
		{`{"name":"c","modes":{"1":"Light","2":"Dark"},"variables":[{"name":"a","type":"FLOAT","valuesByMode":{"1":1,"2":2}},{"name":"b","type":"FLOAT","valuesByMode":{"1":{"type":"VARIABLE_ALIAS","name":"a"}}},` +
			`{"name":"d","type":"FLOAT","valuesByMode":{"1":{"type":"VARIABLE_ALIAS","name":"x"}}}]}`, "Dark", `{"a":{"$type":"number","$value":2},"b":{"$type":"number","$value":"{a}"}} !d: it is an alias of x, which no file has; name the file of its collection too ?c`},
	} {
		parts, err := convert(t, c.text, Options{Mode: c.mode})
		got := spell(parts)
		for _, said := range parts[0].Concessions {
			got += " ?" + said.Path
		}
		if err != nil || got != c.want {
			t.Errorf("of %s the tokens are\n%s, %v, want\n%s", c.text, got, err, c.want)
		}
	}
}

// identity is what the extensions of a token say of its variable.
var identity = regexp.MustCompile(`,"\$extensions":\{"com.figma":\{"variableId":"[^"]*"\}\}`)

func TestFigmaVariablesBecomeTokens(t *testing.T) {
	id := func(id string) string { return `,"$extensions":{"com.figma":{"variableId":"` + id + `"}}}` }
	const missing = ` !far: it is an alias of V:9, which no file has; name the file of its collection too`
	cases := []struct {
		rule    string
		options Options
		want    string
	}{
		{
			"the default mode",
			Options{},
			`{"color":{"brand":{"$root":{"$type":"color","$value":{"colorSpace":"srgb","components":[0,0.2,1],"hex":"#0033ff"},"$description":"The one."` + id("V:1") +
				`,"hover":{"$type":"color","$value":"{color.brand.$root}"` + id("V:2") + `}},"space":{"1-5":{"$type":"dimension","$value":{"value":6,"unit":"px"}` + id("V:3") +
				`},"z":{"$type":"number","$value":1.0` + id("V:4") + `}` + missing,
		},
		{
			"the overrides of a mode are what differs from the default",
			Options{Mode: "Dark", Overrides: true},
			`{"color":{"brand":{"$root":{"$type":"color","$value":{"colorSpace":"srgb","components":[1,1,1],"alpha":0.5,"hex":"#ffffff"},"$description":"The one."` + id("V:1") +
				`}},"z":{"$type":"number","$value":2` + id("V:4") + `}`,
		},
	}
	for _, c := range cases {
		parts, err := convert(t, figmaFile, c.options)
		if got := spell(parts); err != nil || got != c.want {
			t.Errorf("%s: Convert() = %v\n%s, want\n%s", c.rule, err, got, c.want)
		}
	}
	parts, err := convert(t, figmaFile, Options{})
	if err != nil || parts[0].Origins["/color/brand/hover"] != "/meta/variables/V:2" {
		t.Errorf("Origins = %v, %v", parts[0].Origins, err)
	}
	if !slices.Contains(parts[0].Concessions, Concession{"names with dots or braces", "/meta/variables/V:3", "space.1-5", `"1.5" is "1-5" now, in aliases too`}) {
		t.Errorf("named: %v", parts[0].Concessions)
	}
	if _, err := convert(t, figmaFile, Options{Mode: "Night"}); err == nil || !strings.Contains(err.(*Error).Next, "Light, Dark") {
		t.Errorf("Convert(an unknown mode) = %v", err)
	}
}

// twoCollections has two collections of two modes each, by the names given.
func twoCollections(modes ...string) string {
	return `{"meta":{"variableCollections":{
    "C:1":{"name":"A","defaultModeId":"1:0","modes":[{"modeId":"1:0","name":"` + modes[0] + `"},{"modeId":"1:1","name":"` + modes[1] + `"}],"variableIds":["V:1"]},
    "C:2":{"name":"B","defaultModeId":"2:0","modes":[{"modeId":"2:0","name":"` + modes[2] + `"},{"modeId":"2:1","name":"` + modes[3] + `"}],"variableIds":["V:2"]}},
  "variables":{
    "V:1":{"name":"a","variableCollectionId":"C:1","resolvedType":"FLOAT","valuesByMode":{"1:0":10,"1:1":11}},
    "V:2":{"name":"b","variableCollectionId":"C:2","resolvedType":"FLOAT","valuesByMode":{"2:0":20,"2:1":21}}}}}`
}

func TestCollectionsOfDifferentModesAreAProduct(t *testing.T) {
	const usual, other, both = `{"a":{"$type":"number","$value":10},"b":{"$type":"number","$value":20}}`,
		`{"a":{"$type":"number","$value":10},"b":{"$type":"number","$value":21}}`,
		`{"a":{"$type":"number","$value":11},"b":{"$type":"number","$value":21}}`
	cases := []struct {
		rule, file, mode, want string
		modes                  []Mode
	}{
		{"modes that differ cannot be combined without a choice", twoCollections("x", "y", "Light", "Dark"), "", "", nil},
		{"the others give their default mode", twoCollections("x", "y", "Light", "Dark"), "Dark", other, []Mode{{"A", "x", true}, {"B", "Dark", false}}},
		{"modes of one name go together", twoCollections("Light", "Dark", "Light", "Dark"), "", usual, []Mode{{"A", "Light", true}, {"B", "Light", true}}},
		{"and are chosen together", twoCollections("Light", "Dark", "Light", "Dark"), "Dark", both, []Mode{{"A", "Dark", false}, {"B", "Dark", false}}},
	}
	for _, c := range cases {
		parts, err := convert(t, c.file, Options{Mode: c.mode})
		if c.want == "" {
			e, ok := errors.AsType[*Error](err)
			if !ok || !strings.HasSuffix(e.What, ": A (x, y), B (Light, Dark)") || !strings.Contains(e.Next, "--token-mode: x, y, Light, Dark.") {
				t.Errorf("%s: Convert() = %+v, want an error that names collections and modes", c.rule, err)
			}
			continue
		}
		if got := spell(parts); err != nil || got != c.want || !slices.Equal(parts[0].Modes, c.modes) {
			t.Errorf("%s: Convert() = %s, %v, %v, want %s, %v", c.rule, got, parts[0].Modes, err, c.want, c.modes)
		}
	}
}

func TestTwoFigmaVariablesOfOneNameAreAFault(t *testing.T) {
	text := strings.Replace(figmaFile, `"name":"z"`, `"name":"space/1-5"`, 1)
	parts, err := convert(t, text, Options{})
	if err != nil || len(parts[0].Faults) != 2 || parts[0].Faults[0].Pointer != "/meta/variables/V:4" {
		t.Errorf("Convert() = %v, %v, want a fault at V:4", spell(parts), err)
	}
}

// TestFigmaVariablesOfOneNameInTwoCollections: an alias leads to the variable of its id. Where one of the name stands for
// the other in all that others see of it, there is one token, else a group for the second.
func TestFigmaVariablesOfOneNameInTwoCollections(t *testing.T) {
	alias := func(id string) string { return `{"type":"VARIABLE_ALIAS","id":"` + id + `"}` }
	variable := func(id, name, collection, one, two string) string {
		return `"` + id + `":{"name":"` + name + `","variableCollectionId":"` + collection + `","resolvedType":"FLOAT","valuesByMode":{"1":` + one + `,"2":` + two + `}}`
	}
	for _, c := range []struct{ rule, variables, usual, second string }{
		{"two values", variable("v", "a", "A", "1", "2") + "," + variable("w", "a", "B", "3", "4") + "," + variable("x", "x", "B", alias("v"), alias("w")), `{"a":1,"B":{"a":3},"x":"{a}"}`, `{"a":2,"B":{"a":4},"x":"{B.a}"}`},
		{"an alias in all modes", variable("v", "a", "A", "1", "2") + "," + variable("w", "a", "B", alias("v"), alias("v")) + "," + variable("x", "x", "B", alias("v"), "5"), `{"a":1,"x":"{a}"}`, `{"a":2,"x":5}`},
		{"an alias in one mode", variable("v", "a", "A", "1", "2") + "," + variable("w", "a", "B", alias("v"), "4") + "," + variable("x", "x", "B", "5", "6"), `{"a":1,"x":5}`, `{"a":4,"x":6}`},
		{"an alias in one mode, and another alias", variable("v", "a", "A", "1", "2") + "," + variable("w", "a", "B", alias("v"), "4") + "," + variable("x", "x", "B", alias("v"), alias("v")), `{"A":{"a":1},"a":"{A.a}","x":"{A.a}"}`, `{"A":{"a":2},"a":4,"x":"{A.a}"}`},
		{"two of one collection", variable("v", "a", "A", "1", "2") + "," + variable("w", "a", "A", "3", "4"), `{"a":1} !a: the variables v and w have one name; rename one of them in Figma`, `{"a":2} !a: the variables v and w have one name; rename one of them in Figma`},
	} {
		const collection = `{"name":"%s","defaultModeId":"1","modes":[{"modeId":"1","name":"L"},{"modeId":"2","name":"D"}]}`
		text := `{"meta":{"variableCollections":{"A":` + fmt.Sprintf(collection, "A") + `,"B":` + fmt.Sprintf(collection, "B") + `},"variables":{` + c.variables + `}}}`
		for mode, want := range map[string]string{"": c.usual, "D": c.second} {
			parts, err := convert(t, text, Options{Mode: mode})
			got := regexp.MustCompile(`\{"\$type":"number","\$value":([^"}]*|"[^"]*")\}`).ReplaceAllString(spell(parts), "$1")
			if err != nil || got != want {
				t.Errorf("%s: the mode %q is %s, %v, want %s", c.rule, mode, got, err, want)
			}
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(figmaFile)
	f.Add(studioFile)
	f.Add(`{"a":{"value":{"value":1},"type":"boxShadow"}}`)
	f.Add(`{"$extensions":{"com.livery":{"form":"style-dictionary"}},"a":{"value":"#fff"}}`)
	f.Add(`{"$themes":[{"name":"Dark"},7,{"name":"Dark","selectedTokenSets":5}],"a":{"b":{"value":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"f.json", "f.yaml", "f.css"} {
			parsed, err := syntax.Parse(name, text)
			if err != nil || !parsed.Root.IsObject() {
				continue
			}
			parsed.Positions().Line("/a/b")
			for _, o := range []Options{{}, {Mode: "Dark", Overrides: true}, {Choice: map[string]string{}}} {
				k, why := Recognise(parsed, o)
				if why == "" {
					continue
				}
				_, err = Convert(k, parsed.Root, o)
				if _, ok := errors.AsType[*Error](err); err != nil && !ok {
					t.Errorf("Convert() = %v, which is no *Error", err)
				}
			}
		}
	})
}

// TestAnInitialValueCountsIfNothingDeclaresItsProperty: as in a browser; what a mode declares is laid over it.
func TestAnInitialValueCountsIfNothingDeclaresItsProperty(t *testing.T) {
	const text = "@property --a { syntax: '<angle>'; inherits: false; initial-value: 45deg }\n" +
		"@property --b { initial-value: 1px }\n@property --c { initial-value: 2px }\n@property --d { initial-value: 3px }\n" +
		":root { --b: 4px; --c: initial; --e: var(--a) }\n.dark { --d: 5px }"
	cases := []struct {
		mode, want string
	}{
		{"", `{"b":{"$value":"4px"},"e":{"$value":"{a}"},"a":{"$value":"45deg"},"c":{"$value":"2px"},"d":{"$value":"3px"}}`},
		{"dark", `{"b":{"$value":"4px"},"e":{"$value":"{a}"},"d":{"$value":"5px"},"a":{"$value":"45deg"},"c":{"$value":"2px"}}`},
	}
	for _, c := range cases {
		parts, err := Convert(Stylesheet, read(t, "a.css", text).Root, Options{Mode: c.mode})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontree.Append(nil, parts[0].Tree)); got != c.want {
			t.Errorf("of mode %q Convert() = %s, want %s", c.mode, got, c.want)
		}
	}
}

// TestModesOfTheAuthorsOwnNamesAreRead: if two tokens have the same names beside known ones, and no composite is among
// them.
func TestModesOfTheAuthorsOwnNamesAreRead(t *testing.T) {
	const both = `"$type":"color","$value":{"light":"#fff","dark":"#000","sepia":"#f4ecd8"}`
	const border = `{"color":"#fff","width":"1px","style":"solid"}`
	cases := []struct{ rule, text, mode, want string }{
		{"the usual mode counts", `{"a":{` + both + `},"b":{` + both + `}}`, "", `{"a":{"$type":"color","$value":"#fff"},"b":{"$type":"color","$value":"#fff"}}`},
		{"the mode that is asked for counts, in any order and under the type of a group", `{"g":{"$type":"color","a":{"$value":{"sepia":"{c}","dark":"#000","light":"#fff"}},"b":{` + both + `}}}`, "sepia", `{"g":{"$type":"color","a":{"$value":"{c}"},"b":{"$type":"color","$value":"#f4ecd8"}}}`},
		{"inside a composite too", `{"a":{` + both + `},"b":{` + both + `},"c":{"$type":"border","$value":{"color":{"light":"#111","dark":"#222","sepia":"#333"},"width":"1px","style":"solid"}}}`, "dark", `{"a":{"$type":"color","$value":"#000"},"b":{"$type":"color","$value":"#000"},"c":{"$type":"border","$value":{"color":"#222","width":"1px","style":"solid"}}}`},
		{"one token does not tell", `{"a":{` + both + `}}`, "", ""},
		{"nor do tokens of different names", `{"a":{` + both + `},"b":{"$type":"color","$value":{"light":"#fff","dark":"#000","dusk":"#f4ecd8"}}}`, "", ""},
		{"nor do tokens without a type", `{"a":{"$value":{"light":"#fff","dark":"#000","sepia":"#ccc"}},"b":{"$value":{"light":"#fff","dark":"#000","sepia":"#ccc"}}}`, "", ""},
		{"nor do values of another type", `{"a":{"$type":"color","$value":{"light":"#fff","dark":"#000","sepia":3}},"b":{"$type":"color","$value":{"light":"#fff","dark":"#000","sepia":3}}}`, "", ""},
		{"states are not modes", `{"a":{"$type":"color","$value":{"default":"#fff","hover":"#000","disabled":"#ccc"}},"b":{"$type":"color","$value":{"default":"#fff","hover":"#000","disabled":"#ccc"}}}`, "", ""},
		{"a composite is none", `{"a":{"$type":"border","$value":` + border + `},"b":{"$type":"border","$value":` + border + `}}`, "", ""},
		{"a composite of a wrong type is none", `{"a":{"$type":"color","$value":` + border + `},"b":{"$type":"color","$value":` + border + `}}`, "", ""},
		{"one mode is none", `{"a":{` + both + `},"b":{"$type":"color","$value":{"dark":"#000"}}}`, "", ""},
	}
	for _, c := range cases {
		if c.want == "" {
			c.want = c.text // as it is written; the API refuses it by name
		}
		parts, err := convert(t, c.text, Options{Mode: c.mode})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := string(jsontree.Append(nil, parts[0].Tree)); got != c.want {
			t.Errorf("%s: Convert(%s) = %s, want %s", c.rule, c.text, got, c.want)
		}
	}
}

// TestGroupsOfModesAreModesOfTheirTokens: as themes of MUI, theme-ui and Chakra have them.
func TestGroupsOfModesAreModesOfTheirTokens(t *testing.T) {
	cases := []struct{ rule, text, modes, want, dark string }{
		{"groups of modes", `{"colorSchemes":{"light":{"p":{"main":"#111","dark":"#000"}},"dark":{"p":{"main":"#eee","dark":"#ddd"}}},"a":"#f00"}`, "light dark", "p.main #111, p.dark #000, a #f00", "p.main #eee, p.dark #ddd, a #f00"},
		{"one says what stands beside", `{"schemes":{"light":{"a":"#fff"},"dark":{"a":"#000"}},"a":"#fff"}`, "dark default", "a #fff", "a #000"},
		{"beside the default", `{"colors":{"a":"#fff","b":"#eee","modes":{"dark":{"a":"#000"},"deep":{"a":"#00f","b":"#eee"}}}}`, "default dark deep", "colors.a #fff, colors.b #eee", "colors.a #000, colors.b #eee"},
		{"names of the author's", `{"themes":{"light":{"a":"#fff"},"dark":{"a":"#000"},"sepia":{"a":"#f4ecd8"},"other":{"z":"1px"}}}`, "light dark sepia", "a #fff, themes.other.z 1px", "a #000, themes.other.z 1px"},
		{"one mode alone", `{"themes":{"light":{"a":"#fff","b":"#eee"},"dark":{"a":"#000","b":"#111","c":"1px"}}}`, "light dark", "a #fff, b #eee, c 1px ?values of one mode alone", "a #000, b #111, c 1px ?values of one mode alone"},
		{"aliases of the mode, of another and of a default", `{"themes":{"light":{"a":"#fff","b":"{themes.light.a}"},"dark":{"a":"#000","b":"{themes.light.a}"}},"c":"{themes.light.a}","d":"{themes.dark.a}"}`, "light dark", "a #fff, b {a}, c {a}, d #000", "a #000, b #fff, c {a}, d #000"},
		{"aliases in a circle", `{"themes":{"light":{"a":"#fff","b":"{themes.dark.b}"},"dark":{"a":"#000","b":"{themes.light.b}"}}}`, "light dark", "a #fff, b {b}", "a #000, b {b}"},
		{"two defaults", `{"a":"#111","modes":{"default":{"a":"#fff"},"dark":{"a":"#000"}}}`, "default dark", "a #111 !two tokens have this name; the first counts", "a #000 !two tokens have this name; the first counts"},
		{"groups of other tokens", `{"themes":{"light":{"a":"#fff"},"dark":{"b":"#000"}}}`, "", "themes.light.a #fff, themes.dark.b #000", ""},
		{"groups of other names", `{"themes":{"acme":{"a":"#fff"},"globex":{"a":"#000"}},"palette":{"light":{"a":"#fff"},"dark":{"a":"#000"}}}`, "", "themes.acme.a #fff, themes.globex.a #000, palette.light.a #fff, palette.dark.a #000", ""},
		{"conditions", `{"a":{"default":"#fff","_dark":"#000"},"b":{"base":"1px","_dark":"2px"},"c":{"base":{"d":"1px"},"_dark":{"d":"2px"}}}`, "default _dark base", "a #fff, b 1px, c.base.d 1px, c._dark.d 2px", "a #000, b 2px, c.base.d 1px, c._dark.d 2px"},
		{"shades", `{"blue":{"light":"#85d7ff","DEFAULT":"#1fb6ff","dark":"#009eeb"}}`, "", "blue.light #85d7ff, blue.DEFAULT #1fb6ff, blue.dark #009eeb", ""},
		{
			"tokens beside semantic tokens", `{"theme":{"tokens":{"colors":{"a":{"value":"#fff"},"b":{"value":"#eee"}}},"semanticTokens":{"colors":{"b":{"value":"#ddd"},"bg":{"value":{"_light":"{colors.a}","_dark":"#000"}}}},"breakpoints":{"sm":"1px"},"recipes":{"x":{}}},"conditions":{"x":"y"}}`, "_light _dark",
			"colors.a #fff, colors.b #eee !semanticTokens have a token of this name too, which counts ?members beside tokens and semanticTokens, colors.b #ddd, colors.bg {colors.a}, breakpoints.sm 1px ?values outside a token",
			"colors.a #fff, colors.b #eee !semanticTokens have a token of this name too, which counts ?members beside tokens and semanticTokens, colors.b #ddd, colors.bg #000, breakpoints.sm 1px ?values outside a token",
		},
	}
	for _, c := range cases {
		for mode, want := range map[string]string{"": c.want, "dark": c.dark} {
			if want == "" {
				continue
			}
			parts, err := convert(t, c.text, Options{Choice: map[string]string{"": mode}})
			if err != nil {
				t.Fatal(c.rule, err)
			}
			var got, modes []string
			for _, p := range parts {
				d := dtcg.Read(p.Tree)
				for i := range d.Tokens {
					got = append(got, d.Tokens[i].Path+" "+d.Tokens[i].Value.Text)
				}
				for _, f := range p.Faults {
					got[len(got)-1] += " !" + f.Message
				}
				for _, said := range p.Concessions {
					got[len(got)-1] += " ?" + said.Kind
				}
				modes = append(modes, p.ModeNames...)
			}
			if text := strings.Join(got, ", "); text != want || strings.Join(modes, " ") != c.modes {
				t.Errorf("%s, mode %q: Convert(%s) = %s, of the modes %s, want %s, of %s", c.rule, mode, c.text, text, modes, want, c.modes)
			}
		}
	}
}

// TestStylesheetsAreReadAsTheCascadeReadsThem: which declaration counts, for which mode a selector declares, and what a
// value says.
func TestStylesheetsAreReadAsTheCascadeReadsThem(t *testing.T) {
	cases := []struct{ rule, text, mode, want string }{
		{"the more specific selector", `:root{--a:1px}html{--a:2px}:where(:root){--a:3px}`, "", "a 1px"},
		{"every element before the root", `body{--b:1px}:root{--a:1px;--b:2px}*{--a:2px}`, "", "b 1px, a 2px"},
		{"an important one", `:root{--a:1px!important}:root[data-theme=light]{--a:2px}`, "", "a 1px"},
		{"what is in no layer", `:root{--a:1px}@layer x{:root{--a:2px}}@theme{--color-a:#000}:root{--color-a:#fff}`, "", "a 1px, color-a #fff"},
		{"layers in the order of a statement", `@layer b,a;@layer a{:root{--a:1px}}@layer b{:root{--a:2px}}`, "", "a 1px"},
		{"layers in the order of their first mention", `@layer a{:root{--a:1px}}@layer b{:root{--a:2px}}@layer a{:root{--a:3px}}`, "", "a 2px"},
		{"layers in layers by their whole names", `@layer a.x,b,a.y;@layer b{:root{--a:1px}}@layer a.y{:root{--a:2px;--b:2px}}@layer a{@layer x{:root{--b:3px}}}`, "", "a 1px, b 2px"},
		{"a layer without a name is another each time", `@layer{:root{--a:1px!important}}@layer{:root{--a:2px!important}}`, "", "a 1px"},
		{"a layer more than a mode", `@layer a,b;@layer b{:root{--a:1px}}@layer a{.dark{--a:2px}}`, "dark", "a 1px"},
		{"what is in fewer layers", `@layer x{:root{--a:1px}@layer y{:root{--a:2px}}}`, "", "a 1px"},
		{"of what is important a layer", `@layer x{:root{--a:1px!important}}:root{--a:2px!important}`, "", "a 1px"},
		{"a mode before the usual", `:root[data-theme=light]{--a:1px}.dark{--a:2px}`, "dark", "a 2px"},
		{"a later rule of no less weight before a mode", `.dark{--a:1px;--b:1px}:root{--a:2px}html{--b:2px}`, "dark", "a 2px, b 1px"},
		{"a mode before an earlier rule", `:root{--a:1px}.dark{--a:2px}`, "dark", "a 2px"},
		{"a mode of more weight before a later rule", `:root.dark{--a:1px}[data-theme=dark]{--b:1px}:root{--a:2px}:where(:root){--b:2px}`, "dark", "a 1px, b 1px"},
		{"elements in the page before a later rule", `.card-dark{--a:1px}h1{--b:1px}:root{--a:2px;--b:2px}`, "card-dark", "a 1px, b 2px"},
		{"elements of a page before a later rule of the page", `.dark h1{--a:1px}:root{--a:2px}`, ".dark h1", "a 1px"},
		{"an attribute of the page, by its name", `[data-bs-theme=ocean]{--a:1px}:root{--a:2px}`, "ocean", "a 2px"},
		{"a later rule before a condition", `@media (prefers-color-scheme:dark){:root{--a:1px}}:root{--a:2px}`, "dark", "a 2px"},
		{"a later rule of a selector that came before", `:root{--a:1px}.dark{--a:2px}:root{--a:3px}`, "dark", "a 3px"},
		{"rules of light not in another mode", `.dark{--a:1px}:where(:root),[data-theme=light]{--a:2px;--b:2px}:root[data-theme=light]{--b:3px}`, "dark", "a 1px, b 2px"},
		{"rules of light in a mode beside it", `.compact{--a:1px}:root{--b:2px}[data-theme=light]{--a:2px;--b:3px}.dark{--c:4px}`, "compact", "a 1px, b 3px"},
		{"classes of a page whose values stand at the body", `body{--a:1px}.dark{--a:2px}`, "dark", "a 2px"},
		{"two classes with what each says", `:root{--a:1px;--b:1px;--c:1px}.dark{--a:2px;--b:2px}.hc{--b:3px;--c:3px}.dark.hc{--c:4px}`, "dark-hc", "a 2px, b 3px, c 4px"},
		{"two attributes with what each says", `:root{--a:1px}[data-theme=dark]{--a:2px;--b:2px}[data-contrast=high]{--b:3px}[data-theme=dark][data-contrast=high]{--c:4px}`, "dark-high", "a 2px, b 3px, c 4px"},
		{"a class and an attribute with what each says", `.dark{--a:1px}[data-contrast=high]{--b:2px}.dark[data-contrast=high]{--c:3px}`, "dark-high", "a 1px, b 2px, c 3px"},
		{"a class under a condition with what each says", `@media (prefers-color-scheme:dark){:root{--a:1px}.hc{--b:2px}}.hc{--c:3px}`, "dark-hc", "a 1px, b 2px, c 3px"},
		{"two conditions with what each says", `:root{--a:0px}@media (prefers-color-scheme:dark){:root{--a:1px}}@media (prefers-contrast:more){:root{--b:2px}}@media (prefers-color-scheme:dark) and (prefers-contrast:more){:root{--c:3px}}`, "dark-more", "a 1px, b 2px, c 3px"},
		{"another value of an attribute says nothing", `[data-m=dark][data-d=a]{--a:1px}[data-m=dark][data-d=b]{--b:2px}[data-m=light][data-d=a]{--c:3px}`, "dark-b", "b 2px"},
		{"one value of two attributes", `:root{--a:1px}[data-h=sm]{--a:2px}[data-v=sm]{--a:3px}`, "v-sm", "a 3px"},
		{"two attributes", `:root{--a:1px}[data-t=x][data-s=dark]{--a:2px}[data-t=x][data-s=dark_dim]{--a:3px}`, "x-dark_dim", "a 3px"},
		{"a condition that is denied", `:root{--a:1px}@media not (prefers-color-scheme: dark){:root{--a:2px}}`, "dark", "a 1px"},
		{"a condition beside another", `:root{--a:1px}@media (prefers-color-scheme: dark) and (min-width: 1px){:root{--a:2px}}`, "dark", "a 1px"},
		{"a condition of a screen", `:root{--a:1px}@media screen and (prefers-color-scheme: dark){:root{--a:2px}}`, "dark", "a 2px"},
		{"a page that is dark", `:root{--a:#000;--b:1px}@media (prefers-color-scheme:light){:root{--a:#fff}}`, "", "a #000, b 1px"},
		{"its light mode", `:root,.dark{--a:#000}.light{--a:#fff}`, "light", "a #fff"},
		{"light and dark of a name of the author's", `[data-x-scheme="dark"]{--a:#000}[data-x-scheme="light"]{--a:#fff}`, "", "a #fff"},
		{"classes that say that they are modes", `.theme-dark{--a:#000}body.light-mode{--a:#fff}`, "", "a #fff"},
		{"a list under conditions of which none is known", `:root{--a:1px}@supports not (x:y){@media (color-gamut:p3){:root,.light{--a:2px}}}`, "", "a 1px"},
		{"the same as a mode", `:root{--a:1px}@media (color-gamut:p3){:root,.light{--a:2px}}`, "(color-gamut:p3)", "a 2px"},
		{"what browsers support", `:root{--a:;--b:x var(--a)}@supports (x:y(z 1,1)){:root{--a:1px}}@supports (-x-y:z){:root{--a:2px}}`, "", "b x {a}, a 1px"},
		{"a condition in what browsers support", `:root{--a:1px}@supports(x:y(z)){@media (prefers-color-scheme:dark){:root{--a:2px}}}`, "dark", "a 2px"},
		{"a list of several modes", `:root{--a:1px}[data-theme=dark],[data-theme=dim]{--a:2px}`, "dim", "a 2px"},
		{"a list under a condition", `:root{--a:1px}@media (prefers-color-scheme: dark){:root,.x{--a:2px}}`, "dark", "a 2px"},
		{"another selector under a condition", `:root{--a:1px}[data-theme=dark]{--a:2px}@media (prefers-color-scheme:dark){.brand{--a:3px}}`, "dark", "a 2px"},
		{"the light theme of a dark system", `[data-mode=light][data-light-theme=light],[data-mode=dark][data-dark-theme=light]{--a:1px}[data-mode=dark][data-dark-theme=dark]{--a:2px}@media (prefers-color-scheme:dark){[data-mode=auto][data-dark-theme=light]{--a:1px}}`, "dark", "a 2px"},
		{"a variant in a list", `:root{--a:1px}:root,:host{@variant dark{--a:2px}}`, "", "a 1px"},
		{"the same in its mode", `:root{--a:1px}html,body{&.dark{--a:2px}}`, "dark", "a 2px"},
		{"a condition in a list", `:root{--a:1px}:root,:host{@media (prefers-color-scheme:dark){--a:2px}}`, "dark", "a 2px"},
		{"a root twice", `:root:root{--a:1px}:root{--a:2px}`, "", "a 1px"},
		{"a class that ends in a mode", `.x-high-contrast{--a:1px}.x-high-contrast.y{--b:2px}`, "", ""},
		{"nesting and variants", `:root{--a:1px;&.dark{--a:2px}}@variant dark{:root{--b:3px}}`, "dark", "a 2px, b 3px"},
		{"nesting below a mode", `:root{--a:1px}h1{--b:2px;.dark &{--b:3px}}`, ".dark h1", "a 1px, b 3px"},
		{"not dark", `:root[data-bs-theme="dark"]{--a:#000}:root:not([data-bs-theme="dark"]){--a:#fff}`, "", "a #fff"},
		{"all media, and other letters", `@media all{:ROOT{--a:1px}}@media screen{HTML{--b:2px}}`, "", "a 1px, b 2px"},
		{"keywords and braces are no values", `:root{--a:inherit;--b:UNSET;--c:{x:y};--d:1px}`, "", "d 1px"},
		{"strings of what no value has as it is", `:root{--a:">";--b:"a\"b";--c:"x"}`, "", `a >, b a"b, c "x"`},
		{"what a selector is not", `:root{--a:1px}@media (prefers-color-scheme: dark){:root:not([data-theme="light"]){--a:2px}}`, "dark", "a 2px"},
		{"a class for the page", `.brand{--a:1px}.brand[data-mode=light]{--b:2px}.brand[data-mode=dark]{--a:3px}`, "", "a 1px, b 2px"},
		{"a class that ends in dark, beside one that ends in light", `:root{--g:1px}.v-theme--light{--a:#fff;--b:1px}.v-theme--dark{--a:#000;--b:1px}`, "dark", "g 1px, a #000, b 1px"},
		{"its usual mode, and a theme of a name of its own", `:root{--g:1px}.v-theme--ocean{--a:#00f}.v-theme--dark{--a:#000}.v-theme--light{--a:#fff}`, "", "g 1px, a #fff"},
		{"a class of the page that ends in dark", `:root{--a:#fff;--b:#eee;--c:1px}body.is-dark{--a:#000;--b:#111}.is-dark h1{--c:2px}`, "dark", "a #000, b #111, c 1px"},
		{"the page and sizes that begin as they do", `.s--dark{--a:#000}.s{--b:1px}.s--large{--c:2px}.s--light{--a:#fff}.s--medium{--c:1px}`, "", "b 1px, a #fff, c 1px"},
		{"one of the sizes", `.s--dark{--a:#000}.s{--b:1px}.s--large{--c:2px}.s--light{--a:#fff}.s--medium{--c:1px}`, "large", "b 1px, c 2px, a #fff"},
		{"a class that ends in dark beside one that is not called as a mode", `.btn-primary{--a:1px}.btn-light{--a:2px}.btn-dark{--a:3px}`, "btn-dark", "a 3px"},
		{"a class that ends in dark of elements that have its properties", `.nav{--a:1px}.nav-light{--a:2px}.nav-dark{--a:3px}`, "nav-dark", "a 3px"},
		{"classes that end in dark of two beginnings", `.acme-light{--a:1px}.acme-dark{--a:2px}.globex-light{--a:3px}.globex-dark{--a:4px}`, "globex-dark", "a 4px"},
		{"a class that ends in dark of few properties of the page", `:root{--a:1px;--b:1px;--c:1px;--d:1px;--e:1px;--f:1px;--g:1px;--h:1px;--i:1px}.x-dark{--a:2px;--b:2px}`, "x-dark", "a 2px, b 2px, c 1px, d 1px, e 1px, f 1px, g 1px, h 1px, i 1px"},
		{"a class that ends in dark beside the dark mode", `:root{--a:1px;--b:1px}.dark{--a:2px}.x-dark{--a:3px;--b:3px}`, "x-dark", "a 3px, b 3px"},
		{"a class with scope behind the mode", `:root,.gl-light-scope{--a:#fff;--b:#eee}.gl-dark,.gl-dark-scope{--a:#000;--b:#111}`, "dark", "a #000, b #111"},
		{"a dark class beside classes of its part", `body{--a:1px;--b:1px;--c:1px}@media not print{.x-dark-mode:not(#\9){--a:2px;--b:2px;--c:2px}}.x-nav{--a:3px;--b:3px}`, "dark", "a 2px, b 2px, c 2px"},
		{"few properties of a class that says that it is a theme", `:root{--a:1px;--b:1px;--c:1px;--d:1px;--e:1px}.x-theme-dark{--a:2px}`, "dark", "a 2px, b 1px, c 1px, d 1px, e 1px"},
		{"another mode that begins alike", `:root{--a:1px;--b:1px;--c:1px}.x-dark{--a:2px;--b:2px}.x-compact{--c:2px}`, "compact", "a 1px, b 1px, c 2px"},
		{"light in a dark system", `:root{--a:1px}@media (prefers-color-scheme:dark){:root{--a:2px}[data-mode=light]{--a:1px}}`, "dark", "a 2px"},
		{"dark in a light system", `:root{--a:1px}@media (prefers-color-scheme:light){[data-mode=dark]{--a:2px}}`, "dark", "a 2px"},
		{"each of several selectors with what stands behind them", `:root{--a:1px}:is(.dark,.x) .y{--a:2px}.dark{--b:3px}`, "dark", "a 1px, b 3px"},
		{"a percentage of an attribute", `:root{--a:1px}[data-scaling="90%"]{--a:2px}`, "90%", "a 2px"},
		{"a theme that is called default", `.theme-blue{--a:1px}.theme-blue.dark{--a:2px}.theme-default{--a:3px}.theme-default.dark{--a:4px}`, "", "a 3px"},
		{"its dark mode", `.theme-blue{--a:1px}.theme-blue.dark{--a:2px}.theme-default{--a:3px}.theme-default.dark{--a:4px}`, "dark", "a 4px"},
		{"its dark mode alone", `.theme-blue.dark{--a:1px}.theme-default.dark{--a:2px}`, "", "a 2px"},
		{"a grid", `[data-t=light][data-b=x]{--a:1px}[data-t=dark][data-b=x]{--a:2px}[data-b="y"][data-t="light"]{--a:3px}[data-t=dark][data-b=y]{--a:4px}`, "", "a 1px"},
		{"the second brand of a grid", `[data-t=dark][data-b=x]{--a:2px}[data-t=light][data-b=y]{--a:3px}[data-t=dark][data-b=y]{--a:4px}[data-t=light][data-b=x]{--a:1px}`, "y", "a 3px"},
		{"its dark mode in a grid", `[data-t=dark][data-b=x]{--a:2px}[data-t=light][data-b=y]{--a:3px}[data-t=dark][data-b=y]{--a:4px}[data-t=light][data-b=x]{--a:1px}`, "dark-y", "a 4px"},
		{"half a grid", `[data-t=dark][data-b=x]{--a:2px}[data-t=light][data-b=y]{--a:3px}[data-t=dark][data-b=y]{--a:4px}`, "light-y", "a 3px"},
		{"themes of daisyUI", `@plugin "daisyui/theme"{name:"night";prefersdark:true;--a:#000}@plugin "daisyui/theme"{name:"day";default:true;--a:#fff}`, "", "a #fff"},
		{"one that is not the default", `@plugin 'daisyui/theme'{name:'night';prefersdark:true;--a:#000}@plugin 'daisyui/theme'{--a:#fff;name:'day';default:true}`, "night", "a #000"},
		{"the first of them, if none is the default", `@plugin "daisyui/theme"{name:"acme";--a:#fff}@plugin "daisyui/theme"{name:"globex";--a:#000}`, "", "a #fff"},
		{"fallbacks in fallbacks", `:root{--a:var(--x, var(--y, calc(1px + (2px))));--b:var(--x, var(--a))}`, "", "a calc(1px + (2px)), b {a}"},
		{"a cycle, with what leads to it", `:root{--a:var(--b,red);--b:var(--a,blue);--c:var(--a,1px);--d:var(--a);--e:var(--d,2px);--f:var(--f,3px);--g:var(--x,var(--g))}`, "", "c 1px, e 2px"},
		{"a cycle of one mode", `:root{--a:1px;--b:var(--a)}.dark{--a:var(--b);--c:var(--a,2px)}`, "dark", "c 2px"},
		{"a cycle in a fallback that is not needed", `:root{--a:1px;--b:var(--a,var(--c));--c:var(--b)}`, "", "a 1px, b {a}, c {b}"},
		{"two cycles through one", `:root{--a:var(--b,1px) var(--c,1px);--b:var(--a,1px);--c:var(--b,1px)}`, "", ""},
		{"references to nothing", `:root{--a:;--b:var(--x,);--c:var(--a) 1px var(--b,2px);--d:var(--b,3px)}`, "", "c 1px"},
		{"a switch of empty values", `:root{--on:var(--md);--sm:var(--on,);--md:var(--on,);--a:var(--sm,var(--x1)) var(--md,var(--x2));--x1:1px;--x2:2px}[data-size=sm]{--on:var(--sm)}`, "", "a {x2}, x1 1px, x2 2px"},
		{"the same switch in a mode", `:root{--on:var(--md);--sm:var(--on,);--md:var(--on,);--a:var(--sm,var(--x1)) var(--md,var(--x2));--x1:1px;--x2:2px}[data-size=sm]{--on:var(--sm)}`, "sm", "a {x1}, x1 1px, x2 2px"},
		{"a keyword that takes a value away", `:root{--a:initial;--b:var(--a,1px)}`, "", "b 1px"},
		{"escapes", `:root{--a\:b:"\2014 x";--c\20 d:"\22"}`, "", `a:b "—x", c d "`},
		{"functions of Tailwind", `@theme{--spacing:1px;--color-a:#fff;--b:--alpha(var(--color-a) / 50%);--c:--theme(--color-a);--d:--spacing(2)}`, "", "spacing 1px, color-a #fff, b color-mix(in oklab, {color-a} 50%, transparent), c {color-a}, d calc({spacing} * 2)"},
	}
	for _, c := range cases {
		parts, err := Convert(Stylesheet, read(t, "a.css", c.text).Root, Options{Mode: c.mode})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range parts[0].Tree.Members {
			got = append(got, m.Name+" "+textOf(m.Value.Find("$value")))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: Convert(%s) = %s, want %s", c.rule, c.text, text, c.want)
		}
	}
	types := []struct{ name, value, want string }{
		{"text-x", "1rem", "dimension"}, {"text-x--line-height", "1", "lineHeight"}, {"text-x--font-weight", "700", "fontWeight"}, {"text-x--letter-spacing", "1", ""}, {"spacing", "4", ""}, {"spacing", "0", "dimension"},
	}
	for _, c := range types {
		parts, _ := Convert(Stylesheet, read(t, "a.css", "@theme{--"+c.name+":"+c.value+"}").Root, Options{})
		if got := textOf(parts[0].Tree.Find(c.name).Find("$type")); got != c.want {
			t.Errorf("--%s: %s has the type %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

// TestStylesheetsThatDoNotEnd: what is never closed would take all that follows.
func TestStylesheetsThatDoNotEnd(t *testing.T) {
	for text, want := range map[string]string{
		":root{--a:1px;/* x}":            "comment",
		":root{--a:calc(1px;--b:2px}":    "bracket",
		":root{--a:\"x;\n--b:2px}":       "string",
		":root{--a:1px}\n/* the end":     "comment",
		":root{--a:url(\"x\";\n--b:1px}": "bracket",
	} {
		_, err := syntax.Parse("a.css", text)
		if e, ok := errors.AsType[*syntax.Error](err); !ok || !strings.Contains(e.What, want) {
			t.Errorf("Parse(%q) = %v, want that a %s is never closed", text, err, want)
		}
	}
}

// TestFormsOfTheWorld: files as people and tools write them, each with what it must become.
func TestFormsOfTheWorld(t *testing.T) {
	cases := []struct{ rule, text, want string }{
		{"a built file of Style Dictionary", `{"a":{"value":"16","unit":"px","original":{"value":"{b}"},"name":"a","attributes":{},"path":["a"]}}`, `{"a":{"$value":"16px"}}`},
		{"colours and sizes that are none", `{"color":{"a":{"value":"red;} x{}"},"b":{"value":"Brand"}},"size":{"a":{"value":"4px;"},"b":{"value":"calc(1px"}}}`, `{"color":{"a":{"$type":"color","$value":"red;} x{}"},"b":{"$value":"Brand"}},"size":{"a":{"$value":"4px;"},"b":{"$type":"dimension","$value":"calc(1px"}}}`},
		{"its sizes are finished", `{"size":{"a":{"value":"10","original":{"value":"10"},"attributes":{}}}}`, `{"size":{"a":{"$value":"10"}}}`},
		{"a value of another type keeps its type for the repair", `{"a":{"value":"#000","type":"dimension"},"b":{"value":{"value":2,"unit":"dp"},"type":"dimension"},"c":{"value":"wide or so","type":"spacing"},"d":{"value":"x y","type":"string"}}`, `{"a":{"$type":"dimension","$value":"#000"},"b":{"$type":"dimension","$value":{"value":2,"unit":"dp"}},"c":{"$type":"string","$value":"wide or so"},"d":{"$type":"string","$value":"x y"}}`},
		{"numbers with an exponent", `{"size":{"a":{"value":"1e3"},"b":{"value":1.5E-1}}}`, `{"size":{"a":{"$type":"dimension","$value":"1e3rem"},"b":{"$type":"dimension","$value":"1.5E-1rem"}}}`},
		{"what is deprecated", `{"a":{"value":"1px","deprecated":true,"deprecated_comment":"use b"},"b":{"value":"2px","deprecated":false},"c":{"value":"3px","deprecated":true}}`, `{"a":{"$value":"1px","$deprecated":"use b"},"b":{"$value":"2px"},"c":{"$value":"3px","$deprecated":true}}`},
		{"a note is a description", `{"l":[{"name":"a","value":"#fff","note":"x"},{"name":"b","value":"#000","note":"x","comment":"y"}]}`, `{"a":{"$value":"#fff","$description":"x"},"b":{"$value":"#000","$description":"y"}}`},
		{"weights among sizes are none", `{"size":{"fontWeight":{"bold":{"value":700}},"z-index":{"a":{"value":"2"}},"a":{"value":2}}}`, `{"size":{"fontWeight":{"bold":{"$value":700}},"z-index":{"a":{"$value":"2"}},"a":{"$type":"dimension","$value":"2rem"}}}`},
		{"words of numbers apart", `{"size":{"font":{"weight":{"bold":{"value":700}}},"weight":{"a":{"value":"300"}},"leading":{"a":{"value":1.1}},"b":{"value":2},"border":{"weight":{"a":{"value":1}}}}}`, `{"size":{"font":{"weight":{"bold":{"$value":700}}},"weight":{"a":{"$value":"300"}},"leading":{"a":{"$value":1.1}},"b":{"$type":"dimension","$value":"2rem"},"border":{"weight":{"a":{"$type":"dimension","$value":"1rem"}}}}}`},
		{"a prop of Theo without a value", `{"aliases":{"A":"#fff"},"props":{"a":{"value":"{!A}"},"b":{"type":"color"}}}`, `{"a":{"$value":"#fff"},"b":{}} !b: it has no value: {"type":"color"}`},
		{"a value at the root beside tokens", `{"value":"4px","color":{"a":{"value":"#fff"}}}`, `{"color":{"a":{"$value":"#fff"}}} !value: "4px" is left out: at the root it is of a token without a name; put it into a token with one`},
		{"a token beside token sets", `{"note":{"value":"x","type":"text"},"core":{"a":{"value":"#000","type":"color"},"b":{"value":"{a}","type":"color"}}}`, `core{"a":{"$type":"color","$value":"#000"},"b":{"$type":"color","$value":"{a}"}} {"note":{"$type":"string","$value":"x"}}`},
		{"units and aliases in a list", `{"l":[{"name":"k","value":4,"unit":"rem"},{"name":"c/red","value":"#f00"},{"name":"b","value":"{k} solid {c/red}"},{"name":"d","value":"{k/m}"}]}`, `{"k":{"$value":"4rem"},"c":{"red":{"$value":"#f00"}},"b":{"$value":"{k} solid {c.red}"},"d":{"$value":"{k/m}"}}`},
		{"aliases of Theo in values and in others", `{"aliases":{"A":"#fff","B":{"value":"{!A}"},"S":1,"C":"{!C}"},"props":{"a":{"value":"{!B}"},"b":{"value":"{!S}px solid {!B}"},"c":{"value":"1px {!C} {!a}"}}}`, `{"a":{"$value":"#fff"},"b":{"$value":"1px solid #fff"},"c":{"$value":"1px {C} {a}"}}`},
		{"props of Theo as a list", `{"aliases":{"A":"#fff"},"props":[{"name":"a","value":"{!A}"}]}`, `{"a":{"$value":"#fff"}}`},
		{"conditions beside breakpoints", `{"a":{"value":{"base":"#fff","_dark":"#000","md":"#111","_acme":"#222"}}}`, `{"a":{"$value":"#fff"}}`},
		{"references in a theme", `{"theme":{"colors":{"a":{"50":"#fff"},"b":"theme(colors.a.50)"}}}`, `{"theme":{"colors":{"a":{"50":{"$value":"#fff"}},"b":{"$value":"{theme.colors.a.50}"}}}}`},
		{"references without braces", `{"colors":{"red":{"500":"#f00","400":"#e00"},"b":"theme('colors.red.500')","c":"#fff"},"semanticTokens":{"colors":{"error":"red.500","x":{"default":"red.500","_dark":"red.400"},"y":"red.900"}}}`, `{"colors":{"red":{"500":{"$value":"#f00"},"400":{"$value":"#e00"}},"b":{"$value":"{colors.red.500}"},"c":{"$value":"#fff"}},"semanticTokens":{"colors":{"error":{"$value":"{colors.red.500}"},"x":{"$value":"{colors.red.500}"},"y":{"$value":"red.900"}}}}`},
		{"sizes with their type", `{"size":{"a":{"value":"10","type":"dimension"}}}`, `{"size":{"a":{"$type":"dimension","$value":"10rem"}}}`},
		{"scales", `{"space":[0,4,"1em"],"colors":["#fff","#000"],"ease":[0,0,1,1],"fonts":{"body":["Inter","serif"]},"lineHeights":[1,1.5,2,3]}`, `{"space":{"0":{"$value":0},"1":{"$value":4},"2":{"$value":"1em"}},"colors":{"0":{"$value":"#fff"},"1":{"$value":"#000"}},"ease":{"$value":[0,0,1,1]},"fonts":{"body":{"$value":["Inter","serif"]}},"lineHeights":{"0":{"$value":1},"1":{"$value":1.5},"2":{"$value":2},"3":{"$value":3}}}`},
		{"scales of numbers in texts", `{"space":["0","4px"],"lh":["1","1.5"],"z":["auto","10"],"t":["0","1ms"],"b":["0","1px solid #000"],"f":["Inter","9"]}`, `{"space":{"0":{"$value":"0"},"1":{"$value":"4px"}},"lh":{"0":{"$value":"1"},"1":{"$value":"1.5"}},"z":{"0":{"$value":"auto"},"1":{"$value":"10"}},"t":{"0":{"$value":"0"},"1":{"$value":"1ms"}},"b":{"0":{"$value":"0"},"1":{"$value":"1px solid #000"}},"f":{"$value":["Inter","9"]}}`},
		{"scales of four numbers", `{"c":"#fff","o":[0,0.5,0.75,1],"s":[0,4,8,4],"m":{"a":[0,0,0.2,1],"b":[0.4,0,0.2,1]},"easing":{"x":[0,0.5,0.75,1]}}`, `{"c":{"$value":"#fff"},"o":{"0":{"$value":0},"1":{"$value":0.5},"2":{"$value":0.75},"3":{"$value":1}},"s":{"0":{"$value":0},"1":{"$value":4},"2":{"$value":8},"3":{"$value":4}},"m":{"a":{"$value":[0,0,0.2,1]},"b":{"$value":[0.4,0,0.2,1]}},"easing":{"x":{"$value":[0,0.5,0.75,1]}}}`},
		{"scales of texts", `{"shadows":["none","0px 2px 1px -1px rgba(0,0,0,0.2),0px 1px 1px 0px rgba(0,0,0,0.14)"],"size":["12px","auto"],"font":{"body":["Inter","serif"]}}`, `{"shadows":{"0":{"$value":"none"},"1":{"$value":"0px 2px 1px -1px rgba(0,0,0,0.2),0px 1px 1px 0px rgba(0,0,0,0.14)"}},"size":{"0":{"$value":"12px"},"1":{"$value":"auto"}},"font":{"body":{"$value":["Inter","serif"]}}}`},
		{"members beside those of typography", `{"typography":{"fontSize":"14px","htmlFontSize":16},"t":{"fontSize":"1px","fontWeight":700},"c":"#fff"}`, `{"typography":{"fontSize":{"$value":"14px"},"htmlFontSize":{"$value":16}},"t":{"$value":{"fontSize":"1px","fontWeight":700}},"c":{"$value":"#fff"}}`},
		{"groups that are called as modes", `{"gap":{"default":"8px","compact":"4px"},"weight":{"light":300,"dark":400},"bg":{"light":"#fff","dark":"#000"}}`, `{"gap":{"default":{"$value":"8px"},"compact":{"$value":"4px"}},"weight":{"light":{"$value":300},"dark":{"$value":400}},"bg":{"$value":"#fff"}}`},
		{"sizes of fonts with what goes with them", `{"fontSize":{"xs":["0.75rem",{"lineHeight":"1rem","letterSpacing":"0.1em"}],"sm":["1rem","2rem"]}}`, `{"fontSize":{"xs":{"$value":"0.75rem"},"xs-lineHeight":{"$value":"1rem"},"xs-letterSpacing":{"$value":"0.1em"},"sm":{"0":{"$value":"1rem"},"1":{"$value":"2rem"}}}}`},
		{"colours of Figma's plugins", `{"a":{"type":"COLOR","value":{"r":1,"g":0,"b":0.2,"a":0.5}},"c":{"type":"COLOR","value":{"r":255,"g":0,"b":0}}}`, `{"a":{"$type":"COLOR","$value":{"colorSpace":"srgb","components":[1,0,0.2],"alpha":0.5,"hex":"#ff0033"}},"c":{"$type":"COLOR","$value":{"r":255,"g":0,"b":0}}}`},
		{"blanks before units", `{"$type":"duration","a":{"$value":"1.5 s"},"g":{"$type":"string","b":{"$value":"16 px"}},"t":{"$type":"typography","$value":{"fontSize":"-1  rem"}}}`, `{"$type":"duration","a":{"$value":"1.5s"},"g":{"$type":"string","b":{"$value":"16 px"}},"t":{"$type":"typography","$value":{"fontSize":"-1rem"}}}`},
		{"an item of a registry", `{"name":"r","items":[{"name":"button"},{"name":"theme","cssVars":{"light":{"a":"#fff"},"dark":{"a":"#000"}}}]}`, `{"a":{"$value":"#fff"}}`},
		{"fonts of a page", `{"cssVars":{"theme":{"font-sans":"\"A, B\", var(--font-geist), var(--font-b), serif","font-b":"Inter"}}}`, `{"font-sans":{"$value":"\"A, B\", {font-b}, serif"},"font-b":{"$type":"fontFamily","$value":"Inter"}}`},
		{"groups that are called as the parts of a value", `{"c":"#fff","typography":{"fontFamily":{"body":"Inter"},"fontSize":{"sm":"12px"}},"border":{"width":{"a":"1px"},"style":{"b":"solid"},"color":{"c":"red"}}}`, `{"c":{"$value":"#fff"},"typography":{"fontFamily":{"body":{"$value":"Inter"}},"fontSize":{"sm":{"$value":"12px"}}},"border":{"width":{"a":{"$value":"1px"}},"style":{"b":{"$value":"solid"}},"color":{"c":{"$value":"red"}}}}`},
		{"a scale of numbers tells that a theme is one", `{"space":[0,4,8],"colors":{"a":"#fff"},"styles":{"h1":{"color":"text"},"h2":{"color":"primary"},"a":{"color":"text"},"b":{"color":"text"}}}`, `{"space":{"0":{"$value":0},"1":{"$value":4},"2":{"$value":8}},"colors":{"a":{"$value":"#fff"}},"styles":{"h1":{"color":{"$value":"text"}},"h2":{"color":{"$value":"primary"}},"a":{"color":{"$value":"text"}},"b":{"color":{"$value":"text"}}}}`},
		{"shadows whose type is inset", `{"a":{"type":"shadow","value":{"offsetX":"0","type":"inset"}}}`, `{"a":{"$type":"shadow","$value":{"offsetX":"0","inset":true}}}`},
		{"shadows of DTCG whose type is inset", `{"a":{"$type":"shadow","$value":[{"offsetX":"0","type":"inset"},{"offsetX":"0"}]}}`, `{"a":{"$type":"shadow","$value":[{"offsetX":"0","inset":true},{"offsetX":"0"}]}}`},
		{"gradients of Panda", `{"a":{"value":{"type":"linear","placement":"to right","stops":["red","{b}"]}},"b":{"value":{"type":"linear","placement":"to top","stops":[{"color":"red","position":0},{"color":"blue","position":100}]}},"c":{"value":{"type":"linear","stops":[{"color":"red","position":0},{"color":"blue","position":100}]}}}`, `{"a":{"$value":"linear-gradient(to right, red, {b})"},"b":{"$value":"linear-gradient(to top, red 0%, blue 100px)"},"c":{"$value":"linear-gradient(red 0%, blue 100%)"}}`},
		{"a gradient whose stops a tool has lost", `{"a":{"value":{"type":"linear","angle":"118","stops":"[object Object],[object Object]"},"type":"gradient"}}`, `{"a":{"$type":"gradient","$value":{"type":"linear","angle":"118","stops":"[object Object],[object Object]"}}}`},
		{"the width of a stroke", `{"a":{"value":"2","type":"strokeWidth"}}`, `{"a":{"$type":"dimension","$value":"2"}}`},
		{"a semicolon behind a gradient of no kind", `{"a":{"value":"linear-gradient(red, blue);","type":"other"},"b":{"value":"Buy;","type":"other"}}`, `{"a":{"$type":"string","$value":"linear-gradient(red, blue)"},"b":{"$type":"string","$value":"Buy;"}}`},
		{"what plain JSON says of itself", `{"title":"My theme","version":2,"type":"1px","c":{"title":"x","a":"#fff","description":"Not for print"}}`, `{"type":{"$value":"1px"},"c":{"title":{"$value":"x"},"a":{"$value":"#fff"}}}`},
		{"a group that is called cssVars", `{"cssVars":{"light":{"a":{"$value":"#fff"}}}}`, `{"cssVars":{"light":{"a":{"$value":"#fff"}}}}`},
	}
	for _, c := range cases {
		parts, err := convert(t, c.text, Options{})
		if err != nil {
			t.Fatal(c.rule, err)
		}
		if got := spell(parts); got != c.want {
			t.Errorf("%s: Convert(%s) =\n%s, want\n%s", c.rule, c.text, got, c.want)
		}
	}
	named := []struct{ text, want string }{
		{`{"a":{"value":"#fff","darkValue":"#000"}}`, "a"},
		{`{"a":{"value":"#fff","modes":{"x":"#000"}}}`, "a"},
		{`{"a":{"value":{"light":"#fff","dark":"#000"," dark":"#111","_dark":"#000"}}}`, "values of one mode a, values of several modes a"},
		{`{"s":{"c":{"type":"composition","value":{"fill":"#005","x":"1px"},"fill":{"value":"#006"},"x":"2px"}},"$themes":[]}`, "c.fill, compositions c, members beside the value of a token c"},
		{`{"a":{"value":"#001","sets":{"dark":{"value":"#002"}}},"b":{"value":"#003","sets":{"light":{"value":"#004"},"dark":{"value":"#005"}}},"c":{"sets":{"dark":{"value":"#006"}}},"d":{"value":"1px","sets":{"x":{"sets":{"light":{"value":"2px"},"dark":{"value":"3px"}}}}}}`, "values of several modes a, values of several modes b, tokens with two values b, values of one mode alone c, values of several sets d"},
		{`{"a":{"$value":"#fff","modes":{"x":4}},"b":{"$value":1,"$dark":2,"$deprecated":"#fff"},"c":{"$value":1,"n":"x","name":"{c}","hover":"#000"}}`, "a, b, members beside the value of a token c, members beside the value of a token c"},
		{`{"s":{"a":{"value":"#fff","dark":"#000"},"b":{"value":"#fff","on":{"dark":"#000"}}},"$themes":[]}`, "a, members beside the value of a token b"},
		{`{"l":[{"name":"a","value":"#fff","valuesByMode":{"dark":"#000"}},{"name":"b","value":"#fff","children":[{"name":"x","value":"#000"}]},{"name":"c","value":1,"hover":{"value":2}}]}`, "a, b.children.0"},
		{`{"color":[{"name":"a","value":"#fff"}],"size":[{"name":"a","value":"4px"},{"name":"a","value":"5px"}]}`, "size.a, lists with the names of others color, lists with the names of others size"},
		{`{"cssVars":{"light":{"a":"#fff"}},"cssVarsV4":{"light":{"b":"#eee"}},"tailwind":{"config":{"theme":{"c":"#ddd"}}}}`, "b, c"},
		{`{"cssVars":{"light":{"a":"1 2% 3%"}},"tailwind":{"config":{"theme":{"a":"hsl(var(--a))"}}}}`, "uses of custom properties in Tailwind's configuration a"},
		{`{"list":[{"name":"a","value":"#fff"}],"rest":["#000"]}`, "rest"},
		{`{"a":"#fff","b":"rgb(var(--x) / <alpha-value>)","c":"theme(no.b)"}`, "expressions of Tailwind b, expressions of Tailwind c"},
		{`{"a":{"value":"1px"},"b":{"value":"2px"},"c":{"value":"calc(1px"},"d":{"value":"url(x)"},"e":{"value":"x(1)"},"f":{"value":"Hello (you)."}}`, "values that are text in quotes c, addresses d, values that are text in quotes e"},
		{`{"a":{"$value":"#000 */ x"},"b":{"$value":"x; y","$type":"string"},"c":{"$value":"red;} body{}"}}`, "values that are text in quotes a, values that are text in quotes c"},
		{`{"cssVars":{"theme":{"font-sans":"var(--font-geist)","font-mono":"var(--font-geist-mono), monospace","font-serif":"var(--font-serif)","font-x":"var(--font-mono)","color-a":"var(--nope)","font-size":"var(--font-x-small)","font-a":"var(--font-weight-bold)"}}}`, "color-a, font-size, font-a, references to properties that the file lacks font-mono, fonts that a page sets font-sans, fonts that a page sets font-serif"},
		{`{"a":{"value":"#fff","type":"dimension"},"b":{"value":"wide or so","type":"spacing"}}`, "types that disagree with the value b"},
		{`{"color":{"a":{"value":"#fff","comment":"x","description":"y","owner":"Ann","meta":{},"name":"a"},"b":{"value":"#fff","comment":"x","owner":"Bo"}}}`, "members of tokens that are left out color.a, members of tokens that are left out color.a"},
		{`{"a":{"value":"1px","deprecated":"use b","deprecated_comment":"or c","filePath":"a"},"b":{"value":"1px","deprecated":true,"$deprecated":false},"c":{"value":"1px","deprecated":true,"public":true,"comment":"x","$description":"x"}}`, "members of tokens that are left out a, members of tokens that are left out b, members of tokens that are left out c"},
		{`{"l":[{"name":"a","value":"#fff","note":"x","group":"y","unit":""}]}`, "members of tokens that are left out a"},
		{`{"a":{"$value":1},"b":{"value":2,"type":"number","comment":"x","extensions":{"x":1}},"c":{"$value":3,"owner":"Ann"}}`, "tokens without dollar signs b, members beside the value of a token c, members of tokens that are left out b"},
		{`{"a":{"sets":{"light":{"value":"#fff"},"dark":{"value":"#000"}},"component":"x"}}`, "values of several modes a, members of tokens that are left out a"},
		{`{"name":"Acme","version":"1.0","type":"1px","c":{"a":"#fff","b":"#000","name":"x","note":"of a brand","none":[]}}`, "members that are not tokens name, members that are not tokens version, members that are not tokens c.note, members that are not tokens c.none"},
		{`{"name":"Acme","title":"#fff"}`, ""},
		{`{"s":{"":{"a":"#fff"},"ok":"2px"},"x.":"1px","":"3px","y.z":"4px"}`, ", names that are empty s.a, names that are empty x"},
		{`{"l":[{"name":"s//x","value":"4px"},{"name":"$c/l","value":"#ffe"},{"name":"c / y","value":"#fff"},{"path":["d","e"],"value":"#fff"}]}`, "names with parts that are left out s.x, names with parts that are left out c.l"},
		{`{"collections":[{"name":"C","modes":["L"],"variables":[{"name":"c/$a","type":"FLOAT","values":{"L":1}},{"name":"c/ b","type":"FLOAT","values":{"L":1}}]}]}`, "names with parts that are left out c.a"},
		{`{"a":"1px","b":{"c":"1px;} body{}"}}`, "values that are text in quotes b.c"},
		{`{"a":{"$type":"dimension","$value":"16 px"},"b":{"$type":"string","$value":"16 px"},"c":{"$type":"dimension","$value":"16px"}}`, "blanks before units a"},
	}
	for _, c := range named {
		parts, err := convert(t, c.text, Options{})
		if err != nil {
			t.Fatal(c.text, err)
		}
		var got []string
		for _, f := range parts[0].Faults {
			got = append(got, f.Path)
		}
		for _, one := range parts[0].Concessions {
			got = append(got, one.Kind+" "+one.Path)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("Convert(%s) names %s, want %s", c.text, text, c.want)
		}
	}
}

// TestUsualNamesOfModesComeFirst: those that say so in values too before those that say it beside others alone.
func TestUsualNamesOfModesComeFirst(t *testing.T) {
	for names, want := range map[string]string{
		"Compact Regular Spacious": "Regular", "dense cozy": "cozy", "High Low Standard": "Standard", "large medium small": "medium",
		"Mode-2 Mode-1": "Mode-1", "dim light normal": "light", "acme globex": "acme", "lg md sm": "lg",
	} {
		if got := UsualFirst(strings.Fields(names))[0]; got != want {
			t.Errorf("UsualFirst(%s) begins with %s, want %s", names, got, want)
		}
	}
	parts, err := convert(t, `{"themes":{"compact":{"a":"1px"},"regular":{"a":"2px"}}}`, Options{})
	if got := spell(parts); err != nil || got != `{"a":{"$value":"2px"}}` {
		t.Errorf("Convert() = %s, %v", got, err)
	}
}

// TestShapesOfTexts: numbers in a function are not numbers without a unit.
func TestShapesOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"0 1px 0 rgba(25, 37, 50, 0.1)": "shadow", "0 4 8 #000": "", "1px solid #fff": "border", "12px 16px": "dimension",
	} {
		if got := Shape(jsontree.NewString(text)); got != want {
			t.Errorf("Shape(%s) = %q, want %q", text, got, want)
		}
	}
	if got := Shape(jsontree.NewArray(jsontree.NewString("#fff"))); got != "" {
		t.Errorf("a list of colours has the shape %q", got)
	}
}

// TestModesInModesAreModesBesideThem: of each combination, and a token without one has what it has of its parts.
func TestModesInModesAreModesBesideThem(t *testing.T) {
	const text = `{"a":{"$value":{"light":{"default":"#fff","hc":"#eee"},"dark":{"default":"#000","hc":"#111"}}},"b":{"$value":{"light":"1px","dark":"2px"}},"c":{"$value":"3px"}}`
	for mode, want := range map[string]string{
		"": "#fff 1px 3px", "hc": "#eee 1px 3px", "dark": "#000 2px 3px", "dark hc": "#111 2px 3px",
	} {
		parts, err := convert(t, text, Options{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range parts[0].Tree.Members {
			got = append(got, textOf(m.Value.Find("$value")))
		}
		if list := strings.Join(got, " "); list != want {
			t.Errorf("of mode %q the values are %s, want %s", mode, list, want)
		}
		if list := strings.Join(parts[0].ModeNames, ", "); list != "light, hc, dark, dark hc" {
			t.Errorf("the modes are %s", list)
		}
	}
}

// TestModesAreOneWhateverTheirLetters: of two tokens.
func TestModesAreOneWhateverTheirLetters(t *testing.T) {
	parts, err := convert(t, `{"a":{"value":{"light":"#fff","Dark":"#000"}},"b":{"value":{"light":"#eee","_dark":"#111"}}}`, Options{Choice: map[string]string{"": "Dark"}})
	if got := spell(parts); err != nil || got != `{"a":{"$value":"#000"},"b":{"$value":"#111"}}` || !slices.Equal(parts[0].ModeNames, []string{"light", "Dark"}) {
		t.Errorf("Convert() = %s, %v, of the modes %q", got, err, parts[0].ModeNames)
	}
}

// TestCollectionsOfFigmaThatExtendOthers: their modes are modes of the other, with what they say otherwise.
func TestCollectionsOfFigmaThatExtendOthers(t *testing.T) {
	const text = `{"meta":{"variableCollections":{
		"C:1":{"id":"C:1","name":"Theme","defaultModeId":"1:0","modes":[{"modeId":"1:0","name":"Light"},{"modeId":"1:1","name":"Dark"}],"variableIds":["V:1","V:2"]},
		"C:2":{"id":"C:2","name":"Brand","isExtension":true,"parentVariableCollectionId":"C:1","modes":[{"modeId":"2:0","name":"Light","parentModeId":"1:0"},{"modeId":"2:1","name":"Dark","parentModeId":"1:1"}],
			"variableIds":["V:1","V:2"],"variableOverrides":{"V:1":{"2:0":7}}}},
		"variables":{"V:1":{"id":"V:1","name":"a","variableCollectionId":"C:1","resolvedType":"FLOAT","valuesByMode":{"1:0":1,"1:1":2}},
			"V:2":{"id":"V:2","name":"b","variableCollectionId":"C:1","resolvedType":"FLOAT","scopes":["OPACITY"],"valuesByMode":{"1:0":30,"1:1":40}}}}}`
	for mode, want := range map[string]string{"": "1 0.3", "Dark": "2 0.4", "Brand Light": "7 0.3", "Brand Dark": "2 0.4"} {
		parts, err := convert(t, text, Options{Mode: mode})
		if err != nil {
			t.Errorf("mode %s: %v", mode, err)
			continue
		}
		tree := parts[0].Tree
		if got := tree.Find("a").Find("$value").Text + " " + tree.Find("b").Find("$value").Text; got != want {
			t.Errorf("of mode %q the values are %s, want %s", mode, got, want)
		}
		if modes := parts[0].Dimensions[0].Modes; !slices.Equal(modes, []string{"Light", "Dark", "Brand Light", "Brand Dark"}) {
			t.Errorf("the modes are %q", modes)
		}
	}
}

// TestWhatIsSaidOfColoursIsNoColour: an object that only mentions a colour space is a group in plain JSON.
func TestWhatIsSaidOfColoursIsNoColour(t *testing.T) {
	parts, err := convert(t, `{"a":"#fff","b":{"colorSpace":"srgb","components":[0,0,0]},"meta":{"name":"Acme","colorSpace":"OKLCH"}}`, Options{})
	want := `{"a":{"$value":"#fff"},"b":{"$value":{"colorSpace":"srgb","components":[0,0,0]}},"meta":{"name":{"$value":"Acme"},"colorSpace":{"$value":"OKLCH"}}}`
	if got := spell(parts); err != nil || got != want {
		t.Errorf("Convert() = %s, %v, want %s", got, err, want)
	}
}

// TestModesInExtensionsAreModes: as Terrazzo reads them, in all forms with tokens. The $value is the default, whatever
// it is called.
func TestModesInExtensionsAreModes(t *testing.T) {
	const dark = `,"$extensions":{"mode":{"dark":"#000"}}`
	for _, text := range []string{
		`{"core":{"a":{"value":"#fff"` + dark + `}},"$metadata":{"tokenSetOrder":["core"]}}`, `{"core":{"a":{"value":{"default":"#fff","dark":"#000"}}},"$themes":[]}`,
		`{"a":{"value":"#fff"` + dark + `}}`, `{"l":[{"name":"a","value":"#fff"` + dark + `}]}`,
	} {
		parts, err := convert(t, text, Options{Choice: map[string]string{"": "dark"}})
		if err != nil || len(parts[0].Dimensions) != 1 || !slices.Equal(parts[0].Dimensions[0].Modes, []string{"default", "dark"}) {
			t.Errorf("the modes of %s are %v, %v", text, parts[0].Dimensions, err)
		}
		if got := textOf(parts[0].Tree.Find("a").Find("$value")); got != "#000" {
			t.Errorf("of %s the mode dark has %q, want #000", text, got)
		}
	}
	const extensions = `,"$extensions":{"mode":`
	const text = `{"a":{"$value":"#fff"` + extensions + `{"light":"#fff","dark":"#000"}}},"b":{"$value":"{a}"` + extensions + `{"dark":"#111","high-blue":"#00f"}}},` +
		`"c":{"$value":1` + extensions + `{"default":2,"light":3}}},"d":{"$value":4` + extensions + `{}}}}`
	values := func(o Options) string {
		parts, err := convert(t, text, o)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, m := range parts[0].Tree.Members {
			got += m.Name + "=" + string(jsontree.Append(nil, m.Value.Find("$value"))) + " "
		}
		for _, c := range parts[0].Concessions {
			got += "?" + c.Path + " "
		}
		for _, d := range parts[0].Dimensions {
			got += strings.Join(d.Modes, ",")
		}
		return got
	}
	for mode, want := range map[string]string{
		"":          `a="#fff" b="{a}" c=1 d=4 ?c ?c light,dark,high-blue`,
		"dark":      `a="#000" b="#111" c=1 d=4 ?c ?c light,dark,high-blue`,
		"high-blue": `a="#fff" b="#00f" c=1 d=4 ?c ?c light,dark,high-blue`,
	} {
		if got := values(Options{Choice: map[string]string{"": mode}}); got != want {
			t.Errorf("of the mode %q the values are %s, want %s", mode, got, want)
		}
	}
}

// TestObjectsWithAValueAreTokensOfStyleDictionary: with a unit, and with parts that are objects with a value.
func TestObjectsWithAValueAreTokensOfStyleDictionary(t *testing.T) {
	const text = `{"a":{"value":"1px"},"g":{"value":4,"unit":"px","type":"dimension"},"h":{"value":"2","unit":"em","comment":"x"},` +
		`"t":{"value":{"fontFamily":"Inter","letterSpacing":{"value":"-.02em"},"fontSize":{"value":1,"unit":"rem"}},"type":"typography"}}`
	const want = `{"a":{"$value":"1px"},"g":{"$type":"dimension","$value":"4px"},"h":{"$value":"2em","$description":"x"},` +
		`"t":{"$type":"typography","$value":{"fontFamily":"Inter","letterSpacing":"-.02em","fontSize":{"value":1,"unit":"rem"}}}}`
	parts, err := convert(t, text, Options{})
	if got := spell(parts); err != nil || got != want {
		t.Errorf("Convert() = %s, %v, want %s", got, err, want)
	}
}

// TestNumbersOfStyleDictionary: colours as numbers are colours, and a size without a unit is one of rem, or is named.
func TestNumbersOfStyleDictionary(t *testing.T) {
	const text = `{"color":{"a":{"value":[255,0,0.5,0.5]},"b":{"value":{"r":146,"g":153,"b":162},"type":"color"},"c":{"value":{"h":200,"s":0.5,"l":0.25},"type":"color"},"d":{"value":{"r":1,"g":0,"b":0},"type":"color"}},` +
		`"size":{"e":{"value":"0.75","type":"fontSize"}},"f":{"value":"1.5","type":"spacing"},"g":{"value":[0,0,1],"type":"other"}}`
	const want = `{"color":{"a":{"$type":"color","$value":"rgb(255, 0, 0.5, 0.5)"},"b":{"$type":"color","$value":"rgb(146, 153, 162)"},"c":{"$type":"color","$value":"hsl(200, 50%, 25%)"},` +
		`"d":{"$type":"color","$value":{"colorSpace":"srgb","components":[1,0,0],"hex":"#ff0000"}}},"size":{"e":{"$type":"dimension","$value":"0.75rem"}},"f":{"$type":"dimension","$value":"1.5"},"g":{"$type":"string","$value":[0,0,1]}}`
	parts, err := convert(t, text, Options{})
	if got := spell(parts); err != nil || got != want {
		t.Errorf("Convert() = %s, %v, want %s", got, err, want)
	}
	var named []string
	for _, c := range parts[0].Concessions {
		named = append(named, c.Path)
	}
	if want := []string{"color.a", "color.b", "color.c", "color.d", "size.e", "f"}; !slices.Equal(named, want) {
		t.Errorf("named: %q, want %q", named, want)
	}
}

// TestPartsOfColoursOfStyleDictionary: of one digit, as texts and as percentages.
func TestPartsOfColoursOfStyleDictionary(t *testing.T) {
	for value, want := range map[string]string{
		`{"h":200,"s":100,"l":50}`: `"hsl(200, 100%, 50%)"`, `{"h":200,"s":1,"l":0.5}`: `"hsl(200, 100%, 50%)"`, `{"h":200,"s":"50%","l":"1%","a":0.5}`: `"hsl(200, 50%, 1%, 0.5)"`,
		`{"h":200,"s":1,"l":50}`: `"hsl(200, 1%, 50%)"`, `{"r":0,"g":5,"b":9}`: `"rgb(0, 5, 9)"`, `[9,9,9]`: `"rgb(9, 9, 9)"`, `[0,0,1]`: `[0,0,1]`, `{"r":"255","g":"0","b":"0"}`: `"rgb(255, 0, 0)"`, `{"r":9,"g":0}`: `{"r":9,"g":0}`,
	} {
		parts, err := convert(t, `{"color":{"a":{"value":"#fff"},"b":{"value":`+value+`}}}`, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontree.Append(nil, parts[0].Tree.Find("color").Find("b").Find("$value"))); got != want {
			t.Errorf("the colour %s is %s, want %s", value, got, want)
		}
	}
}

// TestTypesOfThePluginDesignTokens: of Figma, which writes them in the form before DTCG.
func TestTypesOfThePluginDesignTokens(t *testing.T) {
	const layer = `"radius":8,"color":"#000","offsetX":0,"offsetY":2,"spread":0}`
	for text, want := range map[string]string{
		`{"type":"custom-fontStyle","value":{"fontSize":96,"fontFamily":"Inter","lineHeight":105.5}}`:                                                         `{"$type":"typography","$value":{"fontSize":96,"fontFamily":"Inter","lineHeight":"105.5px"}}`,
		`{"type":"custom-shadow","value":{"shadowType":"dropShadow",` + layer + `}`:                                                                           `{"$type":"shadow","$value":{"blur":8,"color":"#000","offsetX":0,"offsetY":2,"spread":0}}`,
		`{"type":"custom-shadow","value":{"0":{"shadowType":"innerShadow",` + layer + `}}`:                                                                    `{"$type":"shadow","$value":[{"inset":true,"blur":8,"color":"#000","offsetX":0,"offsetY":2,"spread":0}]}`,
		`{"type":"custom-gradient","value":{"gradientType":"linear","rotation":135,"stops":[{"position":0,"color":"#f00"},{"position":0.5,"color":"#0f0"}]}}`: `{"$type":"gradient","$value":"linear-gradient(135deg, #f00 0%, #0f0 50%)"}`,
		`{"type":"custom-gradient","value":{"gradientType":"angular"}}`:                                                                                       `{"$type":"gradient","$value":{"gradientType":"angular"}}`,
		`{"type":"custom-opacity","value":0.5}`:                                                                                                               `{"$type":"number","$value":0.5}`,
	} {
		parts, err := convert(t, `{"a":`+text+`}`, Options{})
		if got := spell(parts); err != nil || got != `{"a":`+want+`}` {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestLengthsOfTokensStudioHaveTheirUnit: in whatever they are an alias of.
func TestLengthsOfTokensStudioHaveTheirUnit(t *testing.T) {
	const text = `{"core":{"a":{"value":"16","type":"fontSizes"},"b":{"value":"0","type":"spacing"},"c":{"value":"4 * 2","type":"sizing"},"d":{"value":"700 italic","type":"fontWeights"},"e":{"value":"1.5","type":"lineHeights"},` +
		`"f":{"value":{"x":"1","blur":"","color":"$f.g"},"type":"boxShadow","g":{"value":"$old.red","type":"color"}},"h":{"value":{"fontSize":"12","letterSpacing":""},"type":"typography"},"i":{"value":"costs $5 or $a","type":"text"},"j":{"value":"65 Wide Bold","type":"fontWeights"},` +
		`"k":{"value":{"paddingTop":"{a}","fill":"#fff","opacity":"50%","letterSpacing":"","boxShadow":"{f}"},"type":"composition","description":"A card."}},` +
		`"$themes":[],"$metadata":{"tokenSetOrder":["core"]}}`
	parts, err := convert(t, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spell(parts), `core{"a":{"$type":"dimension","$value":"16px"},"b":{"$type":"dimension","$value":"0"},"c":{"$type":"dimension","$value":"8px"},"d":{"$type":"fontWeight","$value":"700"},"e":{"$type":"number","$value":"1.5"},`+
		`"f":{"$type":"shadow","$value":{"offsetX":"1","blur":"0","color":"{f.g}"}},"h":{"$type":"typography","$value":{"fontSize":"12"}},"i":{"$type":"string","$value":"costs $5 or $a"},"j":{"$type":"fontWeight","$value":"Bold"},`+
		`"k":{"paddingTop":{"$type":"dimension","$value":"{a}"},"fill":{"$type":"color","$value":"#fff"},"opacity":{"$type":"number","$value":"0.5"},"boxShadow":{"$type":"shadow","$value":"{f}"},"$description":"A card."},`+
		`"f.g":{"$type":"color","$value":"{old.red}"}}`; got != want {
		t.Errorf("Convert() = %s, want %s", got, want)
	}
	var named []string
	for _, c := range parts[0].Concessions {
		named = append(named, c.Path+" "+c.Pointer)
	}
	if want := []string{"k /core/k", "k /core/k", "d /core/d", "f /core/f", "h /core/h", "j /core/j"}; !slices.Equal(named, want) || parts[0].Origins["/f.g"] != "/core/f/g" || parts[0].Origins["/k/fill"] != "/core/k/value/fill" {
		t.Errorf("named: %q, want %q; the origins are %v", named, want, parts[0].Origins)
	}
}

// TestAModeOfValuesInTokenSets: what a note says that --token-mode takes, it takes.
func TestAModeOfValuesInTokenSets(t *testing.T) {
	text := `{"core":{"a":{"value":{"light":"#fff","dark":"#000"},"type":"color"}},"extra":{"b":{"value":"#123","type":"color"}},"$metadata":{"tokenSetOrder":["core","extra"]}}`
	parts, err := convert(t, text, Options{Mode: "dark"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontree.Append(nil, parts[0].Tree)); !strings.Contains(got, `"$value":"#000"`) || len(parts) != 2 {
		t.Errorf("the mode dark is %s of %d parts", got, len(parts))
	}
	var wrong *Error
	if _, err := convert(t, text, Options{Mode: "sepia"}); !errors.As(err, &wrong) || wrong.Next != "Valid values: light, dark." {
		t.Errorf("the mode sepia: %v", err)
	}
}

// TestListsOfBuiltTokens: a value of several modes is JSON in a text there, and attributes are not tokens.
func TestListsOfBuiltTokens(t *testing.T) {
	const text = `{"tokens":[{"key":"{a.b}","value":"{\"light\":\"#fff\",\"dark\":\"#000\"}","type":"color","attributes":{"value":"#eee","names":{"css":"x"}},"filePath":"a.json","isSource":true},{"key":"{c}","value":"{a.b}"},{"key":"{d}","value":"[0.2,0,0,1]","type":"cubicBezier"}]}`
	parts, err := convert(t, text, Options{Mode: "dark"})
	if got, want := spell(parts), `{"a":{"b":{"$type":"color","$value":"#000"}},"c":{"$value":"{a.b}"},"d":{"$type":"cubicBezier","$value":[0.2,0,0,1]}}`; err != nil || got != want {
		t.Errorf("Convert() = %s, %v, want %s", got, err, want)
	}
	if list := parts[0].Concessions; len(parts[0].Faults) > 0 || len(list) != 1 || list[0].Kind != "values of several modes" {
		t.Errorf("Convert() names %v, %v, want the mode alone", parts[0].Faults, list)
	}
}
