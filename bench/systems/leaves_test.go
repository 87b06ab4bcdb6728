package systems

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

var property = regexp.MustCompile(`(?m)(?:^|[;{])\s*(--[\w-]+)\s*:\s*((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^)"']*\)|[^;{}"'])+)`)

// leaves lists the tokens in files, as a reader who knows nothing of Livery finds them: objects with a value, and custom
// properties. A path that stands twice is listed twice.
func leaves(t *testing.T, names []string) (all []leaf) {
	t.Helper()
	for _, name := range names {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			switch {
			case strings.HasSuffix(path, ".css"):
				for _, m := range property.FindAllStringSubmatch(withoutComments(string(text)), -1) {
					all = append(all, leaf{strings.TrimLeft(m[1], "-"), path, strings.TrimSpace(m[2])})
				}
			case regexp.MustCompile(`\.(json5?|jsonc|ya?ml)$`).MatchString(path):
				var v any
				if json.Unmarshal(text, &v) != nil {
					if err := yaml.UnmarshalWithOptions(comments.ReplaceAll(text, []byte("$1")), &v, yaml.AllowDuplicateMapKey()); err != nil { // else JSON5 is YAML
						t.Errorf("%s cannot be counted: %v", path, err)
					}
				}
				if object, ok := v.(map[string]any); ok && object["props"] != nil {
					v = object["props"] // of Theo, beside the aliases that they stand for
				}
				found := tokens(v, nil)
				if object, ok := v.(map[string]any); ok && object["$metadata"] != nil { // token sets of Tokens Studio
					for i, l := range found {
						_, found[i].path, _ = strings.Cut(l.path, ".")
					}
				}
				if len(found) == 0 || len(scalars(v, nil)) > 100*len(found) {
					found = scalars(v, nil)
				}
				for _, l := range found {
					l.file = path
					all = append(all, l)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortStableFunc(all, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return all
}

// leaf is a token, the file in which it stands and its value there.
type leaf struct {
	path, file string
	value      any
}

// scalars lists the texts and numbers of a file that has no objects with a value.
func scalars(v any, at []string) (found []leaf) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			found = append(found, scalars(value, append(at[:len(at):len(at)], name))...)
		}
	case string, float64, uint64, int64:
		found = append(found, leaf{path: strings.Join(at, "."), value: v})
	}
	return found
}

// comments are those of JSON5.
var comments = regexp.MustCompile(`(?ms)/\*.*?\*/|([,{\[]|^)[ \t]*//[^\n]*$`)

func withoutComments(text string) string {
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
}

// tokens lists the objects that have a value. What stands below one is its value.
func tokens(v any, at []string) (found []leaf) {
	if list, ok := v.([]any); ok { // of tokens that say their own path
		for _, item := range list {
			if own, ok := item.(map[string]any); ok && (own["value"] != nil || own["$value"] != nil) {
				for _, member := range []string{"key", "name"} {
					if name, ok := own[member].(string); ok {
						found = append(found, leaf{path: strings.Trim(name, "{}"), value: either(own["$value"], own["value"])})
						break
					}
				}
			}
		}
		return found
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, member := range []string{"$value", "value", "$ref", "sets"} {
		if value, has := object[member]; has && len(at) > 0 && (member != "value" || object["unit"] == nil) && (member != "$ref" || !hasGroups(object)) && !isGroup(member, value) {
			return []leaf{{path: strings.Join(at, "."), value: value}}
		}
	}
	if _, typed := object["$type"].(string); typed && len(at) > 0 && !hasGroups(object) {
		return []leaf{{path: strings.Join(at, ".")}} // a token whose value stands elsewhere
	}
	for name, value := range object {
		if strings.HasPrefix(name, "$") && name != "$root" {
			continue
		}
		found = append(found, tokens(value, append(at[:len(at):len(at)], name))...)
	}
	return found
}

// hasGroups reports whether an object has tokens or groups.
func hasGroups(object map[string]any) bool {
	for name, value := range object {
		if _, is := value.(map[string]any); is && (!strings.HasPrefix(name, "$") || name == "$root") {
			return true
		}
	}
	return false
}

func either(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

// isGroup reports whether a member called value or sets is a group of tokens with that name.
func isGroup(member string, value any) bool {
	object, ok := value.(map[string]any)
	if !ok || strings.HasPrefix(member, "$") {
		return false
	}
	_, typed := object["value"]
	_, dollar := object["$value"]
	return typed || dollar
}
