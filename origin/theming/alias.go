package theming

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// rewriteAliases returns v with every alias of a renamed token spelled by its new path, wherever in
// v it stands: a whole string, or a part of one. It returns v itself if there is none.
func rewriteAliases(v *jsontree.Node, renamed map[string]string) *jsontree.Node {
	if len(renamed) == 0 {
		return v
	}
	switch v.Kind {
	case jsontree.String:
		if text := rewriteText(v.Text, renamed); text != v.Text {
			return jsontree.NewString(text)
		}
	case jsontree.Array:
		return rewriteItems(v, renamed)
	case jsontree.Object:
		return rewriteMembers(v, renamed)
	}
	return v
}

func rewriteItems(v *jsontree.Node, renamed map[string]string) *jsontree.Node {
	items := append([]*jsontree.Node(nil), v.Items()...)
	changed := false
	for i := range items {
		items[i] = rewriteAliases(items[i], renamed)
		changed = changed || items[i] != v.Items()[i]
	}
	if !changed {
		return v
	}
	return jsontree.NewArray(items...)
}

func rewriteMembers(v *jsontree.Node, renamed map[string]string) *jsontree.Node {
	members := append([]jsontree.Member(nil), v.Members...)
	changed := false
	for i := range members {
		value := rewriteAliases(members[i].Value, renamed)
		changed = changed || value != members[i].Value
		members[i].Value = value
	}
	if !changed {
		return v
	}
	n := jsontree.NewObject(members...)
	n.Index()
	return n
}

// rewriteText replaces the aliases in one string. Only braces around the path of a renamed token
// are an alias here, so that other text in braces stays as it is.
func rewriteText(s string, renamed map[string]string) string {
	if strings.IndexByte(s, '{') < 0 {
		return s
	}
	if last := len(s) - 1; s[0] == '{' && strings.IndexByte(s, '}') == last && strings.LastIndexByte(s, '{') == 0 { // the usual alias
		if to, ok := renamed[strings.TrimSpace(s[1:last])]; ok {
			return "{" + to + "}"
		}
		return s
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			break
		}
		length := strings.IndexAny(s[open+1:], "{}")
		if length < 0 {
			break
		}
		end := open + 1 + length
		if to, ok := renamed[strings.TrimSpace(s[open+1:end])]; ok && s[end] == '}' {
			b.WriteString(s[:open+1] + to + "}")
			s = s[end+1:]
			continue
		}
		b.WriteString(s[:end])
		s = s[end:]
		if s[0] == '}' {
			b.WriteByte('}')
			s = s[1:]
		}
	}
	b.WriteString(s)
	return b.String()
}
