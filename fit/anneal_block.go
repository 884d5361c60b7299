package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// A courseStage asks for the courses of several runs at each of several points: task k is of point
// k/Runs, and the luck of run k mod Runs, which is the same at every point.
type courseStage struct {
	Points [][]float64 `json:"points"`
	Runs   int         `json:"runs"`
	Seed   uint64      `json:"seed"`
}

func openCourses(o opened, s *courseStage) (task, error) {
	if err := o.problem.checkPoints(s.Points); err != nil {
		return nil, err
	}
	if s.Runs < 1 {
		return nil, fmt.Errorf("fit: courses of %d runs", s.Runs)
	}
	return func(ctx context.Context, k int) (answer, error) {
		c, possible, err := o.simulate(ctx, o.problem.values(s.Points[k/s.Runs]), runSeed(s.Seed, k%s.Runs))
		a := answer{runs: 1, events: c.Events}
		if err != nil || !possible {
			return a, err
		}
		for _, r := range c.Columns {
			a.numbers = append(r.Law.pack(a.numbers), r.Mean...)
		}
		return a, nil
	}, nil
}

// courseFrom is what a task of a courseStage gave. There is none where there is no model.
func (p *Problem) courseFrom(a answer) (c Course, possible bool, err error) {
	if len(a.numbers) == 0 {
		return c, false, nil
	}
	c.Columns, err = p.unpack(a.numbers)
	return c, err == nil, err
}

// An annealStage asks for steps of each chain at a temperature, until each has made so many runs.
// All chains of a stage have the same luck, and another one than in the stage before: a point that
// seemed good because its luck was is found out.
type annealStage struct {
	States      [][]float64 `json:"states"`
	Temperature float64     `json:"temperature"`
	Runs        int         `json:"runs"` // of each chain, at most, and at least 4
	Most        int         `json:"most"` // runs at one point

	// Noise is the error of the difference of two misfits that come from one run each, by chance
	// and by what is not corrected then, as far as it is known from the stage before; 0 if it is
	// not.
	Noise float64 `json:"noise,omitempty"`

	Kernel kernel `json:"kernel"`
	Seed   uint64 `json:"seed"`
}

// Its answers: how many steps were accepted, and at how many points there is no model; the sum of
// the squared errors of differences of misfits that come from one run each, and of how many
// comparisons. All points follow, with their misfits and errors.
const (
	annealAccepted = iota
	annealImpossible
	annealVariances
	annealCompared
	annealHead
)

func openAnneal(o opened, s *annealStage) (task, error) {
	if err := o.problem.checkPoints(s.States); err != nil {
		return nil, err
	}
	if d := len(o.problem.Unknowns); s.Runs < 4 || s.Most < 2 || !(s.Temperature > 0) || len(s.Kernel.Lower) != d*d {
		return nil, fmt.Errorf("fit: a stage of annealing that is not whole")
	}
	return func(ctx context.Context, k int) (answer, error) { return o.anneal(ctx, s, k) }, nil
}

// anneal takes steps of one chain. A step is accepted if the misfit grows by less than the
// temperature times an exponential number, the prior in the coordinates having its say, too, which
// vanishes with the temperature.
func (o opened) anneal(ctx context.Context, s *annealStage, k int) (answer, error) {
	if k >= len(s.States) {
		return answer{}, fmt.Errorf("fit: chain %d of %d", k, len(s.States))
	}
	b := &bench{o: o, seed: s.Seed, noise: s.Noise}
	luck := random.New(s.Seed, uint64(k), 1)
	now := &trial{z: s.States[k]}
	tried := []*trial{now}
	accepted := 0
	for {
		// A comparison takes what is left, at most: as many runs at the next point, and here what
		// is missing.
		left, have := s.Runs-b.runs, len(now.courses)
		most := min(left, have)
		if left > have {
			most = (left + have) / 2
		}
		if most < b.least(s.Temperature) {
			break
		}
		next := &trial{z: s.Kernel.propose(now.z, &luck)}
		tried = append(tried, next)
		bar := s.Temperature * (luck.Exp() + priorTerm(next.z) - priorTerm(now.z))
		accept, err := b.lower(ctx, next, now, bar, s.Temperature, min(most, s.Most))
		if err != nil {
			return answer{}, err
		}
		if accept {
			now = next
			accepted++
		}
	}
	a := answer{[]float64{float64(accepted), float64(b.impossible), b.variances, float64(b.compared)}, b.runs, b.events}
	for _, t := range tried {
		m, se := t.misfit(o.problem)
		a.numbers = append(append(a.numbers, t.z...), m, se)
	}
	return a, nil
}

// A bench tries points with common luck.
type bench struct {
	o          opened
	seed       uint64
	runs       int
	events     uint64
	impossible int

	noise     float64 // as an annealStage has it
	variances float64 // squared errors of differences from one run each, summed
	compared  int
}

// extend makes a trial one of k runs at least.
func (b *bench) extend(ctx context.Context, t *trial, k int) error {
	if t.wrong || len(t.courses) >= k {
		return nil
	}
	x := b.o.problem.values(t.z)
	for len(t.courses) < k {
		course, possible, err := b.o.simulate(ctx, x, runSeed(b.seed, len(t.courses)))
		b.runs++
		b.events += course.Events
		if err != nil {
			return err
		}
		if !possible {
			b.impossible++
			t.wrong = true
			return nil
		}
		t.add(b.o.problem, course)
	}
	return nil
}

// student are 97.5 % quantiles of Student's t for 2, 4, 8, … runs, which is 1, 3, 7, … degrees of
// freedom.
var student = []float64{12.71, 3.18, 2.36, 2.13, 2.04}

// least is how many runs at each point a comparison begins with: a single one, if by what is known
// of the noise that will do.
func (b *bench) least(temperature float64) int {
	if b.noise > 0 && b.noise < temperature/2 {
		return 1
	}
	return 2
}

// lower reports whether the misfit at next is that at now plus bar, or less, as far as it must be
// known: runs are added at both, twice as many each time, until the difference is on one side of
// the bar with 95 % confidence, whether it is corrected or not, or its error and its correction are
// below half the temperature, so that they matter little, or there are as many as there may be. So
// few runs are made where it is hot, or the answer plain.
func (b *bench) lower(ctx context.Context, next, now *trial, bar, temperature float64, most int) (bool, error) {
	few := b.least(temperature) == 1
	for k, round := min(2, most), 0; ; k, round = min(2*k, most), round+1 {
		if few {
			k = 1
		}
		for _, t := range []*trial{next, now} {
			if err := b.extend(ctx, t, k); err != nil {
				return false, err
			}
		}
		if next.wrong || now.wrong {
			return !next.wrong, nil
		}
		gaps := make([]float64, k)
		other := now.values(b.o.problem, k)
		for i, v := range next.values(b.o.problem, k) {
			gaps[i] = v - other[i] - bar
		}
		gap, err := meanAndError(gaps)
		if few {
			return gap < 0, nil
		}
		shift := math.Abs(next.shifted - now.shifted)
		if round == 0 {
			b.variances += float64(err*err*float64(k)) + float64(shift*shift*float64(k*k))
			b.compared++
		}
		if math.Abs(gap)-shift > student[min(round, len(student)-1)]*err || max(err, shift) < temperature/2 || k >= most {
			return gap < 0, nil
		}
	}
}
