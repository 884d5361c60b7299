package eval_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// timeVaryingScope compiles parameters in a model that runs from day 10 to day 110, and returns its
// scope.
func timeVaryingScope(t *testing.T, parameters string) eval.Scope {
	t.Helper()
	source := "name: m\ntime: {unit: day, start: 10, end: 110}\npopulation: {size: 1, start: {prey: 1}}\n" +
		"states: {prey: {}, predator: {}}\nattributes: {age: {child: 20%, adult: 80%}}\nparameters:\n"
	for line := range strings.Lines(parameters) {
		source += "  " + strings.TrimSpace(line) + "\n"
	}
	m, err := compileText(source)
	if err != nil {
		t.Fatal(err)
	}
	return m.StartScope()
}

const timeVaryingParameters = `
	season: {seasonal: {mean: 0.4 per day, amplitude: 20%, peak: 15 days, period: 40 days}}
	deep: {seasonal: {mean: 2 per day, amplitude: 1, peak: -3 weeks, period: 1 week}}
	steps: {steps: {20 days: 0.5 per day, 30: 0.2 per day, 60 days: 0 per day, 61 days: 3 per day}}
	line: {line: {20 days: 0.5 per day, 40: 0.1 per day, 100 days: 0.2 per day}}
	r: 0.7 per day
	factor: {steps: {0 days: 1, 50 days: 0.5}}
	product: factor * season
	lowest: max(0 per day, line - 0.15 per day)
	odd: exp(-2 * factor) * sqrt(season ^ 2) + 0.1 * steps / (1 + factor)
	byage: {by: age, child: 2 * season, adult: {line: {10: r, 110: 2 * r}}}
	often: {seasonal: {mean: 1 per day, amplitude: 50%, peak: 0 days, period: 1 minute}}
	rare: {seasonal: {mean: 0.001 per day, amplitude: 50%, peak: 0 days, period: 1 day}}`

// formulas are the same values, written independently; t is the time on the model's clock.
var formulas = map[string]func(t float64) float64{
	"season":  func(t float64) float64 { return 0.4 * (1 + 0.2*math.Cos(2*math.Pi*(t-15)/40)) },
	"deep":    func(t float64) float64 { return 2 * (1 + math.Cos(2*math.Pi*(t+21)/7)) },
	"steps":   stepsByHand,
	"line":    lineByHand,
	"product": func(t float64) float64 { return halfFrom50(t) * 0.4 * (1 + 0.2*math.Cos(2*math.Pi*(t-15)/40)) },
	"lowest":  func(t float64) float64 { return max(0, lineByHand(t)-0.15) },
	"odd": func(t float64) float64 {
		season := 0.4 * (1 + 0.2*math.Cos(2*math.Pi*(t-15)/40))
		return math.Exp(-2*halfFrom50(t))*season + 0.1*stepsByHand(t)/(1+halfFrom50(t))
	},
	"often": func(t float64) float64 { return 1 + 0.5*math.Cos(2*math.Pi*t*1440) },
	"rare":  func(t float64) float64 { return 0.001 * (1 + 0.5*math.Cos(2*math.Pi*t)) },
}

func stepsByHand(t float64) float64 {
	switch {
	case t < 30:
		return 0.5
	case t < 60:
		return 0.2
	case t < 61:
		return 0
	}
	return 3
}

func halfFrom50(t float64) float64 {
	if t < 50 {
		return 1
	}
	return 0.5
}

func lineByHand(t float64) float64 {
	switch {
	case t < 20:
		return 0.5
	case t < 40:
		return 0.5 - 0.4*(t-20)/20
	case t < 100:
		return 0.1 + 0.1*(t-40)/60
	}
	return 0.2
}

func TestTimeVaryingValueWrong(t *testing.T) {
	here := timeVaryingScope(t, timeVaryingParameters)
	s := random.New(1)
	for name, formula := range formulas {
		c, ok := here.TimeVarying(syntax.Value{Name: name}, name, quantity.Rate)
		if !ok {
			t.Fatalf("%s: %v", name, here.Err())
		}
		if _, still := c.Constant(); still || c.ByCounts {
			t.Errorf("%s is always the same, or depends on counts", name)
		}
		for range 2000 {
			at := 100 * s.Float64()
			got, want := c.At(at, program.Census{}), formula(10+at)
			if math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("%s at %v is %v, want %v", name, at, got, want)
			}
			// The bound of a piece, and bounds over any interval.
			if end, bound := c.Piece(at, 0); !(end > at) || !(got <= bound) {
				t.Fatalf("%s at %v is %v, and its piece until %v has the bound %v", name, at, got, end, bound)
			}
			from, to := at-s.Float64()*s.Float64()*at, at+s.Float64()*s.Float64()*(100-at)
			if low, high := c.Root.Bounds(from, to); !(low <= got && (got <= high || at == to)) {
				t.Fatalf("%s at %v is %v, and from %v to %v it is from %v to %v", name, at, got, from, to, low, high)
			}
		}
		evaluate := func() { c.At(s.Float64(), program.Census{}); c.Piece(s.Float64(), 0) }
		if x := testing.AllocsPerRun(100, evaluate); x != 0 {
			t.Errorf("%s: %v allocations", name, x)
		}
	}
	for age, want := range []func(t float64) float64{
		func(t float64) float64 { return 0.8 * (1 + 0.2*math.Cos(2*math.Pi*(t-15)/40)) },
		func(t float64) float64 { return 0.7 + 0.7*(t-10)/100 },
	} {
		c, ok := here.ForCell([]uint16{uint16(age)}).TimeVarying(syntax.Value{Name: "byage"}, "byage", quantity.Rate)
		if !ok || math.Abs(c.At(33, program.Census{})-want(43)) > 1e-9 {
			t.Errorf("by age, %d: %v at 33, want %v; %v", age, c.At(33, program.Census{}), want(43), here.Err())
		}
	}
	if d := here.Dependence(syntax.Value{Name: "byage"}); !d.Time || d.Counts || len(d.Own) != 1 {
		t.Errorf("by age it depends on %+v", d)
	}
	r := syntax.Value{Name: "r"}
	if c, ok := here.TimeVarying(r, "r", quantity.Rate); !ok || c.At(1, program.Census{}) != 0.7 {
		t.Errorf("r is %v", c)
	} else if x, still := c.Constant(); x != 0.7 || !still {
		t.Errorf("r is %v, always the same: %v", x, still)
	}
}

// TestTooManyPiecesOrLooseBounds counts the pieces of a value, and measures how far its bounds are
// above it.
func TestTooManyPiecesOrLooseBounds(t *testing.T) {
	here := timeVaryingScope(t, timeVaryingParameters)
	for name, want := range map[string]struct {
		most  int     // number of pieces
		waste float64 // excess of the bounds over the rates, over the run
	}{
		"steps":  {4, 1e-12},
		"season": {20, 0.06},
		"deep":   {120, 0.35},
		"line":   {4, 0.35},
		"often":  {1, 0.51},
		"rare":   {1, 0.51},
	} {
		c, _ := here.TimeVarying(syntax.Value{Name: name}, name, quantity.Rate)
		pieces, bounds, rates := 0, 0.0, 0.0
		const n = 200_000
		for i := range n {
			at := 100 * (float64(i) + 0.5) / n
			_, bound := c.Piece(at, 0)
			bounds, rates = bounds+bound, rates+c.At(at, program.Census{})
		}
		for at := 0.0; at < 100; pieces++ {
			at, _ = c.Piece(at, 0)
		}
		if waste := bounds/rates - 1; pieces > want.most || waste > want.waste {
			t.Errorf("%s: %d pieces, and the bounds are %.1f%% above the rates; want at most %d and %.1f%%",
				name, pieces, 100*waste, want.most, 100*want.waste)
		}
	}
}

// TestThinningDrawsAnotherRate draws events by thinning and compares their numbers in tenths of the
// run with the integral of the rate. They are Poisson, so the mean over n runs has the standard
// error √(mean/n).
func TestThinningDrawsAnotherRate(t *testing.T) {
	here := timeVaryingScope(t, timeVaryingParameters)
	const runs = 4000
	for _, name := range []string{"season", "deep", "steps", "line", "odd", "lowest"} {
		c, _ := here.TimeVarying(syntax.Value{Name: name}, name, quantity.Rate)
		var counts [10]float64
		for run := range runs {
			s := random.New(7, uint64(run))
			for at := 0.0; at < 100; {
				end, bound := c.Piece(at, 0)
				next := at + s.Exp()/bound
				if !(next < end) {
					at = end
					continue
				}
				at = next
				if rate, ok := c.Rate(at, program.Census{}, 0); at < 100 && (!ok || rate > bound) {
					t.Fatalf("%s at %v is %v, above %v", name, at, rate, bound)
				} else if at < 100 && s.Float64()*bound < rate {
					counts[int(at/10)]++
				}
			}
		}
		for k, n := range counts {
			want := 0.0
			const steps = 10_000
			for i := range steps {
				want += formulas[name](10+10*(float64(k)+(float64(i)+0.5)/steps)) * 10 / steps
			}
			mean := n / runs
			if e := math.Sqrt(want / runs); math.Abs(mean-want) > 4*e+1e-4 {
				t.Errorf("%s: %.4f events in tenth %d, want %.4f ± %.4f", name, mean, k, want, e)
			}
		}
	}
}

func TestCountDependentRateWrong(t *testing.T) {
	here := timeVaryingScope(t, `
		r: 0.7 per day
		logistic: {value: r * (1 - total / 100), most: r}
		eaten: {value: "0.01 per day * count(predator) / count(prey)", most: 5 per day}
		season: {seasonal: {mean: 1, amplitude: 50%, peak: 10 days, period: 10 days}}
		both: {value: r * season * count(prey) / total, most: 1.5 * r}
		byage: {by: age, child: logistic, adult: 0.1 per day}`)
	n := program.Census{Total: 40, Counts: []int{30, 10}}
	for name, want := range map[string]struct {
		rate, most float64
		ok         bool
		n          program.Census
	}{
		"logistic": {0.7 * 0.6, 0.7, true, n},
		"eaten":    {0.01 / 3, 5, true, n},
		"both":     {0.7 * 1.5 * 0.75, 1.05, true, n},
	} {
		c, ok := here.TimeVarying(syntax.Value{Name: name}, name, quantity.Rate)
		if !ok {
			t.Fatal(here.Err())
		}
		if x, ok := c.Rate(0, want.n, 0); math.Abs(x-want.rate) > 1e-15 || !ok || math.Abs(c.Max-want.most) > 1e-15 {
			t.Errorf("%s is %v of at most %v, want %v of %v", name, x, c.Max, want.rate, want.most)
		}
		if end, bound := c.Piece(3, 0); !math.IsInf(end, 1) || bound != c.Max {
			t.Errorf("%s has a piece until %v of %v", name, end, bound)
		}
		if d := here.Dependence(syntax.Value{Name: name}); !d.Counts || d.Time != (name == "both") {
			t.Errorf("%s depends on %+v", name, d)
		}
	}
	c, _ := here.TimeVarying(syntax.Value{Name: "logistic"}, "", quantity.Rate)
	if x, ok := c.Rate(0, program.Census{Total: 150}, 0); x != 0 || !ok {
		t.Errorf("below 0 it is %v, %v", x, ok)
	}
	eaten, _ := here.TimeVarying(syntax.Value{Name: "eaten"}, "", quantity.Rate)
	if _, ok := eaten.Rate(0, program.Census{Total: 1001, Counts: []int{1, 1000}}, 0); ok {
		t.Error("10 per day is not above 5")
	}
	if _, ok := eaten.Rate(0, program.Census{Counts: []int{0, 0}}, 0); ok {
		t.Error("0/0 is a rate")
	}
	for age, want := range []bool{true, false} {
		c, ok := here.ForCell([]uint16{uint16(age)}).TimeVarying(syntax.Value{Name: "byage"}, "", quantity.Rate)
		if !ok || c.ByCounts != want {
			t.Errorf("by age, %d: %v", age, c)
		}
	}
	// n/n is 1, but r·n/n may exceed r in the last digit.
	here = timeVaryingScope(t, "r: 0.7 per day\nsame: {value: r * total / total, most: r}")
	c, ok := here.TimeVarying(syntax.Value{Name: "same"}, "", quantity.Rate)
	for n := range 1000 {
		if x, fine := c.Rate(0, program.Census{Total: n + 1}, 0); !ok || !fine || x > 0.7 {
			t.Fatalf("%d: %v", n+1, x)
		}
	}
}

// TestShortSeasonsHaveNoPieces takes seasons so short that the run has too many to go through.
// Still shorter ones are refused, see TestProblems.
func TestShortSeasonsHaveNoPieces(t *testing.T) {
	for _, period := range []string{"1e-4 seconds", "1e-10 days"} {
		const season = "rare: {seasonal: {mean: 1e-6 per day, amplitude: 50%, peak: 0 days, period: "
		here := timeVaryingScope(t, season+period+"}}")
		c, ok := here.TimeVarying(syntax.Value{Name: "rare"}, "", quantity.Rate)
		if !ok {
			t.Fatal(here.Err())
		}
		if end, bound := c.Piece(3, 0); !(end > 3) || math.Abs(bound/1.5e-6-1) > 1e-9 {
			t.Errorf("a period of %s: a piece until %v, of %v", period, end, bound)
		}
	}
}

func TestVaryingChanceWrong(t *testing.T) {
	here := timeVaryingScope(t, "efficacy: {line: {10: 90%, 60: 0.4}}\nleft: 1 - efficacy")
	c, ok := here.TimeVarying(syntax.Value{Name: "left"}, "", quantity.Share)
	if !ok || math.Abs(c.Chance(25)-0.35) > 1e-12 || math.Abs(c.Chance(90)-0.6) > 1e-12 {
		t.Error(c, here.Err())
	}
	const want = "there: parameter left is a number; expected a rate"
	_, ok = here.TimeVarying(syntax.Value{Name: "left"}, "there", quantity.Rate)
	if ok || !strings.Contains(fmt.Sprint(here.Err()), want) {
		t.Error(here.Err())
	}
}
