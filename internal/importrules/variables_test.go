package importrules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A package that other modules can import exports no variables but errors: an assignment would
// change it for the whole program.
func TestNoExportedVariables(t *testing.T) {
	errs := 0
	for _, p := range packages(t) {
		if slices.Contains(strings.Split(p.name, "/"), "internal") {
			continue
		}
		for name, at := range exportedVariables(t, "../../"+p.name) {
			if strings.HasPrefix(name, "Err") {
				errs++
				continue
			}
			t.Errorf("%s: %s is an exported variable; a function that returns its value cannot be assigned to", at, name)
		}
	}
	if errs < 10 {
		t.Errorf("only %d exported errors were found", errs)
	}
}

// exportedVariables returns where the exported variables of a directory's package are declared, by
// name.
func exportedVariables(t *testing.T, dir string) map[string]token.Position {
	t.Helper()
	all, files := map[string]token.Position{}, token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if n.IsExported() {
						all[n.Name] = files.Position(n.Pos())
					}
				}
			}
		}
	}
	return all
}
