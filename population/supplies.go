package population

import "github.com/almanac-sim/almanac/population/internal/engine"

// A Supply is how much of something there is and was, as the section supplies of a model file has
// it. What was delivered since the start is the sum of Left, Used and Lost.
type Supply struct {
	Left    uint64 // how much there is
	Used    uint64 // by interventions, clocks and contacts
	Lost    uint64 // because there was more than is kept
	Refused uint64 // how often a clock or a contact would have used one, and none was left
}

// A SupplySeries summarises a [Supply] over the replicas.
type SupplySeries struct {
	Left    Series `json:"left"`
	Used    Series `json:"used"`
	Lost    Series `json:"lost"`
	Refused Series `json:"refused"`
}

// Supplies are the names of what is used up, in the order of the file.
func (m *Model) Supplies() []string { return append([]string(nil), m.program.Supplies...) }

// Supply is a supply at a row, in the order of [Model.Supplies].
func (run *Run) Supply(row, supply int) Supply {
	return Supply(run.rec.Supplies[row*len(run.m.Supplies)+supply])
}

// Supply is a supply as it is now, in the order of [Model.Supplies].
func (p *Process) Supply(supply int) Supply { return Supply(p.r.Supplies[supply]) }

// Supply summarises a supply over the replicas, in the order of [Model.Supplies].
func (r *Result) Supply(supply int) SupplySeries {
	of := func(number func(s *engine.Supply) uint64) Series {
		return r.series(func(run *Run, row int) float64 {
			return float64(number(&run.rec.Supplies[row*len(run.m.Supplies)+supply]))
		})
	}
	return SupplySeries{
		Left:    of(func(s *engine.Supply) uint64 { return s.Left }),
		Used:    of(func(s *engine.Supply) uint64 { return s.Used }),
		Lost:    of(func(s *engine.Supply) uint64 { return s.Lost }),
		Refused: of(func(s *engine.Supply) uint64 { return s.Refused }),
	}
}

// supplies writes the supplies, if the model has any.
func (r *Result) supplies(j *jsonText) {
	if len(r.Model.program.Supplies) == 0 {
		return
	}
	j.field("supplies", func() {
		j.object(func() {
			for i, name := range r.Model.program.Supplies {
				j.put(name, r.Supply(i))
			}
		})
	})
}
