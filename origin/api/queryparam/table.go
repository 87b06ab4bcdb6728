// Package queryparam knows which parameters the query of a request may have: those that the OpenAPI document lists for its
// operation. A parameter that is misspelt is refused, because to ignore it would do something else than the client asked for.
package queryparam

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/jsontree"
)

// Table holds the parameters of every operation, by method and path. It may be used concurrently.
type Table map[string]Parameters

// Parameters are those of one operation; true means that the parameter may be repeated. A name that ends with a dot stands
// for every name that begins with it and has more.
type Parameters map[string]bool

// Read returns the table of an OpenAPI document. A parameter that is an array may be repeated; an object that is exploded is
// one parameter for each of its members, named NAME.MEMBER.
func Read(document *jsontree.Node) Table {
	table := Table{}
	for _, path := range members(document.Find("paths")) {
		shared := path.Value.Find("parameters")
		for _, operation := range members(path.Value) {
			known := Parameters{}
			known.add(document, shared)
			known.add(document, operation.Value.Find("parameters"))
			table[strings.ToUpper(operation.Name)+" "+path.Name] = known
		}
	}
	return table
}

func (p Parameters) add(document, list *jsontree.Node) {
	if list == nil {
		return
	}
	for _, parameter := range list.Items() {
		parameter = resolved(document, parameter)
		if parameter.Find("in").Text != "query" {
			continue
		}
		name := parameter.Find("name").Text
		switch kind := resolved(document, parameter.Find("schema")).Find("type"); {
		case kind.IsString() && kind.Text == "object":
			p[name+"."] = true
		default:
			p[name] = kind.IsString() && kind.Text == "array"
		}
	}
}

// resolved follows a reference into the document, if n is one.
func resolved(document, n *jsontree.Node) *jsontree.Node {
	ref := n.Find("$ref")
	if !ref.IsString() {
		return n
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(ref.Text, "#/"), "/") {
		document = document.Find(name)
	}
	return document
}

func members(n *jsontree.Node) []jsontree.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// Faults lists, by name, the parameters of a query that the operation does not know, and those that it knows and that are
// given twice. An operation that the document does not describe knows every parameter.
func (t Table) Faults(operation string, query map[string][]string) []string {
	known, described := t[operation]
	if !described {
		return nil
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		repeats, knows := known.find(name)
		switch {
		case name == "" && strings.Join(values, "") == "": // "?a=b&&c=d" names nothing between the two
		case !knows:
			faults = append(faults, name+": is not a parameter of this request"+known.hint(name))
		case len(values) > 1 && !repeats:
			faults = append(faults, name+": stands in the query "+strconv.Itoa(len(values))+" times; send it once")
		}
	}
	return faults
}

func (p Parameters) find(name string) (repeats, known bool) {
	prefix, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		repeats, known = p[name]
		return repeats, known
	}
	repeats, known = p[prefix+"."]
	return repeats, known && rest != ""
}

// hint names the parameter that name is a slip of, or all of them.
func (p Parameters) hint(name string) string {
	all := slices.Sorted(maps.Keys(p))
	for i, known := range all {
		if strings.HasSuffix(known, ".") {
			all[i] += "NAME"
		}
	}
	switch near := spelling.Nearest(name, all); {
	case len(all) == 0:
		return "; it has none"
	case near != "":
		return "; the nearest is " + near
	}
	return "; it knows " + strings.Join(all, ", ")
}
