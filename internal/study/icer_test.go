package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// icerOf has the differences of one scenario from a first in which nothing costs or gains.
func icerOf(costs, effects []float64) *ICER {
	c := NewICER("cost/qalys", []string{"usual", "new"})
	for i := range costs {
		c.Add(func(scenario int) (float64, float64) {
			if scenario == 0 {
				return 0, 0
			}
			return costs[i], effects[i]
		})
	}
	return c
}

// The ends of Fieller's interval solve the equation that defines it, and it has the ratio in it.
func TestFieller(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		n := 2 + random.IntN(30)
		costs, effects := make([]float64, n), make([]float64, n)
		for i := range costs {
			effects[i] = 5 + random.NormFloat64()
			costs[i] = 100*effects[i] + 50*random.NormFloat64()
		}
		r := icerOf(costs, effects).ratio(1)
		var c, e, cc, ce, ee float64
		for i := range costs {
			c, e = c+costs[i]/float64(n), e+effects[i]/float64(n)
		}
		for i := range costs {
			cc, ce, ee = cc+(costs[i]-c)*(costs[i]-c), ce+(costs[i]-c)*(effects[i]-e), ee+(effects[i]-e)*(effects[i]-e)
		}
		k := float64(n) * float64(n-1)
		cc, ce, ee = cc/k, ce/k, ee/k
		student := detmath.StudentQuantile(float64(n-1), 0.975)
		if e*e <= student*student*ee { // the effect may be 0: any ratio is possible
			if !math.IsNaN(r.Low) {
				t.Fatalf("an interval from %v to %v, and there is none", r.Low, r.High)
			}
			continue
		}
		for _, theta := range []float64{r.Low, r.High} {
			left, right := (c-theta*e)*(c-theta*e), student*student*(cc-2*theta*ce+theta*theta*ee)
			if math.Abs(left-right) > 1e-6*right {
				t.Fatalf("at the end %v of the interval (C − θE)² is %v, and t²s is %v", theta, left, right)
			}
		}
		if !(r.Low < r.Ratio && r.Ratio < r.High) {
			t.Fatalf("the ratio %v is not between %v and %v", r.Ratio, r.Low, r.High)
		}
	}
}

// In 95 % of 2,000 samples the interval has the ratio of the means in it.
func TestFiellerCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const samples = 2000
	covered := 0
	for range samples {
		costs, effects := make([]float64, 10), make([]float64, 10)
		for i := range costs {
			x, y := random.NormFloat64(), random.NormFloat64()
			effects[i], costs[i] = 5+x, 2000+300*x+200*y
		}
		if r := icerOf(costs, effects).ratio(1); r.Low <= 400 && 400 <= r.High {
			covered++
		}
	}
	if se := math.Sqrt(0.95 * 0.05 / samples); math.Abs(float64(covered)/samples-0.95) > 4*se {
		t.Errorf("%d of %d intervals have the ratio in them, expected 95 %%", covered, samples)
	}
}

func TestICERTable(t *testing.T) {
	c := NewICER("cost/qalys", []string{"usual", "better", "worse", "same", "dearer"})
	of := [][2][2]float64{
		{{10, 10}, {1, 1}}, {{8, 9}, {2, 3}}, {{11, 12}, {1, 0.5}}, {{10, 10}, {1, 1}}, {{14, 16}, {2, 3}},
	}
	for i := range 2 {
		c.Add(func(k int) (float64, float64) { return of[k][0][i], of[k][1][i] })
	}
	c.Add(func(k int) (float64, float64) { return math.NaN(), 1 }) // left out
	var b bytes.Buffer
	if err := c.WriteRatios(&b); err != nil {
		t.Fatal(err)
	}
	want := "scenario,cost,effect,icer,low,high\nbetter,-1.5,1.5,dominates,,\nworse,1.5,-0.25,is dominated,,\n" +
		"same,0,0,,,\ndearer,5,1.5,3.3333333333333335,,\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"against usual", "cost per qalys", "dominates", "is dominated", "3.333"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("it does not say %q:\n%s", line, b.String())
		}
	}
	worse := NewICER("cost/qalys", []string{"usual", "cheaper"})
	for i := range 2 {
		worse.Add(func(k int) (float64, float64) { return float64(10 - 5*k + i), float64(3 - 2*k) })
	}
	if _, rows := worse.Table(); rows[0][3] != "2.5 saved for each lost" {
		t.Errorf("cheaper and worse: %q", rows[0])
	}
	curve := c.Acceptability()
	for i, pay := range curve.Pay {
		sum := 0.0
		for k := range c.Scenarios {
			sum += curve.Probability[k][i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("at %v the probabilities add up to %v", pay, sum)
		}
	}
	if p := curve.Probability[1][0]; p != 1 {
		t.Errorf("for nothing, the cheapest is the best with %v, expected 1", p)
	}
}

// The curve of two scenarios is the share of pairs whose ratio is below what is paid.
func TestAcceptability(t *testing.T) {
	costs, effects := []float64{10, 20, 30, 40}, []float64{1, 1, 1, 1}
	c := icerOf(costs, effects)
	curve := c.Acceptability()
	for i, pay := range curve.Pay {
		want := 0.0
		for _, cost := range costs {
			switch {
			case cost < pay:
				want += 0.25
			case cost == pay:
				want += 0.125
			}
		}
		if got := curve.Probability[1][i]; got != want {
			t.Errorf("at %v the new one is the best with %v, expected %v", pay, got, want)
		}
	}
	if most := curve.Pay[len(curve.Pay)-1]; most != 50 {
		t.Errorf("the curves go up to %v, expected 50", most)
	}
}
