package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// TestExpressionsMultiply takes parameters each of which reads the one before twice.
func TestExpressionsMultiply(t *testing.T) {
	const header = "name: m\ntime: {unit: day, end: 10}\npopulation: {size: 1, start: {a: 1}}\nstates: {a: {}}\n" +
		"parameters:\n  p0: 1\n"
	for n, want := range map[int]string{
		8: "", // 510 reads
		40: "model.yaml:15:7: parameters: p9: it is worked out from more than 1000 parameters, each counted as often " +
			"as it is read",
	} {
		var b strings.Builder
		b.WriteString(header)
		for i := range n {
			fmt.Fprintf(&b, "  p%d: p%d + p%d\n", i+1, i, i)
		}
		_, err := compileText(b.String())
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%d: %v", n, err)
		}
	}
	var b strings.Builder
	b.WriteString(header)
	for i := range 9_999 {
		fmt.Fprintf(&b, "  p%d: p%d + 1\n", i+1, i)
	}
	const want = "model.yaml:107:9: parameters: p101: it is worked out from more than 100 parameters in a row"
	if _, err := compileText(b.String()); err == nil || err.Error() != want {
		t.Errorf("%.300v", err)
	}
}

// TestTablesMultiplyByNames takes tables each of which holds the one before twice, and long
// chains of parameters in tables.
func TestTablesMultiplyByNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("p0: {exactly: 1 day}\n")
	for i := range 60 {
		fmt.Fprintf(&b, "p%d: {by: age, child: p%d, other: p%d}\n", i+1, i, i)
	}
	b.WriteString("last: {mixture: [{share: 50%, of: p40}, {share: 50%, of: p40}]}\n")
	here, list := scopeOf(t, b.String())
	for _, name := range []string{"p40", "last"} {
		if l, ok := here.ForCell([]uint16{1, 0}).Law(syntax.Value{Name: name}, name); !ok || l.Mean() != 1 {
			t.Errorf("%s is %+v: %v", name, l, list.Err())
		}
	}
	if _, ok := here.ForCell([]uint16{1, 0}).Law(syntax.Value{Name: "p60"}, ""); ok {
		t.Error("121 names and tables in a row are not too many")
	}
}
