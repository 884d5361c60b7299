package analysis

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/sim"
)

// A Precision says how well something should be known before a run ends.
type Precision struct {
	Share float64 // the half-width of the interval over the estimate: 0.05 is one part in twenty
	First float64 // when to look first, in simulated time
	Most  float64 // when to end in any case
}

// grows is by how much a run is longer at the next look. Looking often stops too early by chance,
// and looking seldom runs too long.
const grows = 1.5

// RunTo runs a simulation on until an estimate is precise, and nothing speaks against it
// ([Estimate.Enough]). It looks at times First, 1.5 First, 2.25 First, … after now, and at Most, so
// that the same model stops at the same time everywhere. The estimate is one of what the simulation
// keeps:
//
//	desk.Waits().Keep(8192, s.Now)
//	e, err := analysis.RunTo(ctx, s, func() analysis.Estimate {
//		o, _ := desk.Waits().Observations()
//		return analysis.Observations(o)
//	}, analysis.Precision{Share: 0.05, First: 1000, Most: 1e6})
//
// If it comes to Most, or the model stops itself, without being precise, the last estimate says so
// among its problems. The error is that of [sim.Simulation.Run]. It panics unless Share and First
// are positive, and Most is at least First and finite.
//
// Who stops when an interval is narrow stops a little too readily when it is narrow by chance; that
// the run must be long enough in any case makes the difference small: intervals of 95 % covered in
// 91 to 94 of 100 runs of M/M/1 (TestCoverageOfRunTo).
func RunTo(ctx context.Context, s *sim.Simulation, estimate func() Estimate, to Precision) (Estimate, error) {
	if !(to.Share > 0 && to.First > 0 && to.Most >= to.First && to.Most < 1e300) {
		panic(fmt.Sprintf("analysis: RunTo %+v: Share and First must be positive, and Most at least First", to))
	}
	began := s.Now()
	for look := to.First; ; look *= grows {
		until := began + min(look, to.Most)
		if err := s.Run(ctx, until); err != nil {
			return estimate(), err
		}
		e := estimate()
		precise := e.HalfWidth() <= to.Share*max(e.Value, -e.Value)
		switch {
		case precise && e.Enough():
			return e, nil
		case s.Now() < until:
			e.problem("the simulation was stopped at %g", s.Now())
			return e, nil
		case look >= to.Most:
			if !precise {
				e.problem("at %g the half-width is %.3g of the estimate, and %.3g was wanted", s.Now(),
					e.HalfWidth()/max(e.Value, -e.Value), to.Share)
			}
			return e, nil
		}
	}
}
