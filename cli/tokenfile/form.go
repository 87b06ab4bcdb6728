package tokenfile

import (
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
	Figma                       // an answer of Figma's REST interface to a question for variables
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
}

// forms has the forms by Kind.
var forms = [numberOfKinds]form{
	Flat:            {"a flat map", recogniseFlat, readFlat},
	DTCG:            {"a DTCG document", recogniseDTCG, readDTCG},
	StyleDictionary: {"a document of Style Dictionary, without dollar signs", recogniseStyleDictionary, readStyleDictionary},
	Studio:          {"an export of Tokens Studio", recogniseStudio, convertStudio},
	BareStudio:      {"an export of Tokens Studio", recogniseBareStudio, convertStudio},
	Figma:           {"an answer of Figma", recogniseFigma, readFigma},
	SetValues:       {"a document of tokens with sets", recogniseSetValues, readSetValues},
	TokenList:       {"a list of tokens", recogniseTokenList, readTokenList},
	Plain:           {"plain nested JSON", recognisePlain, readPlain},
	Stylesheet:      {"a stylesheet of custom properties", recogniseStylesheet, readStylesheet},
	Theo:            {"a document of Theo", recogniseTheo, readTheo},
	Registry:        {"a theme of shadcn's registry", recogniseRegistry, readRegistry},
	Resolver:        {"a resolver document", recogniseResolver, readResolver},
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

// HasModes reports whether files of this form hold modes, of which Options.Mode is one. Values that name their modes stand in
// Part.ModeNames.
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

// Convert returns the trees that a file of a form gives, in the order in which they are laid over each other. It returns an
// *Error if the options name what the file lacks.
// A file that Livery wrote in another form gives the document that it was made of, but for what was changed in it.
func Convert(k Kind, root *jsontree.Node, o Options) ([]Part, error) {
	if !k.HasModes() {
		o.Mode = o.modeOf("") // the modes of values are of one dimension, which has no name
	}
	parts, err := forms[k].read(root, o)
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
