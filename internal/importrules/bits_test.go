package importrules

import (
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// All packages compile where an int has 32 bits. Here they are type-checked, which takes a few
// seconds; make lint vets them, and make test32 runs tests with 32 bits.
func TestFitsIn32Bits(t *testing.T) {
	before := build.Default
	defer func() { build.Default = before }()
	// For the standard library, too. Arguments in registers, which it has by a tag, are what 386
	// does not have.
	build.Default.GOARCH, build.Default.CgoEnabled = "386", false
	build.Default.ToolTags = slices.DeleteFunc(slices.Clone(before.ToolTags), func(tag string) bool {
		return strings.Contains(tag, "regabi")
	})
	c := checker{files: token.NewFileSet(), checked: map[string]*types.Package{}}
	c.standard = importer.ForCompiler(c.files, "source", nil)
	for path := range mayImport {
		if _, err := c.Import(Module + "/" + path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, problem := range c.problems {
		t.Error("with 32 bits: ", problem)
	}
	// It can fail.
	file, err := parser.ParseFile(c.files, "wrong.go", "package wrong\n\nvar x int = 1 << 32", 0)
	if err != nil {
		t.Fatal(err)
	}
	if c.problems = nil; c.check("wrong", []*ast.File{file}) == nil || len(c.problems) != 1 {
		t.Errorf("1 << 32 is taken for an int of 32 bits: %v", c.problems)
	}
}

// A checker imports packages from their sources, as 386 has them.
type checker struct {
	files    *token.FileSet
	checked  map[string]*types.Package
	standard types.Importer
	problems []error // numbers that do not fit
}

func (c *checker) Import(path string) (*types.Package, error) {
	directory, ours := strings.CutPrefix(path, Module+"/")
	if first, _, _ := strings.Cut(path, "/"); !ours && strings.Contains(first, ".") {
		return nil, errors.New("not looked at") // what others made
	}
	if !ours {
		return c.standard.Import(path)
	}
	if p := c.checked[path]; p != nil {
		return p, nil
	}
	directory = filepath.Join("..", "..", filepath.FromSlash(directory))
	found, err := build.ImportDir(directory, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(directory, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	c.checked[path] = c.check(path, files)
	return c.checked[path], nil
}

// check notes what does not fit. Other problems there are none, since all this compiles with 64
// bits, but for names from packages that are not looked at.
func (c *checker) check(path string, files []*ast.File) *types.Package {
	config := types.Config{Importer: c, Sizes: types.SizesFor("gc", "386"), Error: func(err error) {
		for _, sign := range []string{"overflow", "truncated", "out of bounds", "invalid array length"} {
			if strings.Contains(err.Error(), sign) {
				c.problems = append(c.problems, err)
				return
			}
		}
	}}
	p, _ := config.Check(path, c.files, files, nil)
	return p
}
