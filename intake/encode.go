package intake

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
)

// Encode returns the mapping as YAML. ParseMapping reads it back.
func (m *Mapping) Encode() []byte {
	var b strings.Builder
	line := func(name, value, comment string) {
		if value == "" {
			return
		}
		b.WriteString(name + ": " + value)
		if comment != "" {
			b.WriteString(" # " + comment)
		}
		b.WriteByte('\n')
	}
	line("theme", scalar(m.Theme), "")
	line("environment", scalar(m.Environment), "")
	line("name", scalar(m.Name), "")
	line("integrations", list(m.Integrations), "")
	for _, comment := range m.Comments {
		b.WriteString("# " + comment + "\n")
	}
	line("files", texts(m.Files), "")
	line("select", m.Select.encode(), "")
	var values members
	for _, name := range slices.Sorted(maps.Keys(m.Values)) {
		values.add(scalar(name), list(m.Values[name]))
	}
	line("values", values.encode(), "")
	var ignored []string
	for _, s := range m.Ignore {
		ignored = append(ignored, s.encode())
	}
	if len(ignored) > 0 {
		line("ignore", "["+strings.Join(ignored, ", ")+"]", "")
	}
	if len(m.Variants) > 0 {
		b.WriteString("variants:\n")
	}
	for _, v := range m.Variants {
		line("  "+scalar(v.Slug), v.encode(), v.Comment)
	}
	return []byte(b.String())
}

// Line returns the line of livery.yaml that declares the Variant.
func (v *Variant) Line() string { return scalar(v.Slug) + ": " + v.encode() }

func (v *Variant) encode() string {
	var m members
	m.add("files", texts(v.Files))
	m.add("select", v.Select.encode())
	m.add("mode", scalar(v.Mode))
	m.add("when", scalar(v.When))
	m.add("for", scalar(v.For))
	m.add("name", scalar(v.Name))
	return "{" + strings.Join(m, ", ") + "}"
}

func (s *Select) encode() string {
	var m members
	for kind, chosen := range s.byKind() {
		var named members
		for _, name := range slices.Sorted(maps.Keys(chosen)) {
			named.add(scalar(name), scalar(chosen[name]))
		}
		m.add(model.Kind(kind).String(), named.encode())
	}
	m.add("css", texts(s.CSS))
	return m.encode()
}

// members are the members of a YAML object in flow style.
type members []string

// add appends a member. It ignores an empty value.
func (m *members) add(name, value string) {
	if value != "" {
		*m = append(*m, name+": "+value)
	}
}

func (m members) encode() string {
	if len(m) == 0 {
		return ""
	}
	return "{" + strings.Join(m, ", ") + "}"
}

// texts encodes a single text as a scalar, and several texts as a list.
func texts(all []string) string {
	if len(all) == 1 {
		return scalar(all[0])
	}
	return list(all)
}

// list encodes a list of texts. It returns "" if the list is empty.
func list(all []string) string {
	if len(all) == 0 {
		return ""
	}
	var items []string
	for _, text := range all {
		items = append(items, scalar(text))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// A scalar needs no quotes if it matches plain and does not match reserved. This holds for every version of YAML.
var (
	plain    = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)
	reserved = regexp.MustCompile(`(?i)^(null|true|false|yes|no|on|off|y|n|\.inf|\.nan|\.[0-9].*)$`)
)

// scalar encodes a text, with quotes if it needs them. It returns "" if the text is empty.
func scalar(text string) string {
	if text == "" || plain.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
