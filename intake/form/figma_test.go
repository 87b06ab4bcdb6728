package form

import (
	"os"
	"strings"
	"testing"

	"example.com/livery/intake/model"
)

func TestFigma(t *testing.T) {
	const head = `{"meta": {"variableCollections": {`
	for _, c := range []struct{ name, text, want string }{
		{
			"modes of a collection, types by scopes, numbers as they were typed",
			head + `"C": {"name": "Colors", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "Light"}, {"modeId": "2", "name": "Dark"}], "variableIds": ["b", "a"]}}, "variables": {
			"a": {"name": "ink", "variableCollectionId": "C", "resolvedType": "COLOR", "valuesByMode": {"1": {"r": 0, "g": 0.20000000298023224, "b": 1, "a": 0.30000001192092896}, "2": {"type": "VARIABLE_ALIAS", "id": "b"}}},
			"b": {"id": "b", "name": "size/gap", "description": "d", "variableCollectionId": "C", "resolvedType": "FLOAT", "scopes": ["GAP"], "valuesByMode": {"1": 33.599998474121094, "2": 33.599998474121094}},
			"c": {"name": "gone", "deletedButReferenced": true}}}}`,
			"[] size.gap dimension {\"value\":33.6,\"unit\":\"px\"}\n[] ink color {\"colorSpace\":\"srgb\",\"components\":[0,0.2,1],\"alpha\":0.3,\"hex\":\"#0033ff\"}\n[figma:Colors=Dark] ink color \"{size.gap}\"\n! t.json:4 gone: variables that are deleted in Figma: it is left out",
		},
		{
			"a colour with an opacity follows the alias of each",
			head + `"C": {"name": "C", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "M"}]}}, "variables": {
			"o": {"name": "half", "variableCollectionId": "C", "resolvedType": "FLOAT", "scopes": ["OPACITY"], "valuesByMode": {"1": 12.300000190734863}},
			"a": {"name": "a", "variableCollectionId": "C", "resolvedType": "COLOR", "valuesByMode": {"1": {"color": {"type": "VARIABLE_ALIAS", "id": "b"}, "opacity": 20}}},
			"b": {"name": "b", "variableCollectionId": "C", "resolvedType": "COLOR", "valuesByMode": {"1": {"color": {"r": 1, "g": 1, "b": 1}, "opacity": {"type": "VARIABLE_ALIAS", "id": "o"}}}},
			"x": {"name": "x", "variableCollectionId": "C", "resolvedType": "COLOR", "valuesByMode": {"1": {"type": "VARIABLE_ALIAS", "id": "no"}}}}}}`,
			"[] half number 0.123\n[] a color \"rgba({b}, 0.2)\"\n[] b color \"rgba(#ffffff, {half})\"\n! t.json:5 x: values that cannot be read: it is an alias of no, which no file has; name the file of its collection too",
		},
		{
			"a variable stands for that of its name of which it is an alias, in the modes of both",
			head + `"B": {"name": "Brand", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "A"}, {"modeId": "2", "name": "B"}]}, "S": {"name": "Scheme", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "L"}, {"modeId": "2", "name": "D"}]}}, "variables": {
			"i": {"name": "fill", "variableCollectionId": "B", "resolvedType": "STRING", "valuesByMode": {"1": "a", "2": "b"}},
			"o": {"name": "fill", "variableCollectionId": "S", "resolvedType": "STRING", "valuesByMode": {"1": {"type": "VARIABLE_ALIAS", "id": "i"}, "2": "d"}},
			"p": {"name": "fill/x", "variableCollectionId": "B", "resolvedType": "STRING", "valuesByMode": {"1": "p"}},
			"q": {"name": "fill/x", "variableCollectionId": "S", "resolvedType": "STRING", "valuesByMode": {"1": "q"}}}}}`,
			"! t.json:2 fill: variables of one name: another of this name is an alias of it, and counts\n[] fill string \"a\"\n[figma:Brand=B] fill string \"b\"\n[figma:Scheme=D] fill string \"d\"\n[] fill.x string \"p\"\n[] Scheme.fill.x string \"q\"",
		},
		{
			"a collection that extends another has modes of its own",
			head + `"C": {"name": "C", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "M"}]}, "E": {"name": "Acme", "parentVariableCollectionId": "C", "modes": [{"modeId": "e", "parentModeId": "1", "name": "M"}], "variableOverrides": {"a": {"e": 2}}}}, "variables": {
			"a": {"name": "a", "variableCollectionId": "C", "resolvedType": "FLOAT", "valuesByMode": {"1": 1}}, "b": {"name": "b", "variableCollectionId": "C", "resolvedType": "FLOAT", "valuesByMode": {"1": 1}}}}}`,
			"[] a number 1\n[figma:C=Acme] a number 2\n[] b number 1",
		},
	} {
		documents, err := Read([]*model.File{parse(t, "t.json", c.text)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		// The problems of describe stand last; here they are compared as a set of lines.
		if got, want := lines(describe(documents...)), lines(c.want); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, want)
		}
	}
}

// lines returns the lines of a text with those of problems last.
func lines(text string) string {
	var declarations, problems []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "!") {
			problems = append(problems, line)
		} else {
			declarations = append(declarations, line)
		}
	}
	return strings.Join(append(declarations, problems...), "\n")
}

func TestFigmaAliasesOfOtherFiles(t *testing.T) {
	head := `{"meta": {"variableCollections": {"C": {"name": "C", "defaultModeId": "1", "modes": [{"modeId": "1", "name": "M"}]}}, "variables": {`
	one := parse(t, "one.json", head+`"a": {"name": "a", "variableCollectionId": "C", "resolvedType": "FLOAT", "valuesByMode": {"1": {"type": "VARIABLE_ALIAS", "id": "b"}}}}}}`)
	two := parse(t, "two.json", head+`"b": {"name": "x/b", "variableCollectionId": "C", "resolvedType": "FLOAT", "valuesByMode": {"1": 1}}}}}`)
	documents, err := Read([]*model.File{one, two}, Options{})
	if want := "[] a number \"{x.b}\"\n[] x.b number 1"; err != nil || describe(documents...) != want {
		t.Errorf("%s, %v, want\n%s", describe(documents...), err, want)
	}
}

// TestFigmaCases: what public bug reports ask for, of the files beside the project.
func TestFigmaCases(t *testing.T) {
	for name, want := range map[string]string{
		"11-figma-alias-opacity": `[figma:Tokens=Dark] fill.faint color "rgba({base.ink}, {opacity.half})"`,
		"40-figma-float":         `[] line.body dimension {"value":1.78,"unit":"px"}`,
	} {
		text, err := os.ReadFile("../../../shared/cases/tokens/" + name + "/vars.json")
		if err != nil {
			t.Skip("the cases are not beside the project: ", err)
		}
		documents, err := Read([]*model.File{parse(t, "vars.json", string(text))}, Options{})
		if err != nil || !strings.Contains(describe(documents...), want) {
			t.Errorf("%s: %s, %v; want %s in it", name, describe(documents...), err, want)
		}
	}
}
