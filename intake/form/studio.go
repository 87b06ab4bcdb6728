package form

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const studioName = "an export of Tokens Studio"

// isStudio reports whether a file is an export of Tokens Studio or of Penpot: token sets beside $metadata or $themes.
func isStudio(f *model.File) bool {
	meta := f.Root.Find("$metadata")
	return meta.Find("tokenSetOrder") != nil || meta.Find("activeSets") != nil || meta.Find("activeThemes") != nil ||
		f.Root.Find("$themes") != nil && f.Root.Find("$themes").Kind == jsontree.Array || isSetsByAliases(f.Root)
}

// isSetsByAliases reports whether the members of a root are token sets, as a file without $metadata shows: each alias leads to a token
// in one of them, and none to a token in the whole.
func isSetsByAliases(root *jsontree.Node) bool {
	whole, inSets := map[string]bool{}, map[string]bool{}
	var aliases []string
	for _, m := range root.Members {
		walkTokens(m.Value, visitor{token: func(at jsontree.Pointer, token *jsontree.Node, _ string) {
			path := strings.Join(at, ".")
			whole[strings.TrimSuffix(m.Name+"."+path, ".")], inSets[path] = true, true
			value.MapStrings(valueOf(token), func(text string) string {
				return value.MapAliases(text, func(path string) string {
					aliases = append(aliases, path)
					return path
				})
			})
		}})
	}
	return len(aliases) > 0 && !slices.ContainsFunc(aliases, func(alias string) bool { return whole[alias] || !inSets[alias] })
}

// studio reads the token sets of one export.
type studio struct {
	document *model.Document
	names    []string // of the sets, in their order
	sets     map[string]tokenSet
	meta     model.Place    // of the root that holds $metadata
	themes   model.Place    // of the list $themes
	list     *jsontree.Node // $themes; nil if there are none
	paths    map[string]bool
}

// tokenSet is a token set and its place.
type tokenSet struct {
	node *jsontree.Node
	at   model.Place
}

func readStudio(f *model.File, _ Options) (*model.Document, error) {
	s := newStudio([]*model.File{f})
	s.meta, s.themes, s.list = model.Place{File: f}, model.Place{File: f, Pointer: "/$themes"}, f.Root.Find("$themes")
	beside := jsontree.NewObject()
	for _, m := range f.Root.Members {
		switch {
		case m.Name == "$metadata" || m.Name == "$themes":
		case dtcg.IsMetadata(m.Name):
			beside.Members = append(beside.Members, m)
		case m.Value.IsObject() && !isAnyToken(m.Value):
			s.sets[m.Name] = tokenSet{m.Value, model.Place{File: f, Pointer: jsontree.Pointer{m.Name}.String()}}
			s.names = append(s.names, m.Name)
		default:
			beside.Members = append(beside.Members, m)
		}
	}
	s.order(f.Root.Find("$metadata"))
	s.read()
	s.addSet("", tokenSet{beside, model.Place{File: f}}, nil)
	return s.document, nil
}

// readStudioFolder reads the files of a folder that Tokens Studio wrote as one document. Each file is a token set.
func readStudioFolder(folder string, files []*model.File, _ Options) (*model.Document, error) {
	s := newStudio(nil)
	metadata := jsontree.NewObject()
	for _, f := range files {
		within, isInside := strings.CutPrefix(f.Name, folder+"/")
		if folder == "." {
			within, isInside = f.Name, true
		}
		switch name := strings.TrimSuffix(within, path.Ext(within)); {
		case !isInside:
			continue
		case within == "$metadata.json":
			metadata, s.meta = f.Root, model.Place{File: f}
		case within == "$themes.json":
			s.list, s.themes = f.Root, model.Place{File: f}
		default:
			s.sets[name], s.names = tokenSet{f.Root, model.Place{File: f}}, append(s.names, name)
		}
		s.document.Files = append(s.document.Files, f)
	}
	s.order(metadata)
	s.read()
	return s.document, nil
}

func newStudio(files []*model.File) *studio {
	return &studio{
		document: &model.Document{Form: studioName, Files: files, Language: model.StudioMaths},
		sets:     map[string]tokenSet{}, paths: map[string]bool{},
	}
}

// order puts the sets into the order of $metadata. Sets that it does not name come last.
func (s *studio) order(metadata *jsontree.Node) {
	var first []string
	for i, n := range itemsOf(metadata.Find("tokenSetOrder")) {
		name := value.Text(n)
		if _, ok := s.sets[name]; ok && !slices.Contains(first, name) {
			first = append(first, name)
		} else if !ok {
			at := model.Place{File: s.meta.File, Pointer: "/$metadata/tokenSetOrder/" + strconv.Itoa(i)}
			s.document.Report(at, name, "token sets that are missing", "the tokenSetOrder names it, and there is no such token set", false)
		}
	}
	isRest := func(name string) bool { return !slices.Contains(first, name) }
	s.names = append(first, slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return !isRest(name) })...)
}

// read adds the declarations of the sets. In a choice of themes the sets that are there for references alone, the sources, come before
// those that are enabled; both in their order.
func (s *studio) read() {
	sources, enabled := s.contexts()
	for _, set := range s.sets {
		walkTokens(set.node, visitor{token: func(at jsontree.Pointer, _ *jsontree.Node, _ string) { s.paths[strings.Join(at, ".")] = true }})
	}
	if s.list == nil || len(itemsOf(s.list)) == 0 {
		for _, name := range s.names {
			s.addSet(name, s.sets[name], nil)
		}
		return
	}
	for _, name := range s.names {
		if len(sources[name]) > 0 {
			s.addSet(name, s.sets[name], sources[name])
		}
	}
	for _, name := range s.names {
		switch {
		case len(enabled[name]) > 0:
			s.addSet(name, s.sets[name], enabled[name])
		case len(sources[name]) == 0:
			s.document.Report(s.sets[name].at, name, "token sets in no theme", "no theme enables it, and it is left out", true)
		}
	}
}

// contexts adds the groups of $themes as dimensions, and returns the contexts in which each set is a source or enabled. Themes without
// a group are of the group "theme".
func (s *studio) contexts() (sources, enabled map[string][]model.Context) {
	sources, enabled = map[string][]model.Context{}, map[string][]model.Context{}
	for i, theme := range itemsOf(s.list) {
		group, name := cmp.Or(strings.TrimSpace(value.Text(theme.Find("group"))), "theme"), value.Text(theme.Find("name"))
		axis := s.dimension(model.Axis{Kind: model.Studio, Name: group}, &name)
		for _, m := range membersOf(theme.Find("selectedTokenSets")) {
			state, context := value.Text(m.Value), model.Context{{Axis: axis, Mode: name}}
			if _, ok := s.sets[m.Name]; !ok && (state == "enabled" || state == "source") {
				at := model.Place{File: s.themes.File, Pointer: s.themes.Pointer + jsontree.Pointer{strconv.Itoa(i), "selectedTokenSets", m.Name}.String()}
				s.document.Report(at, m.Name, "token sets that are missing", "the theme "+name+" names it, and there is no such token set", false)
			} else if state == "source" {
				sources[m.Name] = append(sources[m.Name], context)
			} else if state == "enabled" {
				enabled[m.Name] = append(enabled[m.Name], context)
			}
		}
	}
	return sources, enabled
}

// dimension adds a theme to the dimension of its group, whose name may differ in letter case, and returns the axis. A second theme of
// one name becomes "name 2".
func (s *studio) dimension(axis model.Axis, name *string) model.Axis {
	all := &s.document.Dimensions
	i := slices.IndexFunc(*all, func(d model.Dimension) bool { return strings.EqualFold(d.Name, axis.Name) })
	if i < 0 {
		i, *all = len(*all), append(*all, model.Dimension{Axis: axis, Default: *name})
	}
	d := &(*all)[i]
	for n, first := 2, *name; slices.Contains(d.Modes, *name); n++ {
		*name = first + " " + strconv.Itoa(n)
	}
	d.Modes = append(d.Modes, *name)
	return d.Axis
}

// addSet adds the declarations of a set, which hold in some contexts.
func (s *studio) addSet(name string, set tokenSet, when []model.Context) {
	place := func(at jsontree.Pointer) model.Place {
		return model.Place{File: set.at.File, Pointer: set.at.Pointer + at.String()}
	}
	visit := func(at jsontree.Pointer, token *jsontree.Node, above string) {
		kind := cmp.Or(value.Text(token.Find("$type")), value.Text(token.Find("type")), above)
		if parts := valueOf(token); kind == "composition" && parts.IsObject() {
			for _, part := range parts.Members {
				below := append(slices.Clone(at), part.Name)
				s.add(below, newStudioToken(jsontree.NewObject(), partType(part.Name), s.withoutSet(part.Value)), when, place(append(slices.Clone(at), valueName(token), part.Name)))
			}
			return
		}
		s.add(at, newStudioToken(token, kind, s.withoutSet(valueOf(token))), when, place(at))
	}
	group := func(at jsontree.Pointer, metadata *jsontree.Node) {
		s.document.Decls = append(s.document.Decls, model.Decl{Path: at, Node: metadata, Group: true, When: when, Place: place(at)})
	}
	stray := func(at jsontree.Pointer, v *jsontree.Node) { reportStray(s.document, place(at), at, v) }
	walkTokens(set.node, visitor{visit, group, stray})
}

func (s *studio) add(at jsontree.Pointer, node *jsontree.Node, when []model.Context, place model.Place) {
	s.document.Decls = append(s.document.Decls, model.Decl{Path: slices.Clone(at), Type: value.Text(node.Find("$type")), Node: node, When: when, Place: place})
}

// withoutSet returns a value in which an alias that names a token by its set too, {core.a.b} of a.b in the set core, is one of the
// token. One that leads to a token as it is stays.
func (s *studio) withoutSet(v *jsontree.Node) *jsontree.Node {
	return value.MapStrings(v, func(text string) string {
		return value.MapAliases(text, func(target string) string {
			for _, name := range s.names {
				rest, ok := strings.CutPrefix(target, strings.ReplaceAll(name, "/", ".")+".")
				if ok && !s.paths[target] && s.paths[rest] {
					return rest
				}
			}
			return target
		})
	})
}

// pixelTypes are the types whose numbers are pixels.
var pixelTypes = []string{"borderRadius", "borderWidth", "strokeWidth", "dimension", "fontSizes", "sizing", "spacing"}

// partTypes are the types of the parts of compositions that are not called as their type is. The first that matches counts.
var partTypes = []struct {
	names *regexp.Regexp
	kind  string
}{
	{regexp.MustCompile(`^borderRadius`), "borderRadius"},
	{regexp.MustCompile(`^borderWidth`), "borderWidth"},
	{regexp.MustCompile(`(?i)padding|spacing`), "spacing"},
	{regexp.MustCompile(`(?i)width$|height$|^size$`), "sizing"},
	{regexp.MustCompile(`(?i)^fill$|color$`), "color"},
}

// partType returns the type of a part of a composition.
func partType(name string) string {
	for _, p := range partTypes {
		if p.names.MatchString(name) {
			return p.kind
		}
	}
	if value.StudioTypes[name] != nil {
		return name
	}
	return ""
}

var (
	dollarAlias  = regexp.MustCompile(`\$([A-Za-z_][\w-]*(?:\.[\w-]+)*)`) // as Tokens Studio wrote aliases first
	hexWithAlpha = regexp.MustCompile(`^rgba\(\s*(#[0-9a-fA-F]{6})\s*,\s*(0?\.\d+|[01](?:\.\d+)?)\s*\)$`)
)

// newStudioToken returns the token of DTCG for one of Tokens Studio, which may say more beside its type and value.
func newStudioToken(n *jsontree.Node, kind string, v *jsontree.Node) *jsontree.Node {
	if value.StudioTypes[kind] == nil || value.StudioTypes[kind][0] != "string" {
		v = value.MapStrings(v, func(text string) string { return dollarAlias.ReplaceAllString(text, "{$1}") })
	}
	v = withoutEmptyParts(v)
	if v != nil && v.Kind == jsontree.Number && v.Text != "0" && slices.Contains(pixelTypes, kind) {
		v = jsontree.NewString(v.Text + "px")
	}
	if v.IsString() {
		v = jsontree.NewString(studioText(kind, v.Text))
	}
	kind, v = standardType(kind, spellStudioValue(kind, v))
	return newToken(n, kind, v)
}

// studioText computes an expression without aliases, so that its value tells its type, and spells numbers and percentages of a type of
// Tokens Studio as sd-transforms does: lengths in pixels, percentages of line heights and opacities as numbers, of letter spacings in em.
func studioText(kind, text string) string {
	if value.StudioTypes[kind] != nil {
		if result, ok := value.Evaluate(text); ok {
			text = result
		}
	}
	switch {
	case slices.Contains(pixelTypes, kind) && bareNumber.MatchString(text) && text != "0":
		return text + "px"
	case kind == "fontWeights":
		return value.WithoutStyle(jsontree.NewString(text)).Text
	}
	return value.StudioPercentage(kind, text)
}

// standardType returns the type of DTCG for a type of Tokens Studio and a value. A type that is not known stays.
func standardType(kind string, v *jsontree.Node) (string, *jsontree.Node) {
	types := value.StudioTypes[kind]
	switch {
	case types == nil:
		return kind, v
	case v.IsString() && strings.Contains(v.Text, "{"):
		if kind == "lineHeights" || kind == "opacity" || kind == "letterSpacing" {
			return kind, v // what it leads to tells
		}
		return types[0], v
	}
	for _, candidate := range types {
		if value.Fits(candidate, v) {
			return candidate, v
		}
	}
	if len(types) > 1 && (value.Shape(v) != "" || !v.IsString()) {
		return types[0], v // for the check to judge
	}
	return types[len(types)-1], v
}

// shadowNames are the members of a shadow that DTCG names otherwise, and typographyNames those of typography, which Penpot names as the
// types of their tokens.
var (
	shadowNames     = map[string]string{"x": "offsetX", "y": "offsetY", "offset-x": "offsetX", "offset-y": "offsetY", "radius": "blur"}
	typographyNames = map[string]string{
		"fontFamilies": "fontFamily", "fontSizes": "fontSize", "fontWeights": "fontWeight", "lineHeights": "lineHeight",
		"font-family": "fontFamily", "font-size": "fontSize", "font-weight": "fontWeight", "line-height": "lineHeight",
		"letter-spacing": "letterSpacing", "text-case": "textCase", "text-decoration": "textDecoration",
	}
)

// spellStudioValue returns a value with the members and spellings of DTCG.
func spellStudioValue(kind string, v *jsontree.Node) *jsontree.Node {
	switch {
	case kind == "boxShadow" || kind == "shadow":
		return spellShadow(v)
	case kind == "typography" && v.IsObject():
		return tree.MapMembers(v, func(m jsontree.Member) jsontree.Member {
			if name := typographyNames[m.Name]; name != "" && v.Find(name) == nil {
				m.Name = name
			}
			return m
		})
	case kind == "boolean" && v.IsString() && (v.Text == "true" || v.Text == "false"):
		return &jsontree.Node{Kind: jsontree.Bool, True: v.Text == "true"}
	case kind == "color" && v.IsString():
		if m := hexWithAlpha.FindStringSubmatch(v.Text); m != nil {
			alpha, _ := strconv.ParseFloat(m[2], 64)
			return jsontree.NewString(m[1] + fmt.Sprintf("%02x", int(alpha*255+0.5)))
		}
	}
	return v
}

// spellShadow returns a shadow or layers of shadows with the members of DTCG.
func spellShadow(v *jsontree.Node) *jsontree.Node {
	switch {
	case v != nil && v.Kind == jsontree.Array:
		return tree.MapChildren(v, func(_ string, layer *jsontree.Node) *jsontree.Node { return spellShadow(layer) })
	case !v.IsObject():
		return v
	}
	result := jsontree.NewObject()
	for _, m := range v.Members {
		switch {
		case m.Name == "type" || m.Name == "shadowType":
			if !slices.Contains([]string{"innerShadow", "inset"}, value.Text(m.Value)) {
				continue
			}
			m = jsontree.Member{Name: "inset", Value: &jsontree.Node{Kind: jsontree.Bool, True: true}}
		case m.Name == "color":
			m.Value = spellStudioValue("color", m.Value)
		case m.Name == "inset":
			m.Value = spellStudioValue("boolean", m.Value)
		case shadowNames[m.Name] != "":
			m.Name = shadowNames[m.Name]
		}
		result.Members = append(result.Members, m)
	}
	return result
}

// shadowLengths are the parts of a shadow that are lengths.
var shadowLengths = slices.Concat([]string{"offsetX", "offsetY", "blur", "spread"}, slices.Collect(maps.Keys(shadowNames)))

// withoutEmptyParts returns a composite value, or layers of one, without the parts that are an empty text. A length of a shadow is 0.
func withoutEmptyParts(v *jsontree.Node) *jsontree.Node {
	if v != nil && v.Kind == jsontree.Array {
		return tree.MapChildren(v, func(_ string, layer *jsontree.Node) *jsontree.Node { return withoutEmptyParts(layer) })
	}
	if !v.IsObject() {
		return v
	}
	return tree.MapMembers(v, func(m jsontree.Member) jsontree.Member {
		switch {
		case !m.Value.IsString() || m.Value.Text != "":
		case slices.Contains(shadowLengths, m.Name):
			m.Value = jsontree.NewString("0")
		default:
			m.Value = nil
		}
		return m
	})
}
