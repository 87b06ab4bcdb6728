package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// cssPrefix is how the linker begins the names of the functions of package renderer/css.
const cssPrefix = "example.com_livery_renderer_css."

// typeFiles is which files of renderer/css belong to one type, or to several. A file that is not named
// here is shared by all.
var typeFiles = map[string]string{
	"color.go": "color", "colortext.go": "color", "colorspace.go": "color", "convert.go": "color", "gamut.go": "color", "transfer.go": "color",
	"namedcolor.go": "color", "quantity.go": "dimension, duration, number", "expression.go": "dimension, duration, number",
	"number.go": "dimension, duration, number", "fontfamily.go": "fontFamily", "fontweight.go": "fontWeight", "cubicbezier.go": "cubicBezier",
	"strokestyle.go": "strokeStyle", "border.go": "border", "transition.go": "transition", "shadow.go": "shadow", "gradient.go": "gradient",
	"typography.go": "typography", "fonttext.go": "typography", "string.go": "string, boolean",
}

const sharedByTypes = "shared: what is safe, names, parts, inference"

// part is the code of a type or of a package.
type part struct {
	name      string
	functions int
	bytes     int
	empty     int // of the same package in the empty reactor
}

// typesOf adds up the functions of renderer/css by type, the largest first.
func typesOf(m *module, folder string) ([]part, error) {
	files, err := filesOfFunctions(folder)
	if err != nil {
		return nil, err
	}
	parts := map[string]*part{}
	for _, f := range m.functions {
		name, ours := strings.CutPrefix(f.name, cssPrefix)
		if !ours {
			continue
		}
		typ := typeFiles[files[closure.ReplaceAllString(name, "")]]
		if typ == "" {
			typ = sharedByTypes
		}
		if parts[typ] == nil {
			parts[typ] = &part{name: typ}
		}
		parts[typ].functions++
		parts[typ].bytes += f.size
	}
	return largestFirst(parts), nil
}

// closure is how the linker ends the name of a function inside another.
var closure = regexp.MustCompile(`(\.func[0-9.]+)+$`)

// filesOfFunctions returns the file that declares each function, by its name as the linker spells it.
func filesOfFunctions(folder string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				files[linkName(f)] = filepath.Base(name)
			}
		}
	}
	return files, nil
}

// linkName spells a function as the linker does, without its package.
func linkName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	switch receiver := f.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		if name, ok := receiver.X.(*ast.Ident); ok {
			return "__" + name.Name + "_." + f.Name.Name
		}
	case *ast.Ident:
		return receiver.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// packagesOf adds up the functions of both modules by package, those that ours adds most to first.
func packagesOf(guest, empty *module) []part {
	parts := map[string]*part{}
	add := func(name string) *part {
		if parts[name] == nil {
			parts[name] = &part{name: name}
		}
		return parts[name]
	}
	for _, f := range guest.functions {
		p := add(packageOf(f.name))
		p.functions++
		p.bytes += f.size
	}
	for _, f := range empty.functions {
		add(packageOf(f.name)).empty += f.size
	}
	return largestFirst(parts)
}

// packageOf returns the package of a function as the linker spells it: what stands before the first
// dot, after the one in our own path. What an instance of a generic function is for stands after its own package.
func packageOf(name string) string {
	const ours = "example.com"
	rest, own := strings.CutPrefix(name, ours)
	before, _, _ := strings.Cut(rest, ".")
	if own {
		before = ours + before
	}
	return before
}

func largestFirst(parts map[string]*part) []part {
	var list []part
	for _, p := range parts {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.bytes-b.empty, a.bytes-a.empty), strings.Compare(a.name, b.name))
	})
	return list
}
