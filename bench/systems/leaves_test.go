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

var property = regexp.MustCompile(`(?m)(?:^|[;{])\s*(--[\w-]+)\s*:\s*([^;{}]+)`)

// leaves lists the paths of the tokens in files, as a reader who knows nothing of Livery finds them: objects with a value,
// and custom properties. A path that stands twice counts once.
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
					all = append(all, leaf{strings.TrimLeft(m[1], "-"), path})
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
				paths := tokens(v, nil)
				if object, ok := v.(map[string]any); ok && object["$metadata"] != nil { // token sets of Tokens Studio
					for i, p := range paths {
						_, paths[i], _ = strings.Cut(p, ".")
					}
				}
				if len(paths) == 0 || len(scalars(v, nil)) > 100*len(paths) {
					paths = scalars(v, nil)
				}
				for _, p := range paths {
					all = append(all, leaf{p, path})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(all, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(all, func(a, b leaf) bool { return a.path == b.path })
}

// leaf is a token and the file in which it stands.
type leaf struct{ path, file string }

// scalars lists the paths of the texts and numbers of a file that has no objects with a value.
func scalars(v any, at []string) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			paths = append(paths, scalars(value, append(at[:len(at):len(at)], name))...)
		}
	case string, float64, uint64, int64:
		paths = append(paths, strings.Join(at, "."))
	}
	return paths
}

// comments are those of JSON5.
var comments = regexp.MustCompile(`(?ms)/\*.*?\*/|([,{\[]|^)[ \t]*//[^\n]*$`)

func withoutComments(text string) string {
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
}

// tokens lists the paths of the objects that have a value. What stands below one is its value.
func tokens(v any, at []string) (paths []string) {
	if list, ok := v.([]any); ok { // of tokens that say their own path
		for _, item := range list {
			if own, ok := item.(map[string]any); ok && (own["value"] != nil || own["$value"] != nil) {
				for _, member := range []string{"key", "name"} {
					if name, ok := own[member].(string); ok {
						paths = append(paths, strings.Trim(name, "{}"))
						break
					}
				}
			}
		}
		return paths
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, member := range []string{"$value", "value", "$ref", "sets"} {
		if value, has := object[member]; has && len(at) > 0 && (member != "value" || object["unit"] == nil) && !isGroup(member, value) {
			return []string{strings.Join(at, ".")}
		}
	}
	for name, value := range object {
		if strings.HasPrefix(name, "$") && name != "$root" {
			continue
		}
		paths = append(paths, tokens(value, append(at[:len(at):len(at)], name))...)
	}
	return paths
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
