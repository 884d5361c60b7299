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

// deciding are the packages that decide about events, draws or numbers that are written. What they
// compute is the same on every machine, to the last bit.
var deciding = []string{
	"capped", "capped/internal/counts", "ensemble", "experiment", "fit", "fit/internal/cma",
	"fit/internal/diagnostics", "fit/internal/distribution", "fit/internal/matrix", "fit/internal/proposal",
	"fit/internal/rank", "fit/internal/weight", "internal/allocation", "internal/cappedmath", "internal/design",
	"internal/fitted", "internal/format", "study", "internal/quantile", "internal/outputs", "internal/detmath",
	"internal/random",
	"internal/sketch", "internal/study", "population", "population/internal/compile", "population/internal/engine",
	"population/internal/eval", "population/internal/fitting", "population/internal/law", "population/internal/lookup",
	"population/internal/program", "population/internal/quantity", "population/internal/store",
	"population/internal/syntax", "population/results", "sim", "sim/analysis",
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
