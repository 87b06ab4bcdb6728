package form_test

import (
	"fmt"
	"testing"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
)

func TestFigmaExport(t *testing.T) {
	export := func(mode, id string, value int) string {
		return fmt.Sprintf(`{"base":{"n":{"$type":"number","$value":%d,"$extensions":{"com.figma.variableId":%q}}},"$extensions":{"com.figma.modeName":%q}}`, value, id, mode)
	}
	const semantic = `{"n":{"$type":"number","$value":1,"$extensions":{"com.figma.aliasData":{"targetVariableName":"base/n"}}},
"gap":{"$type":"number","$value":4,"$extensions":{"com.figma.scopes":["GAP"]}},"dim":{"$type":"number","$value":7,"$extensions":{"com.figma.scopes":["OPACITY"]}},"$extensions":{"com.figma":{"modeName":"Mode 1"}}}`
	documents, err := form.Read([]*model.File{
		fileOf(t, "Semantic/Mode 1.tokens.json", semantic), fileOf(t, "Brand/Acme.tokens.json", export("Acme", "V:1", 1)), fileOf(t, "Brand/Globex.tokens.json", export("Globex", "V:1", 2)),
		fileOf(t, "Light.json", export("Light", "V:2", 3)), fileOf(t, "Dark.json", export("Dark", "V:2", 4)),
	}, form.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const extension = `{"com.figma.modeName":"`
	want := "n number {\"$type\":\"number\",\"$value\":\"{base.n}\",\"$extensions\":{\"com.figma.aliasData\":{\"targetVariableName\":\"base/n\"}}}\n" +
		"gap dimension {\"$type\":\"dimension\",\"$value\":\"4px\",\"$extensions\":{\"com.figma.scopes\":[\"GAP\"]}}\n" +
		"dim number {\"$type\":\"number\",\"$value\":0.07,\"$extensions\":{\"com.figma.scopes\":[\"OPACITY\"]}}\n/  {\"$extensions\":{\"com.figma\":{\"modeName\":\"Mode 1\"}}}\n" +
		"! Semantic/Mode 1.tokens.json:1 n: 1 is {base.n}\n! Semantic/Mode 1.tokens.json:2 gap: 4 is 4px\n! Semantic/Mode 1.tokens.json:2 dim: 7 is 0.07\n"
	for i, mode := range []string{"Brand=Acme", "Brand=Globex", "Light/Dark=Light", "Light/Dark=Dark"} {
		dimension := []string{"= figma:Brand Acme,Globex default Acme", "= figma:Light/Dark Light,Dark default Light"}[i/2]
		want += fmt.Sprintf("%s\nfigma:%s base.n number %d\nfigma:%s / %s {\"$extensions\":%s%s\"}}\n", dimension, mode, i+1, mode, "", extension, []string{"Acme", "Globex", "Light", "Dark"}[i])
	}
	if got := outline(documents...) + "\n"; got != want {
		t.Errorf("the exports are\n%s\nwant:\n%s", got, want)
	}
}
