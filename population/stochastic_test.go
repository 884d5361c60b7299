package population_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// The discrete stochastic models test suite [EGW08] has 39 small models whose laws are known, and
// asks for means and standard deviations at 50 times. The models here are written anew, one file
// for each case under testdata/stochastic; the laws are worked out in stochastic_laws_test.go and
// not taken from tables: generating functions for births, deaths, immigration and batches, and
// uniformisation of the chain for dimers.
//
// Each mean, and each mean square distance from the expected mean, must not be so far off that
// Chernoff's bound gives it less than stochasticLevel, divided by 7,800 comparisons and by two for
// the two sides. 39 cases with 50 times, two statistics and up to two columns are at most 7,800
// comparisons, so that all of them together fail by chance with at most stochasticLevel.
//
// [EGW08]: https://doi.org/10.1093/bioinformatics/btm566
const (
	stochasticComparisons = 7800
	stochasticLevel       = 0.01
)

// stochasticLimit is how much excess a comparison may have.
func stochasticLimit() float64 { return -math.Log(stochasticLevel / stochasticComparisons / 2) }

// A stochasticCase is a case of the suite: its columns, with the law at each time from 1 to 50
// seconds, and how many replicas the quick and the long form of the test have.
type stochasticCase struct {
	columns     []stochasticColumn
	quick, long int
}

// A stochasticColumn is a state or a value.
type stochasticColumn struct {
	name   string
	factor float64 // the value is the number with this law times factor, plus plus
	plus   float64
	laws   []countLaw // by time
}

const stochasticTimes = 50

// each works out a law at each time.
func each(law func(t float64) countLaw) (all []countLaw) {
	for t := 1.0; t <= stochasticTimes; t++ {
		all = append(all, law(t))
	}
	return all
}

// stochasticCaseOf is the case with a number. Those that are written in another way only are the
// same.
func stochasticCaseOf(number int) stochasticCase {
	same := map[int]int{2: 1, 6: 1, 8: 1, 9: 1, 10: 1, 12: 1, 13: 1, 14: 1, 15: 1, 16: 1, 17: 1, 18: 11, 24: 21, 26: 21,
		27: 20, 35: 34, 36: 34}
	if first, ok := same[number]; ok {
		number = first
	}
	stochasticCases.Lock()
	defer stochasticCases.Unlock()
	if c, ok := stochasticCases.known[number]; ok {
		return c
	}
	c := newStochasticCase(number)
	stochasticCases.known[number] = c
	return c
}

// stochasticCases are those that have been worked out.
var stochasticCases = struct {
	sync.Mutex
	known map[int]stochasticCase
}{known: map[int]stochasticCase{}}

// newStochasticCase works out a case.
func newStochasticCase(number int) stochasticCase {
	x := func(laws []countLaw) stochasticColumn { return stochasticColumn{name: "X", factor: 1, laws: laws} }
	births := func(lambda, mu float64, n, size int) stochasticColumn {
		return x(each(func(t float64) countLaw { return livingLaw(lambda, mu, n, t, size) }))
	}
	arrivals := func(alpha, mu float64, batch, size int) stochasticColumn {
		return x(each(func(t float64) countLaw { return arrivedLaw(alpha, mu, batch, 0, t, size) }))
	}
	reset := func(at float64, to int) stochasticColumn {
		return x(each(func(t float64) countLaw {
			if t < at {
				return arrivedLaw(1, 0.1, 1, 0, t, 256)
			}
			return arrivedLaw(1, 0.1, 1, to, t-at, 256)
		}))
	}
	usual := func(columns ...stochasticColumn) stochasticCase { return stochasticCase{columns, 100, 5000} }
	switch number {
	case 3:
		return usual(births(1, 1.1, 100, 1024))
	case 4:
		return stochasticCase{[]stochasticColumn{births(0.1, 0.11, 10, 512)}, 500, 30_000}
	case 5:
		return stochasticCase{[]stochasticColumn{births(0.1, 0.11, 10_000, 16_384)}, 3, 100}
	case 7:
		dead := stochasticColumn{name: "Sink", factor: 1, laws: each(func(t float64) countLaw {
			return deadLaw(0.1, 0.11, 100, t, 2048)
		})}
		return usual(births(0.1, 0.11, 100, 1024), dead)
	case 11:
		return usual(births(0.05, 0.055, 100, 1024))
	case 19:
		y := births(0.1, 0.11, 100, 1024)
		y.name, y.factor = "y", 2
		return usual(births(0.1, 0.11, 100, 1024), y)
	case 20:
		return stochasticCase{[]stochasticColumn{arrivals(1, 0.1, 1, 256)}, 300, 30_000}
	case 21:
		return usual(arrivals(10, 0.1, 1, 512))
	case 22:
		return usual(arrivals(5, 0.1, 1, 512))
	case 23:
		return stochasticCase{[]stochasticColumn{arrivals(1000, 0.1, 1, 16_384)}, 3, 100}
	case 25:
		gone := stochasticColumn{name: "Sink", factor: 1, laws: each(func(t float64) countLaw {
			return poissonLaw(10*(t-(1-math.Exp(-0.1*t))/0.1), 1024)
		})}
		return usual(arrivals(10, 0.1, 1, 512), gone)
	case 28:
		return stochasticCase{[]stochasticColumn{reset(25, 50)}, 300, 30_000}
	case 29:
		return stochasticCase{[]stochasticColumn{reset(22.5, 20)}, 300, 30_000}
	case 30, 31, 32, 33, 34:
		if number == 31 {
			return stochasticCase{dimers(number), 10, 500}
		}
		return stochasticCase{dimers(number), 100, 5000}
	case 37:
		return stochasticCase{[]stochasticColumn{arrivals(1, 0.2, 5, 512)}, 200, 20_000}
	case 38:
		return stochasticCase{[]stochasticColumn{arrivals(1, 0.4, 10, 512)}, 150, 10_000}
	case 39:
		return stochasticCase{[]stochasticColumn{arrivals(1, 4, 100, 2048)}, 50, 2000}
	}
	return usual(births(0.1, 0.11, 100, 1024))
}

// dimers are the columns of a case with dimers: of n P to begin with, 2·P2 are bound.
func dimers(number int) []stochasticColumn {
	n, k1, k2 := 100, 0.001, 0.01
	if number == 31 {
		n, k1, k2 = 1000, 0.0002, 0.004
	}
	free := func(p2 int) float64 { return float64(n - 2*p2) }
	c := chain{size: n/2 + 1, up: func(p2 int) float64 { return k1 * free(p2) * (free(p2) - 1) / 2 },
		down: func(p2 int) float64 { return k2 * float64(p2) }}
	if number == 33 {
		c.leads = func(p2 int) int { return (p2 + 1) % 31 } // more than 30: all are free again
	}
	start := make(countLaw, c.size)
	start[0] = 1
	law := start
	laws := each(func(t float64) countLaw {
		if law = c.after(law, 1); number == 32 && t == 25 {
			law = start
		}
		return append(countLaw(nil), law...).truncated()
	})
	all := []stochasticColumn{{name: "P2", factor: 1, laws: laws}}
	if number <= 33 {
		all = append(all, stochasticColumn{name: "P", factor: -2, plus: float64(n), laws: laws})
	}
	return all
}

// stochasticFile is the model of a case.
func stochasticFile(t *testing.T, number int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("testdata/stochastic/%02d.yaml", number))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A stochasticProblem is a comparison that fails.
type stochasticProblem struct {
	what   string
	excess float64
}

// compareStochastic runs a model and compares it with a case. It returns how many comparisons were
// made, those that fail, and the largest excess.
func compareStochastic(t *testing.T, number int, text string) (
	compared int, failed []stochasticProblem, worst float64,
) {
	t.Helper()
	c := stochasticCaseOf(number)
	m, err := population.Compile(fmt.Sprintf("%02d.yaml", number), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	replicas := testscale.Size(c.quick, c.long)
	r, err := m.Run(t.Context(), population.Options{Seed: uint64(number), Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range c.columns {
		values := stochasticValues(t, r, column.name)
		for k, law := range column.laws {
			of := func(n float64) float64 { return column.factor*n + column.plus }
			expected := of(law.mean())
			mean, square := 0.0, 0.0
			for i := range r.Runs {
				x := values(i, k+1)
				mean += x / float64(replicas)
				square += (x - expected) * (x - expected) / float64(replicas)
			}
			check := func(what string, got, want float64, excess float64) {
				compared++
				if worst = max(worst, excess); !(excess <= stochasticLimit()) {
					failed = append(failed, stochasticProblem{fmt.Sprintf("%s of %s at %d s: %.4f, expected %.4f", what,
						column.name, k+1, got, want), excess})
				}
			}
			check("mean", mean, expected, law.excess(replicas, of, mean))
			check("standard deviation", math.Sqrt(square), math.Abs(column.factor)*law.sd(),
				law.excess(replicas, func(n float64) float64 { return (of(n) - expected) * (of(n) - expected) }, square))
		}
	}
	return compared, failed, worst
}

// stochasticValues returns the number in a state, or a value, by run and row.
func stochasticValues(t *testing.T, r *population.Result, name string) func(run, row int) float64 {
	t.Helper()
	for i, s := range r.Model.States() {
		if s == name {
			return func(run, row int) float64 { return float64(r.Runs[run].Count(row, i)) }
		}
	}
	for i, v := range r.Model.Values() {
		if v == name {
			return func(run, row int) float64 { return r.Runs[run].Value(row, i) }
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

// All 39 cases hold.
func TestStochasticSuite(t *testing.T) {
	all := 0
	for number := 1; number <= 39; number++ {
		compared, failed, worst := compareStochastic(t, number, stochasticFile(t, number))
		all += compared
		t.Logf("case %d: %d comparisons, largest excess %.1f of at most %.1f", number, compared, worst, stochasticLimit())
		for _, p := range failed {
			t.Errorf("case %d: %s (excess %.1f)", number, p.what, p.excess)
		}
	}
	if all > stochasticComparisons {
		t.Errorf("%d comparisons are more than the %d that the limit is for", all, stochasticComparisons)
	}
	t.Logf("%d comparisons", all)
}

// Models that differ a little from a case fail: the comparisons have the power to find mistakes,
// also where the mean stays the same.
func TestStochasticSuiteNotices(t *testing.T) {
	for name, c := range map[string]struct {
		number     int
		old, wrong string
	}{
		"births a little too fast":          {1, "lambda: 0.1 per", "lambda: 0.106 per"},
		"a few too many at the start":       {4, "size: 10,", "size: 13,"},
		"deaths a little too fast":          {3, "mu: 1.1 per", "mu: 1.15 per"},
		"a value without its factor":        {19, "y: 2 *", "y: 1.8 *"},
		"arrivals too often":                {20, "alpha: 1 per", "alpha: 1.2 per"},
		"lives of fixed length":             {21, "{rate: mu, to: out}", "{after: 10 seconds, to: out}"},
		"a reset that is late":              {28, "at: 25 seconds", "at: 25.5 seconds"},
		"each pair counted once":            {30, "rate each: k1 / 2", "rate each: k1 / 4"},
		"half of each dimer is lost":        {31, "to: P, enter: P", "to: P"},
		"a reset that happens once":         {33, "again: true, ", ""},
		"batches of the right mean, spread": {38, "count: 10", "count: {negative binomial: {mean: 10, dispersion: 1}}"},
		"batches one by one, five as often": {37, "rate: alpha, enter: X, count: 5", "rate: 5 * alpha, enter: X"},
	} {
		text := stochasticFile(t, c.number)
		if strings.Count(text, c.old) != 1 {
			t.Fatalf("%s: %q is not in case %d once", name, c.old, c.number)
		}
		_, failed, worst := compareStochastic(t, c.number, strings.Replace(text, c.old, c.wrong, 1))
		t.Logf("%s: %d comparisons fail, largest excess %.0f", name, len(failed), worst)
		if len(failed) == 0 {
			t.Errorf("%s: case %d holds all the same", name, c.number)
		}
	}
}

// The laws of the suite agree with closed forms of their means and standard deviations.
func TestStochasticLaws(t *testing.T) {
	same := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-7*max(1, want)) {
			t.Errorf("%s: %.9g, want %.9g", what, got, want)
		}
	}
	const t1 = 25.0
	lambda, mu := 0.1, 0.11
	grows := math.Exp((lambda - mu) * t1)
	l := livingLaw(lambda, mu, 100, t1, 1024)
	same("births and deaths: mean", l.mean(), 100*grows)
	same("births and deaths: sd", l.sd(), math.Sqrt(100*(lambda+mu)/(lambda-mu)*grows*(grows-1)))
	// Moment equations of the dead D beside the living X: E D' = μ E X.
	dead := deadLaw(lambda, mu, 100, t1, 2048)
	same("the dead: mean", dead.mean(), mu*100*(grows-1)/(lambda-mu))
	// Of X, D: var X' = 2(λ−μ)var X + (λ+μ)E X, cov' = (λ−μ)cov + μ var X − μ E X, var D' = 2μ cov + μ
	// E X.
	y := rungeKutta(func(y []float64) []float64 {
		x, vx, c := y[0], y[1], y[2]
		return []float64{(lambda - mu) * x, 2*(lambda-mu)*vx + (lambda+mu)*x, (lambda-mu)*c + mu*vx - mu*x, 2*mu*c + mu*x}
	}, []float64{100, 0, 0, 0}, t1, 2000)
	same("the dead: sd", dead.sd(), math.Sqrt(y[3]))
	for _, c := range []struct {
		alpha, mu float64
		b         float64
		size      int
	}{{1, 0.1, 1, 256}, {1000, 0.1, 1, 16_384}, {1, 0.2, 5, 512}, {1, 0.4, 10, 512}, {1, 4, 100, 2048}} {
		l := arrivedLaw(c.alpha, c.mu, int(c.b), 0, t1, c.size)
		mean := c.alpha * c.b / c.mu * (1 - math.Exp(-c.mu*t1))
		same(fmt.Sprintf("batches of %.0f: mean", c.b), l.mean(), mean)
		same(fmt.Sprintf("batches of %.0f: sd", c.b), l.sd(),
			math.Sqrt(mean+c.alpha*c.b*(c.b-1)/(2*c.mu)*(1-math.Exp(-2*c.mu*t1))))
	}
	same("fifty left alone: mean", arrivedLaw(1, 0.1, 1, 50, t1, 256).mean(),
		50*math.Exp(-0.1*t1)+10*(1-math.Exp(-0.1*t1)))
}
