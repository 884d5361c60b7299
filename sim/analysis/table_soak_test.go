//go:build soak

package analysis_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim/analysis"
)

// The table in the documentation of the package is what comes out here, and holds what is said of it: where most runs pass, the coverage is that
// of the level within three standard errors, and nowhere do more pass and are wrong than the level allows.
func TestCoverageTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		load    float64
		n, runs int
	}{
		{0.5, 500, 2000}, {0.5, 2000, 2000}, {0.5, 8000, 2000}, {0.5, 32_000, 2000}, {0.5, 128_000, 1000},
		{0.9, 16_000, 1000}, {0.9, 64_000, 1000}, {0.9, 256_000, 1000}, {0.9, 1_024_000, 500},
	} {
		var got tried
		for seed := range uint64(c.runs) {
			e := analysis.Mean(waits(seed, c.load, c.n))
			got.add(e.Contains(meanWait(c.load)), e.Enough())
		}
		line := fmt.Sprintf("//\t%-4g  %9d  %6d    %.3f   %.3f             %.3f", c.load, c.n, c.runs, got.share(got.covered), got.share(got.passed), got.share(got.wrong))
		fmt.Println(line)
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("the documentation does not have\n%s", line)
		}
		se := binomialError(0.95, c.runs)
		if got.share(got.wrong) > 0.05+3*se || got.share(got.passed) > 0.5 && math.Abs(got.share(got.covered)-0.95) > 3*se {
			t.Errorf("%+v", got)
		}
	}
}
