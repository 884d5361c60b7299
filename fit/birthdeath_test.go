package fit

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/fit/internal/weight"
	"github.com/almanac-sim/almanac/internal/random"
)

// birthDeath is a linear birth–death process: each of the individuals gives birth at one unknown
// rate and dies at another. How many live is counted in each row, with a Gaussian error. The counts
// tell the difference of the rates well and their sum badly, so that the posterior is strongly
// correlated.
type birthDeath struct {
	first, rows int
	sd          float64 // of the error
	most        float64 // of the rates, whose priors are uniform from 0 on
}

type birthDeathParticle struct {
	birthDeath
	birth, death float64
	alive        int
	stream       random.Stream
}

func (m birthDeath) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &birthDeathParticle{m, x[0], x[1], m.first, random.New(seed)}, nil
}

func (m birthDeath) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return courseOf(ctx, m, x, seed, m.rows)
}

func (q *birthDeathParticle) Step(context.Context) ([]float64, uint64, error) {
	events := uint64(0)
	for now := 0.0; q.alive > 0; events++ {
		if now += q.stream.Exp() / (float64(q.alive) * (q.birth + q.death)); now > 1 {
			break
		}
		if q.stream.Float64()*(q.birth+q.death) < q.birth {
			q.alive++
		} else {
			q.alive--
		}
	}
	return []float64{float64(q.alive)}, events, nil
}

func (q *birthDeathParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.stream = random.New(seed)
	return &c, nil
}

func (q *birthDeathParticle) Laws() []Law { return []Law{{Family: Gaussian, Arg: q.sd}} }
func (q *birthDeathParticle) Close()      {}

// exact is the logarithm of the likelihood, by a forward recursion over those numbers of
// individuals that are within 5 standard deviations of what was counted. Of n individuals, a
// binomial number k has descendants after one row, which are k plus a negative binomial number
// [Bailey64, 8.6].
func (m birthDeath) exact(birth, death float64, data []float64) float64 {
	// Of one individual, nothing is left with probability gone; otherwise the number that is left
	// is geometric, and more than it with probability more.
	var gone, more float64
	if d := birth - death; math.Abs(d) < 1e-9 {
		gone = birth / (1 + birth)
		more = gone
	} else {
		e := math.Expm1(d)
		gone = death * e / (birth*e + d)
		more = birth * e / (birth*e + d)
	}
	logGone, logLeft, logMore, logEnd := math.Log(gone), math.Log1p(-gone), math.Log(more), math.Log1p(-more)
	ratio := math.Exp(logLeft + logEnd - logGone - logMore)
	pass := func(a, n int) (sum float64) {
		if n == 0 {
			return math.Exp(float64(a) * logGone)
		}
		// The first term, and then each by its ratio to the one before.
		term := float64(a) * math.Exp(logLeft+logEnd+float64(a-1)*logGone+float64(n-1)*logMore)
		for k := 1; k <= min(a, n); k++ {
			sum += term
			term *= ratio * float64((a-k)*(n-k)) / float64((k+1)*k)
		}
		return sum
	}
	low, now := m.first, []float64{1}
	law := Law{Family: Gaussian, Arg: m.sd}
	for _, y := range data {
		from := max(0, int(math.Ceil(y-5*m.sd)))
		next := make([]float64, max(0, int(math.Floor(y+5*m.sd))-from+1))
		for i, p := range now {
			if p < 1e-300 {
				continue
			}
			for j := range next {
				next[j] += p * pass(low+i, from+j)
			}
		}
		for j := range next {
			next[j] *= math.Exp(law.LogDensity(y, float64(from+j)))
		}
		low, now = from, next
	}
	sum := 0.0
	for _, p := range now {
		sum += p
	}
	return math.Log(sum)
}

// problem is that of finding both rates.
func (m birthDeath) problem(data []float64) *Problem {
	return oneColumn(data, Unknown{"birth", "per day", Uniform(0, m.most)},
		Unknown{"death", "per day", Uniform(0, m.most)})
}

// combinations are what samples of the two rates are compared by: correlations show in the last
// two.
var combinations = []struct {
	name string
	of   func(x []float64) float64
}{
	{"birth", func(x []float64) float64 { return x[0] }},
	{"death", func(x []float64) float64 { return x[1] }},
	{"birth - death", func(x []float64) float64 { return x[0] - x[1] }},
	{"birth + death", func(x []float64) float64 { return x[0] + x[1] }},
}

// combined is a sample of the combinations.
func combined(p *Posterior) *Posterior {
	c := &Posterior{Weights: p.Weights}
	for _, row := range p.Rows {
		var values []float64
		for _, f := range combinations {
			values = append(values, f.of(row))
		}
		c.Rows = append(c.Rows, values)
	}
	return c
}

// quadrature is the exact posterior of the combinations, as a weighted sample: by the middles of
// cells, so many in each direction.
func (m birthDeath) quadrature(data []float64, cells int) *Posterior {
	p := new(Posterior)
	var logs []float64
	for i := range cells {
		for j := range cells {
			x := []float64{m.most * (float64(i) + 0.5) / float64(cells), m.most * (float64(j) + 0.5) / float64(cells)}
			p.Rows = append(p.Rows, x)
			logs = append(logs, m.exact(x[0], x[1], data))
		}
	}
	p.Weights, _ = weight.Normalize(logs)
	return combined(p)
}

// Two unknowns with a correlation above 0.95, by particles, by whole runs and by chains: mean and
// standard deviation of both, of their difference and of their sum, which hang on the correlation,
// are within four standard errors of the exact ones. The standard error of a standard deviation is
// that of the mean times √(kurtosis − 1)/2, and the kurtosis is at most 4. Samples are so large that
// four standard errors are a fifth of a standard deviation.
func TestCorrelatedUnknowns(t *testing.T) {
	data := []float64{14, 15, 22, 23, 31}
	sharp, blurred := birthDeath{10, 5, 1.5, 2}, birthDeath{10, 5, 3, 2}
	for _, c := range []struct {
		name      string
		m         birthDeath
		sim       Simulator
		o         Options
		particles bool
	}{
		{"abc, particles", sharp, sharp, Options{Population: 1000, Budget: 300_000}, true},
		{"abc, whole runs", blurred, wholeRuns{blurred}, Options{Population: 1000, Budget: 200_000}, false},
		{"pmmh", sharp, sharp, Options{Method: "pmmh", Budget: 120_000}, true},
	} {
		exact := c.m.quadrature(data, 30)
		if r := exact.Correlation(0, 1); r < 0.95 {
			t.Errorf("the correlation is %.3f", r)
		}
		c.o.Seed = 1
		r, err := fitDirectly(c.m.problem(data), c.sim, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Exact || r.Chains == nil && r.Particles > 0 != c.particles {
			t.Errorf("%s: exact %v, %d particles", c.name, r.Exact, r.Particles)
		}
		p := combined(&r.Posterior)
		for j, f := range combinations {
			se := p.meanError(j)
			if r.Chains != nil {
				se = p.SD(j) / math.Sqrt(r.Effective())
			}
			off, wide := (p.Mean(j)-exact.Mean(j))/se, (p.SD(j)-exact.SD(j))/(se*math.Sqrt(3)/2)
			text := fmt.Sprintf("%s, %s: mean %.4f (exactly %.4f: %+.1f standard errors), sd %.4f (%.4f: %+.1f), effective %.0f",
				c.name, f.name, p.Mean(j), exact.Mean(j), off, p.SD(j), exact.SD(j), wide, r.Effective())
			t.Log(text)
			if !(math.Abs(off) <= 4 && math.Abs(wide) <= 4 && 4*se < exact.SD(j)/5) {
				t.Error(text)
			}
		}
	}
}

// calibrate is simulation-based calibration [Talts18] of the combinations: rates are drawn from the
// prior, data from the model, and the share of the posterior below the true value is uniform by χ²
// with ten bins, at a level of 1e-3 for all combinations together. Fits that are not exact are left
// out.
//
// [Talts18]: https://arxiv.org/abs/1804.06788
func (m birthDeath) calibrate(t *testing.T, sim Simulator, sets int, o Options) {
	t.Helper()
	const bins = 10
	counts := make([][bins]float64, len(combinations))
	n, size := 0.0, 0.0
	for set := range uint64(sets) {
		stream := random.New(7, set)
		truth := []float64{m.most * stream.Float64(), m.most * stream.Float64()}
		course, err := m.Simulate(t.Context(), truth, stream.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		o.Seed = set
		r, err := fitDirectly(m.problem(course.Draw(&stream)[0]), sim, o)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Exact {
			continue
		}
		n++
		size += r.Effective()
		p := combined(&r.Posterior)
		for j, c := range combinations {
			below := 0.0
			for i, row := range p.Rows {
				if row[j] < c.of(truth) {
					below += p.Weights[i]
				}
			}
			// Among so many draws the true value has one of that many ranks and one more; where it
			// is within its rank is drawn.
			rank := (below*p.Effective() + stream.Float64()) / (p.Effective() + 1)
			counts[j][min(int(rank*bins), bins-1)]++
		}
	}
	most := distuv.ChiSquared{K: bins - 1}.Quantile(1 - 1e-3/float64(len(combinations)))
	t.Logf("%.0f of %d fits are exact, with effective samples of %.0f on average", n, sets, size/n)
	for j, c := range combinations {
		chi := 0.0
		for _, k := range counts[j] {
			chi += (k - n/bins) * (k - n/bins) / (n / bins)
		}
		t.Logf("%s: χ² %.1f (at most %.1f), %v", c.name, chi, most, counts[j])
		if !(chi <= most) {
			t.Errorf("%s: χ² %.1f, at most %.1f is expected; counts %v", c.name, chi, most, counts[j])
		}
	}
}

// A small calibration; the soak test has larger ones.
func TestCorrelatedCalibration(t *testing.T) {
	m := birthDeath{8, 3, 3, 1.2}
	m.calibrate(t, m, 50, Options{Population: 60, Budget: 4000})
}
