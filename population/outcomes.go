package population

import "slices"

// Outcomes are the names of the outcomes, in the order of the file: numbers that grow with time and
// by events, such as costs and QALYs.
func (m *Model) Outcomes() []string { return slices.Clone(m.program.OutcomeNames()) }

// RecordsTime reports whether the model records person-time in each state.
func (m *Model) RecordsTime() bool { return m.program.RecordsTime }

// Outcome is what an outcome has accrued by a row, since the start, in the order of
// [Model.Outcomes].
func (run *Run) Outcome(row, outcome int) float64 {
	return run.rec.All.Outcomes[row*len(run.m.Outcomes)+outcome]
}

// TimeIn is the person-time in a state by a row, since the start, in the model's unit of time and
// in the order of [Model.Counted]. The model must record it: see [Model.RecordsTime].
func (run *Run) TimeIn(row, state int) float64 {
	return run.rec.All.Times[row*len(run.m.Counted)+state]
}

// Outcome is what an outcome has accrued since the start, in the order of [Model.Outcomes].
func (r *Result) Outcome(outcome int) Series {
	return r.series(func(run *Run, row int) float64 { return run.Outcome(row, outcome) })
}

// TimeIn is the person-time in a state since the start, in the model's unit of time and in the
// order of [Model.Counted]. The model must record it: see [Model.RecordsTime].
func (r *Result) TimeIn(state int) Series {
	return r.series(func(run *Run, row int) float64 { return run.TimeIn(row, state) })
}

// Outcome is what an outcome has accrued since the start, in the order of [Model.Outcomes].
func (p *Process) Outcome(outcome int) float64 { return p.r.Outcome(outcome) }

// TimeIn is the person-time in a state since the start, in the model's unit of time and in the
// order of [Model.Counted]. The model must record it: see [Model.RecordsTime].
func (p *Process) TimeIn(state int) float64 { return p.r.TimeIn(state) }
