package population

import "github.com/almanac-sim/almanac/population/internal/program"

// Queues returns the names of what individuals can queue for, if a model has queue: true: the kinds
// of places that may be full, and the supplies.
func (m *Model) Queues() (names []string) {
	for _, q := range m.program.Waits() {
		names = append(names, queueName(m.program, q))
	}
	return names
}

// queueName is the name of what a queue waits for.
func queueName(p *program.Program, queue int) string {
	if n := len(p.Places); queue >= n {
		return p.Supplies[queue-n]
	}
	return p.Places[queue].Name
}

// Waiting is the length of a queue at a row, in the order of [Model.Queues].
func (run *Run) Waiting(row, queue int) int {
	return int(run.rec.Queues[row*len(run.m.Waits())+queue])
}

// Waiting is the length of a queue now, in the order of [Model.Queues].
func (p *Process) Waiting(queue int) int { return p.r.InLine(p.r.Program.Waits()[queue]) }

// Waiting summarises how many wait in turn over the replicas, in the order of [Model.Queues].
func (r *Result) Waiting(queue int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Waiting(row, queue)) })
}

// queues writes how many wait, if anybody can.
func (r *Result) queues(j *jsonText) {
	names := r.Model.Queues()
	if len(names) == 0 {
		return
	}
	j.field("queues", func() {
		j.object(func() {
			for i, name := range names {
				j.put(name, r.Waiting(i))
			}
		})
	})
}
