package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
)

// A goModel is a model in Go: a problem, the laws of its columns, and the means of one run.
type goModel struct {
	problem *Problem
	laws    []Law
	means   func(x []float64, s *random.Stream) [][]float64
	before  func() error // is called before each run, if there is one
}

func (g *goModel) Simulate(_ context.Context, x []float64, seed uint64) (Trajectory, error) {
	if g.before != nil {
		if err := g.before(); err != nil {
			return Trajectory{}, err
		}
	}
	s := random.New(seed)
	c := Trajectory{Events: uint64(len(g.problem.Times))}
	for i, m := range g.means(x, &s) {
		c.Columns = append(c.Columns, Reports{m, g.laws[i]})
	}
	return c, nil
}

// register is a registry that has the model, as kind "fit".
func (g *goModel) register() *ensemble.Registry {
	r := new(ensemble.Registry)
	r.AddKind(NewKind("fit", "1", func([]byte) (*Problem, Simulator, error) { return g.problem, g, nil }))
	return r
}

// fit fits a model in memory.
func (g *goModel) fit(t testing.TB, o Options) *Result {
	t.Helper()
	o.Kind, o.Registry = "fit", g.register()
	o.Executor = ensemble.InMemory{Slots: 2}
	r, err := Run(t.Context(), g.problem, []byte("model"), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// standardNormal is by Go's ziggurat: models need many, and proposal.StandardNormal, which takes a
// quantile for each, would be most of what a test does.
func standardNormal(s *random.Stream) float64 { return rand.New(s).NormFloat64() }

func rows(n int) (times []float64) {
	for i := range n {
		times = append(times, float64(i+1))
	}
	return times
}

func same(x float64, n int) (y []float64) {
	for range n {
		y = append(y, x)
	}
	return y
}

// rate is a Poisson rate with a gamma prior, seen n times: the posterior is gamma with shape a and
// rate b.
func rateModel(y []float64) (g *goModel, a, b float64) {
	g = &goModel{problem: &Problem{Unknowns: []Unknown{{"rate", "per day", GammaShape(10, 2)}}, Times: rows(len(y)),
		Columns: []Column{{"y", y}}}, laws: []Law{{}}}
	g.means = func(x []float64, _ *random.Stream) [][]float64 { return [][]float64{same(x[0], len(y))} }
	a, b = 2, 2.0/10
	for _, k := range y {
		if !math.IsNaN(k) {
			a += k
			b++
		}
	}
	return g, a, b
}

// coins counts successes of n, seen as good as exactly; the prior of the probability is Beta(a, b).
func coins(a, b float64, n int, seen float64) *goModel {
	return &goModel{problem: &Problem{Unknowns: []Unknown{{"p", "", Beta(a, b)}}, Times: rows(1),
		Columns: []Column{{"successes", []float64{seen}}}},
		laws: []Law{{Gaussian, 0.1, false}},
		means: func(x []float64, s *random.Stream) [][]float64 {
			return [][]float64{{distuv.Binomial{N: float64(n), P: x[0], Src: s}.Rand()}}
		}}
}

// A village of 120 has an outbreak, day by day: each susceptible is infected with probability 1 −
// exp(−beta·infectious/120), and an infectious one recovers with probability 1/4. New cases of
// three days are reported by a Poisson law with mean rho times as many. The unknowns are beta, the
// number who brought it, and rho, as in examples/outbreak.yaml. Outbreaks fail to come as often as
// not, and many rows have no cases in most runs.
type village struct{}

const (
	villagers   = 120
	villageRows = 10
)

func (village) Simulate(_ context.Context, x []float64, seed uint64) (Trajectory, error) {
	stream := random.New(seed)
	ill := int(x[1])
	well := villagers - ill
	c := Trajectory{Columns: []Reports{{Mean: make([]float64, villageRows)}}}
	for day := range 3 * villageRows {
		if ill == 0 {
			break
		}
		p := -math.Expm1(-x[0] * float64(ill) / villagers)
		caught, recovered := heads(&stream, well, p), heads(&stream, ill, 0.25)
		well, ill = well-caught, ill+caught-recovered
		c.Columns[0].Mean[day/3] += x[2] * float64(caught)
		c.Events += uint64(caught + recovered)
	}
	return c, nil
}

// heads is how many of n coins show heads, each by a number of the stream.
func heads(s *random.Stream, n int, p float64) (k int) {
	for below := uint64(math.Ceil(p * 0x1p53)); n > 0; n-- {
		if s.Uint64()>>11 < below { // Float64() < p, without its conversions
			k++
		}
	}
	return k
}

// villageOf has the reports of one run at beta 0.4, 6 who brought it and rho 0.4.
func villageOf(t testing.TB, seed uint64) *Problem {
	c, err := village{}.Simulate(t.Context(), []float64{0.4, 6, 0.4}, seed)
	if err != nil {
		t.Fatal(err)
	}
	stream := random.New(seed, 1)
	var data []float64
	for _, m := range c.Columns[0].Mean {
		data = append(data, c.Columns[0].Law.Draw(m, &stream))
	}
	return oneColumn(data, Unknown{Name: "beta", Prior: Uniform(0.1, 1.5)},
		Unknown{Name: "seeds", Prior: Uniform(1, 30).Whole()},
		Unknown{Name: "rho", Prior: Beta(2, 2)})
}

// misfitAt is the misfit by many runs, with seeds that no fit uses.
func misfitAt(t testing.TB, p *Problem, x []float64, runs int) float64 {
	var all trial
	for k := range runs {
		c, err := village{}.Simulate(t.Context(), x, runSeed(1<<40, k))
		if err != nil {
			t.Fatal(err)
		}
		all.add(p, c)
	}
	m, _ := all.misfit(p)
	return m
}

// A drifting model is a linear Gaussian one: a level that is a·level + N(0, 1) from row to row, and
// is seen with an error of N(0, 0.5²). Its likelihood is the Kalman filter's. The unknown is a.
type drifting struct{ rows int }

const driftError = 0.5

type driftingParticle struct {
	a, level float64
	stream   random.Stream
}

func (m drifting) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &driftingParticle{a: x[0], stream: random.New(seed)}, nil
}

func (m drifting) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return courseOf(ctx, m, x, seed, m.rows)
}

func (q *driftingParticle) Step(context.Context) ([]float64, uint64, error) {
	q.level = q.a*q.level + standardNormal(&q.stream)
	return []float64{q.level}, 1, nil
}

func (q *driftingParticle) Check() uint64 { return math.Float64bits(q.level) }

func (q *driftingParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.stream = random.New(seed)
	return &c, nil
}
func (q *driftingParticle) Laws() []Law { return []Law{{Family: Gaussian, Arg: driftError}} }
func (q *driftingParticle) Close()      {}

// kalman is the logarithm of the likelihood of data, NaN being gaps.
func kalman(a float64, data []float64) float64 {
	log, _, _ := kalmanFilter(a, data)
	return log
}

// kalmanFilter also returns the mean and the variance of the level at the end, given the data.
func kalmanFilter(a float64, data []float64) (log, mean, variance float64) {
	for _, y := range data {
		mean, variance = a*mean, a*a*variance+1
		if math.IsNaN(y) {
			continue
		}
		s := variance + driftError*driftError
		log += -(y-mean)*(y-mean)/(2*s) - math.Log(2*math.Pi*s)/2
		gain := variance / s
		mean, variance = mean+gain*(y-mean), (1-gain)*variance
	}
	return log, mean, variance
}

// A dying model is a pure death process: of so many that live at first, each dies within a row with
// probability 1 − exp(−rate). A share of the deaths of a row is reported, by a Poisson law. Its
// likelihood is a sum over the numbers that live. The unknowns are rate and share.
type dying struct{ first, rows int }

type dyingParticle struct {
	alive       int
	death, seen float64
	stream      random.Stream
}

func (m dying) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &dyingParticle{m.first, -math.Expm1(-x[0]), x[1], random.New(seed)}, nil
}

func (m dying) Simulate(ctx context.Context, x []float64, seed uint64) (Trajectory, error) {
	return courseOf(ctx, m, x, seed, m.rows)
}

func (q *dyingParticle) Step(context.Context) ([]float64, uint64, error) {
	died := heads(&q.stream, q.alive, q.death)
	q.alive -= died
	return []float64{q.seen * float64(died)}, uint64(died), nil
}

func (q *dyingParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.stream = random.New(seed)
	return &c, nil
}
func (q *dyingParticle) Laws() []Law { return []Law{{Family: Poisson}} }
func (q *dyingParticle) Close()      {}

// exact is the logarithm of the likelihood of data by the forward recursion over the number that
// live.
func (m dying) exact(rate, share float64, data []float64) float64 {
	death := -math.Expm1(-rate)
	binomial := make([][]float64, m.first+1)
	for n := range binomial {
		for died := range n + 1 {
			binomial[n] = append(binomial[n], distuv.Binomial{N: float64(n), P: death}.Prob(float64(died)))
		}
	}
	seen := make([]float64, m.first+1)
	alive := make([]float64, m.first+1) // probabilities, with the data so far
	alive[m.first] = 1
	for _, y := range data {
		for died := range seen {
			if seen[died] = 1; !math.IsNaN(y) {
				seen[died] = math.Exp((Law{}).LogDensity(y, share*float64(died)))
			}
		}
		next := make([]float64, m.first+1)
		for n, w := range alive {
			if w == 0 {
				continue
			}
			for died := range n + 1 {
				next[n-died] += w * binomial[n][died] * seen[died]
			}
		}
		alive = next
	}
	sum := 0.0
	for _, w := range alive {
		sum += w
	}
	return math.Log(sum)
}

// courseOf runs a particle through all rows.
func courseOf(ctx context.Context, m Filtered, x []float64, seed uint64, rows int) (Trajectory, error) {
	q, err := m.Start(ctx, x, seed)
	if err != nil {
		return Trajectory{}, err
	}
	laws := q.Laws()
	c := Trajectory{Columns: make([]Reports, len(laws))}
	for range rows {
		means, events, err := q.Step(ctx)
		if err != nil {
			return c, err
		}
		c.Events += events
		for i, l := range laws {
			c.Columns[i].Law = l
			c.Columns[i].Mean = append(c.Columns[i].Mean, means[i])
		}
	}
	if q, ok := q.(interface{ Check() uint64 }); ok {
		c.Check = q.Check()
	}
	return c, nil
}

// wholeRuns hides that a model can be stopped and copied.
type wholeRuns struct{ Simulator }

// oneColumn is a problem with rows at 1, 2, …
func oneColumn(data []float64, unknowns ...Unknown) *Problem {
	p := &Problem{Unknowns: unknowns, Columns: []Column{{Name: "seen", Data: data}}}
	for i := range data {
		p.Times = append(p.Times, float64(i+1))
	}
	return p
}

// driftingData and dyingData were drawn from the models at a = 0.8 and at rate 0.3, share 0.7, and
// rounded: what they were drawn with has no bearing on the tests, which compare with the exact
// posterior given these numbers.
var (
	driftingData = []float64{0.4, 1.3, 2.9, 1.6, 0.9, 1.1, -0.6, math.NaN(), -1.9, -2.2, -0.3, -1.2, -0.4, 0.8, 1.7, 1.2,
		2.4, 2.0, 0.3, -1.1}
	dyingData = []float64{9, 5, 8, 3, math.NaN(), 4, 2, 0, 2, 1}
)

// fitDirectly fits in memory.
func fitDirectly(p *Problem, model Simulator, o Options) (*Result, error) {
	g := new(ensemble.Registry)
	g.AddKind(NewKind("test", "1", func([]byte) (*Problem, Simulator, error) { return p, model, nil }))
	o.Kind, o.Registry, o.Executor = "test", g, ensemble.InMemory{Slots: 2}
	return Run(context.Background(), p, nil, o)
}

// A stretched model has rows of x·exp(g/2), g standard normal in each run, which are seen with a
// normal error of 0.6. The posterior of x has a long right tail, in which few runs count, and much.
type stretched struct{}

func (stretched) Simulate(_ context.Context, x []float64, seed uint64) (Trajectory, error) {
	s := random.New(seed)
	r := Reports{Law: Law{Family: Gaussian, Arg: 0.6}}
	for range 2 {
		r.Mean = append(r.Mean, x[0]*math.Exp(standardNormal(&s)/2))
	}
	return Trajectory{Columns: []Reports{r}, Events: 1}, nil
}

// stretchedProblem has two rows, and the exact mean and standard deviation of x.
func stretchedProblem() (p *Problem, mean, sd float64) {
	data := []float64{2.1, 4.4}
	mean, sd = moments(func(x float64) float64 {
		likelihood := 1.0
		for _, y := range data {
			sum := 0.0
			for g := -6.0; g < 6; g += 0.01 {
				e := (y - x*math.Exp(g/2)) / 0.6
				sum += math.Exp(-g*g/2 - e*e/2)
			}
			likelihood *= sum
		}
		return likelihood
	}, 0, 12)
	return oneColumn(data, Unknown{"x", "", Uniform(0, 12)}), mean, sd
}
