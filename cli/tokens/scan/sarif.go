package scan

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
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

// These are the parts of a log of SARIF 2.1.0 that are written.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID    string         `json:"id"`
		Short sarifText      `json:"shortDescription"`
		Full  sarifText      `json:"fullDescription"`
		Help  sarifText      `json:"help"`
		Level map[string]any `json:"defaultConfiguration"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
		End    int `json:"endColumn,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Index     int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
)

// SARIF returns the findings that have a place and are not fixed as a log of SARIF 2.1.0, which GitHub and editors show beside the lines.
func (r *Result) SARIF() ([]byte, error) {
	described := make([]sarifRule, len(rules))
	for i, rule := range rules {
		described[i] = sarifRule{rule.id, sarifText{rule.short}, sarifText{rule.short + "."}, sarifText{rule.help}, map[string]any{"level": rule.level}}
	}
	results := []sarifResult{}
	for _, f := range r.Findings {
		if f.Fixed || f.File == "" {
			continue // GitHub refuses a log with a result that has no place
		}
		results = append(results, f.sarif())
	}
	log, err := json.Marshal(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []any{map[string]any{
			"tool":       map[string]any{"driver": map[string]any{"name": "livery scan", "rules": described}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
	return append(escape.JSON(log), '\n'), err
}

func (f *Finding) sarif() sarifResult {
	index := slices.IndexFunc(rules, func(r struct{ id, level, short, help string }) bool { return r.id == f.Rule })
	var at sarifLocation
	at.Physical.Artifact.URI = fileURI(f.File)
	at.Physical.Region = sarifRegion{Line: f.Line, Column: f.Column}
	if f.width > 0 {
		at.Physical.Region.End = f.Column + f.width
	}
	return sarifResult{f.Rule, index, rules[index].level, sarifText{f.Sentence()}, []sarifLocation{at}}
}

// fileURI spells the path of a file as a URI, relative if the path is.
func fileURI(name string) string {
	if path.IsAbs(name) {
		return (&url.URL{Scheme: "file", Path: name}).String()
	}
	return strings.TrimPrefix((&url.URL{Path: name}).String(), "./")
}
