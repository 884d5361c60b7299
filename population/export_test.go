package population

import (
	"context"
	"strconv"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/engine"
)

// Place is the id of the individual, which another had before it or will have after it, and ByPlace
// that of who brought it about: tests of how others are chosen look at both, since it is among ids
// that a contact chooses.
func (e *Event) Place() uint32   { return e.slot }
func (e *Event) ByPlace() uint32 { return e.bySlot }

// Check verifies the invariants of a process.
func (p *Process) Check() error { return p.r.Check() }

// Peaks and PersonTime are what else a process knows of its past.
func (p *Process) Peaks() (all []Peak) {
	for _, k := range p.r.Peaks {
		all = append(all, Peak(k))
	}
	return all
}

func (p *Process) PersonYears() float64 {
	return new(Run).close(p.r, rowTimes{}).PersonYears
}

// Grouped are the counts, flows and names of a group.
func (p *Process) Grouped(group int) ([]int, []uint64, []uint64) {
	g := &p.r.ByGroup.Groups[group]
	return g.Counts, g.Flows, g.Named
}

// ForkAlike makes a fork with the same luck, which goes on as p does, and tells of its events to a
// function.
func (p *Process) ForkAlike(onEvent func(Event)) (*Process, error) {
	r, err := p.r.Clone()
	if err != nil {
		return nil, err
	}
	f := &Process{m: p.m, r: r, time: p.time}
	f.r.OnEvent = func(h *engine.Event) { onEvent(f.m.event(f.r.Index, f.m.rowTimes(), h)) }
	return f, nil
}

// ObservationsOf are how the columns are observed in a model that At returned.
func ObservationsOf(f *Fit, at *Model) ([]modelfit.Observation, error) { return f.observations(at) }

// Planned are the times of the interventions that have one, on the model's clock.
func (m *Model) Planned() (times []float64) {
	for i := range m.program.Scheduled {
		times = append(times, m.program.Start+m.program.Scheduled[i].At)
	}
	return times
}

// Models with all there is, of the tests inside the package.
var Busy = map[string]string{
	"everything": testModel("everything"), "busy groups": testModel("busy-groups"),
	"busy everything": testModel("busy-everything"), "tied": testModel("tied"),
	"bands": testModel("bands"), "machines": testModel("machines"), "outcomes": testModel("outcomes"),
	"supplies": testModel("supplies"), "batches": testModel("batches"), "since": testModel("since"),
	"numbers": testModel("numbers"), "places": testModel("places"), "networks": testModel("networks"),
	"observed": testModel("observed"), "tracing": testModel("tracing"),
}

// Silence makes a process tell of no events.
func (p *Process) Silence() { p.r.OnEvent = func(*engine.Event) {} }

// Fingerprint is that of a process.
func (p *Process) Fingerprint() uint64 { return p.r.Fingerprint() }

// Again is a model that is saved at a time.
func Again(m *Model, at float64) (*Model, error) {
	c := m.compiled.Changes.Clone()
	stop := strconv.FormatFloat(at, 'g', -1, 64)
	c.Stop = &stop
	saved, err := compileWith(m.compiled.File.Path, m.source, c)
	if err == nil {
		saved.state = m.state
	}
	return saved, err
}

// Unsavable is what keeps the state of a model from being saved; empty if nothing does.
func Unsavable(m *Model) string { return engine.Unsavable(m.program) }

// ByWindows are options with which a run of so many individuals is by windows.
func ByWindows(o Options, from int) Options { o.windows = from; return o }

// SaveAlone runs the replicas of a model in this goroutine and writes their states.
func SaveAlone(ctx context.Context, m *Model, o Options, w *StateWriter) error {
	if err := w.begin(m, &o, o.Replicas); err != nil {
		return err
	}
	r, err := m.Runner(o)
	if err != nil {
		return err
	}
	for k := range o.Replicas {
		run, err := r.Run(ctx, k)
		if err != nil {
			return err
		}
		if err := w.replica(r.r, k, k, run); err != nil {
			return err
		}
	}
	return nil
}
