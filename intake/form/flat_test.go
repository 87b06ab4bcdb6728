package form_test

import (
	"testing"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
)

func TestFlat(t *testing.T) {
	runForms(t, "a flat map of paths to values", form.Options{}, []formCase{
		{"paths with their values", `{"$schema":"x","a.b":0.2,"c":"#000","d.$root":{"colorSpace":"oklch","components":[1,0,0]}}`, "a.b  {\"$value\":0.2}\nc  {\"$value\":\"#000\"}\nd.$root  {\"$value\":{\"colorSpace\":\"oklch\",\"components\":[1,0,0]}}"},
		{"modes of values", `{"a.b":{"light":1,"dark":2}}`, "= value:scheme light,dark default light\na.b  {\"$value\":1}\nvalue:scheme=dark a.b  2"},
	})
	for _, text := range []string{`{"a":{"b":1}}`, `{"a.b":{"c":{"$value":1}}}`, `{"$schema":"x"}`, `{}`, `["a"]`, `{"a":1,"b":{"c":2}}`} {
		documents, err := form.Read([]*model.File{fileOf(t, "t.json", text)}, form.Options{})
		if err != nil || documents[0].Form == "a flat map of paths to values" {
			t.Errorf("%s is %s, %v", text, documents[0].Form, err)
		}
	}
}
