package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A pack is what go list tells of a package.
type pack struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func packages(t *testing.T, args ...string) (all []pack) {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps,Standard"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pack
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	for _, problem := range problems(mayImport, packages(t, Module+"/...")) {
		t.Error(problem)
	}
}

// problems lists what is wrong with the imports of packages, and with the rule.
func problems(rule map[string][]string, all []pack) (problems []string) {
	say := func(words ...string) { problems = append(problems, strings.Join(words, " ")) }
	seen := map[string]bool{}
	for _, p := range all {
		name, _ := ours(p.ImportPath)
		allowed, known := rule[name]
		seen[name] = true
		if !known {
			say(name, "is not a package that the rule knows")
			continue
		}
		for _, other := range p.Imports {
			if to, mine := ours(other); mine && !slices.Contains(allowed, to) {
				say(name, "may not import", to)
			}
		}
		for _, to := range allowed {
			if !slices.Contains(p.Imports, Module+"/"+to) {
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

// Who imports one of the structures gets nothing else.
func TestStructuresComeAlone(t *testing.T) {
	standard := map[string]bool{}
	for _, p := range packages(t, "std") {
		standard[p.ImportPath] = true
	}
	for name, with := range alone {
		deps := packages(t, Module+"/"+name)[0].Deps
		if len(deps) == 0 {
			t.Errorf("%s: nothing is known of what it needs", name)
		}
		for _, d := range deps {
			to, mine := ours(d)
			switch {
			case standard[d] || strings.HasPrefix(d, "vendor/"):
			case mine && (strings.HasPrefix(to, "internal/") || strings.HasPrefix(to, name+"/internal/") || slices.Contains(with, to)):
			default:
				t.Errorf("%s brings %s", name, d)
			}
		}
	}
}

// The rule finds what is wrong.
func TestProblems(t *testing.T) {
	rule := map[string][]string{"leaf": {}, "tree": {"leaf"}}
	of := func(name string, imports ...string) pack {
		p := pack{ImportPath: Module + "/" + name, Imports: []string{"fmt"}}
		for _, i := range imports {
			p.Imports = append(p.Imports, Module+"/"+i)
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
