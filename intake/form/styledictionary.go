package form

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

const dictionaryName = "a document of Style Dictionary, without dollar signs"

// isDictionary reports whether a file holds tokens whose values stand in members called value.
func isDictionary(f *model.File) bool { return holdsToken(f.Root) }

func readDictionary(f *model.File, o Options) (*model.Document, error) {
	d := newDictionary(f, o)
	d.addGroup(f.Root, nil)
	return d.finish(), nil
}

// dictionary reads tokens as Style Dictionary does.
type dictionary struct {
	document *model.Document
	file     *model.File
	modes    *valueModes
}

func newDictionary(f *model.File, o Options) *dictionary {
	return &dictionary{&model.Document{Files: []*model.File{f}}, f, newValueModes(o)}
}

// finish returns the document with the dimensions of its values.
func (d *dictionary) finish() *model.Document {
	d.document.Dimensions = append(d.document.Dimensions, d.modes.usedDimensions()...)
	return d.document
}

// addGroup adds the tokens below the object at a place of the file. The place is not part of their paths.
func (d *dictionary) addGroup(n *jsontree.Node, at jsontree.Pointer) {
	place := func(path jsontree.Pointer) model.Place {
		return model.Place{File: d.file, Pointer: at.String() + path.String()}
	}
	walkTokens(n, visitor{
		token: func(path jsontree.Pointer, token *jsontree.Node, above string) {
			d.addToken(path, token, above, place(path))
		},
		group: func(path jsontree.Pointer, metadata *jsontree.Node) {
			d.document.Decls = append(d.document.Decls, model.Decl{Path: path, Node: metadata, Group: true, Place: place(path)})
		},
		stray: func(path jsontree.Pointer, v *jsontree.Node) { reportStray(d.document, place(path), path, v) },
	})
}

// addToken adds a token, with a declaration for each mode of its value.
func (d *dictionary) addToken(path jsontree.Pointer, token *jsontree.Node, above string, place model.Place) {
	kind := cmp.Or(value.Text(token.Find("$type")), value.Text(token.Find("type")))
	if value.StudioTypes[kind] != nil && kind != "dimension" && kind != "opacity" {
		d.document.Language = model.Expressions
	}
	decl := model.Decl{Path: path, Place: place}
	d.modes.each(d.document, decl, valueOf(token), func(v *jsontree.Node, when []model.Context) {
		own := kind
		v = value.MapStrings(v, func(text string) string { return valueSuffix.ReplaceAllString(text, "}") })
		if unit := value.Text(token.Find("unit")); unit != "" && v != nil && bareNumber.MatchString(v.Text) {
			v = jsontree.NewString(v.Text + unit)
		}
		v = colorOfParts(v)
		if isBuilt := token.Find("original") != nil; value.NearestType(kind) == "" && above == "" && token.Find("$value") == nil && !isBuilt && len(path) > 0 {
			own, v = categoryValue(kind, v, path)
		} else {
			own, v = standardType(own, spellStudioValue(own, v))
		}
		decl.Type, decl.Node, decl.When = cmp.Or(own, above), newToken(token, own, v), when
		d.document.Decls = append(d.document.Decls, decl)
	})
}

var (
	valueSuffix = regexp.MustCompile(`\.\$?value\s*\}`)                                      // of an alias that names the value of a token
	bareHex     = regexp.MustCompile(`^(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`) // a colour without its #
)

// categories are the types that Style Dictionary's own transforms give to the tokens without a type of a category, the first name of their
// path, and the units that its platform css writes after a bare number.
var categories = map[string]struct{ kind, unit string }{
	"size": {"dimension", "rem"}, "time": {"duration", "ms"}, "content": {"string", ""}, "asset": {"string", ""}, "icon": {"string", ""},
}

// categoryValue returns the type and value of a token without a known type as Style Dictionary's css has them.
func categoryValue(kind string, v *jsontree.Node, path jsontree.Pointer) (typ string, typed *jsontree.Node) {
	if path[0] == "color" && v.IsString() && bareHex.MatchString(v.Text) {
		return "color", jsontree.NewString("#" + v.Text)
	}
	category, ok := categories[path[0]]
	if !ok || v == nil || strings.Contains(value.Text(v), "{") {
		return kind, v
	}
	isNumber := (v.Kind == jsontree.Number || v.IsString()) && bareNumber.MatchString(v.Text)
	if category.unit != "" && isNumber {
		v = jsontree.NewString(v.Text + category.unit)
	}
	if !value.Fits(category.kind, v) {
		return kind, v
	}
	return category.kind, v
}

// colorOfParts returns the colour of an object of red, green, blue and alpha from 0 to 1, as Style Dictionary writes colours for iOS. It
// returns any other value unchanged.
func colorOfParts(v *jsontree.Node) *jsontree.Node {
	parts := [4]float64{}
	for i, name := range []string{"red", "green", "blue", "alpha"} {
		n := v.Find(name)
		if n == nil {
			return v
		}
		var err error
		if parts[i], err = strconv.ParseFloat(n.Text, 64); err != nil || parts[i] < 0 || parts[i] > 1 {
			return v
		}
	}
	color := css.ColorValue{Space: "srgb", Components: [3]float64(parts[:3]), Alpha: parts[3]}
	return jsontree.NewString(string(color.AppendHex(nil)))
}
