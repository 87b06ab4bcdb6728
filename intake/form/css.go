package form

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

const stylesheetName = "a stylesheet of custom properties"

// recognizesStylesheet reports whether a file is a stylesheet with custom properties.
func recognizesStylesheet(f *model.File) bool {
	return f.Syntax == syntax.CSS && len(f.Root.Items()) > 0
}

// readStylesheet reads the custom properties of a stylesheet. The declarations are in the order of the cascade.
func readStylesheet(f *model.File, _ Options) (*model.Document, error) {
	s := newStylesheet(f)
	s.readBlock(f.Root, cssScope{}, "")
	return s.document(), nil
}

// stylesheet collects the declarations of a stylesheet.
type stylesheet struct {
	file     *model.File
	list     []cssDeclaration
	initial  map[string]string // of registered properties
	layers   map[string]int    // by their full names, in the order of their first mention
	problems []model.Problem
}

func newStylesheet(f *model.File) *stylesheet {
	return &stylesheet{file: f, initial: map[string]string{}, layers: map[string]int{}}
}

// cssDeclaration is a declaration and the parts of its rank in the cascade.
type cssDeclaration struct {
	model.Decl
	value        string
	isImportant  bool
	layer        string // empty outside layers
	specificity  int
	isRegistered bool // it is an initial value
}

// cssScope has the rules around a declaration.
type cssScope struct {
	layer      string
	selectors  []string // nil outside a style rule
	conditions []string // at-rules such as @media
	registered string   // the property of @property
	isTheme    bool     // in Tailwind's @theme
}

// readBlock reads the statements of a block.
func (s *stylesheet) readBlock(block *jsontree.Node, in cssScope, pointer string) {
	var rules []cssRule
	if slices.ContainsFunc(block.Items(), func(statement *jsontree.Node) bool { return statement.Find("value") != nil }) {
		rules = in.rules()
	}
	for i, statement := range block.Items() {
		at := pointer + "/" + strconv.Itoa(i)
		first := statement.Members[0].Value.Text
		switch {
		case statement.Find("block") != nil:
			s.readBlock(statement.Find("block"), s.enter(in, first), at+"/block")
		case statement.Find("value") != nil:
			s.declare(in, rules, first, statement.Find("value").Text, at)
		default:
			s.readStatement(in, first, at)
		}
	}
}

// daisyTheme matches the prelude of a daisyUI theme. Package syntax adds the name of the theme to it.
var daisyTheme = regexp.MustCompile(`^@plugin ["'].*daisyui/theme.*["'] (\S+?)( default)?$`)

// enter returns the scope of a block in another scope.
func (s *stylesheet) enter(in cssScope, prelude string) cssScope {
	prelude = strings.Join(strings.Fields(prelude), " ")
	rule, name, _ := strings.Cut(prelude, " ")
	daisy := daisyTheme.FindStringSubmatch(prelude)
	switch {
	case rule == "@layer":
		in.layer = s.mentionLayer(in.layer, cmp.Or(name, strconv.Itoa(len(s.layers)))) // a CSS identifier never begins with a digit
	case rule == "@property":
		in.registered = name
	case strings.HasPrefix(rule, "@theme"):
		in.isTheme, in.layer, in.selectors = true, s.mentionLayer(in.layer, "theme"), []string{":root"}
	case daisy != nil && daisy[2] != "":
		in.selectors = []string{":root"}
	case daisy != nil:
		in.selectors = []string{"[data-theme=" + daisy[1] + "]"}
	case strings.HasPrefix(rule, "@supports") && !strings.HasPrefix(name, "not"): // browsers that are up to date have the feature
	case strings.HasPrefix(rule, "@"):
		if condition := conditionName(prelude); condition != "" {
			in.conditions = append(slices.Clip(in.conditions), condition)
		}
	case in.selectors == nil:
		in.selectors = splitSelectors(prelude)
	default:
		in.selectors = nestSelectors(in.selectors, splitSelectors(prelude))
	}
	return in
}

// mentionLayer adds a layer inside an outer layer to the order of layers, and returns its full name.
func (s *stylesheet) mentionLayer(outer, name string) string {
	for part := range strings.SplitSeq(name, ".") {
		outer = strings.TrimPrefix(outer+"."+strings.TrimSpace(part), ".")
		if _, isKnown := s.layers[outer]; !isKnown {
			s.layers[outer] = len(s.layers)
		}
	}
	return outer
}

// readStatement reads a statement without a block.
func (s *stylesheet) readStatement(in cssScope, text, pointer string) {
	rule, rest, _ := strings.Cut(text, " ")
	later := syntax.LaterProperty.FindStringSubmatch(text)
	switch {
	case rule == "@layer":
		for name := range strings.SplitSeq(rest, ",") {
			s.mentionLayer(in.layer, name)
		}
	case strings.HasPrefix(rule, "@import"):
		s.report(pointer, model.Problem{Kind: "imports", Message: text + " is not read: push that file too"})
	case rule == "@keyframes":
		s.report(pointer, model.Problem{Kind: "keyframes", Message: rest + " is not a token: keep it in a stylesheet of your own"})
	case later != nil:
		s.report(pointer, model.Problem{Path: strings.TrimPrefix(later[1], "--"), Kind: "invalid declarations", Message: "a browser takes it for a part of the statement before it: end each declaration with a semicolon, and write comments as /* … */", Lost: true})
	default:
		s.report(pointer, model.Problem{Path: strings.TrimPrefix(rule, "--"), Kind: "invalid declarations", Message: "it has no colon: write " + rule + ": …;", Lost: true})
	}
}

// report adds a problem of a place.
func (s *stylesheet) report(pointer string, p model.Problem) {
	p.Place = model.Place{File: s.file, Pointer: pointer}
	s.problems = append(s.problems, p)
}

// important matches the mark of an important declaration, and lineEnd a line end with the blanks around it.
var (
	important = regexp.MustCompile(`(?i)\s*!\s*important$`)
	lineEnd   = regexp.MustCompile(`[ \t]*[\r\n\f][ \t\r\n\f]*`)
)

// declare adds a custom property.
func (s *stylesheet) declare(in cssScope, rules []cssRule, name, written, pointer string) {
	if in.registered != "" {
		name, rules = in.registered, []cssRule{{}}
	}
	path := cssvalue.TokenName(name)
	value := important.ReplaceAllString(strings.TrimSpace(lineEnd.ReplaceAllString(written, " ")), "")
	switch {
	case len(rules) == 0:
		s.report(pointer, model.Problem{Path: path, Kind: "invalid declarations", Message: "it is outside any rule: move it into :root", Lost: true})
	case in.registered != "":
		s.initial[path] = value
	case syntax.LaterProperty.MatchString(written):
		s.readStatement(in, written, pointer)
		return
	}
	node := cssvalue.Node(value)
	kind := ""
	if in.isTheme {
		kind = themeType(path, node)
	}
	if kind != "" {
		node.Members = slices.Insert(node.Members, 0, jsontree.Member{Name: "$type", Value: jsontree.NewString(kind)})
	}
	for _, rule := range rules {
		decl := model.Decl{Path: []string{path}, Node: node, When: rule.when, Place: model.Place{File: s.file, Pointer: pointer}}
		if typ := node.Find("$type"); typ != nil {
			decl.Type = typ.Text
		}
		s.list = append(s.list, cssDeclaration{decl, value, important.MatchString(written), in.layer, rule.specificity, in.registered != ""})
	}
}

// document returns the declarations in the order of the cascade (CSS Cascading Level 5, section 6).
func (s *stylesheet) document() *model.Document {
	d := &model.Document{Files: []*model.File{s.file}, Problems: s.problems}
	for i := range s.list {
		for _, condition := range s.list[i].Conditions() {
			d.AddMode(condition)
		}
	}
	rank := s.ranks()
	slices.SortStableFunc(s.list, func(a, b cssDeclaration) int {
		return cmp.Or(rank(a)-rank(b), a.specificity-b.specificity)
	})
	for _, one := range s.list {
		if value, ok := s.initial[one.Name()]; ok && one.value == "initial" {
			one.Node = cssvalue.Node(value)
		}
		d.Decls = append(d.Decls, one.Decl)
	}
	return d
}

// ranks returns the rank of a declaration by its importance and layer: a layer wins over earlier layers and over its inner layers
// (CSS Cascading Level 5, section 6.4.3).
func (s *stylesheet) ranks() func(cssDeclaration) int {
	sorted := slices.SortedFunc(maps.Keys(s.layers), func(a, b string) int {
		x, y := strings.Split(a, "."), strings.Split(b, ".")
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return s.layers[strings.Join(x[:i+1], ".")] - s.layers[strings.Join(y[:i+1], ".")]
			}
		}
		return len(y) - len(x)
	})
	order := map[string]int{"": len(sorted)} // unlayered declarations win
	for i, name := range sorted {
		order[name] = i
	}
	return func(one cssDeclaration) int {
		switch layer := order[one.layer]; {
		case one.isRegistered:
			return -1
		case one.isImportant: // the order of layers is reversed
			return 2*len(sorted) + 1 - layer
		default:
			return layer
		}
	}
}

// themeTypes are the types of the namespaces of Tailwind's @theme. The suffixes belong to text sizes.
var themeTypes = []struct {
	name *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`--line-height$|^leading-`), "lineHeight"},
	{regexp.MustCompile(`--font-weight$|^font-weight-`), "fontWeight"},
	{regexp.MustCompile(`^color-`), "color"},
	{regexp.MustCompile(`^font-`), "fontFamily"},
	{regexp.MustCompile(`^(inset-)?shadow-`), "shadow"},
	{regexp.MustCompile(`^ease-`), "cubicBezier"},
	{regexp.MustCompile(`--letter-spacing$|^(text|tracking|breakpoint|container|spacing|radius|blur|perspective)(-|$)`), "dimension"},
}

// themeType returns the type of the namespace of a token in Tailwind's @theme, or "" if the value does not fit it.
func themeType(name string, token *jsontree.Node) string {
	v := token.Find("$value")
	if v == nil || token.Find("$type") != nil {
		return ""
	}
	for _, t := range themeTypes {
		isNumber := t.kind == "dimension" && cssvalue.IsUnitless(v.Text) // CSS gives it no unit
		if t.name.MatchString(name) && !isNumber && value.Fits(t.kind, v) {
			return t.kind
		}
	}
	return ""
}
