package importrules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deciding are the packages that decide about events, draws or numbers that are written. What they
// compute is the same on every machine, to the last bit.
var deciding = []string{
	"capped", "capped/internal/counts", "ensemble", "experiment", "fit", "fit/internal/cma",
	"fit/internal/diagnostics", "fit/internal/distribution", "fit/internal/matrix", "fit/internal/proposal",
	"fit/internal/rank", "fit/internal/weight", "internal/allocation", "internal/cappedmath", "internal/design",
	"internal/fitted", "internal/format", "study", "internal/quantile", "internal/outputs", "internal/detmath",
	"internal/random",
	"internal/sketch", "internal/study", "population", "population/internal/compile", "population/internal/engine",
	"population/internal/fitting", "population/internal/law", "population/internal/lookup", "population/internal/program",
	"population/internal/store", "population/internal/syntax", "population/results", "sim", "sim/analysis",
	"sim/internal/seed",
	"sim/replicate",
}

// exact are the functions of package math that are exact, or rounded as IEEE 754 wants, on every
// machine. The others have assembly of their own on some, or are compiled with fused multiply-add
// on some; internal/detmath has what is needed of them.
var exact = []string{"Abs", "Ceil", "Copysign", "Dim", "FMA", "Float32bits", "Float32frombits", "Float64bits",
	"Float64frombits", "Floor",
	"Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf", "NaN", "Nextafter", "Pow10", "Remainder",
	"Round", "RoundToEven",
	"Signbit", "Sqrt", "Trunc"}

func TestPortableFunctions(t *testing.T) {
	for _, p := range deciding {
		names, err := filepath.Glob(filepath.Join("../..", p, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", p, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if strings.Contains(i.Path.Value, "gonum.org/v1/gonum/") {
					t.Errorf("%s imports %s, whose bits depend on the machine; internal/detmath and internal/random are the same "+
						"everywhere", name, i.Path.Value)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := s.X.(*ast.Ident)
				switch {
				case !ok:
				case x.Name == "math" && strings.ToUpper(s.Sel.Name[:1]) == s.Sel.Name[:1] && !slices.Contains(exact, s.Sel.Name) &&
					!isConstant(s.Sel.Name):
					t.Errorf("%s: math.%s gives other bits on other machines; use portable.%[2]s, and add it to internal/detmath "+
						"if it is not there",
						set.Position(s.Pos()), s.Sel.Name)
				case s.Sel.Name == "NormFloat64" || s.Sel.Name == "ExpFloat64":
					t.Errorf("%s: %s uses package math; use random.Normal and random.Exponential", set.Position(s.Pos()), s.Sel.Name)
				}
				return true
			})
		}
	}
}

// isConstant reports whether a name of package math is a constant.
func isConstant(name string) bool {
	return strings.HasPrefix(name, "Max") && len(name) > 3 || strings.HasPrefix(name, "Min") && len(name) > 3 ||
		strings.HasPrefix(name, "Smallest") ||
		slices.Contains([]string{"E", "Pi", "Phi", "Sqrt2", "SqrtE", "SqrtPi", "SqrtPhi", "Ln2", "Log2E", "Ln10", "Log10E"},
			name)
}

// fused is a line of the compiler's listing with a fused multiply-add: the place in the source, and
// the instruction.
var fused = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+(FN?M(?:ADD|SUB)[DS])`)

// Where a processor has it, the compiler may round x*y + z once instead of twice. A conversion,
// float64(x*y) + z, forbids it. This compiles for arm64, which has it for sums and differences,
// with the export data of the packages that the go command has built anyway, so that nothing else
// is compiled again.
func TestNothingIsFused(t *testing.T) {
	for _, found := range fusions(t, deciding) {
		t.Errorf("%s: the compiler may fuse a product and a sum: write float64(x*y) + z", found)
	}
}

// fusions compiles packages of ours and lists the places with a fused instruction.
func fusions(t *testing.T, packages []string) (all []string) {
	dir := t.TempDir()
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}")
	for _, p := range packages {
		list.Args = append(list.Args, Module+"/"+p)
	}
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	// What the compiler calls this, as the first line of the export data of an empty package has it.
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package empty\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	compiled(t, dir, "-p", "empty", "-o", filepath.Join(dir, "empty"), empty)
	_, target, _ := export(t, filepath.Join(dir, "empty"))
	var config strings.Builder
	type unit struct{ path, dir, files string }
	var units []unit
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f[1] == "" { // unsafe
			continue
		}
		fmt.Fprintf(&config, "packagefile %s=%s\n", f[0], exportFor(t, f[1], dir, target))
		if p, ok := strings.CutPrefix(f[0], Module+"/"); ok && slices.Contains(packages, p) {
			units = append(units, unit{f[0], f[2], f[3]})
		}
	}
	imports := filepath.Join(dir, "imports")
	if err := os.WriteFile(imports, []byte(config.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if len(units) != len(packages) {
		t.Fatalf("%d of %d packages were found", len(units), len(packages))
	}
	for _, u := range units {
		out := compiled(t, u.dir, append([]string{"-S", "-p", u.path, "-importcfg", imports, "-o", filepath.Join(dir, "out")},
			strings.Fields(u.files)...)...)
		seen := map[string]bool{}
		for line := range bytes.Lines(out) {
			if !bytes.Contains(line, []byte("\tFM")) && !bytes.Contains(line, []byte("\tFN")) {
				continue
			}
			if found := fused.FindSubmatch(line); found != nil {
				if place := fmt.Sprintf("%s:%s", found[1], found[2]); !seen[place] {
					seen[place] = true
					all = append(all, place)
				}
			}
		}
	}
	return all
}

// compiled runs the compiler for arm64, and returns what it prints.
func compiled(t *testing.T, dir string, args ...string) []byte {
	compile := exec.Command("go", append([]string{"tool", "compile"}, args...)...)
	compile.Dir = dir
	compile.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "GOFLAGS=")
	out, err := compile.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool compile %q: %v\n%s", args, err, out[:min(len(out), 1000)])
	}
	return out
}

// An archive of the compiler has an entry with the export data first: a header of 60 bytes with its
// size, a line that says what it was built for, and the data.
const magic, entry = "!<arch>\n", 60

// export returns those three of a file.
func export(t *testing.T, name string) (header, target string, data []byte) {
	all, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var size int
	if len(all) < len(magic)+entry || string(all[:len(magic)]) != magic {
		t.Fatalf("%s is not an archive of the compiler", name)
	}
	header, all = string(all[len(magic):len(magic)+entry]), all[len(magic)+entry:]
	if _, err := fmt.Sscan(header[48:58], &size); err != nil || size > len(all) {
		t.Fatalf("%s is not an archive of the compiler: %v", name, err)
	}
	line, data, _ := bytes.Cut(all[:size], []byte("\n"))
	return header, string(line), data
}

// exportFor is a copy of the export data of a package, marked as that of another target. The
// machine code is left out.
func exportFor(t *testing.T, name, dir, target string) string {
	header, _, data := export(t, name)
	file, err := os.CreateTemp(dir, "export")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "%s%s%-10d%s%s\n%s", magic, header[:48], len(target)+1+len(data), header[58:], target,
		data); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}
