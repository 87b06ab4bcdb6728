package systems

import (
	"fmt"
	"regexp"
	"strings"
)

// fileValues is what token files say, by key of the path: each value that a set, a mode or a file gives a token, and of an
// object or a list the parts.
type fileValues map[string][]string

var alias = regexp.MustCompile(`\{[^{}]+\}`)

// of lists the values of a token without aliases.
func (f fileValues) of(path string, depth int) (list []string) {
	for _, value := range f[path] {
		refs := alias.FindAllString(value, -1)
		switch {
		case depth > 10 || len(refs) == 0:
			list = append(list, value)
		case refs[0] == value:
			list = append(list, f.target(value, depth)...)
		default:
			list = append(list, alias.ReplaceAllStringFunc(value, func(ref string) string {
				if found := f.target(ref, depth); len(found) > 0 {
					return found[0]
				}
				return ref
			}))
		}
	}
	return list[:min(len(list), 100)]
}

func (f fileValues) target(ref string, depth int) []string {
	if found := f.of(key(ref), depth+1); len(found) > 0 {
		return found
	}
	return f.of(key(strings.TrimSuffix(ref, ".value}")), depth+1)
}

// texts lists a value as CSS writes it, or the parts of one that has them.
func texts(value any) (list []string) {
	switch v := value.(type) {
	case nil, bool:
		return nil
	case map[string]any:
		if hex, ok := v["hex"].(string); ok {
			return []string{hex}
		}
		if v["unit"] != nil {
			return []string{fmt.Sprint(v["value"], v["unit"])}
		}
		for _, part := range v {
			list = append(list, texts(part)...)
		}
		return list
	case []any:
		for _, item := range v {
			list = append(list, texts(item)...)
		}
		return append(list, strings.Join(list, ", "))
	}
	return []string{fmt.Sprint(value)}
}
