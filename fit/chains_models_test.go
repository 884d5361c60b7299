package fit

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/random"
)

// A drifting model is a linear Gaussian one: a level that is a·level + N(0, 1) from row to row, and
// is seen with an error of N(0, 0.5²). Its likelihood is the Kalman filter's. The unknown is a.
type drifting struct{ rows int }

const driftError = 0.5

type driftingParticle struct {
	a, level float64
	luck     random.Stream
}

func (m drifting) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &driftingParticle{a: x[0], luck: random.New(seed)}, nil
}

func (m drifting) Simulate(ctx context.Context, x []float64, seed uint64) (Course, error) {
	return courseOf(ctx, m, x, seed, m.rows)
}

func (q *driftingParticle) Step(context.Context) ([]float64, uint64, error) {
	q.level = q.a*q.level + gaussian(&q.luck)
	return []float64{q.level}, 1, nil
}

func (q *driftingParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.luck = random.New(seed)
	return &c, nil
}
func (q *driftingParticle) Laws() []Law { return []Law{{Family: Gaussian, Arg: driftError}} }
func (q *driftingParticle) Close()      {}

// kalman is the logarithm of the likelihood of data, NaN being gaps.
func kalman(a float64, data []float64) float64 {
	mean, variance, log := 0.0, 0.0, 0.0
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
	return log
}

// A dying model is a pure death process: of so many that live at first, each dies within a row with
// probability 1 − exp(−rate). A share of the deaths of a row is reported, by a Poisson law. Its
// likelihood is a sum over the numbers that live. The unknowns are rate and share.
type dying struct{ first, rows int }

type dyingParticle struct {
	alive       int
	death, seen float64
	luck        random.Stream
}

func (m dying) Start(_ context.Context, x []float64, seed uint64) (Particle, error) {
	return &dyingParticle{m.first, -math.Expm1(-x[0]), x[1], random.New(seed)}, nil
}

func (m dying) Simulate(ctx context.Context, x []float64, seed uint64) (Course, error) {
	return courseOf(ctx, m, x, seed, m.rows)
}

func (q *dyingParticle) Step(context.Context) ([]float64, uint64, error) {
	died := 0
	for range q.alive {
		if q.luck.Float64() < q.death {
			died++
		}
	}
	q.alive -= died
	return []float64{q.seen * float64(died)}, uint64(died), nil
}

func (q *dyingParticle) Fork(seed uint64) (Particle, error) {
	c := *q
	c.luck = random.New(seed)
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
func courseOf(ctx context.Context, m Filtered, x []float64, seed uint64, rows int) (Course, error) {
	q, err := m.Start(ctx, x, seed)
	if err != nil {
		return Course{}, err
	}
	laws := q.Laws()
	c := Course{Columns: make([]Reports, len(laws))}
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
