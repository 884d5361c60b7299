package importrules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A pack is a package with what its files import, on any machine. Files are read here and not by
// the go command, so that go test knows what the result depends on.
type pack struct {
	name    string // its path within the module
	imports []string
}

func packages(t *testing.T) (all []pack) {
	t.Helper()
	const root = "../.."
	imports := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		name, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if imports[name] == nil {
			imports[name] = map[string]bool{}
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			imports[name][strings.Trim(i.Path.Value, `"`)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		all = append(all, pack{name, slices.Sorted(maps.Keys(imports[name]))})
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

func TestImports(t *testing.T) {
	for _, problem := range problems(mayImport, packages(t)) {
		t.Error(problem)
	}
}

// problems lists what is wrong with the imports of packages, and with the rule.
func problems(rule map[string][]string, all []pack) (problems []string) {
	say := func(words ...string) { problems = append(problems, strings.Join(words, " ")) }
	seen := map[string]bool{}
	for _, p := range all {
		name := p.name
		allowed, known := rule[name]
		seen[name] = true
		if !known {
			say(name, "is not a package that the rule knows")
			continue
		}
		for _, other := range p.imports {
			if to, mine := ours(other); mine && !slices.Contains(allowed, to) {
				say(name, "may not import", to)
			}
		}
		for _, to := range allowed {
			if !slices.Contains(p.imports, Module+"/"+to) {
				say(name, "may import", to, "and does not")
			}
		}
	}
	for name := range rule {
		if !seen[name] {
			say(name, "is in the rule and does not exist")
		}
	}
	return problems
}

// ours is a package's path within the module, if it is one of ours.
func ours(path string) (string, bool) { return strings.CutPrefix(path, Module+"/") }

// A Go module within this one is built with another version of the root than the one beside it, so
// it may import only what versions promise: no internal package but its own.
func TestModulesImportNoInternalPackage(t *testing.T) {
	modules := modules(t)
	if len(modules) < 2 {
		t.Fatalf("only the modules %q are found", modules)
	}
	for _, problem := range trespasses(modules, packages(t)) {
		t.Error(problem)
	}
	packs := []pack{
		{"in", []string{"fmt", Module + "/public", Module + "/in/internal/own"}},
		{"in/deep", []string{Module + "/internal/leaf", Module + "/public/internal"}},
		{"inner", []string{Module + "/internal/leaf"}},
	}
	want := []string{"in/deep imports internal/leaf, which is not of its module", "in/deep imports public/internal, which is not of its module"}
	if got := trespasses([]string{"in"}, packs); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// modules are the folders of the Go modules within this one.
func modules(t *testing.T) (all []string) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.Name() == "go.mod":
			if folder, _ := filepath.Rel(root, filepath.Dir(path)); folder != "." {
				all = append(all, filepath.ToSlash(folder))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// trespasses lists the imports of internal packages by modules that they are not of.
func trespasses(modules []string, all []pack) (problems []string) {
	for _, p := range all {
		for _, m := range modules {
			if !strings.HasPrefix(p.name+"/", m+"/") {
				continue
			}
			for _, i := range p.imports {
				to, mine := ours(i)
				if mine && strings.Contains("/"+to+"/", "/internal/") && !strings.HasPrefix(to, m+"/") {
					problems = append(problems, p.name+" imports "+to+", which is not of its module")
				}
			}
		}
	}
	return problems
}

// Who imports one of the structures gets nothing else.
func TestStructuresComeAlone(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range packages(t) {
		imports[p.name] = p.imports
	}
	for name, with := range alone {
		for _, problem := range brings(imports, name, with) {
			t.Error(problem)
		}
	}
}

// brings lists what comes along with a package and should not.
func brings(imports map[string][]string, name string, with []string) (problems []string) {
	seen := map[string]bool{}
	var visit func(p string)
	visit = func(p string) {
		for _, i := range imports[p] {
			to, mine := ours(i)
			if seen[i] {
				continue
			}
			seen[i] = true
			first, _, _ := strings.Cut(i, "/")
			switch {
			case !mine && !strings.Contains(first, "."): // of the standard library
			case mine && (strings.HasPrefix(to, "internal/") || strings.HasPrefix(to, name+"/internal/") ||
				slices.Contains(with, to)):
				visit(to)
			default:
				problems = append(problems, name+" brings "+i)
			}
		}
	}
	visit(name)
	return problems
}

func TestBrings(t *testing.T) {
	imports := map[string][]string{
		"tree":          {"fmt", Module + "/internal/leaf", Module + "/bush"},
		"bush":          {"math/bits"},
		"internal/leaf": {"example.org/heavy"},
	}
	if got := brings(imports, "tree", []string{"bush"}); !slices.Equal(got, []string{"tree brings example.org/heavy"}) {
		t.Errorf("got %q", got)
	}
	if got := brings(imports, "tree", nil); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// The rule finds what is wrong.
func TestProblems(t *testing.T) {
	rule := map[string][]string{"leaf": {}, "tree": {"leaf"}}
	of := func(name string, imports ...string) pack {
		p := pack{name, []string{"fmt"}}
		for _, i := range imports {
			p.imports = append(p.imports, Module+"/"+i)
		}
		return p
	}
	for _, c := range []struct {
		packs []pack
		want  string
	}{
		{[]pack{of("leaf"), of("tree", "leaf")}, ""},
		{[]pack{of("leaf", "tree"), of("tree", "leaf")}, "leaf may not import tree"},
		{[]pack{of("leaf"), of("tree")}, "tree may import leaf and does not"},
		{[]pack{of("leaf"), of("tree", "leaf"), of("bush")}, "bush is not a package that the rule knows"},
		{[]pack{of("leaf")}, "tree is in the rule and does not exist"},
		{[]pack{of("leaf"), of("tree", "leaf", "leaf/vein")}, "tree may not import leaf/vein"},
	} {
		if got := strings.Join(problems(rule, c.packs), "; "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
