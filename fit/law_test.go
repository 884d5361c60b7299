package fit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/internal/random"
)

// Probabilities of counts add up to 1, with the mean and the variance that they should have.
func TestLawsOfCounts(t *testing.T) {
	for _, l := range []Law{{}, {Family: NegativeBinomial, Arg: 0.3}, {Family: NegativeBinomial, Arg: 5},
		{Family: NegativeBinomial, Arg: 3e4}, {Family: NegativeBinomial, Arg: 1e14}} {
		for _, mean := range []float64{0.01, 1, 17.5, 100} {
			sum, first, second := 0.0, 0.0, 0.0
			for y := range 20_000 {
				q := math.Exp(l.LogDensity(float64(y), mean))
				sum += q
				first += q * float64(y)
				second += q * float64(y) * float64(y)
			}
			sd := math.Sqrt(second - first*first)
			if math.Abs(sum-1) > 1e-9 || math.Abs(first-mean) > 1e-8*mean || math.Abs(sd-l.SD(mean)) > 1e-6*sd {
				t.Errorf("%v %v about %v: probabilities add up to %v, mean %v, sd %v and not %v", l.Family, l.Arg, mean, sum, first,
					sd, l.SD(mean))
			}
		}
	}
	// The two ways to calculate a negative binomial agree where they meet.
	for _, y := range []float64{0, 3, 50, 4000} {
		a, b := Law{NegativeBinomial, math.Nextafter(1e4, 0), false}.LogDensity(y, 60),
			Law{NegativeBinomial, 1e4, false}.LogDensity(y, 60)
		if math.Abs(a-b) > 1e-9*math.Max(1, math.Abs(a)) {
			t.Errorf("%v: %v on one side, %v on the other", y, a, b)
		}
	}
}

func TestLawsAgainstGonum(t *testing.T) {
	for _, mean := range []float64{0.2, 3, 40} {
		for y := range 60 {
			if got, want := (Law{}).LogDensity(float64(y), mean), (distuv.Poisson{Lambda: mean}).LogProb(float64(y)); math.Abs(
				got-want) > 1e-10 {
				t.Errorf("poisson: %v, want %v", got, want)
			}
			got, want := Law{Gaussian, 0.1, true}.LogDensity(float64(y), mean),
				distuv.Normal{Mu: mean, Sigma: 0.1 * mean}.LogProb(float64(y))
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Errorf("normal: %v, want %v", got, want)
			}
		}
	}
}

// Of n draws, mean and variance are what they should be within 4.5 standard errors.
func TestLawDraws(t *testing.T) {
	const n = 40_000
	for i, c := range []struct {
		law            Law
		Mean, kurtosis float64
	}{
		{Law{}, 0.3, 3 + 1/0.3}, {Law{}, 250, 3 + 1.0/250},
		{Law{NegativeBinomial, 2, false}, 6, 3 + 6.0/2 + 1/(6+36.0/2)},
		{Law{Gaussian, 2, false}, -3, 3}, {Law{Gaussian, 0.1, true}, 50, 3},
	} {
		s := random.New(3, uint64(i))
		sum, squares := 0.0, 0.0
		for range n {
			d := c.law.Draw(c.Mean, &s) - c.Mean
			sum += d
			squares += d * d
		}
		v := c.law.SD(c.Mean) * c.law.SD(c.Mean)
		if z := sum / math.Sqrt(n*v); math.Abs(z) > 4.5 {
			t.Errorf("%v about %v: the mean is off by %.1f standard errors", c.law, c.Mean, z)
		}
		if z := (squares/n - v) / (v * math.Sqrt((c.kurtosis-1)/n)); math.Abs(z) > 4.5 {
			t.Errorf("%v about %v: the variance is off by %.1f standard errors", c.law, c.Mean, z)
		}
	}
}

func TestLawEdges(t *testing.T) {
	s := random.New(1)
	never := math.Inf(-1)
	for _, c := range []struct {
		law     Law
		y, Mean float64
		want    float64
	}{
		{Law{}, 0, 0, 0}, {Law{}, 1, 0, never}, {Law{}, 1.5, 2, never}, {Law{}, -1, 2, never}, {Law{}, math.NaN(), 2, never},
		{Law{NegativeBinomial, 3, false}, 0, 0, 0}, {Law{NegativeBinomial, 3, false}, 2, 0, never},
		{Law{NegativeBinomial, 3, false}, 0.5, 1, never},
		{Law{Gaussian, 0.1, true}, 0, 0, 0}, {Law{Gaussian, 0.1, true}, 1, 0, never},
	} {
		if got := c.law.LogDensity(c.y, c.Mean); got != c.want {
			t.Errorf("%v: %v about %v has %v, want %v", c.law, c.y, c.Mean, got, c.want)
		}
		if c.Mean == 0 && c.law.Draw(0, &s) != 0 {
			t.Errorf("%v: about 0, something is drawn", c.law)
		}
	}
	for _, l := range []Law{{Family: 7}, {Family: -1}, {NegativeBinomial, 0, false}, {NegativeBinomial, math.Inf(1),
		false}, {Gaussian, math.NaN(), false}, {Gaussian, -1, true}} {
		if l.Check() == nil {
			t.Errorf("%v passes for a law", l)
		}
	}
}

// Gaps have no say.
func TestGaps(t *testing.T) {
	nan := math.NaN()
	p := &Problem{Unknowns: []Unknown{{"a", "", Uniform(0, 1)}}, Times: rows(3),
		Columns: []Column{{"x", []float64{1, nan, 3}}, {"y", []float64{nan, nan, 2}}}}
	if err := p.Check(); err != nil || p.observed() != 3 {
		t.Fatal(err, p.observed())
	}
	c := Trajectory{Columns: []Reports{{[]float64{1, 1e9, 2}, Law{}}, {[]float64{5, 5, 5}, Law{Gaussian, 2, false}}}}
	want := (distuv.Poisson{Lambda: 1}).LogProb(1) + (distuv.Poisson{Lambda: 2}).LogProb(3) +
		(distuv.Normal{Mu: 5, Sigma: 2}).LogProb(2)
	if got := p.LogLikelihood(c); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	scales := p.scales(c.Columns)
	if got, want := p.distance([][]float64{{3, -7, 3}, {0, 0, 6}}, scales), math.Sqrt((4.0+0+4)/3); math.Abs(got-want) >
		1e-12 {
		t.Errorf("a distance of %v, want %v", got, want)
	}
}

func TestProblemsThatAreNone(t *testing.T) {
	good := func() *Problem {
		return &Problem{Unknowns: []Unknown{{"a", "", Uniform(0, 1)}}, Times: rows(2),
			Columns: []Column{{"x", []float64{1, 2}}}}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for i, spoil := range []func(*Problem){
		func(p *Problem) { p.Unknowns = nil },
		func(p *Problem) { p.Unknowns = append(p.Unknowns, p.Unknowns[0]) },
		func(p *Problem) { p.Unknowns[0].Prior = Uniform(1, 0) },
		func(p *Problem) { p.Times = nil },
		func(p *Problem) { p.Times[1] = p.Times[0] },
		func(p *Problem) { p.Columns = nil },
		func(p *Problem) { p.Columns[0].Data = p.Columns[0].Data[:1] },
		func(p *Problem) { p.Columns[0].Data = []float64{math.Inf(1), 1} },
		func(p *Problem) { p.Columns[0].Data = []float64{math.NaN(), math.NaN()} },
	} {
		p := good()
		if spoil(p); p.Check() == nil {
			t.Errorf("problem %d passes for one", i)
		}
	}
}
