package deploy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// node is a value of the OpenAPI document.
type node = map[string]any

// apiWalk adds what the OpenAPI document promises.
type apiWalk struct {
	root node
	add  func(string, ...any)
	seen map[string]bool // "request Name" and "answer Name" of schemas that are added
}

func openAPI(t *testing.T, add func(string, ...any)) {
	t.Helper()
	w := apiWalk{documents(t, "../origin/api/openapi.yaml")[0], add, map[string]bool{}}
	for path, at := range w.root["paths"].(node) {
		for method, operation := range at.(node) {
			if o, ok := operation.(node); ok && method != "parameters" {
				w.operation(strings.ToUpper(method)+" "+path, o, at.(node)["parameters"])
			}
		}
	}
}

// resolve follows a reference and returns what it names, and its last word; a value that is no reference has no name.
func (w *apiWalk) resolve(v any) (node, string) {
	n, _ := v.(node)
	name := ""
	for n["$ref"] != nil {
		words := strings.Split(n["$ref"].(string), "/")
		name = words[len(words)-1]
		var at any = w.root
		for _, word := range words[1:] {
			at = at.(node)[word]
		}
		n = at.(node)
	}
	return n, name
}

// operation adds the parameters, the bodies and the statuses of an operation.
func (w *apiWalk) operation(name string, o node, shared any) {
	w.add("operation %s", name)
	common, _ := shared.([]any)
	own, _ := o["parameters"].([]any)
	for _, p := range slices.Concat(common, own) {
		p, _ := w.resolve(p)
		w.add("parameter %s %s %s %s", name, p["in"], p["name"], need(p["required"] == true))
		schema, _ := w.resolve(p["schema"])
		w.values("parameter value "+name+" "+fmt.Sprint(p["name"]), schema)
	}
	if body, _ := w.resolve(o["requestBody"]); body != nil {
		w.contents("request", name, body)
	}
	responses, _ := o["responses"].(node)
	for status, response := range responses {
		w.add("status %s %s", name, status)
		r, _ := w.resolve(response)
		if status >= "400" {
			w.contents("refusal", "", r)
			continue
		}
		w.contents("answer", name+" "+status, r)
		headers, _ := r["headers"].(node)
		for header := range headers {
			w.add("header %s %s %s", name, status, header)
		}
	}
}

func need(required bool) string {
	if required {
		return "required"
	}
	return "optional"
}

// contents adds the media types of a body and what stands in them.
func (w *apiWalk) contents(side, name string, body node) {
	content, _ := body["content"].(node)
	for media, at := range content {
		if side == "refusal" { // of every operation alike: what stands in it, by the names of schemas
			w.schema("answer", "refusal", at.(node)["schema"])
			continue
		}
		w.add("%s in %s: %s", side, media, name)
		w.schema(side, name, at.(node)["schema"])
	}
}

// schema adds the members of a schema, those of a named one under its name and once.
func (w *apiWalk) schema(side, place string, v any) {
	s, name := w.resolve(v)
	if name != "" {
		if w.add("%s is %s: %s", side, name, place); w.seen[side+name] {
			return
		}
		w.seen[side+name] = true
		place = name
	}
	w.values(side+" value "+place, s)
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(node)
	for member, at := range properties {
		m, _ := w.resolve(at)
		w.add("%s %s.%s %s %s", side, place, member, typeOf(m), need(slices.Contains(required, any(member))))
		w.schema(side, place+"."+member, at)
	}
	for _, word := range []string{"items", "additionalProperties"} {
		if inner, ok := s[word].(node); ok {
			w.schema(side, place+"[]", inner)
		}
	}
	for _, word := range []string{"allOf", "oneOf", "anyOf"} {
		list, _ := s[word].([]any)
		for _, inner := range list {
			w.schema(side, place, inner)
		}
	}
}

// typeOf names the types that a schema allows.
func typeOf(s node) string {
	switch of := s["type"].(type) {
	case string:
		return of
	case []any:
		words := make([]string, len(of))
		for i, word := range of {
			words[i] = fmt.Sprint(word)
		}
		slices.Sort(words)
		return strings.Join(words, "|")
	}
	return "any"
}

// values adds the texts that a schema allows. A value that an answer has anew is not a break, one that a request must not
// have any more is one.
func (w *apiWalk) values(place string, s node) {
	list, _ := s["enum"].([]any)
	if constant, ok := s["const"]; ok {
		list = append(list, constant)
	}
	for _, value := range list {
		w.add("%s: %v", place, value)
	}
}

// TestTheSurfaceKnowsTheAPI: every operation of the document is in the surface, with its statuses.
func TestTheSurfaceKnowsTheAPI(t *testing.T) {
	lines := map[string]int{}
	openAPI(t, func(format string, args ...any) { lines[fmt.Sprintf(format, args...)]++ })
	paths := documents(t, "../origin/api/openapi.yaml")[0]["paths"].(node)
	operations := 0
	for line := range maps.Keys(lines) {
		if strings.HasPrefix(line, "operation ") {
			operations++
		}
	}
	if operations < len(paths) || lines["parameter GET /public/v1/environments/{environmentID}/events query limit optional"] == 0 {
		t.Errorf("%d operations of %d paths are in the surface", operations, len(paths))
	}
}
