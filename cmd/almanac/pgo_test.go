package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
)

// The profile that the compiler is guided by is of this program, and not of one that it once was:
// of the time that it gives to functions of ours, at least nine tenths is in functions that there
// are. When this fails, run make pgo.
func TestProfileIsOfThisProgram(t *testing.T) {
	const least = 0.9
	f, err := os.Open("default.pgo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]map[string]bool{} // directory to functions
	missing := map[string]int64{}
	var ours, found int64
	for _, s := range p.Sample {
		if len(s.Location) == 0 || len(s.Location[0].Line) == 0 {
			continue
		}
		dir, name, ok := place(s.Location[0].Line[0].Function.Name)
		if !ok {
			continue
		}
		if there[dir] == nil {
			there[dir] = functions(t, filepath.Join("..", "..", dir))
		}
		time := s.Value[len(s.Value)-1]
		ours += time
		if there[dir][name] {
			found += time
		} else {
			missing[dir+": "+name] += time
		}
	}
	if ours < 1e9 {
		t.Errorf("the profile has %.3g s of our functions; at least a second is wanted", float64(ours)/1e9)
	}
	if float64(found) < least*float64(ours) {
		t.Errorf("only %.0f %% of the profile is of functions that there are; run make pgo. Gone are %v",
			100*float64(found)/float64(ours), missing)
	}
}

var shapes = regexp.MustCompile(`\[[^]]*\]`)

// place is where a function of ours is declared, and its name there, as in (*replica).meet; what is
// inside of it counts as it.
func place(symbol string) (dir, name string, ok bool) {
	symbol, ok = strings.CutPrefix(shapes.ReplaceAllString(symbol, ""), "github.com/almanac-sim/almanac/")
	if !ok {
		return "", "", false
	}
	slash := strings.LastIndex(symbol, "/") + 1
	last, name, _ := strings.Cut(symbol[slash:], ".")
	for _, inside := range []string{".func", ".gowrap", ".deferwrap", "-range"} {
		name, _, _ = strings.Cut(name, inside)
	}
	return symbol[:slash] + last, name, true
}

// functions are those declared in a directory.
func functions(t *testing.T, dir string) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = receiver(f.Recv.List[0].Type) + "." + name
			}
			names[name] = true
		}
	}
	return names
}

// receiver is the type of a method's receiver, as in (*replica).
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(e.X) + ")"
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
