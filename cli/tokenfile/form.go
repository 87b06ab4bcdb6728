package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/resolver"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// Kind is the form of a file.
type Kind uint8

// The forms of files.
const (
	Flat            Kind = iota // a map of dotted paths to values, or nothing that is known
	DTCG                        // a DTCG document: somewhere stands a $value
	StyleDictionary             // the form before DTCG: value, type and comment without a dollar sign
	Studio                      // an export of Tokens Studio: token sets beside $metadata or $themes
	BareStudio                  // an export of Tokens Studio without these, as its shape shows
	Figma                       // variables, as Figma's REST interface answers them or a plugin writes them
	SetValues                   // tokens whose values stand in sets, as Spectrum's
	TokenList                   // arrays of tokens that have names
	Plain                       // nested JSON of values without any members of tokens
	Stylesheet                  // the custom properties of CSS
	Registry                    // a theme of shadcn's registry
	Theo                        // a document of Salesforce's Theo
	Resolver                    // a resolver document of DTCG, which says which files of tokens count
	numberOfKinds
)

// form is what is known of a Kind.
type form struct {
	name string // with its article
	// recognise says why a file is of this form; empty if it is not.
	recognise func(f *syntax.File, o Options) string
	read      func(root *jsontree.Node, o Options) ([]Part, error)
	members   []string // of the root that are read, if not all are
}

// forms has the forms by Kind.
var forms = [numberOfKinds]form{
	Flat:            {"a flat map", recogniseFlat, readFlat, nil},
	DTCG:            {"a DTCG document", recogniseDTCG, readDTCG, nil},
	StyleDictionary: {"a document of Style Dictionary, without dollar signs", recogniseStyleDictionary, readStyleDictionary, nil},
	Studio:          {"an export of Tokens Studio", recogniseStudio, convertStudio, nil},
	BareStudio:      {"an export of Tokens Studio", recogniseBareStudio, convertStudio, nil},
	Figma:           {"a document of Figma's variables", recogniseFigma, readFigma, []string{"meta", "collections", "variableCollections", "variables"}},
	SetValues:       {"a document of tokens with sets", recogniseSetValues, readSetValues, nil},
	TokenList:       {"a list of tokens", recogniseTokenList, readTokenList, nil},
	Plain:           {"plain nested JSON", recognisePlain, readPlain, nil},
	Stylesheet:      {"a stylesheet of custom properties", recogniseStylesheet, readStylesheet, nil},
	Theo:            {"a document of Theo", recogniseTheo, readTheo, []string{"props", "aliases", "global"}},
	Registry:        {"a theme of shadcn's registry", recogniseRegistry, readRegistry, []string{"cssVars"}},
	Resolver:        {"a resolver document", recogniseResolver, readResolver, nil},
}

func recogniseResolver(f *syntax.File, _ Options) string { return resolver.Why(f.Root) }

// readResolver makes no part: package source reads the files that a resolver document names.
func readResolver(*jsontree.Node, Options) ([]Part, error) { return nil, nil }

// order is the one in which the forms are tried: what says more of a file comes first.
var order = []Kind{Resolver, Stylesheet, Figma, Registry, Theo, Studio, BareStudio, SetValues, DTCG, StyleDictionary, TokenList, Plain, Flat}

// String names the form for messages.
func (k Kind) String() string { return forms[k].name }

// HasSets reports whether files of this form hold token sets, which Options.Sets chooses from.
func (k Kind) HasSets() bool { return k == Studio || k == BareStudio }

// HasModes reports whether files of this form hold modes, of which Options.Mode is one. Values that name their modes
// stand in Part.ModeNames.
func (k Kind) HasModes() bool { return k == Figma || k.HasSets() }

// Recognise tells the form of a file by what stands in it and by the sets that o names, and why it is that. It is Flat
// with an empty reason if the file holds nothing that is known.
func Recognise(f *syntax.File, o Options) (k Kind, why string) {
	if form := textOf(noteOf(f.Root).Find("form")); form != "" {
		for k, name := range noteForms {
			if name == form && forms[k].recognise(f, o) != "" {
				return k, "livery pull wrote it"
			}
		}
	}
	if IsSchema(f.Root) {
		return Flat, ""
	}
	for _, k := range order {
		if why := forms[k].recognise(f, o); why != "" {
			if f.Syntax != syntax.JSON && f.Syntax != syntax.CSS {
				why += ", in " + f.Syntax.String()
			}
			return k, why
		}
	}
	return Flat, ""
}

// IsSchema reports whether a file is a JSON Schema, which describes files and may name $value. Some tokens name one as
// their $schema.
func IsSchema(root *jsontree.Node) bool {
	isKeyword := func(m jsontree.Member) bool {
		return m.Name == "type" && m.Value.IsString() || slices.Contains([]string{"properties", "patternProperties", "definitions", "oneOf", "anyOf", "allOf"}, m.Name)
	}
	return strings.Contains(textOf(root.Find("$schema")), "json-schema.org") && slices.ContainsFunc(root.Members, isKeyword)
}

// Convert returns the trees that a file of a form gives, in the order in which they are laid over each other. It
// returns an *Error if the options name what the file lacks. A file that Livery wrote in another form gives the
// document that it was made of, but for what was changed in it.
func Convert(k Kind, root *jsontree.Node, o Options) ([]Part, error) {
	parts, err := forms[k].read(root, o)
	if read := forms[k].members; err == nil && read != nil {
		parts[0].Faults = append(parts[0].Faults, Outside(root, nil, func(name string) bool { return slices.Contains(read, name) })...)
	}
	if err == nil && len(parts) == 1 && noteForms[k] != "" {
		parts[0] = restore(root, parts[0])
	}
	return parts, err
}

// firstAt returns the dotted path of the first object in document order that is matches, and whether there is one.
func firstAt(n *jsontree.Node, matches func(*jsontree.Node) bool) (path string, ok bool) {
	var visit func(n *jsontree.Node, at []string) bool
	visit = func(n *jsontree.Node, at []string) bool {
		if matches(n) {
			path = strings.Join(at, ".")
			return true
		}
		for _, m := range n.Members {
			if m.Value.IsObject() && !isMeta(m.Name) && visit(m.Value, append(at, m.Name)) {
				return true
			}
		}
		return false
	}
	return path, n.IsObject() && visit(n, nil)
}

// named is a path for a reason: that of the root has none.
func named(path string) string {
	if path == "" {
		return "it"
	}
	return path
}
