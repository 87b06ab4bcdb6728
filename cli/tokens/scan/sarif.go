package scan

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"example.com/livery/cli/escape"
)

// rules describe the rules, in the order in which SARIF names them.
var rules = []struct{ id, level, short, help string }{
	{Unknown, "error", "A name that the Theme does not have", "The name is near to that of a token or stands in a group of the Theme, and neither the tokens nor the files declare it. " +
		"Correct it, add the token, or write " + suppression + " in a comment on the line or the line above."},
	{Deprecated, "warning", "A token that is deprecated", "The Theme marks the token with $deprecated, which often names what to use instead."},
	{Unused, "note", "A token that no file names", "Deprecate the token before it is removed: sources that were not scanned may name it."},
	{Use, "note", "A use of a token", "The place names a token of the Theme."},
}

// SARIF returns the findings that have a place and are not fixed as a log of SARIF 2.1.0, which GitHub and editors show beside the lines.
func (r *Result) SARIF() ([]byte, error) {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	described, results := []object{}, []object{}
	index := map[string]int{}
	for i, rule := range rules {
		index[rule.id] = i
		described = append(described, object{
			"id": rule.id, "shortDescription": text(rule.short), "fullDescription": text(rule.short + "."), "help": text(rule.help),
			"defaultConfiguration": object{"level": rule.level},
		})
	}
	for _, f := range r.Findings {
		if f.Fixed || f.File == "" {
			continue // GitHub refuses a log with a result that has no place
		}
		region := object{"startLine": f.Line}
		if f.width > 0 {
			region["startColumn"], region["endColumn"] = f.Column, f.Column+f.width
		}
		results = append(results, object{
			"ruleId": f.Rule, "ruleIndex": index[f.Rule], "level": rules[index[f.Rule]].level, "message": text(f.Sentence()),
			"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": fileURI(f.File)}, "region": region}}},
		})
	}
	log, err := json.Marshal(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":       object{"driver": object{"name": "livery scan", "rules": described}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
	return append(escape.JSON(log), '\n'), err
}

// fileURI spells the path of a file as a URI, relative if the path is.
func fileURI(name string) string {
	if path.IsAbs(name) {
		return (&url.URL{Scheme: "file", Path: name}).String()
	}
	return strings.TrimPrefix((&url.URL{Path: name}).String(), "./")
}
