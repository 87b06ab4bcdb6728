// Package write spells a DTCG document in the forms of other tools: Style Dictionary's own, an export of Tokens Studio, an
// answer of Figma. What such a form cannot say stands in a note beside the tokens, so that what was not changed in the tool
// comes back as it was. It is pure.
package write

import (
	"slices"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// writer spells a document; places are the pointers to its tokens -> to their places in the file. A token without a place
// stands in the note alone.
type writer func(d *dtcg.Document) (file *jsontree.Node, places map[string]string)

// writers are the forms by their names.
var writers = map[string]struct {
	kind  tokenfile.Kind
	write writer
}{
	"style-dictionary": {tokenfile.StyleDictionary, writeDictionary},
	"tokens-studio":    {tokenfile.Studio, writeStudio},
	"figma":            {tokenfile.Figma, writeFigma},
}

// Forms lists the names of the forms, in order.
func Forms() []string { return []string{"figma", "style-dictionary", "tokens-studio"} }

// Document spells a document in a form of these names. It returns nil for another name.
func Document(form string, document *jsontree.Node) *jsontree.Node {
	w, ok := writers[form]
	if !ok {
		return nil
	}
	file, places := w.write(dtcg.Read(document))
	file = tokenfile.WithNote(file, tokenfile.NewNote(w.kind, jsontree.NewObject(), jsontree.NewObject(), nil))
	back, found := readAgain(file)
	for pointer, place := range places {
		if place, ok = found[place]; !ok {
			delete(places, pointer)
			continue
		}
		places[pointer] = place
	}
	return tokenfile.WithNote(file, tokenfile.NewNote(w.kind, document, back, places))
}

// readAgain returns the tree that a push makes of a file, and the pointers in the file -> in the tree.
func readAgain(file *jsontree.Node) (*jsontree.Node, map[string]string) {
	found := map[string]string{}
	f := &syntax.File{Root: file}
	k, _ := tokenfile.Recognise(f, tokenfile.Options{})
	parts, err := tokenfile.Convert(k, file, tokenfile.Options{})
	if err != nil || len(parts) != 1 {
		return jsontree.NewObject(), found
	}
	tokens := dtcg.Read(parts[0].Tree).Tokens
	for i := range tokens {
		pointer := tokens[i].Pointer().String()
		found[pointer] = pointer
	}
	for pointer, origin := range parts[0].Origins {
		delete(found, pointer)
		found[origin] = pointer
	}
	return parts[0].Tree, found
}

// tree writes the tokens of a document as a tree below a pointer. A token or group that is called value gets another name:
// these forms would take the group above it for a token.
func tree(d *dtcg.Document, above jsontree.Pointer, withMeta bool, token func(t *dtcg.Token) *jsontree.Node) (*jsontree.Node, map[string]string) {
	w := treeWriter{token: token, places: map[string]string{}, byPointer: map[string]*dtcg.Token{}}
	for i := range d.Tokens {
		w.byPointer[d.Tokens[i].Pointer().String()] = &d.Tokens[i]
	}
	return w.group(d.Root, nil, above, withMeta), w.places
}

type treeWriter struct {
	token     func(t *dtcg.Token) *jsontree.Node
	places    map[string]string
	byPointer map[string]*dtcg.Token
}

// group spells a group, with its metadata if it has its own name.
func (w *treeWriter) group(n *jsontree.Node, at, place jsontree.Pointer, withMeta bool) *jsontree.Node {
	result := jsontree.NewObject()
	for _, m := range n.Members {
		if dtcg.IsMetadata(m.Name) {
			if withMeta && !isOfDTCG(m) {
				result.Members = append(result.Members, m)
			}
			continue
		}
		name := m.Name
		for name == "value" || name != m.Name && n.Find(name) != nil {
			name += "_"
		}
		below, placed := append(at[:len(at):len(at)], m.Name), append(place[:len(place):len(place)], name)
		t := w.byPointer[below.String()]
		switch {
		case !m.Value.IsObject():
			continue
		case t == nil:
			m.Value = w.group(m.Value, below, placed, withMeta && name == m.Name)
			if len(m.Value.Members) == 0 {
				continue
			}
		default:
			if m.Value = w.token(t); m.Value == nil {
				continue
			}
			w.places[below.String()] = placed.String()
		}
		result.Members = append(result.Members, jsontree.Member{Name: name, Value: m.Value})
	}
	result.Index()
	return result
}

// isOfDTCG reports whether a member of a group or token, anywhere in it, has a name by which Style Dictionary takes the whole
// file for one of DTCG, and reads no value of it.
func isOfDTCG(m jsontree.Member) bool {
	return m.Name == "$type" || m.Name == "$value" || slices.ContainsFunc(m.Value.Members, isOfDTCG)
}

// text spells a value as CSS of a kind; a value with aliases, or one that cannot be spelled, stays as it is.
func text(d *dtcg.Document, k css.Kind, value *jsontree.Node) *jsontree.Node {
	if value.IsString() || value.Kind == jsontree.Number {
		return value
	}
	if spelled, misfit := css.Append(nil, k, value); misfit == nil {
		return jsontree.NewString(string(spelled))
	}
	return value
}

// kindOf is what the values of a token are rendered as.
func kindOf(t *dtcg.Token) css.Kind {
	k, _ := dtcg.KindOf(t.Resolved)
	return k
}

// description returns the description of a token, or nil.
func description(t *dtcg.Token) *jsontree.Node {
	if d := t.Node.Find("$description"); d.IsString() {
		return d
	}
	return nil
}
