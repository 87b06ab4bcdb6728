package deploy_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goClient adds what package client exports: functions and methods with their signatures, fields with their types.
func goClient(t *testing.T, add func(string, ...any)) {
	t.Helper()
	names, err := filepath.Glob("../client/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("package client has no files: %v", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if d.Recv != nil {
					receiver = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "."
				}
				if d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) {
					add("go client %s%s %s", receiver, d.Name, types.ExprString(d.Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					goSpec(spec, add)
				}
			}
		}
	}
}

// goSpec adds the exported names of a declaration of types, constants or variables.
func goSpec(spec ast.Spec, add func(string, ...any)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() {
				add("go client %s", name)
			}
		}
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		add("go client type %s", spec.Name)
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						add("go client %s.%s %s", spec.Name, name, types.ExprString(field.Type))
					}
				}
			}
		}
	}
}

var (
	typeScriptExport = regexp.MustCompile(`(?m)^export (?:declare )?(?:function|const|class|interface|type) (\w+)`)
	typeScriptMember = regexp.MustCompile(`^\t(?:readonly )?(\w+)\??[:(<]`)
)

// npmPackages adds the modules of the packages for npm, what they export, and the members of it.
func npmPackages(t *testing.T, add func(string, ...any)) {
	t.Helper()
	for name, file := range map[string]string{"@livery/theme": "../client/js/package.json", "@livery/renderer": "package/renderer/package.json"} {
		var described struct{ Exports map[string]any }
		if err := json.Unmarshal([]byte(read(t, file)), &described); err != nil || len(described.Exports) == 0 {
			t.Fatalf("%s exports nothing: %v", file, err)
		}
		for module := range described.Exports {
			add("npm %s has the module %s", name, module)
		}
	}
	for name, pattern := range map[string]string{"@livery/theme": "../client/js/*.d.mts", "@livery/renderer": "../wasm/*.d.mts"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no declarations: %v", name, err)
		}
		for _, file := range files {
			exported := ""
			for line := range strings.Lines(read(t, file)) {
				if found := typeScriptExport.FindStringSubmatch(line); found != nil {
					exported = found[1]
					add("npm %s exports %s", name, exported)
				} else if found := typeScriptMember.FindStringSubmatch(line); found != nil && exported != "" {
					add("npm %s exports %s.%s", name, exported, found[1])
				}
			}
		}
	}
}
